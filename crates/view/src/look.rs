//! How a run is looked at: the state that the address of the page holds, for pictures and movies without a browser.

use crate::arrays::{Array, Scale};
use crate::camera::Camera;
use riprap_measure::plot::ColourMap;

/// How a run is looked at. Its keys and values are those of the page's address (`page/address.js`).
#[derive(Clone, Debug)]
pub struct Look {
    /// What grains are coloured by.
    pub array: &'static Array,
    /// The frame that displacements are since.
    pub since: usize,
    /// The range of colours.
    pub range: Range,
    /// The colours; by default those that suit the array.
    pub map: Option<Colours>,
    /// True if grains are drawn.
    pub grains: bool,
    /// Only grains with at least and at most these values.
    pub limits: [f64; 2],
    /// Which contacts are drawn.
    pub contacts: Contacts,
    /// What contacts are coloured by.
    pub contact_colour: ContactColour,
    /// Contacts with less than this part of the mean force are left out.
    pub strong: f64,
    /// Thickness of the strongest contact, in mean radii over two.
    pub thickness: f64,
    /// Opacity of walls.
    pub walls: f64,
    /// True to draw the edges of the periodic cell.
    pub cell: bool,
    /// The axis across which grains are cut open, and where along the box around them.
    pub cut: Option<(usize, f64)>,
    /// Materials (`m:NAME`) and groups (`g:NAME`) that are left out.
    pub hidden: Vec<String>,
    /// Only grains within a box: its lower corner, then its upper one; empty for all.
    pub region: Vec<f64>,
    /// The camera; by default one that shows everything.
    pub camera: Option<Camera>,
}

/// The range of colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// From the smallest to the largest value.
    All,
    /// Between two percentiles.
    Percentiles([f64; 2]),
    /// Between two values.
    Values([f64; 2]),
}

/// The colours of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// A map of the program.
    Map(ColourMap),
    /// Dark to light grey.
    Grey,
}

/// Which contacts are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contacts {
    /// None.
    None,
    /// All that carry a force.
    All,
    /// Those that push.
    Push,
    /// Those that pull.
    Pull,
    /// Those that slide.
    Slide,
    /// Those that stick.
    Stick,
    /// Those with a liquid bridge.
    Bridges,
    /// Those that a bond holds.
    Bonds,
}

/// What contacts are coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactColour {
    /// Pushes red, pulls blue.
    Force,
    /// How much of its friction is mobilised.
    Friction,
    /// Sticking or sliding.
    Status,
    /// Bonds, liquid bridges and plain contacts.
    Kind,
}

impl Default for Look {
    fn default() -> Self {
        Look {
            array: &Array::ALL[0],
            since: 0,
            range: Range::Percentiles([2.0, 98.0]),
            map: None,
            grains: true,
            limits: [f64::NEG_INFINITY, f64::INFINITY],
            contacts: Contacts::None,
            contact_colour: ContactColour::Force,
            strong: 0.0,
            thickness: 1.0,
            walls: 0.18,
            cell: true,
            cut: None,
            hidden: Vec::new(),
            region: Vec::new(),
            camera: None,
        }
    }
}

