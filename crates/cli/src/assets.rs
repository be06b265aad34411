//! The files a scene names, found in its texts, and the files those need.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use pliant_geometry::mesh;
use pliant_scene::Source;
use toml::Value;

/// Files inside the scene's folder that a text of the scene names, and the buffers of its glTF meshes, in the order
/// of their paths. A text that happens
/// to be the name of a file without meaning it costs a copy and nothing else.
pub fn named_files(sources: &[Source], root: &Path) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for source in sources {
        let folder = source.path.as_deref().and_then(Path::parent).unwrap_or(root);
        let Ok(table) = source.text.parse::<toml::Table>() else { continue };
        collect(&Value::Table(table), folder, root, &mut found);
    }
    // A mesh of the scene was read before, so its buffers are known; a text that only looks like one has none.
    let meshes: Vec<PathBuf> = found.iter().cloned().collect();
    for path in meshes.iter().flat_map(|path| mesh::companions(path).unwrap_or_default()) {
        keep(&path, root, &mut found);
    }
    let own: Vec<&Path> = sources.iter().filter_map(|source| source.path.as_deref()).collect();
    found.into_iter().filter(|path| !own.contains(&path.as_path())).collect()
}

fn collect(value: &Value, folder: &Path, root: &Path, found: &mut BTreeSet<PathBuf>) {
    match value {
        Value::String(text) if !text.is_empty() => keep(&folder.join(text), root, found),
        Value::Array(items) => items.iter().for_each(|item| collect(item, folder, root, found)),
        Value::Table(table) => table.values().for_each(|item| collect(item, folder, root, found)),
        _ => {}
    }
}

/// Notes a file that lies inside the scene's folder.
fn keep(path: &Path, root: &Path, found: &mut BTreeSet<PathBuf>) {
    let path = without_detours(path);
    if path.starts_with(root) && path.is_file() {
        found.insert(path);
    }
}

/// The path with `..` and `.` resolved.
fn without_detours(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}
