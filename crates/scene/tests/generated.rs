//! The published schema and reference agree with the code. `PLIANT_UPDATE=1` rewrites them.

use std::path::Path;

fn assert_current(path: &str, expected: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if std::env::var_os("PLIANT_UPDATE").is_some() {
        std::fs::write(&file, expected).expect("the folder is there");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == expected,
        "{path} is out of date: run `PLIANT_UPDATE=1 cargo test -p pliant-scene --test generated`"
    );
}

#[test]
fn the_schema_is_current() {
    let schema = serde_json::to_string_pretty(&pliant_scene::schema()).unwrap();
    assert_current("docs/scene.schema.json", &format!("{schema}\n"));
}

#[test]
fn the_reference_is_current() {
    assert_current("docs/guide/src/scene-reference.md", &pliant_scene::reference());
}
