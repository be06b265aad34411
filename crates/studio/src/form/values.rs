//! Values as they are typed and shown.

use serde_json::{Value, json};

use super::default_text;

pub(super) fn hint(node: &Value) -> String {
    default_text(node).unwrap_or_else(|| {
        let kind = node["x-kind"].as_str().unwrap_or_default();
        kind.split(',').next().unwrap_or_default().to_owned()
    })
}

/// The name of the choice a value is.
pub(super) fn choice_name(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(name.clone()),
        Value::Object(map) => map.keys().next().cloned(),
        _ => None,
    }
}

/// A value as it is typed.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What was typed: a number if it is one, else text with a unit or an expression.
pub fn parse(text: &str) -> Value {
    if let Ok(whole) = text.parse::<i64>() {
        return json!(whole);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => json!(number),
        _ => json!(text),
    }
}

pub(super) fn list_text(value: &Value) -> String {
    let items = value.as_array().cloned().unwrap_or_default();
    items.iter().map(value_text).collect::<Vec<_>>().join(", ")
}

pub(super) fn parse_list(text: &str) -> Value {
    if text.trim_start().starts_with('[')
        && let Ok(list) = serde_json::from_str::<Value>(&format!("[{text}]"))
    {
        return list;
    }
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(parse).collect()
}

/// A colour as bytes, from `#rrggbb` or a list of numbers.
pub(super) fn colour_of(value: &Value) -> Option<[u8; 3]> {
    match value {
        Value::String(text) => {
            let code = u32::from_str_radix(text.strip_prefix('#')?, 16).ok()?;
            Some([16, 8, 0].map(|shift| (code >> shift & 0xff) as u8))
        }
        Value::Array(parts) => {
            let part = |i: usize| Some((parts.get(i)?.as_f64()?.clamp(0.0, 1.0) * 255.0) as u8);
            Some([part(0)?, part(1)?, part(2)?])
        }
        _ => None,
    }
}
