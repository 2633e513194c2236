//! Colours that are told apart in print and by most eyes.

/// A colour with its opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Colour {
    /// Red, green and blue, 0 to 255.
    pub rgb: [u8; 3],
    /// From 0, which is not seen, to 1, which hides what is below.
    pub opacity: f64,
}

/// The colours of curves, in their order: those of Okabe and Ito, dark ones first.
pub const PALETTE: [Colour; 7] = [
    Colour::new(0, 94, 162),
    Colour::new(213, 74, 0),
    Colour::new(0, 138, 100),
    Colour::new(177, 87, 145),
    Colour::new(60, 60, 60),
    Colour::new(200, 140, 0),
    Colour::new(60, 160, 215),
];

impl Colour {
    /// Paper.
    pub const WHITE: Colour = Colour::new(255, 255, 255);
    /// Letters and axes.
    pub const INK: Colour = Colour::new(34, 34, 34);
    /// Grid lines.
    pub const PALE: Colour = Colour::new(226, 226, 226);
    /// Reference marks.
    pub const GREY: Colour = Colour::new(120, 120, 120);

    /// A colour that hides what is below.
    pub const fn new(red: u8, green: u8, blue: u8) -> Colour {
        Colour { rgb: [red, green, blue], opacity: 1.0 }
    }

    /// The same colour, partly seen through.
    pub const fn with_opacity(self, opacity: f64) -> Colour {
        Colour { rgb: self.rgb, opacity }
    }

    /// A share of the way to another colour.
    pub fn mixed(self, other: Colour, share: f64) -> Colour {
        let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        Colour {
            rgb: std::array::from_fn(|i| mix(self.rgb[i], other.rgb[i])),
            opacity: self.opacity + (other.opacity - self.opacity) * share,
        }
    }
}

/// Colours for the values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// From dark to light: for sizes.
    Rising,
    /// From blue through white to red: for values of both signs, zero in the middle.
    Signed,
}

impl ColourMap {
    /// The colour at a share of the range, from 0 to 1; values beyond are at the ends.
    pub fn at(self, share: f64) -> Colour {
        let anchors: &[Colour] = match self {
            ColourMap::Rising => &[
                Colour::new(28, 16, 68),
                Colour::new(79, 18, 123),
                Colour::new(129, 37, 129),
                Colour::new(181, 54, 122),
                Colour::new(229, 80, 100),
                Colour::new(251, 135, 97),
                Colour::new(254, 194, 135),
                Colour::new(252, 240, 186),
            ],
            ColourMap::Signed => &[
                Colour::new(23, 69, 138),
                Colour::new(90, 150, 200),
                Colour::new(190, 215, 232),
                Colour::new(246, 246, 246),
                Colour::new(248, 200, 175),
                Colour::new(219, 107, 84),
                Colour::new(148, 16, 40),
            ],
        };
        let last = anchors.len() - 1;
        let along = (if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 }) * last as f64;
        let below = (along.floor() as usize).min(last - 1);
        anchors[below].mixed(anchors[below + 1], along - below as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_meets_its_ends_and_the_middle_of_the_signed_one_is_pale() {
        assert_eq!(ColourMap::Rising.at(-3.0), ColourMap::Rising.at(0.0));
        assert_eq!(ColourMap::Rising.at(1.0).rgb, [252, 240, 186]);
        assert_eq!(ColourMap::Signed.at(0.5).rgb, [246, 246, 246]);
        assert_eq!(Colour::WHITE.mixed(Colour::new(0, 0, 0), 0.5).rgb, [128, 128, 128]);
    }
}
