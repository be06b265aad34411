//! Writes three frames of a twisting cloud in every format, for `tools/verify_exports.py`:
//!
//! ```sh
//! cargo run -p pliant-export --example sample_export -- /tmp/sample
//! python3 tools/verify_exports.py /tmp/sample
//! ```

use pliant_export::{ExportError, Exporter, Format, Options};
use pliant_world::snapshot::{Column, Field, Snapshot};
use std::path::PathBuf;

const PARTICLES: u32 = 500;

fn main() -> Result<(), ExportError> {
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("sample"), PathBuf::from);
    for format in Format::ALL {
        let mut exporter = Exporter::new(format, &folder, Options::default())?;
        for frame in 0..3 {
            exporter.write(&snapshot(frame))?;
        }
    }
    println!("wrote {}", folder.display());
    Ok(())
}

fn snapshot(frame: u32) -> Snapshot {
    let time = f64::from(frame) / 24.0;
    let angle = |i: u32| i as f32 * 0.1 + time as f32;
    let position = |i: u32| [angle(i).cos(), i as f32 * 0.002, angle(i).sin()];
    let turn =
        |i: u32| [angle(i).cos(), 0.0, -angle(i).sin(), 0.0, 1.0, 0.0, angle(i).sin(), 0.0, angle(i).cos()];
    let particles = || 0..PARTICLES;
    let field = |name: &str, column| Field { name: name.into(), column };
    Snapshot {
        frame,
        step: u64::from(frame),
        time,
        state_hash: String::new(),
        quantities: Vec::new(),
        fields: vec![
            field("position", Column::Vector(particles().map(position).collect())),
            field(
                "velocity",
                Column::Vector(particles().map(|i| [-angle(i).sin(), 0.0, angle(i).cos()]).collect()),
            ),
            field("id", Column::Integer(particles().collect())),
            field("radius", Column::Scalar(particles().map(|i| 0.01 + 1e-5 * i as f32).collect())),
            field(
                "color",
                Column::Vector(particles().map(|i| [(i % 256) as f32 / 255.0, 0.2, 1.0]).collect()),
            ),
            field("rest_position", Column::Vector(particles().map(|i| [i as f32, 0.0, -1.0]).collect())),
            field("F", Column::Tensor(particles().map(turn).collect())),
            field("J", Column::Scalar(particles().map(|i| 1.0 + 1e-7 * i as f32).collect())),
            field("stress", Column::Tensor(particles().map(|i| turn(i).map(|c| c * 1.4e5)).collect())),
        ],
    }
}
