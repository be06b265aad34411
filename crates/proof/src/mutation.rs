//! R7: mutated files make no reader panic or hang. Without the feedback of `tools/fuzz`, but with any compiler.

use std::fs;
use std::io;
use std::panic;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pliant_geometry::rng::SplitMix64;

use crate::readers::{READERS, Reader};
use crate::{Lab, Report};

/// A reader that takes longer for an input hangs, on a busy machine too.
const LIMIT: Duration = Duration::from_secs(10);
/// Mutations of an input, at most.
const MUTATIONS: usize = 8;
/// Inputs are cut to this many bytes.
const LONGEST: usize = 1 << 16;
/// Numbers that readers stumble over: sizes, signs, what is not finite, what does not fit.
const WORDS: [&[u8]; 14] = [
    b"-1",
    b"0",
    b"1e999",
    b"nan",
    b"-inf",
    b"4294967295",
    b"18446744073709551616",
    b"1e-320",
    b"\n",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\x80",
    b"[[",
    b"\"",
];

/// Kept inputs of all readers.
fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

/// Reads `count` mutations of the kept inputs with every reader.
///
/// # Errors
/// When a reader has no kept inputs.
pub fn measure(lab: &Lab, count: usize) -> io::Result<Report> {
    let mut report = Report::new("R7", "readers");
    let mut slowest = Duration::ZERO;
    for (stream, reader) in (0u64..).zip(READERS) {
        let time = try_reader(&reader, &mut lab.random(7000 + stream), count, &mut report)?;
        slowest = slowest.max(time);
    }
    report.summary = format!(
        "{count} mutated inputs for each of {} readers, {} panics or waits above ten seconds, {} ms for an input at most",
        READERS.len(),
        report.failures.len(),
        slowest.as_millis()
    );
    report.figure("inputs", count * READERS.len());
    report.figure("slowest_ms", slowest.as_millis() as u64);
    Ok(report)
}

/// Reads the kept inputs and mutations of them; returns the longest time one took.
fn try_reader(
    reader: &Reader,
    random: &mut SplitMix64,
    count: usize,
    report: &mut Report,
) -> io::Result<Duration> {
    let kept = kept_inputs(&corpus().join(reader.name))?;
    let mut slowest = Duration::ZERO;
    let mutated = (0..count).map(|_| mutate(&kept, random));
    for (trial, input) in kept.iter().cloned().chain(mutated).enumerate() {
        let start = Instant::now();
        let is_calm = panic::catch_unwind(|| (reader.read)(&input)).is_ok();
        let time = start.elapsed();
        slowest = slowest.max(time);
        report.expect(is_calm && time < LIMIT, || {
            let end = if is_calm { format!("took {time:?}") } else { "panicked".to_owned() };
            format!("{} {end} at input {trial}: {:?}", reader.name, String::from_utf8_lossy(&input))
        });
    }
    Ok(slowest)
}

fn kept_inputs(folder: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    if paths.is_empty() {
        return Err(io::Error::other(format!("{} is empty", folder.display())));
    }
    paths.iter().map(fs::read).collect()
}

/// One of the kept inputs with some mistakes.
fn mutate(kept: &[Vec<u8>], random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = kept[random.below(kept.len())].clone();
    for _ in 0..=random.below(MUTATIONS) {
        let (a, b) = (random.below(bytes.len() + 1), random.below(bytes.len() + 1));
        let (low, high) = (a.min(b), a.max(b));
        match random.below(6) {
            0 if low < bytes.len() => bytes[low] ^= 1 << random.below(8),
            1 => drop(bytes.drain(low..high.min(low + 16))),
            2 => drop(bytes.splice(low..high.min(low + 8), WORDS[random.below(WORDS.len())].iter().copied())),
            3 => {
                let again = bytes[low..high].to_vec();
                bytes.splice(low..low, again);
            }
            4 => {
                let other = &kept[random.below(kept.len())];
                let from = random.below(other.len() + 1);
                let upto = (from + random.below(64)).min(other.len());
                bytes.splice(low..low, other[from..upto].iter().copied());
            }
            _ if random.below(4) == 0 => bytes.truncate(high),
            _ => bytes.insert(low, random.below(256) as u8),
        }
        bytes.truncate(LONGEST);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_panics_or_a_folder_without_inputs_is_noticed() {
        let mut report = Report::new("R7", "readers");
        let picky = Reader { name: "journal", read: |bytes| assert!(bytes.len() % 7 != 3) };
        let mut random = SplitMix64::for_stream(1, 1);
        try_reader(&picky, &mut random, 200, &mut report).unwrap();
        assert!(!report.passed());
        let missing = Reader { name: "no-such-reader", read: |_| {} };
        assert!(try_reader(&missing, &mut random, 1, &mut report).is_err());
    }
}
