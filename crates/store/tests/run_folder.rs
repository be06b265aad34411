//! The life of a run folder: made, written, interrupted, resumed, read.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use common::{files_below, meta, new_run, scene, snapshot};
use pliant_store::{Existing, FrameCommit, Manifest, RunFolder, SceneFiles, Status, StoreError};
use std::fs;
use std::io::Write;
use std::path::Path;
use tempfile::tempdir;

fn commit_frames(folder: &Path, count: u32) {
    let mut run = new_run(folder);
    for number in 0..count {
        assert_eq!(run.commit_frame(&snapshot(number, 20)).unwrap(), FrameCommit::New);
        run.commit_checkpoint(meta(number), &[("state", &[u8::try_from(number).unwrap(); 64])]).unwrap();
    }
}

fn flip_a_byte(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

#[test]
fn committed_frames_can_be_read() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 5);
    let run = RunFolder::open(folder.path()).unwrap();
    assert_eq!(run.frames().map(|entry| entry.frame).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    for entry in run.frames() {
        assert_eq!(run.read_frame(entry.frame).unwrap(), snapshot(entry.frame, 20));
    }
    let error = run.read_frame(5).unwrap_err();
    assert!(error.to_string().contains("has no frame 5; it has frames 0 to 4"), "{error}");
}

#[test]
fn the_folder_holds_what_it_promises() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 5);
    let expected = [
        "checkpoints/checkpoint.0000000020.plc",
        "checkpoints/checkpoint.0000000030.plc",
        "checkpoints/checkpoint.0000000040.plc",
        "frames/frame.0000.plf",
        "frames/frame.0001.plf",
        "frames/frame.0002.plf",
        "frames/frame.0003.plf",
        "frames/frame.0004.plf",
        "journal.jsonl",
        "lock",
        "manifest.json",
        "meshes/duck.obj",
        "scene.toml",
    ];
    assert_eq!(files_below(folder.path()), expected);
}

#[test]
fn a_frame_that_is_not_in_the_journal_does_not_exist() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 2);
    fs::copy(folder.path().join("frames/frame.0001.plf"), folder.path().join("frames/frame.0002.plf"))
        .unwrap();
    assert_eq!(RunFolder::open(folder.path()).unwrap().frames().len(), 2);
}

#[test]
fn a_torn_last_line_is_cut_off_and_written_anew() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 3);
    let journal = folder.path().join("journal.jsonl");
    fs::OpenOptions::new()
        .append(true)
        .open(&journal)
        .unwrap()
        .write_all(b"{\"kind\":\"frame\",\"fra")
        .unwrap();
    let mut run = RunFolder::resume(folder.path()).unwrap();
    assert_eq!(run.run().frames().len(), 3);
    assert!(run.run().warnings().is_empty());
    run.commit_frame(&snapshot(3, 20)).unwrap();
    drop(run);
    let run = RunFolder::open(folder.path()).unwrap();
    assert_eq!(run.frames().len(), 4);
    assert!(run.warnings().is_empty());
}

#[test]
fn a_damaged_journal_line_is_reported_and_the_others_stand() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 3);
    let journal = folder.path().join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap().replacen(
        "\"frame\":1,\"step\":10",
        "\"frame\":1,\"step\":11",
        1,
    );
    fs::write(&journal, text).unwrap();
    let run = RunFolder::open(folder.path()).unwrap();
    assert_eq!(run.frames().map(|entry| entry.frame).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(run.warnings().len(), 1);
    assert!(run.warnings()[0].contains("line 3"), "{:?}", run.warnings());
    let writer = RunFolder::resume(folder.path()).unwrap();
    assert_eq!(writer.run().frames().len(), 3, "a whole file is listed again");
    assert_eq!(writer.run().read_frame(1).unwrap().frame, 1);
}

#[test]
fn recomputed_frames_must_equal_the_committed_ones() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 3);
    let mut run = RunFolder::resume(folder.path()).unwrap();
    assert_eq!(run.commit_frame(&snapshot(2, 20)).unwrap(), FrameCommit::Same);

    let mut other = snapshot(2, 20);
    other.state_hash = "something else".into();
    assert!(matches!(run.commit_frame(&other).unwrap(), FrameCommit::Differs { .. }));
    assert_eq!(run.run().read_frame(2).unwrap(), snapshot(2, 20), "the committed frame is kept");

    let mut other = snapshot(2, 20);
    other.quantities[0].1 = other.quantities[0].1.next_up();
    assert!(
        matches!(run.commit_frame(&other).unwrap(), FrameCommit::Differs { .. }),
        "one bit is a difference"
    );

    flip_a_byte(&folder.path().join("frames/frame.0002.plf"));
    assert!(run.run().read_frame(2).is_err());
    assert_eq!(run.commit_frame(&snapshot(2, 20)).unwrap(), FrameCommit::Repaired);
    assert_eq!(run.run().read_frame(2).unwrap(), snapshot(2, 20));
}

#[test]
fn swapped_frames_are_noticed() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 2);
    let (a, b) = (folder.path().join("frames/frame.0000.plf"), folder.path().join("frames/frame.0001.plf"));
    fs::copy(&a, &b).unwrap();
    let error = RunFolder::open(folder.path()).unwrap().read_frame(1).unwrap_err();
    assert!(error.to_string().contains("not the file that the journal lists"), "{error}");
}

