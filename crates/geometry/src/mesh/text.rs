//! Numbers from text files.

use super::{Fault, Place};

const NUMBER_HINT: &str = "export the file again, coordinates must be finite numbers";

/// A finite number, or what is wrong with it.
pub(super) fn number(word: Option<&str>, place: Place) -> Result<f64, Fault> {
    let word = word.ok_or_else(|| Fault::new(place, "a coordinate is missing", NUMBER_HINT))?;
    let value = word
        .parse::<f64>()
        .map_err(|_| Fault::new(place, format!("\"{}\" is not a number", clip(word)), NUMBER_HINT))?;
    finite(value, place)
}

/// The value itself if it is finite.
pub(super) fn finite(value: f64, place: Place) -> Result<f64, Fault> {
    // Products of many coordinates must stay finite too.
    if value.abs() < 1e30 {
        Ok(value)
    } else {
        Err(Fault::new(place, format!("the coordinate {value} is not usable"), NUMBER_HINT))
    }
}

/// A word short enough for a message.
pub(super) fn clip(word: &str) -> String {
    if word.chars().count() <= 40 {
        word.to_owned()
    } else {
        word.chars().take(40).chain("...".chars()).collect()
    }
}

/// The lines of a text file that may contain stray bytes, with their numbers from one.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, std::borrow::Cow<'_, str>)> {
    bytes.split(|byte| *byte == b'\n').enumerate().map(|(i, line)| (i + 1, String::from_utf8_lossy(line)))
}
