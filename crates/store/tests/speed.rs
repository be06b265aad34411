//! Frames are cheap beside a simulation step. `cargo test -p pliant-store --test speed -- --ignored --nocapture`
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use common::{new_run, snapshot};
use pliant_store::frame;
use pliant_store::scene_files::SceneHash;
use std::path::Path;
use std::time::Instant;
use tempfile::tempdir;

#[test]
#[ignore = "prints timings"]
fn a_hundred_thousand_particles_take_milliseconds() {
    let scene = SceneHash([0; 32]);
    let folder = tempdir().unwrap();
    let mut run = new_run(folder.path());
    for number in 0..5 {
        let snapshot = snapshot(number, 100_000);
        let start = Instant::now();
        let encoded = frame::encode(&snapshot, &scene).unwrap();
        let encoding = start.elapsed();
        let start = Instant::now();
        assert_eq!(frame::decode(Path::new("f"), &encoded.bytes, &scene).unwrap().frame, number);
        let decoding = start.elapsed();
        let start = Instant::now();
        run.commit_frame(&snapshot).unwrap();
        let (bytes, commit) = (encoded.bytes.len(), start.elapsed());
        println!("{bytes} bytes: encode {encoding:.1?}, decode {decoding:.1?}, commit {commit:.1?}");
    }
}