#[test]
fn a_damaged_checkpoint_falls_back_to_the_one_before() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 5);
    flip_a_byte(&folder.path().join("checkpoints/checkpoint.0000000040.plc"));
    let run = RunFolder::resume(folder.path()).unwrap();
    let recovered = run.run().latest_checkpoint().unwrap();
    assert_eq!(recovered.checkpoint.meta, meta(3));
    assert_eq!(recovered.checkpoint.section("state"), Some([3; 64].as_slice()));
    assert_eq!(recovered.skipped.len(), 1);
    assert!(recovered.skipped[0].cause.contains("checksum"), "{:?}", recovered.skipped);
    assert_eq!(run.run().frames().len(), 5, "frames after the checkpoint stay listed");
    assert!(run.run().read_frame(4).is_ok());
}

#[test]
fn without_a_good_checkpoint_each_one_is_accounted_for() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 2);
    fs::write(folder.path().join("checkpoints/checkpoint.0000000000.plc"), b"").unwrap();
    fs::copy(
        folder.path().join("frames/frame.0000.plf"),
        folder.path().join("checkpoints/checkpoint.0000000010.plc"),
    )
    .unwrap();
    let error = RunFolder::open(folder.path()).unwrap().latest_checkpoint().unwrap_err().to_string();
    assert!(error.contains("it is empty") && error.contains("is a frame, not a checkpoint"), "{error}");
}

#[test]
fn left_over_temporary_files_are_swept_when_resuming() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 1);
    for name in
        [".manifest.json.tmp", "frames/.frame.0001.plf.tmp", "checkpoints/.checkpoint.0000000010.plc.tmp"]
    {
        fs::write(folder.path().join(name), b"half a fi").unwrap();
    }
    RunFolder::resume(folder.path()).unwrap();
    assert!(files_below(folder.path()).iter().all(|name| !name.contains(".tmp")));
}

#[test]
fn a_run_with_frames_is_replaced_only_when_asked() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 2);
    let create = |existing| RunFolder::create(folder.path(), &scene(), Manifest::new("drop", 1, 1), existing);
    let error = create(Existing::Keep).unwrap_err();
    assert!(error.to_string().contains("already holds a running run of 2 frames"), "{error}");
    assert_eq!(RunFolder::open(folder.path()).unwrap().frames().len(), 2);
    create(Existing::Replace).unwrap();
    assert_eq!(RunFolder::open(folder.path()).unwrap().frames().len(), 0);
    create(Existing::Keep).expect("a run without frames may be started again");
}

#[test]
fn a_folder_with_other_content_is_refused() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "years of work").unwrap();
    let created = RunFolder::create(folder.path(), &scene(), Manifest::new("drop", 1, 1), Existing::Replace);
    let error = created.unwrap_err();
    assert!(error.to_string().contains("thesis.tex"), "{error}");
    assert_eq!(files_below(folder.path()), ["thesis.tex"]);
    assert!(matches!(RunFolder::open(folder.path()), Err(StoreError::NotARun { .. })));
}

#[test]
fn an_edited_scene_cannot_be_resumed() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 1);
    fs::write(folder.path().join("meshes/duck.obj"), "v 1 2 3\n").unwrap();
    assert!(matches!(RunFolder::resume(folder.path()), Err(StoreError::OtherScene { .. })));
}

#[test]
fn scene_files_cannot_leave_the_folder_or_take_its_names() {
    let folder = tempdir().unwrap();
    for path in ["../secret", "/etc/passwd", "a/../../b", "journal.jsonl", "frames/duck.obj", ""] {
        let files = SceneFiles::new("").with_asset(path, "");
        let created = RunFolder::create(folder.path(), &files, Manifest::new("t", 0, 1), Existing::Keep);
        assert!(matches!(created, Err(StoreError::UnsuitablePath { .. })), "{path}");
    }
}

#[test]
fn the_manifest_remembers_how_the_run_ended() {
    let folder = tempdir().unwrap();
    let mut run = new_run(folder.path());
    run.log("stopping").unwrap();
    run.update_manifest(|manifest| {
        manifest.status = Status::Stopped { reason: "interrupted".into() };
        manifest.timings.insert("solve".into(), 0.1);
    })
    .unwrap();
    let before = run.run().manifest().clone();
    drop(run);
    let run = RunFolder::open(folder.path()).unwrap();
    assert_eq!(*run.manifest(), before);
    assert_eq!(run.manifest().scene_sha256, scene().hash().to_string());
    assert!(run.manifest().machine.cores > 0);
    assert!(fs::read_to_string(folder.path().join("log.txt")).unwrap().ends_with("Z stopping\n"));
}

#[test]
fn a_manifest_from_the_future_is_not_guessed_at() {
    let folder = tempdir().unwrap();
    commit_frames(folder.path(), 1);
    fs::write(folder.path().join("manifest.json"), r#"{"format": 7, "program_version": "9.0.0"}"#).unwrap();
    let error = RunFolder::open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("written by version 9.0.0"), "{error}");
}
