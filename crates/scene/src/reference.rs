//! The scene reference of the user guide, written from the JSON Schema so that it cannot disagree with the code.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::file::quantity::RANGES;
use crate::schema::schema;

const HEAD: &str = "\
# Scene reference

<!-- Generated from the scene types; run `PLIANT_UPDATE=1 cargo test -p pliant-scene --test generated` to update. -->

Every key of a scene file, what it means, and what it is when left out. A scene is a TOML file; editors that know
JSON Schema complete and check it with `docs/scene.schema.json` (put `#:schema <path to scene.schema.json>` on
the first line).

**Values.** Numbers are in SI units: metres, kilograms, seconds, pascals; angles in degrees, rates of turning in
radians a second. Text with a unit is accepted everywhere: `\"140 kPa\"`, `\"2 ms\"`, `\"1 g/cm3\"`, `\"36 km/h\"`,
`\"45 deg\"`, `\"60 rpm\"`. Units: m, in, ft, s, min, h, g, t, Pa, bar, psi, N, J, l, Hz, fps, deg, rad, rev, rpm, %,
with the prefixes n, u, m, c, k, M, G where they make sense, combined as in `kg/m3` or `N/mm2`.

**Expressions.** Where the value column says so, text may be an expression in SI units, such as
`\"1e5 * (1 + x)\"` or `\"if(t < 1, -9.81, 0)\"`. Operators: `c ? a : b`, `or`, `and`, `not`, `< <= > >= == !=`,
`+ - * / % ^`. Constants: `pi`, `tau`, `e`.
";

/// The reference page as Markdown.
pub fn reference() -> String {
    let schema = schema();
    let mut page = HEAD.to_owned();
    let functions: Vec<String> =
        pliant_expression::function_names().map(|name| format!("`{name}`")).collect();
    let _ = writeln!(page, "Functions: {}.", functions.join(", "));
    let _ = write!(page, "\n{}", ranges());
    let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
    let mut order = Vec::new();
    collect(&schema, &definitions, &mut order);
    let _ = write!(page, "\n## Scene\n\n{}", describe_table(&schema));
    for name in order {
        let definition = &definitions[&name];
        let text = definition["description"].as_str().unwrap_or_default();
        let _ = write!(page, "\n## {}\n\n{text}\n\n", words(&name));
        page.push_str(&if definition.get("properties").is_some() {
            describe_table(definition)
        } else {
            describe_choices(definition)
        });
    }
    page
}

/// How large and how small values may be.
fn ranges() -> String {
    let mut text = "**Ranges.** Values beyond the largest size, either way, are refused; so are those below the least \
                    size where zero is not allowed.\n\n| Kind | Least size | Largest size |\n| --- | --- | --- |\n"
        .to_owned();
    for (name, unit, [least, largest]) in RANGES {
        let name = name.split_once(' ').map_or(*name, |(_, rest)| rest);
        let _ = writeln!(
            text,
            "| {name} | {} | {} |",
            format!("{least:e} {unit}").trim_end(),
            format!("{largest:e} {unit}").trim_end()
        );
    }
    text
}

/// Names of the definitions a node refers to, depth first.
fn collect(node: &Value, definitions: &Map<String, Value>, order: &mut Vec<String>) {
    match node {
        Value::Object(map) => {
            if let Some(name) = map.get("$ref").and_then(target)
                && !order.contains(&name)
            {
                order.push(name.clone());
                collect(&definitions[&name], definitions, order);
            }
            for (_, child) in map.iter().filter(|(key, _)| *key != "$defs") {
                collect(child, definitions, order);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, definitions, order)),
        _ => {}
    }
}

fn target(reference: &Value) -> Option<String> {
    reference.as_str()?.strip_prefix("#/$defs/").map(str::to_owned)
}

/// The keys of a table, those that are needed first.
fn describe_table(definition: &Value) -> String {
    let mut text = "| Key | Value | Default | Meaning |\n| --- | --- | --- | --- |\n".to_owned();
    let required: Vec<&str> =
        definition["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = definition["properties"].as_object().cloned().unwrap_or_default();
    let needed = |key: &String| required.contains(&key.as_str());
    for pass in [true, false] {
        for (key, property) in properties.iter().filter(|(key, _)| needed(key) == pass) {
            let default = match property.get("default") {
                _ if pass => "needed".to_owned(),
                Some(Value::Object(items)) if items.is_empty() => String::new(),
                Some(Value::Object(_)) => "as below".to_owned(),
                Some(Value::Array(items)) if items.is_empty() => String::new(),
                Some(value) => format!("`{value}`"),
                None => String::new(),
            };
            let meaning = one_line(property);
            let _ = writeln!(text, "| `{key}` | {} | {default} | {meaning} |", kind(property));
        }
    }
    text
}

/// The choices of an enumeration.
fn describe_choices(definition: &Value) -> String {
    let mut text = "| Choice | Settings | Meaning |\n| --- | --- | --- |\n".to_owned();
    for choice in definition["oneOf"].as_array().into_iter().flatten() {
        let meaning = one_line(choice);
        if let Some(name) = choice["const"].as_str() {
            let _ = writeln!(text, "| `\"{name}\"` | | {meaning} |");
        }
        for (name, settings) in choice["properties"].as_object().into_iter().flatten() {
            let _ = writeln!(text, "| `{name}` | {} | {meaning} |", kind(settings));
        }
    }
    text
}

fn one_line(node: &Value) -> String {
    node["description"].as_str().unwrap_or_default().replace('\n', " ")
}

/// What a value is, in words, with a link where it has a section of its own.
fn kind(node: &Value) -> String {
    if let Some(kind) = node["x-kind"].as_str() {
        return kind.to_owned();
    }
    if let Some(name) = node.get("$ref").and_then(target) {
        return format!(
            "[{}](#{})",
            words(&name).to_lowercase(),
            words(&name).to_lowercase().replace(' ', "-")
        );
    }
    match node["type"].as_str() {
        Some("array") => format!("list of {}", kind(&node["items"])),
        Some("object") => format!("tables by name, each {}", kind(&node["additionalProperties"])),
        Some("boolean") => "`true` or `false`".to_owned(),
        Some("string") => "text".to_owned(),
        Some("integer") => format!("whole number, {} to {}", node["minimum"], node["maximum"]),
        Some(other) => other.to_owned(),
        None => "value".to_owned(),
    }
}

/// `AxisAngle` → `Axis angle`.
fn words(name: &str) -> String {
    let mut text = String::new();
    for (index, c) in name.chars().enumerate() {
        if index > 0 && c.is_uppercase() {
            text.push(' ');
        }
        text.push(if index > 0 { c.to_ascii_lowercase() } else { c });
    }
    text
}
