//! Any text as a scene file: a checked scene or a clear error. Nothing is built: sizes are checked before that.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use pliant_scene::Scene;

fuzz_target!(|text: &str| {
    if let Err(error) = Scene::from_text(text, Path::new("no-such-folder"), &[]) {
        assert!(!error.to_string().is_empty());
    }
});