impl Look {
    /// The look of an address of the page, or of what follows its `#`.
    pub fn from_address(address: &str) -> Result<Look, String> {
        let mut look = Look::default();
        let (mut range, mut bounds, mut axis, mut at) = ("percentile", [2.0, 98.0], None, 0.5);
        let text = address.rsplit('#').next().unwrap_or_default();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(|| format!("`{pair}` is not of the form key=value"))?;
            let value = decoded(value).ok_or_else(|| format!("`{pair}` is not text"))?;
            let value = value.as_str();
            let number = || value.parse::<f64>().map_err(|_| format!("`{key}` must be a number, not `{value}`"));
            let unknown = || format!("`{key}` cannot be `{value}`");
            match key {
                "array" => look.array = Array::find(value).ok_or_else(unknown)?,
                "since" => look.since = value.parse().map_err(|_| unknown())?,
                "range" => {
                    range =
                        ["percentile", "all", "values"].into_iter().find(|&word| word == value).ok_or_else(unknown)?;
                }
                "low" => bounds[0] = number()?,
                "high" => bounds[1] = number()?,
                "map" => look.map = map_of(value).ok_or_else(unknown)?,
                "grains" => look.grains = value == "1",
                "cell" => look.cell = value == "1",
                "above" => look.limits[0] = number()?,
                "below" => look.limits[1] = number()?,
                "contacts" => look.contacts = contacts_of(value).ok_or_else(unknown)?,
                "colour" => look.contact_colour = contact_colour_of(value).ok_or_else(unknown)?,
                "strong" => look.strong = number()?,
                "thickness" => look.thickness = number()?,
                "walls" => look.walls = number()?,
                "slice" => axis = if value == "none" { None } else { Some(axis_of(value).ok_or_else(unknown)?) },
                "cut" => at = number()?,
                "hidden" => look.hidden = value.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect(),
                "region" => look.region = region_of(value).ok_or_else(unknown)?,
                "camera" => look.camera = Some(Camera::from_text(value).ok_or_else(unknown)?),
                // What only a page with a person before it has.
                "run" | "frame" | "smooth" | "speed" | "curves" | "text" | "follow" | "chosen" => {}
                _ => return Err(format!("a view has no `{key}`")),
            }
        }
        look.range = match range {
            "all" => Range::All,
            "values" => Range::Values(bounds),
            _ => Range::Percentiles(bounds),
        };
        look.cut = axis.map(|axis| (axis, at));
        Ok(look)
    }

    /// The colours in use.
    pub(crate) fn colours(&self) -> Colours {
        let suits = match self.array.scale {
            Scale::Signed => ColourMap::Signed,
            Scale::Rising | Scale::Named => ColourMap::Rising,
        };
        self.map.unwrap_or(Colours::Map(suits))
    }
}

/// The text of a part of an address.
fn decoded(text: &str) -> Option<String> {
    let plain = text.replace('+', " ");
    let mut parts = plain.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(part.get(2..)?.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

/// Two corners of a box, in the plane or in space; none for an empty text.
fn region_of(text: &str) -> Option<Vec<f64>> {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let numbers: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
    matches!(numbers.len(), 0 | 4 | 6).then_some(numbers)
}

fn axis_of(word: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|&axis| axis == word)
}

fn map_of(word: &str) -> Option<Option<Colours>> {
    Some(match word {
        "" => None,
        "rising" => Some(Colours::Map(ColourMap::Rising)),
        "signed" => Some(Colours::Map(ColourMap::Signed)),
        "grey" => Some(Colours::Grey),
        _ => return None,
    })
}

fn contacts_of(word: &str) -> Option<Contacts> {
    Some(match word {
        "none" => Contacts::None,
        "all" => Contacts::All,
        "push" => Contacts::Push,
        "pull" => Contacts::Pull,
        "slide" => Contacts::Slide,
        "stick" => Contacts::Stick,
        "bridges" => Contacts::Bridges,
        "bonds" => Contacts::Bonds,
        _ => return None,
    })
}

fn contact_colour_of(word: &str) -> Option<ContactColour> {
    Some(match word {
        "force" => ContactColour::Force,
        "friction" => ContactColour::Friction,
        "status" => ContactColour::Status,
        "kind" => ContactColour::Kind,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_the_page_is_understood() {
        let look = Look::from_address("http://127.0.0.1:8/t/#array=pressure&range=values&low=-1&high=2.5&contacts=push&slice=y&cut=0.25&walls=0&camera=0+0+1+2+-1.5+0.25+1")
            .expect("it is an address");
        assert_eq!(look.array.name, "pressure");
        assert_eq!(look.range, Range::Values([-1.0, 2.5]));
        assert_eq!((look.contacts, look.cut, look.walls), (Contacts::Push, Some((1, 0.25)), 0.0));
        let camera = look.camera.expect("it has a camera");
        assert_eq!((camera.target, camera.distance, camera.perspective), ([0.0, 0.0, 1.0], 2.0, true));
        assert!(Look::from_address("").is_ok());
        let look =
            Look::from_address("hidden=m%3Aroter+Stein%2Cg%3Atop&region=0+0+0+1+1+2.5").expect("it is an address");
        assert_eq!(look.hidden, ["m:roter Stein", "g:top"]);
        assert_eq!(look.region, [0.0, 0.0, 0.0, 1.0, 1.0, 2.5]);
    }

    #[test]
    fn what_no_view_has_is_refused_by_name() {
        for (address, word) in [
            ("colours=red", "colours"),
            ("array=mood", "mood"),
            ("strong=very", "strong"),
            ("nonsense", "nonsense"),
            ("camera=1+2", "camera"),
            ("region=1+2+3", "region"),
            ("hidden=%zz", "hidden"),
        ] {
            let message = Look::from_address(address).expect_err("it is wrong");
            assert!(message.contains(word), "{message}");
        }
    }
}
