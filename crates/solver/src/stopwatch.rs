//! Wall time by stage.

use std::time::Instant;

/// Adds up the time between laps by name.
#[derive(Debug)]
pub struct Stopwatch {
    last: Instant,
    laps: Vec<(&'static str, f64)>,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self { last: Instant::now(), laps: Vec::new() }
    }

    /// Books the time since the last lap on `stage`.
    pub fn lap(&mut self, stage: &'static str) {
        let now = Instant::now();
        let seconds = now.duration_since(self.last).as_secs_f64();
        self.last = now;
        match self.laps.iter_mut().find(|lap| lap.0 == stage) {
            Some(lap) => lap.1 += seconds,
            None => self.laps.push((stage, seconds)),
        }
    }

    /// Stages in the order they first came, with their seconds.
    pub fn laps(self) -> Vec<(&'static str, f64)> {
        self.laps
    }
}
