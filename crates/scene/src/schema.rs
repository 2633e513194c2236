//! The JSON schema of the format, for editors.

use crate::format::{Key, Kind, Need, Only, ROOT, Range, Section};
use crate::units::{ANGLE, FREQUENCY, PLAIN, Quantity, TIME};
use serde_json::{Map, Value, json};

/// A JSON schema (draft 2020-12) of scenes. It knows keys, types, ranges and words; units and what the parts mean
/// together are checked by [`crate::load`].
pub fn schema() -> Value {
    let mut schema = section(&ROOT, true);
    let top = schema.as_object_mut().expect("a section is an object");
    top.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    top.insert("title".into(), json!("riprap scene"));
    schema
}

fn section(section: &'static Section, whole: bool) -> Value {
    let object = |keys: Vec<&'static Key>, tag: Option<(&str, Value)>| {
        let mut properties = Map::new();
        let mut required = Vec::new();
        if let Some((name, value)) = tag {
            properties.insert(name.to_owned(), value);
            required.push(name.to_owned());
        }
        for key in keys {
            properties.insert(key.name.to_owned(), described(key));
            // A key of one dimension only cannot be required in general.
            if whole && matches!(key.need, Need::Required) && key.only == Only::Both {
                required.push(key.name.to_owned());
            }
        }
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    };
    let mut schema = match &section.tag {
        None => object(section.keys.iter().collect(), None),
        Some(tag) => {
            let variants: Vec<Value> = tag
                .variants
                .iter()
                .map(|variant| {
                    let names: Vec<&str> =
                        [variant.name, variant.alias].into_iter().filter(|n| !n.is_empty()).collect();
                    let value = json!({ "enum": names, "description": variant.doc });
                    object(section.keys_of(Some(variant)).collect(), Some((tag.key, value)))
                })
                .collect();
            json!({ "oneOf": variants })
        }
    };
    schema["description"] = json!(section.doc);
    schema
}

fn described(key: &'static Key) -> Value {
    let mut schema = kind(&key.kind);
    let mut words = key.doc.to_owned();
    match key.need {
        Need::Required | Need::Optional | Need::Default("{}") => {}
        Need::Default(literal) => words.push_str(&format!(" Default: {literal}.")),
        Need::Taken(literal) => words.push_str(&format!(" Default: {}.", literal())),
        Need::ByDimension(plane, space) => words.push_str(&format!(" Default: {plane} in 2D, {space} in 3D.")),
        Need::Chosen(how) => words.push_str(&format!(" Default: {how}.")),
    }
    match key.only {
        Only::Plane => words.push_str(" 2D only."),
        Only::Space => words.push_str(" 3D only."),
        Only::Both => {}
    }
    schema["description"] = json!(words);
    schema
}

fn kind(kind_of: &'static Kind) -> Value {
    match kind_of {
        Kind::Text => json!({ "type": "string" }),
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Integer { min, max } if *max == i64::MAX => json!({ "type": "integer", "minimum": min }),
        Kind::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Number(quantity, range) => number(quantity, *range),
        Kind::Vector(quantity) => list(number(quantity, Range::Any), 2, 3),
        Kind::Spin(quantity) => {
            json!({ "anyOf": [number(quantity, Range::Any), list(number(quantity, Range::Any), 3, 3)] })
        }
        Kind::Function(quantity) => function(quantity),
        Kind::Functions(quantity) => list(function(quantity), 2, 3),
        Kind::SpinFunctions(quantity) => json!({ "anyOf": [function(quantity), list(function(quantity), 3, 3)] }),
        Kind::Choice(words) => {
            let choices: Vec<Value> =
                words.iter().map(|(word, doc)| json!({ "const": word, "description": doc })).collect();
            json!({ "type": "string", "oneOf": choices })
        }
        Kind::List(inner) => json!({ "type": "array", "items": kind(inner) }),
        Kind::Rows(columns) => {
            let cells: Vec<Value> = columns.iter().map(|(_, quantity)| number(quantity, Range::Any)).collect();
            let rows = json!({ "type": "array", "items": { "type": "array", "prefixItems": cells, "items": false } });
            json!({ "anyOf": [rows, file_of_rows(columns)] })
        }
        Kind::Table(inner, fill) => section(inner, *fill == crate::format::Fill::Defaults),
        Kind::Tables(inner, fill) => {
            json!({ "type": "array", "items": section(inner, *fill == crate::format::Fill::Defaults) })
        }
        Kind::Named(inner, fill) => {
            json!({ "type": "object", "additionalProperties": section(inner, *fill == crate::format::Fill::Defaults) })
        }
        Kind::OneOf(keys) => {
            let properties: Map<String, Value> = keys.iter().map(|key| (key.name.to_owned(), described(key))).collect();
            json!({
                "type": "object", "properties": properties, "additionalProperties": false,
                "minProperties": 1, "maxProperties": 1,
            })
        }
        Kind::Any(kinds) => json!({ "anyOf": kinds.iter().map(kind).collect::<Vec<_>>() }),
    }
}

