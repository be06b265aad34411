//! Processor time of this program: what wall time would be on an idle machine with one thread.

use std::fs;
use std::time::Instant;

/// Ticks of `/proc/self/stat` in a second, the same on every Linux.
const TICKS: f64 = 100.0;

/// Measures processor time of all threads; wall time where the system does not tell.
pub struct ProcessorWatch {
    start: Instant,
    used: Option<f64>,
}

impl ProcessorWatch {
    /// Starts now.
    pub fn start() -> Self {
        Self { start: Instant::now(), used: used() }
    }

    /// Time since the start [s].
    pub fn seconds(&self) -> f64 {
        match (self.used, used()) {
            (Some(before), Some(now)) => now - before,
            _ => self.start.elapsed().as_secs_f64(),
        }
    }
}

/// Processor time of this program so far [s].
fn used() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold anything; user and system time are the 12th and 13th after it.
    let (_, after) = text.rsplit_once(')')?;
    let mut fields = after.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS)
}
