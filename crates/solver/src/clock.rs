//! Integer time: no rounding ever moves a frame.

use serde::{Deserialize, Serialize};

/// Time in whole ticks. A frame has a fixed number of full steps, a full step `2^FINEST` ticks; every step of
/// a run is a power-of-two share of a full step and starts at a multiple of its own length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    frame_time: f64,
    steps_per_frame: u32,
    tick: u64,
    level: u32,
}

impl Clock {
    /// Steps are halved at most this many times.
    pub const FINEST: u32 = 12;

    /// A clock at time 0 with full steps of at most `dt` [s] that divide the frame time evenly.
    pub fn new(frame_time: f64, dt: f64) -> Self {
        // The margin keeps 1/30 s with dt = 1/300 s at ten steps, whatever the last bit says.
        let steps = (frame_time / dt * (1.0 - 1e-9)).ceil().max(1.0);
        Self { frame_time, steps_per_frame: steps as u32, tick: 0, level: 0 }
    }

    fn ticks_per_frame(&self) -> u64 {
        u64::from(self.steps_per_frame) << Self::FINEST
    }

    /// Time now [s].
    pub fn time(&self) -> f64 {
        let (frames, rest) = (self.tick / self.ticks_per_frame(), self.tick % self.ticks_per_frame());
        frames as f64 * self.frame_time + rest as f64 / self.ticks_per_frame() as f64 * self.frame_time
    }

    /// The longest step [s].
    pub fn full_dt(&self) -> f64 {
        self.frame_time / f64::from(self.steps_per_frame)
    }

    /// The present step [s].
    pub fn dt(&self) -> f64 {
        self.full_dt() / f64::from(1u32 << self.level)
    }

    /// How often the full step is halved now.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Frames completed.
    pub fn frame(&self) -> u32 {
        u32::try_from(self.tick / self.ticks_per_frame()).unwrap_or(u32::MAX)
    }

    /// Whether time stands at the end of a frame.
    pub fn at_frame(&self) -> bool {
        self.tick.is_multiple_of(self.ticks_per_frame())
    }

    /// Share of the present frame that is done, 0 to 1.
    pub fn frame_share(&self) -> f64 {
        (self.tick % self.ticks_per_frame()) as f64 / self.ticks_per_frame() as f64
    }

    /// A step was taken.
    pub fn advance(&mut self) {
        self.tick += 1 << (Self::FINEST - self.level);
    }

    /// Halves the step; false at the finest.
    #[must_use]
    pub fn refine(&mut self) -> bool {
        let finer = self.level < Self::FINEST;
        self.level += u32::from(finer);
        finer
    }

    /// Doubles the step where the doubled one starts at a multiple of its length; false if it does not, or if the
    /// step is already the longest.
    pub fn coarsen(&mut self) -> bool {
        let coarser = self.level > 0 && self.tick.is_multiple_of(1 << (Self::FINEST - self.level + 1));
        self.level -= u32::from(coarser);
        coarser
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_met_exactly_whatever_the_steps() {
        let mut clock = Clock::new(1.0 / 30.0, 2e-3);
        assert_eq!(clock.steps_per_frame, 17);
        let mut steps = 0;
        while clock.frame() < 3 {
            if steps % 5 == 2 {
                assert!(clock.refine());
            } else {
                let _ = clock.coarsen();
            }
            clock.advance();
            steps += 1;
            assert!(steps < 10_000);
        }
        assert!(clock.at_frame(), "no step may cross the end of a frame");
        assert_eq!(clock.time(), 3.0 / 30.0);
    }

    #[test]
    fn a_step_that_divides_the_frame_is_kept() {
        assert_eq!(Clock::new(1.0 / 30.0, 1.0 / 300.0).steps_per_frame, 10);
        assert_eq!(Clock::new(0.02, 1.0).dt(), 0.02);
    }

    #[test]
    fn steps_are_halved_a_bounded_number_of_times() {
        let mut clock = Clock::new(1.0, 1.0);
        let halvings = (0..100).filter(|_| clock.refine()).count();
        assert_eq!(halvings, Clock::FINEST as usize);
        clock.advance();
        assert!(!clock.coarsen(), "an odd tick cannot start a doubled step");
        clock.advance();
        assert!(clock.coarsen());
        assert_eq!(clock.level(), Clock::FINEST - 1);
    }
}
