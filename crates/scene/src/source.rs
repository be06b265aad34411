//! The texts a scene came from, laid end to end, so that one byte range names a place in any of them.

use std::ops::Range;
use std::path::PathBuf;

/// Bytes of the concatenated sources. `0..0` is no place: values that were not written anywhere.
pub(crate) type Span = Range<usize>;

/// One text a scene was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// How messages call it: its path as given, or the command-line option.
    pub name: String,
    /// Where it was read from; none for command-line options and text given directly.
    pub path: Option<PathBuf>,
    /// The text itself.
    pub text: String,
    /// Where it starts among all sources.
    start: usize,
}

/// A place in a source, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Name of the source.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line's text.
    pub text: String,
    /// How many characters of it are to blame, at least 1.
    pub width: usize,
}

/// All sources of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SourceMap {
    sources: Vec<Source>,
}

/// Longer lines are cut in messages.
const MAX_LINE: usize = 200;

impl SourceMap {
    /// Adds a text and returns where it starts.
    pub(crate) fn add(&mut self, name: String, path: Option<PathBuf>, text: String) -> usize {
        // One byte between texts, and before the first, keeps their spans apart and `0..0` free.
        let start = self.sources.last().map_or(1, |last| last.start + last.text.len() + 1);
        self.sources.push(Source { name, path, text, start });
        start
    }

    /// The sources in the order they were read.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The source that holds the place.
    pub(crate) fn source_at(&self, span: &Span) -> Option<&Source> {
        self.sources.iter().find(|s| (s.start..=s.start + s.text.len()).contains(&span.start))
    }

    /// The place in words; none if it was not written anywhere.
    pub(crate) fn locate(&self, span: &Span) -> Option<Location> {
        let source = self.source_at(span)?;
        let start = floor_boundary(&source.text, span.start - source.start);
        let end = floor_boundary(&source.text, span.end.saturating_sub(source.start)).max(start);
        let line_start = source.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = source.text[start..].find('\n').map_or(source.text.len(), |length| start + length);
        let text = source.text[line_start..line_end].trim_end();
        let column = source.text[line_start..start].chars().count();
        let width = source.text[start..end.min(line_start + text.len()).max(start)].chars().count();
        let shown: String = text.chars().take(MAX_LINE).map(|c| if c == '\t' { ' ' } else { c }).collect();
        let room = shown.chars().count().saturating_sub(column);
        Some(Location {
            file: source.name.clone(),
            line: source.text[..line_start].matches('\n').count() + 1,
            column: column + 1,
            text: shown,
            width: width.min(room).max(1),
        })
    }
}

fn floor_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}
