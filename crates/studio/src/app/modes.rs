//! Small choices and counters of the window.

use std::time::{Duration, Instant};

/// When a changed scene reaches the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Apply {
    /// When it is reset.
    #[default]
    OnReset,
    /// At once, from the start.
    Restart,
    /// At once, going on from where it stands.
    Live,
}

/// What is shown: the simulation, or caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Showing {
    /// The simulation.
    #[default]
    Live,
    /// Caches.
    Caches,
}

/// How caches are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compare {
    /// Each in a picture of its own.
    #[default]
    SideBySide,
    /// All in one picture, each in a colour of its own.
    Overlaid,
}

/// The timeline over caches.
#[derive(Clone, Copy, Debug)]
pub struct Timeline {
    /// Place among the frames of the first cache.
    pub place: usize,
    /// Whether it moves on.
    pub is_playing: bool,
    /// Whether it begins again at the end.
    pub repeats: bool,
    /// Simulated seconds for each second of the clock on the wall.
    pub speed: f64,
    /// Simulated time it stands at [s].
    pub(super) time: f64,
    pub(super) last: Instant,
}

impl Default for Timeline {
    fn default() -> Self {
        Self { place: 0, is_playing: false, repeats: true, speed: 1.0, time: 0.0, last: Instant::now() }
    }
}

/// Mean time between pictures.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameMeter {
    last: Option<Instant>,
    /// Pictures a second, smoothed.
    pub rate: f64,
    /// Longest time the window took for one picture.
    pub longest: Duration,
    /// Pictures so far.
    pub count: u64,
}

impl FrameMeter {
    pub(super) fn tick(&mut self) {
        let now = Instant::now();
        if let Some(last) = self.last.replace(now) {
            let seconds = now.duration_since(last).as_secs_f64();
            let rate = 1.0 / seconds.max(1e-4);
            self.rate = if self.rate == 0.0 { rate } else { self.rate * 0.9 + rate * 0.1 };
        }
        self.count += 1;
    }
}
