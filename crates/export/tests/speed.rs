//! `cargo test -p pliant-export --test speed -- --ignored --nocapture` prints how long each format takes.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod readers;

use pliant_export::{Exporter, Format, Options};
use std::time::Instant;
use tempfile::tempdir;

#[test]
#[ignore = "prints timings"]
fn a_hundred_thousand_particles() {
    let folder = tempdir().unwrap();
    for format in Format::ALL {
        let mut exporter = Exporter::new(format, folder.path(), Options::default()).unwrap();
        let snapshot = readers::sample(0, 100_000);
        let best = (0..5).map(|_| {
            let start = Instant::now();
            let path = exporter.write(&snapshot).unwrap();
            (start.elapsed(), std::fs::metadata(path).unwrap().len())
        });
        let (time, bytes) = best.min().unwrap();
        println!("{format:5} {time:9.2?} {bytes:10} bytes");
    }
}
