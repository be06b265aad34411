//! Which frames a command is about.

use pliant_store::RunFolder;

use crate::exit::{Failure, INPUT};

/// Frames from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    /// First frame.
    pub first: u32,
    /// Last frame.
    pub last: u32,
}

impl FrameRange {
    /// Every frame there is.
    pub const ALL: Self = Self { first: 0, last: u32::MAX };

    /// `7` is that frame alone, `3-7` all from 3 to 7.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = |part: &str| {
            part.trim().parse::<u32>().map_err(|_| format!("`{part}` is not a frame number; write 7 or 3-7"))
        };
        let (first, last) = match text.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        if first > last {
            return Err(format!("frame {first} comes after frame {last}; write {last}-{first}"));
        }
        Ok(Self { first, last })
    }

    /// `7` is all frames up to 7, `3-7` all from 3 to 7.
    pub fn parse_until(text: &str) -> Result<Self, String> {
        let range = Self::parse(text)?;
        Ok(if text.contains('-') { range } else { Self { first: 0, ..range } })
    }

    /// Whether a frame belongs to it.
    pub fn contains(&self, frame: u32) -> bool {
        (self.first..=self.last).contains(&frame)
    }

    /// The committed frames of a run that belong to it, at least one.
    pub fn of(&self, run: &RunFolder) -> Result<Vec<u32>, Failure> {
        let frames: Vec<u32> =
            run.frames().map(|entry| entry.frame).filter(|frame| self.contains(*frame)).collect();
        if !frames.is_empty() {
            return Ok(frames);
        }
        let numbers: Vec<u32> = run.frames().map(|entry| entry.frame).collect();
        let known = match (numbers.first(), numbers.last()) {
            (Some(first), Some(last)) => format!("it has frames {first} to {last}"),
            _ => "it has no frames yet".to_owned(),
        };
        let message = format!("no frame of {} was asked for: {known}", run.path().display());
        Err(Failure::new(INPUT, message))
    }
}

#[cfg(test)]
mod tests {
    use super::FrameRange;

    #[test]
    fn ranges_are_read_as_written() {
        assert_eq!(FrameRange::parse("7"), Ok(FrameRange { first: 7, last: 7 }));
        assert_eq!(FrameRange::parse_until("7"), Ok(FrameRange { first: 0, last: 7 }));
        assert_eq!(FrameRange::parse_until("3-7"), Ok(FrameRange { first: 3, last: 7 }));
        assert!(FrameRange::parse("7-3").unwrap_err().contains("3-7"));
        assert!(FrameRange::parse("x").unwrap_err().contains("not a frame number"));
        assert!(FrameRange::parse("-1").is_err());
    }
}
