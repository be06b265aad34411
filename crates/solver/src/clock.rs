//! Integer time: no rounding ever moves a frame.

use serde::{Deserialize, Serialize};

/// Time in whole ticks. A frame has a fixed number of full steps, a full step `2^FINEST` ticks. A method that takes any
/// step gets power-of-two shares of a full step that start at a multiple of their own length. A method with a limit of
/// its own gets the rest of the frame in equal parts, in ticks that are much finer.
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
    /// Units of `2^FINEST` ticks in a frame of a paced clock: a tick is 4e-9 of a frame.
    const PACED_STEPS: u32 = 1 << 16;

    /// A clock at time 0 with full steps of at most `dt` [s] that divide the frame time evenly.
    pub fn new(frame_time: f64, dt: f64) -> Self {
        // The margin keeps 1/30 s with dt = 1/300 s at ten steps, whatever the last bit says.
        let steps = (frame_time / dt * (1.0 - 1e-9)).ceil().max(1.0);
        Self { frame_time, steps_per_frame: steps as u32, tick: 0, level: 0 }
    }

    /// A clock at time 0 for a method that says how long each step may be.
    pub fn paced(frame_time: f64) -> Self {
        Self { frame_time, steps_per_frame: Self::PACED_STEPS, tick: 0, level: 0 }
    }

    fn ticks_per_frame(&self) -> u64 {
        u64::from(self.steps_per_frame) << Self::FINEST
    }

    /// Time now [s].
    pub fn time(&self) -> f64 {
        let (frames, rest) = (self.tick / self.ticks_per_frame(), self.tick % self.ticks_per_frame());
        frames as f64 * self.frame_time + rest as f64 / self.ticks_per_frame() as f64 * self.frame_time
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

    /// The next step in ticks: the present share of a full step or, for a method that can take no more than `longest`
    /// [s], an equal part of what is left of the frame.
    pub fn next(&self, longest: Option<f64>) -> u64 {
        let Some(longest) = longest else { return 1 << (Self::FINEST - self.level) };
        let left = self.ticks_per_frame() - self.tick % self.ticks_per_frame();
        let most = longest / f64::from(1u32 << self.level) / self.frame_time * self.ticks_per_frame() as f64;
        // The margin keeps a limit that divides the frame from making a step too many, whatever the last bit says.
        let parts = (left as f64 / most * (1.0 - 1e-9)).ceil().clamp(1.0, left as f64);
        left.div_ceil(parts as u64)
    }

    /// Length of so many ticks [s].
    pub fn seconds(&self, ticks: u64) -> f64 {
        ticks as f64 / self.ticks_per_frame() as f64 * self.frame_time
    }

    /// A step of so many ticks was taken.
    pub fn advance(&mut self, ticks: u64) {
        self.tick += ticks;
    }

    /// Halves the step; false at the finest.
    #[must_use]
    pub fn refine(&mut self) -> bool {
        let finer = self.level < Self::FINEST;
        self.level += u32::from(finer);
        finer
    }

    /// Doubles the step, on a clock that is not paced only where the doubled one starts at a multiple of its length;
    /// false if it does not, or if the step is already the longest.
    pub fn coarsen(&mut self) -> bool {
        let is_paced = self.steps_per_frame == Self::PACED_STEPS;
        let coarser =
            self.level > 0 && (is_paced || self.tick.is_multiple_of(1 << (Self::FINEST - self.level + 1)));
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
            clock.advance(clock.next(None));
            steps += 1;
            assert!(steps < 10_000);
        }
        assert!(clock.at_frame(), "no step may cross the end of a frame");
        assert_eq!(clock.time(), 3.0 / 30.0);
    }

    #[test]
    fn a_step_that_divides_the_frame_is_kept() {
        assert_eq!(Clock::new(1.0 / 30.0, 1.0 / 300.0).steps_per_frame, 10);
        let clock = Clock::new(0.02, 1.0);
        assert_eq!(clock.seconds(clock.next(None)), 0.02);
    }

    #[test]
    fn a_paced_clock_divides_what_is_left_of_the_frame_evenly() {
        let mut clock = Clock::paced(0.02);
        let mut longest = 3e-3;
        for frame in 1..=3 {
            let mut steps = 0;
            while clock.frame() < frame {
                let ticks = clock.next(Some(longest));
                assert!(clock.seconds(ticks) <= longest * (1.0 + 1e-6));
                clock.advance(ticks);
                steps += 1;
            }
            assert!(clock.at_frame(), "no step may cross the end of a frame");
            assert_eq!(steps, (0.02_f64 / longest - 1e-6).ceil() as i32, "no more steps than needed");
            longest /= 1.7;
        }
        assert_eq!(Clock::paced(0.1).next(Some(0.02)), Clock::paced(0.1).ticks_per_frame().div_ceil(5));
        assert!(clock.refine());
        assert!(clock.seconds(clock.next(Some(longest))) <= 0.5 * longest * (1.0 + 1e-6));
        assert_eq!(clock.next(Some(0.0)), 1, "a step takes a tick at least");
    }

    #[test]
    fn steps_are_halved_a_bounded_number_of_times() {
        let mut clock = Clock::new(1.0, 1.0);
        let halvings = (0..100).filter(|_| clock.refine()).count();
        assert_eq!(halvings, Clock::FINEST as usize);
        clock.advance(clock.next(None));
        assert!(!clock.coarsen(), "an odd tick cannot start a doubled step");
        clock.advance(clock.next(None));
        assert!(clock.coarsen());
        assert_eq!(clock.level(), Clock::FINEST - 1);
    }
}
