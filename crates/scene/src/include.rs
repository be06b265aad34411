//! Reading scene files and what they include. Nothing outside the scene's folder is ever opened.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Fault, SceneError, locate};
use crate::file::APPENDED;
use crate::overrides;
use crate::source::{SourceMap, Span};
use crate::tree::{self, Node, Table, Value};

/// Largest scene file [bytes]; the biggest scene written by hand is a thousandth of it.
pub const MAX_FILE: u64 = 4 << 20;
/// Files one scene may consist of.
const MAX_FILES: usize = 64;

/// A scene as a tree, with the texts it came from.
pub(crate) struct Document {
    pub(crate) tree: Node,
    pub(crate) assets: Assets,
}

/// Where things were written and which folder they may refer to.
#[derive(Clone, Debug)]
pub(crate) struct Assets {
    pub(crate) sources: SourceMap,
    /// Canonical folder of the main scene file.
    pub(crate) root: PathBuf,
}

/// Reads a scene file, its includes and the overrides.
pub(crate) fn load(path: &Path, set: &[String]) -> Result<Document, SceneError> {
    let problem = |reason: String| SceneError::general(format!("cannot read {}: {reason}", path.display()));
    let canonical = path.canonicalize().map_err(|error| problem(error.to_string()))?;
    let text = read(&canonical).map_err(problem)?;
    let root = canonical.parent().unwrap_or(Path::new("/")).to_owned();
    let mut loader = Loader { sources: SourceMap::default(), root, open: vec![canonical.clone()] };
    let start = loader.sources.add(path.display().to_string(), Some(canonical), text);
    loader.finish(start, set)
}

/// Reads a scene from text; assets and includes are looked for in `folder`.
pub(crate) fn from_text(text: &str, folder: &Path, set: &[String]) -> Result<Document, SceneError> {
    let root = folder.canonicalize().map_err(|error| {
        SceneError::general(format!("cannot open the folder {}: {error}", folder.display()))
    })?;
    let mut loader = Loader { sources: SourceMap::default(), root, open: Vec::new() };
    let start = loader.sources.add("scene".to_owned(), None, text.to_owned());
    loader.finish(start, set)
}

struct Loader {
    sources: SourceMap,
    root: PathBuf,
    /// Files being read inside each other, to notice cycles.
    open: Vec<PathBuf>,
}

impl Loader {
    fn finish(mut self, start: usize, set: &[String]) -> Result<Document, SceneError> {
        let result = self.document(start).and_then(|mut table| {
            for option in set {
                overrides::apply(&mut table, option, &mut self.sources).map_err(|fault| vec![fault])?;
            }
            Ok(table)
        });
        match result {
            Ok(table) => {
                let tree = Node { span: start..start, value: Value::Table(table) };
                Ok(Document { tree, assets: Assets { sources: self.sources, root: self.root } })
            }
            Err(faults) => Err(locate(&self.sources, faults)),
        }
    }

    /// The tree of the source at `start` with its includes merged in.
    fn document(&mut self, start: usize) -> Result<Table, Vec<Fault>> {
        let source = self.sources.source_at(&(start..start)).expect("it was just added").clone();
        let mut table = tree::parse(&source.text, start)?;
        let folder = source.path.as_deref().and_then(Path::parent).map_or(self.root.clone(), Path::to_owned);
        let mut included = Table::new();
        for (name, span) in include_list(&table)? {
            let other = self.include(&folder, &name, &span)?;
            merge(&mut included, other);
        }
        included.remove("include");
        merge(&mut included, std::mem::take(&mut table));
        Ok(included)
    }

    fn include(&mut self, folder: &Path, name: &str, span: &Span) -> Result<Table, Vec<Fault>> {
        let fault = |message: String| vec![Fault::new(span.clone(), message)];
        let path = resolve(&self.root, folder, name).map_err(fault)?;
        if self.open.contains(&path) {
            return Err(fault(format!("`{name}` includes itself, directly or through others")));
        }
        if self.sources.sources().len() >= MAX_FILES {
            return Err(fault(format!("more than {MAX_FILES} files in one scene")));
        }
        let text = read(&path).map_err(|reason| fault(format!("cannot read `{name}`: {reason}")))?;
        // Named as the main file would name it, so that messages can be clicked.
        let main = self.sources.sources().first().map(|main| Path::new(&main.name).with_file_name(""));
        let shown = main.unwrap_or_default().join(path.strip_prefix(&self.root).unwrap_or(&path));
        let start = self.sources.add(shown.display().to_string(), Some(path.clone()), text);
        self.open.push(path);
        let table = self.document(start);
        self.open.pop();
        table
    }
}

/// The files a document includes, with their places.
fn include_list(table: &Table) -> Result<Vec<(String, Span)>, Vec<Fault>> {
    let wrong = |span: &Span| {
        vec![Fault::new(span.clone(), "expected a list of file names").help("such as [\"materials.toml\"]")]
    };
    let Some((_, node)) = table.get("include") else { return Ok(Vec::new()) };
    let Value::List(items) = &node.value else { return Err(wrong(&node.span)) };
    let name = |item: &Node| match &item.value {
        Value::Text(name) => Ok((name.clone(), item.span.clone())),
        _ => Err(wrong(&item.span)),
    };
    items.iter().map(name).collect()
}

/// Lays `upper` over `lower`: tables are merged, scene lists appended, anything else replaced.
fn merge(lower: &mut Table, upper: Table) {
    for (key, (span, node)) in upper {
        let appended = APPENDED.contains(&key.as_str());
        match (lower.get_mut(&key), node.value) {
            (Some((_, Node { value: Value::Table(below), .. })), Value::Table(above)) => merge(below, above),
            (Some((_, Node { value: Value::List(below), .. })), Value::List(above)) if appended => {
                below.extend(above);
            }
            (_, value) => {
                lower.insert(key, (span, Node { span: node.span, value }));
            }
        }
    }
}

fn read(path: &Path) -> Result<String, String> {
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if metadata.is_dir() {
        return Err("it is a folder, not a scene file".to_owned());
    }
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned()); // opening a pipe would wait for ever
    }
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("scene files may have at most {} MiB", MAX_FILE >> 20));
    }
    String::from_utf8(bytes)
        .map_err(|error| format!("it is not text: byte {} is not UTF-8", error.utf8_error().valid_up_to()))
}

/// The file of that name seen from `folder`, if it lies inside `root`, links followed.
pub(crate) fn resolve(root: &Path, folder: &Path, name: &str) -> Result<PathBuf, String> {
    let outside = || format!("`{name}` lies outside the scene's folder; copy the file there");
    if Path::new(name).is_absolute() {
        return Err(outside());
    }
    match folder.join(name).canonicalize() {
        Ok(path) if path.starts_with(root) => Ok(path),
        Ok(_) => Err(outside()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(format!("there is no file `{name}`; paths are relative to the file that names them"))
        }
        Err(error) => Err(format!("cannot open `{name}`: {error}")),
    }
}

impl Assets {
    /// The file a scene value names, relative to the file it was written in.
    pub(crate) fn path(&self, name: &str, span: &Span) -> Result<PathBuf, Fault> {
        let source = self.sources.source_at(span).and_then(|source| source.path.as_deref());
        let folder = source.and_then(Path::parent).unwrap_or(&self.root);
        resolve(&self.root, folder, name).map_err(|message| Fault::new(span.clone(), message))
    }
}
