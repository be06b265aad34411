//! The JSON Schema of scenes, as forms need it: every key with its kind, range, default and meaning.

use serde_json::{Map, Value, json};

/// The schema of scene files.
#[derive(Clone, Debug)]
pub struct Schema {
    root: Value,
}

/// One of the values an enumeration may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Its name in scenes.
    pub name: String,
    /// What it means.
    pub meaning: String,
    /// Its settings; none for a plain word.
    pub settings: Option<Value>,
}

impl Default for Schema {
    fn default() -> Self {
        Self { root: pliant_scene::schema() }
    }
}

impl Schema {
    /// The whole scene.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// The definition of that name.
    pub fn definition(&self, name: &str) -> &Value {
        &self.root["$defs"][name]
    }

    /// What a node refers to, or the node itself.
    pub fn resolve<'a>(&'a self, node: &'a Value) -> &'a Value {
        match node["$ref"].as_str().and_then(|target| target.strip_prefix("#/$defs/")) {
            Some(name) => self.definition(name),
            None => node,
        }
    }

    /// The choices of an enumeration; none if it is not one.
    pub fn choices(&self, node: &Value) -> Option<Vec<Choice>> {
        let options = self.resolve(node)["oneOf"].as_array()?;
        let meaning = |option: &Value| option["description"].as_str().unwrap_or_default().replace('\n', " ");
        let mut choices = Vec::new();
        for option in options {
            if let Some(name) = option["const"].as_str() {
                choices.push(Choice { name: name.to_owned(), meaning: meaning(option), settings: None });
            }
            for (name, settings) in option["properties"].as_object().into_iter().flatten() {
                let settings = Some(settings.clone());
                choices.push(Choice { name: name.clone(), meaning: meaning(option), settings });
            }
        }
        Some(choices)
    }

    /// A value to start from that has all a node requires.
    pub fn seed(&self, node: &Value) -> Value {
        if let Some(default) = node.get("default").filter(|default| !default.is_null()) {
            return default.clone();
        }
        if let Some(kind) = node["x-kind"].as_str() {
            return seed_of_kind(kind);
        }
        let resolved = self.resolve(node);
        if let Some(choices) = self.choices(node) {
            return choices.first().map_or(Value::Null, |choice| self.seed_choice(choice));
        }
        match resolved["type"].as_str() {
            Some("boolean") => json!(false),
            Some("integer") => resolved["minimum"].clone(),
            Some("array") => json!([]),
            Some("string") => json!(""),
            _ => Value::Object(self.seed_table(resolved)),
        }
    }

    /// The needed keys of a table.
    fn seed_table(&self, definition: &Value) -> Map<String, Value> {
        let needed = definition["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        needed.map(|key| (key.to_owned(), self.seed(&definition["properties"][key]))).collect()
    }

    /// A choice with the settings it needs.
    pub fn seed_choice(&self, choice: &Choice) -> Value {
        match &choice.settings {
            None => json!(choice.name),
            Some(settings) => json!({ &choice.name: self.seed(settings) }),
        }
    }
}

fn seed_of_kind(kind: &str) -> Value {
    let (is_list, kind) = kind.strip_prefix("list, each ").map_or((false, kind), |rest| (true, rest));
    let value = match kind.split([' ', ',']).next().unwrap_or_default() {
        "length" if kind.contains("positive") => json!(0.2),
        "pressure" => json!("10 kPa"),
        "time" => json!("0.1 s"),
        "number" if kind.contains("positive") => json!(1.0),
        "viscosity" => json!("1 Pa*s"),
        "density" => json!(1000.0),
        _ => json!(0.0),
    };
    if is_list { json!([value, value, value]) } else { value }
}

/// What a key is, in words: its meaning, kind, range and default.
pub fn explain(node: &Value) -> String {
    let mut lines = vec![node["description"].as_str().unwrap_or_default().replace('\n', " ")];
    if let Some(kind) = node["x-kind"].as_str() {
        lines.push(format!("Value: {kind}."));
    }
    let range = |key: &str| node[key].as_f64().map(short);
    match (range("minimum"), range("maximum")) {
        (Some(low), Some(high)) => lines.push(format!("From {low} to {high}.")),
        (Some(low), None) => lines.push(format!("From {low}.")),
        (None, Some(high)) => lines.push(format!("Up to {high}.")),
        (None, None) => {}
    }
    if let Some(default) = default_text(node) {
        lines.push(format!("If left out: {default}."));
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

fn short(number: f64) -> String {
    if number != 0.0 && !(1e-3..1e5).contains(&number.abs()) {
        format!("{number:e}")
    } else {
        format!("{number}")
    }
}

/// The default of a key as text.
pub fn default_text(node: &Value) -> Option<String> {
    match node.get("default")? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Object(map) => map.keys().next().cloned(),
        Value::Array(items) if items.is_empty() => None,
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Schema, explain};
    use serde_json::json;

    #[test]
    fn seeds_have_all_that_is_needed() {
        let schema = Schema::default();
        let shape = schema.choices(schema.definition("Shape")).unwrap();
        let ball = shape.iter().find(|choice| choice.name == "ball").unwrap();
        assert_eq!(schema.seed_choice(ball), json!({ "ball": { "radius": 0.2 } }));
        assert!(shape.len() > 10);
    }

    #[test]
    fn keys_are_explained_with_unit_range_and_default() {
        let schema = Schema::default();
        let text = explain(&schema.definition("Time")["properties"]["dt"]);
        assert!(text.contains("time in s") && text.contains("2 ms") && text.contains("1e-15"), "{text}");
    }
}
