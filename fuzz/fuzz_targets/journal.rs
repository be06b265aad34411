//! Any bytes as a journal: its lines are good or counted as damaged.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_store::journal::Journal;

fuzz_target!(|bytes: &[u8]| {
    let journal = Journal::parse(bytes);
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
    assert!(journal.frames().len() + journal.checkpoints().len() + journal.damaged_lines().len() <= lines);
});