fn list(items: Value, least: usize, most: usize) -> Value {
    json!({ "type": "array", "items": items, "minItems": least, "maxItems": most })
}

/// A bare number in SI units, or a string with a unit.
fn number(quantity: &Quantity, range: Range) -> Value {
    let mut bare = json!({ "type": "number" });
    match range {
        Range::Any => {}
        Range::Positive => bare["exclusiveMinimum"] = json!(0),
        Range::NotNegative => bare["minimum"] = json!(0),
        Range::Between(low, high) => {
            bare["minimum"] = json!(low);
            bare["maximum"] = json!(high);
        }
    }
    let unit = if quantity.unit.is_empty() {
        "no unit".to_owned()
    } else {
        format!("in {} if it is a bare number", quantity.unit)
    };
    let text = json!({ "type": "string", "pattern": "^\\s*[+-]?[0-9.]" });
    json!({ "anyOf": [bare, text], "title": format!("{}, {unit}", quantity.name) })
}

/// `{ file = … }`: a path, or where the columns are in the file and in what units.
fn file_of_rows(columns: &[(&'static str, Quantity)]) -> Value {
    let mut properties = Map::from_iter([("path".to_owned(), json!({ "type": "string" }))]);
    for (name, _) in columns {
        let column = json!({ "anyOf": [{ "type": "string" }, { "type": "integer", "minimum": 1 }] });
        properties.insert((*name).to_owned(), column);
        properties.insert(format!("{name}_unit"), json!({ "type": "string" }));
    }
    let table = json!({
        "type": "object", "properties": properties, "required": ["path"], "additionalProperties": false,
    });
    json!({
        "type": "object", "properties": { "file": { "anyOf": [{ "type": "string" }, table] } },
        "required": ["file"], "additionalProperties": false,
    })
}

fn function(quantity: &Quantity) -> Value {
    let plain = |quantity: &Quantity| number(quantity, Range::Any);
    let object = |properties: Value, required: Value| {
        json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        })
    };
    let ramp = object(
        json!({
            "from": plain(quantity), "to": plain(quantity),
            "start": plain(&TIME), "duration": number(&TIME, Range::Positive),
        }),
        json!(["to", "duration"]),
    );
    let sine = object(
        json!({
            "mean": plain(quantity), "amplitude": plain(quantity),
            "frequency": plain(&FREQUENCY), "phase": plain(&ANGLE),
        }),
        json!(["amplitude", "frequency"]),
    );
    let rows = json!({ "type": "array", "minItems": 1, "items": {
        "type": "array", "prefixItems": [plain(&TIME), plain(quantity)], "items": false, "minItems": 2,
    } });
    let column = json!({ "anyOf": [{ "type": "string" }, { "type": "integer", "minimum": 1 }] });
    let record = object(
        json!({
            "path": { "type": "string" }, "time": column, "value": column,
            "time_unit": { "type": "string" }, "unit": { "type": "string" },
            "scale": plain(&PLAIN), "offset": plain(quantity), "start": plain(&TIME),
            "bridge_gaps": { "type": "boolean" },
        }),
        json!(["path"]),
    );
    let file = json!({ "anyOf": [{ "type": "string" }, record] });
    let one_of = |properties: Value| {
        let functions = json!({
            "type": "object", "properties": properties,
            "additionalProperties": false, "minProperties": 1, "maxProperties": 1,
        });
        json!({ "anyOf": [plain(quantity), functions] })
    };
    let part = one_of(json!({ "ramp": ramp, "sine": sine, "table": rows, "file": file }));
    let sum = json!({ "type": "array", "minItems": 1, "items": part });
    one_of(json!({ "ramp": ramp, "sine": sine, "table": rows, "file": file, "sum": sum }))
}
