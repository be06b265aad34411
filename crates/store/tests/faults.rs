//! Every file call of a run fails once, in every way; nothing committed is ever lost.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use common::{files_below, meta, scene, snapshot};
use pliant_store::disk::{Disk, OperatingSystem};
use pliant_store::{Existing, Manifest, RunFolder, StoreError};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::tempdir;

/// How the chosen call fails.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// The device reports an error.
    Device,
    /// The disk is full.
    Full,
    /// Half of the bytes are written, then the disk is full.
    ShortWriteThenFull,
    /// A signal interrupts the call; it has to be repeated.
    Interrupted,
}

/// A disk whose n-th call fails (and, for a full disk, every call to write after it).
#[derive(Debug)]
struct FaultyDisk {
    fault: Fault,
    failing_call: usize,
    calls: AtomicUsize,
}

impl FaultyDisk {
    fn new(fault: Fault, failing_call: usize) -> Arc<Self> {
        Arc::new(Self { fault, failing_call, calls: AtomicUsize::new(0) })
    }

    fn call(&self) -> io::Result<()> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        match self.fault {
            Fault::Device if number == self.failing_call => Err(io::Error::from_raw_os_error(5)),
            Fault::Full | Fault::ShortWriteThenFull if number == self.failing_call => {
                Err(io::ErrorKind::StorageFull.into())
            }
            _ => Ok(()),
        }
    }
}

impl Disk for FaultyDisk {
    fn create(&self, path: &Path) -> io::Result<File> {
        self.call()?;
        OperatingSystem.create(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.call()?;
        OperatingSystem.create_folder(path)
    }

    fn open_to_append(&self, path: &Path, length: u64) -> io::Result<File> {
        self.call()?;
        OperatingSystem.open_to_append(path, length)
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        let number = self.calls.load(Ordering::Relaxed) + 1;
        if self.fault == Fault::Interrupted && number == self.failing_call {
            self.calls.fetch_add(1, Ordering::Relaxed);
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.fault == Fault::ShortWriteThenFull && number + 1 == self.failing_call && bytes.len() > 1 {
            self.calls.fetch_add(1, Ordering::Relaxed);
            return OperatingSystem.write(file, &bytes[..bytes.len() / 2]);
        }
        self.call()?;
        OperatingSystem.write(file, bytes)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.call()?;
        OperatingSystem.sync(file)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call()?;
        OperatingSystem.rename(from, to)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.call()?;
        OperatingSystem.sync_folder(path)
    }
}

const FRAMES: u32 = 3;

/// A short run; says how many frames and checkpoints were acknowledged before the first error.
fn short_run(disk: Arc<FaultyDisk>, folder: &Path) -> (u32, u32, Option<StoreError>) {
    let (mut frames, mut checkpoints) = (0, 0);
    let attempt = || -> Result<(), StoreError> {
        let manifest = Manifest::new("drop", 1, 1);
        let mut run = RunFolder::on(disk).create(folder, &scene(), manifest, Existing::Keep)?;
        for number in 0..FRAMES {
            run.commit_frame(&snapshot(number, 4))?;
            frames += 1;
            run.commit_checkpoint(meta(number), &[("state", &[1, 2, 3])])?;
            checkpoints += 1;
        }
        run.update_manifest(|manifest| manifest.final_state_hash = Some("done".into()))
    };
    let error = attempt().err();
    (frames, checkpoints, error)
}

/// Resumes on a sound disk: all that was acknowledged is there, nothing is left over, and the run can be completed.
fn check_recovery(folder: &Path, frames: u32, checkpoints: u32) {
    let mut run = match RunFolder::resume(folder) {
        Ok(run) => run,
        Err(error) => {
            assert_eq!(frames, 0, "{error}");
            return drop(
                RunFolder::create(folder, &scene(), Manifest::new("drop", 1, 1), Existing::Keep).unwrap(),
            );
        }
    };
    assert!(files_below(folder).iter().all(|name| !name.contains(".tmp")), "{:?}", files_below(folder));
    assert!(run.run().warnings().is_empty());
    for number in 0..frames {
        assert_eq!(run.run().read_frame(number).unwrap(), snapshot(number, 4));
    }
    if checkpoints > 0 {
        assert!(run.run().latest_checkpoint().unwrap().checkpoint.meta.frame + 1 >= checkpoints);
    }
    for number in 0..FRAMES {
        run.commit_frame(&snapshot(number, 4)).unwrap();
    }
    assert_eq!(run.run().frames().len(), FRAMES as usize);
}

#[test]
fn each_failing_call_is_reported_and_loses_nothing() {
    for fault in [Fault::Device, Fault::Full, Fault::ShortWriteThenFull] {
        let mut failing_call = 1;
        loop {
            let folder = tempdir().unwrap();
            let (frames, checkpoints, error) =
                short_run(FaultyDisk::new(fault, failing_call), &folder.path().join("run"));
            let Some(error) = error else { break };
            let text = error.to_string();
            assert!(text.contains("run"), "{fault:?} {failing_call}: no file in `{text}`");
            assert!(
                text.contains(if fault == Fault::Device { "os error 5" } else { "free some space" }),
                "{text}"
            );
            assert_eq!(error.exit_code(), 4);
            check_recovery(&folder.path().join("run"), frames, checkpoints);
            failing_call += 1;
        }
        assert!(failing_call > 60, "only {failing_call} calls were tried");
    }
}

#[test]
fn interrupted_calls_are_repeated() {
    for failing_call in 1..100 {
        let folder = tempdir().unwrap();
        let (frames, _, error) = short_run(FaultyDisk::new(Fault::Interrupted, failing_call), folder.path());
        assert!(error.is_none(), "{error:?}");
        assert_eq!(frames, FRAMES);
    }
}

#[test]
fn a_failed_commit_can_be_tried_again_by_the_same_writer() {
    for failing_call in 1..40 {
        let folder = tempdir().unwrap();
        let setup = FaultyDisk::new(Fault::Device, usize::MAX);
        drop(RunFolder::on(setup.clone()).create(
            folder.path(),
            &scene(),
            Manifest::new("t", 0, 1),
            Existing::Keep,
        ));
        let disk = FaultyDisk::new(Fault::ShortWriteThenFull, failing_call);
        let mut run = loop {
            match RunFolder::on(disk.clone()).resume(folder.path()) {
                Ok(run) => break run,
                Err(error) => assert_eq!(error.exit_code(), 4),
            }
        };
        for number in 0..FRAMES {
            if run.commit_frame(&snapshot(number, 4)).is_err() {
                run.commit_frame(&snapshot(number, 4)).unwrap();
            }
        }
        drop(run);
        let run = RunFolder::open(folder.path()).unwrap();
        assert!(run.warnings().is_empty());
        assert_eq!(run.frames().len(), FRAMES as usize);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_is_called_full() {
    let mut file = File::options().write(true).open("/dev/full").unwrap();
    let error = OperatingSystem.write(&mut file, b"x").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

#[test]
fn a_folder_that_vanished_is_named() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run");
    let mut run = common::new_run(&path);
    std::fs::remove_dir_all(&path).unwrap();
    let error = run.commit_frame(&snapshot(0, 4)).unwrap_err();
    assert!(error.to_string().contains("check that the folder still exists"), "{error}");
    assert_eq!(error.exit_code(), 4);
}
