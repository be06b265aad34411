//! The file calls that a commit makes, one method each, so that tests can make the n-th call fail.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The file system as a run folder's writer sees it. The default methods are the real thing.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Creates or truncates a file.
    fn create(&self, path: &Path) -> io::Result<File> {
        File::create(path)
    }

    /// Creates a folder and its parents; one that exists is fine.
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    /// Opens a file for writing at its end, after cutting it to `length` bytes.
    fn open_to_append(&self, path: &Path, length: u64) -> io::Result<File> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        if file.metadata()?.len() != length {
            file.set_len(length)?;
        }
        Ok(file)
    }

    /// Writes some of the bytes and says how many.
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    /// Forces a file's content to the disk.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    /// Moves a file over another one.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    /// Forces a folder's list of names to the disk; a no-op where folders cannot be opened.
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }
}

/// The real file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct OperatingSystem;

impl Disk for OperatingSystem {}

/// Writes all bytes, going on after short writes and interruptions.
pub(crate) fn write_all(disk: &dyn Disk, file: &mut File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match disk.write(file, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
