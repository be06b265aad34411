//! Any bytes as a .gltf file: a mesh or a clear error, and distances to what was read.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use pliant_geometry::{Shape, mesh};
use pliant_math::Vec3;

fuzz_target!(|bytes: &[u8]| {
    let nowhere = Path::new("no-such-folder");
    if let Ok((triangles, report)) = mesh::parse(bytes, &nowhere.join("fuzz.gltf"), nowhere)
        && let Ok(shape) = Shape::mesh(triangles, &report)
    {
        let _ = shape.distance(&Vec3::zeros());
    }
});
