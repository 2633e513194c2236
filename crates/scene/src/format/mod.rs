//! The format of a scene, described once. The checks, the suggestions, the JSON schema and the reference all come
//! from this description; what the parts mean together is in `lower`.

mod grains;
mod keys;
mod laws;
mod methods;
mod openings;
mod running;
mod sections;
mod shapes;

pub(crate) use sections::ROOT;

use crate::units::Quantity;

/// A table of a scene and its keys.
pub(crate) struct Section {
    /// The heading in the reference.
    pub title: &'static str,
    /// What the table is for.
    pub doc: &'static str,
    /// The keys of every such table.
    pub keys: &'static [Key],
    /// The key whose value says which further keys there are.
    pub tag: Option<Tag>,
}

/// A key that chooses among variants of a table: `shape = "drum"`.
pub(crate) struct Tag {
    pub key: &'static str,
    pub doc: &'static str,
    pub variants: &'static [Variant],
}

/// One choice of a tag, with its own keys.
pub(crate) struct Variant {
    pub name: &'static str,
    /// Another word for the same thing; empty if there is none.
    pub alias: &'static str,
    pub doc: &'static str,
    /// The keys, in groups so that variants can share them.
    pub keys: &'static [&'static [Key]],
}

/// A key and what may be its value.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub need: Need,
    pub only: Only,
    pub doc: &'static str,
}

/// Whether a key must be there, and what holds if it is not.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    Required,
    Optional,
    /// A default as a TOML value.
    Default(&'static str),
    /// A default as a TOML value, in 2D and in 3D.
    ByDimension(&'static str, &'static str),
    /// A default that another crate sets, as a TOML value.
    Taken(fn() -> String),
    /// The program chooses from the scene, and says how.
    Chosen(&'static str),
}

/// In which dimensions a key exists.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Only {
    Both,
    Plane,
    Space,
}

impl Only {
    pub fn allows(self, dimension: usize) -> bool {
        match self {
            Only::Both => true,
            Only::Plane => dimension == 2,
            Only::Space => dimension == 3,
        }
    }
}

/// What may be the value of a key.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Text,
    Bool,
    Integer {
        min: i64,
        max: i64,
    },
    Number(Quantity, Range),
    /// As many numbers as the scene has dimensions.
    Vector(Quantity),
    /// A number in 2D, a vector in 3D.
    Spin(Quantity),
    /// A number, or a function of time.
    Function(Quantity),
    /// As many functions of time as the scene has dimensions.
    Functions(Quantity),
    /// One function of time in 2D, three in 3D.
    SpinFunctions(Quantity),
    /// One of some words, each with what it means.
    Choice(&'static [(&'static str, &'static str)]),
    List(&'static Kind),
    /// A list of rows with these columns.
    Rows(&'static [(&'static str, Quantity)]),
    Table(&'static Section, Fill),
    Tables(&'static Section, Fill),
    /// A table of tables with names that the user chooses.
    Named(&'static Section, Fill),
    /// A table with exactly one of these keys.
    OneOf(&'static [Key]),
    /// The first of these that fits the type of what was written.
    Any(&'static [Kind]),
}

/// Whether keys that are not given get their defaults, or stay as they were: a stage changes only what it names.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fill {
    Defaults,
    Nothing,
}

/// The numbers that are allowed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Range {
    Any,
    Positive,
    NotNegative,
    /// Both ends included.
    Between(f64, f64),
}

impl Range {
    pub fn holds(self, value: f64) -> bool {
        match self {
            Range::Any => value.is_finite(),
            Range::Positive => value > 0.0 && value.is_finite(),
            Range::NotNegative => value >= 0.0 && value.is_finite(),
            Range::Between(low, high) => low <= value && value <= high,
        }
    }

    /// "greater than 0"; empty if every number is allowed.
    pub fn words(self) -> String {
        match self {
            Range::Any => String::new(),
            Range::Positive => "greater than 0".to_owned(),
            Range::NotNegative => "0 or greater".to_owned(),
            Range::Between(low, high) => format!("from {low} to {high}"),
        }
    }
}

impl Section {
    /// The keys of this table if its tag has the given value.
    pub fn keys_of(&self, variant: Option<&'static Variant>) -> impl Iterator<Item = &'static Key> {
        let more: &'static [&'static [Key]] = variant.map_or(&[], |variant| variant.keys);
        self.keys.iter().chain(more.iter().flat_map(|keys| keys.iter()))
    }
}

impl Tag {
    pub fn variant(&self, name: &str) -> Option<&'static Variant> {
        self.variants.iter().find(|variant| variant.name == name || (!name.is_empty() && variant.alias == name))
    }
}

impl Kind {
    /// What was expected, in words.
    pub fn expectation(&self, dimension: usize) -> String {
        match self {
            Kind::Text => "a string".to_owned(),
            Kind::Bool => "`true` or `false`".to_owned(),
            Kind::Integer { min, max } if *max == i64::MAX => format!("an integer, {min} or greater"),
            Kind::Integer { min, max } => format!("an integer from {min} to {max}"),
            Kind::Number(quantity, range) => match range.words() {
                words if words.is_empty() => quantity.expectation(),
                words => format!("{}, {words}", quantity.expectation()),
            },
            Kind::Vector(quantity) => format!("a list of {dimension} numbers, each {}", quantity.expectation()),
            Kind::Spin(quantity) if dimension == 2 => quantity.expectation(),
            Kind::Spin(quantity) => format!("a list of 3 numbers, each {}", quantity.expectation()),
            Kind::Function(quantity) => format!("{}, or a function of time", quantity.expectation()),
            Kind::SpinFunctions(quantity) if dimension == 2 => Kind::Function(*quantity).expectation(2),
            Kind::Functions(quantity) | Kind::SpinFunctions(quantity) => {
                format!("a list of {dimension} values, each {}", Kind::Function(*quantity).expectation(dimension))
            }
            Kind::Choice(words) => {
                let words: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
                format!("one of {}", words.join(", "))
            }
            Kind::List(inner) => format!("a list, each {}", inner.expectation(dimension)),
            Kind::Rows(columns) => {
                let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
                format!("a list of rows [{}]", names.join(", "))
            }
            Kind::Table(..) => "a table".to_owned(),
            Kind::Tables(..) => "a list of tables".to_owned(),
            Kind::Named(..) => "named tables".to_owned(),
            Kind::OneOf(keys) => {
                let names: Vec<String> = keys.iter().map(|key| format!("`{}`", key.name)).collect();
                format!("a table with one of {}", names.join(", "))
            }
            Kind::Any(kinds) => {
                let words: Vec<String> = kinds.iter().map(|kind| kind.expectation(dimension)).collect();
                words.join(", or ")
            }
        }
    }
}
