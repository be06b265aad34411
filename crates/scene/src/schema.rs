//! JSON Schema of scene files, made from the types that read them.

use serde_json::Value;

use crate::FORMAT_VERSION;
use crate::file::SceneFile;

/// The JSON Schema of scene files, for editors that complete and check them.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(SceneFile).to_value();
    simplify(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), format!("Pliant scene, format {FORMAT_VERSION}").into());
        root.insert("$id".to_owned(), format!("urn:pliant:scene:{FORMAT_VERSION}").into());
    }
    // Alphabetical whatever serde_json was built with, so that the published file does not depend on the build.
    schema.sort_all_objects();
    schema
}

/// Drops what says nothing: null defaults, `null` as an allowed type (TOML has none), the wrappers around
/// optional references, and the suffix of internal names.
fn simplify(node: &mut Value) {
    match node {
        Value::Object(map) => {
            if map.get("default").is_some_and(Value::is_null) {
                map.remove("default");
            }
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(options)) = map.get_mut("anyOf") {
                options.retain(|option| option.get("type").is_none_or(|kind| kind != "null"));
                if let [Value::Object(only)] = options.as_slice() {
                    let only = only.clone();
                    map.remove("anyOf");
                    map.extend(only);
                }
            }
            if let Some(Value::String(target)) = map.get_mut("$ref")
                && let Some(short) = target.strip_suffix("File")
            {
                *target = short.to_owned();
            }
            if let Some(Value::Object(definitions)) = map.get_mut("$defs") {
                *definitions = std::mem::take(definitions)
                    .into_iter()
                    .map(|(name, definition)| {
                        (name.strip_suffix("File").unwrap_or(&name).to_owned(), definition)
                    })
                    .collect();
            }
            map.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}
