//! Any bytes as a .ply file: a mesh that was checked and mended, or a clear error.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use pliant_geometry::mesh;

fuzz_target!(|bytes: &[u8]| {
    let nowhere = Path::new("no-such-folder");
    if let Err(error) = mesh::parse(bytes, &nowhere.join("fuzz.ply"), nowhere) {
        assert!(!error.to_string().is_empty());
    }
});
