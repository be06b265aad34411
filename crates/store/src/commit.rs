//! The commit protocol: a file is either there in full or not at all, even if the power fails.

use crate::StoreError;
use crate::disk::{Disk, write_all};
use std::fs;
use std::path::{Path, PathBuf};

const TEMPORARY_SUFFIX: &str = ".tmp";

/// Replaces the content of `path`: temporary file in the same folder, write, sync, rename, sync the folder.
///
/// On failure the old content is still there (or, if only the last sync failed, the new one in full).
pub fn write_atomically(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let temporary = temporary_path(path);
    let written = write_synced(disk, &temporary, bytes).and_then(|()| {
        disk.rename(&temporary, path).map_err(|e| StoreError::io("rename a new file to", path, e))
    });
    if written.is_err() {
        // Best effort: a file that cannot be removed now is swept by the next writer.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    let folder = path.parent().unwrap_or(Path::new("."));
    disk.sync_folder(folder).map_err(|e| StoreError::io("sync the folder", folder, e))
}

fn write_synced(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut file = disk.create(path).map_err(|e| StoreError::io("create", path, e))?;
    write_all(disk, &mut file, bytes).map_err(|e| StoreError::io("write", path, e))?;
    disk.sync(&file).map_err(|e| StoreError::io("sync", path, e))
}

/// Where a file is written before it gets its name. One writer a folder, so one name is enough.
fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    path.with_file_name(format!(".{name}{TEMPORARY_SUFFIX}"))
}

/// Whether a file is the left-over of an interrupted commit.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(TEMPORARY_SUFFIX)
}

/// Removes what interrupted commits left in a folder; a folder that does not exist is clean.
pub fn sweep_temporary_files(folder: &Path) -> Result<(), StoreError> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries.flatten() {
        if is_temporary(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path()).map_err(|e| StoreError::io("remove", &entry.path(), e))?;
        }
    }
    Ok(())
}

/// Reads a whole file, asking for no more memory than it is long.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, StoreError> {
    fs::read(path).map_err(|e| StoreError::io("read", path, e))
}
