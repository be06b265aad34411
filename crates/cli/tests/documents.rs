//! What the documents say is there: links, files, tests and scenes they name exist, and their scenes are right.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its stage must fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders of the repository whose paths are checked wherever a document names one.
const ROOTS: [&str; 5] = ["crates/", "docs/", "scenes/", "tools/", ".ci/"];

/// What fragments of scenes in the guide build upon.
const BASE: &str = r#"
pliant = 1
spacing = "5 cm"
materials.clay.preset = "clay"
materials.rubber.preset = "rubber"
objects = [{ name = "base", material = "clay", shape.box.size = [0.2, 0.2, 0.2], position = [3, 0.11, 0] }]
colliders = [{ name = "base", shape = "half_space" }]
"#;

/// One document of the repository.
struct Document {
    path: PathBuf,
    /// Lines outside fenced blocks.
    prose: Vec<String>,
    /// Fenced blocks: language and content.
    blocks: Vec<(String, String)>,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every Markdown file of the repository, apart from what builds and runs leave behind.
fn documents() -> Vec<Document> {
    let mut found = Vec::new();
    let mut folders = vec![repository()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if path.is_dir() && !name.starts_with('.') && !["target", "runs", "out"].contains(&name.as_str())
            {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.push(Document::read(path));
            }
        }
    }
    assert!(found.len() > 20, "only {} documents were found", found.len());
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

impl Document {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).unwrap();
        let (mut prose, mut blocks) = (Vec::new(), Vec::new());
        let mut block: Option<(String, String)> = None;
        for line in text.lines() {
            match (line.trim_start().strip_prefix("```"), block.take()) {
                (Some(_), Some(done)) => blocks.push(done),
                (Some(language), None) => block = Some((language.to_owned(), String::new())),
                (None, Some((language, content))) => block = Some((language, content + line + "\n")),
                (None, None) => prose.push(line.to_owned()),
            }
        }
        Self { path, prose, blocks }
    }

    fn name(&self) -> String {
        self.path.strip_prefix(repository()).unwrap().display().to_string()
    }

    /// Targets of links and pictures, code left out.
    fn links(&self) -> Vec<String> {
        let plain = |line: &String| line.split('`').step_by(2).collect::<String>();
        let targets = |line: String| -> Vec<String> {
            line.split("](")
                .skip(1)
                .filter_map(|rest| rest.split([')', ' ']).next())
                .map(str::to_owned)
                .collect()
        };
        self.prose.iter().map(plain).flat_map(targets).collect()
    }

    /// Words in code that begin with a folder of the repository.
    fn paths(&self) -> Vec<String> {
        let inline = self.prose.iter().flat_map(|line| line.split('`').skip(1).step_by(2));
        let blocks = self.blocks.iter().map(|(_, content)| content.as_str());
        let words = inline.chain(blocks).flat_map(str::split_whitespace);
        words
            .filter(|word| ROOTS.iter().any(|root| word.starts_with(root)))
            .map(|word| word.trim_end_matches(['.', ',', ';', ':', ')', '"', '\'']).to_owned())
            .collect()
    }
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_link_leads_somewhere() {
    let mut faults = Vec::new();
    for document in documents() {
        for link in document.links() {
            let file = link.split('#').next().unwrap_or_default();
            let elsewhere = file.is_empty() || file.contains("://") || file.starts_with("mailto:");
            if !elsewhere && !document.path.parent().unwrap().join(file).exists() {
                faults.push(format!("{}: the link {link} leads nowhere", document.name()));
            }
        }
    }
    none(&faults);
}

/// What is wrong with `folder/file.rs::test_or_item` or `folder/*`, if anything.
fn fault_of(path: &str) -> Option<String> {
    let (file, item) = path.split_once("::").map_or((path, None), |(file, item)| (file, Some(item)));
    // Of a pattern only the folder is checked.
    let fixed = match file.find(['*', '{', '<', '…']) {
        Some(end) => file[..end].rsplit_once('/').map_or("", |(folder, _)| folder),
        None => file,
    };
    let found = repository().join(fixed);
    if !found.exists() {
        return Some(format!("{fixed} does not exist"));
    }
    let item = item?;
    let text = fs::read_to_string(found).unwrap_or_default();
    let defined = ["fn ", "struct ", "enum ", "trait ", "const "].iter().any(|kind| {
        text.match_indices(&format!("{kind}{item}")).any(|(at, matched)| {
            !text[at + matched.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    });
    (!defined).then(|| format!("{fixed} does not define {item}"))
}

#[test]
fn every_file_and_test_that_is_named_exists() {
    let mut faults = Vec::new();
    for document in documents() {
        for path in document.paths() {
            faults.extend(fault_of(&path).map(|fault| format!("{}: {fault}", document.name())));
        }
    }
    none(&faults);
    assert!(fault_of("crates/cli/tests/documents.rs::no_such_test").is_some());
    assert!(fault_of("scenes/no_such_scene.toml").is_some());
}

#[test]
fn every_scene_in_a_document_is_right() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("base.toml"), BASE).unwrap();
    let (mut faults, mut count) = (Vec::new(), 0);
    for document in documents() {
        for (language, content) in &document.blocks {
            if language != "toml" {
                continue;
            }
            count += 1;
            let is_whole = content.lines().any(|line| line.starts_with("pliant = 1"));
            let start = if is_whole { "" } else { "pliant = 1\ninclude = [\"base.toml\"]\n" };
            fs::write(home.path().join("scene.toml"), format!("{start}{content}")).unwrap();
            let mut check = Command::new(env!("CARGO_BIN_EXE_pliant"));
            let output = check.args(["check", "scene.toml"]).current_dir(home.path()).output().unwrap();
            if !output.status.success() {
                let message = String::from_utf8_lossy(&output.stderr);
                faults.push(format!("{}:\n{content}{message}", document.name()));
            }
        }
    }
    none(&faults);
    assert!(count >= 10, "only {count} scenes were found in documents");
}

/// Names of the files in a folder that end like this, without that end.
fn names_in(folder: &str, end: &str) -> Vec<String> {
    let entries = fs::read_dir(repository().join(folder)).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter_map(|name| name.strip_suffix(end).map(str::to_owned)).collect()
}

#[test]
fn the_readme_names_every_command_and_every_scene() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let mut wanted = names_in("crates/cli/src/commands", ".rs");
    wanted.retain(|name| name != "mod");
    wanted.iter_mut().for_each(|name| *name = name.replace('_', "-"));
    wanted.extend(names_in("scenes/zhou2013", ".toml"));
    assert!(wanted.len() > 20, "{wanted:?}");
    wanted.retain(|name| !readme.contains(&format!("`{name}`")));
    none(&wanted);
}
