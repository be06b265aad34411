//! Requests to stop: the first lets the running step end and saves the state, the second ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::{FILES, Failure, SIGNAL};

/// Listens for the signals that ask a program to stop.
#[derive(Debug, Default)]
pub struct Signals {
    received: Arc<AtomicUsize>,
}

impl Signals {
    /// Starts to listen.
    pub fn listen() -> Result<Self, Failure> {
        let signals = Self::default();
        let second = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).expect("signals are small positive numbers");
            // The order matters: the exit is armed by the flag that the next line sets.
            flag::register_conditional_shutdown(signal, i32::from(SIGNAL) + signal, Arc::clone(&second))
                .and_then(|_| flag::register(signal, Arc::clone(&second)))
                .and_then(|_| flag::register_usize(signal, Arc::clone(&signals.received), number))
                .map_err(|error| Failure::new(FILES, format!("cannot listen for signals: {error}")))?;
        }
        Ok(signals)
    }

    /// The signal that arrived, if one did.
    pub fn received(&self) -> Option<u8> {
        let number = self.received.load(Ordering::Relaxed);
        u8::try_from(number).ok().filter(|number| *number > 0)
    }

    /// Fails if a signal arrived.
    pub fn check(&self) -> Result<(), Failure> {
        self.received().map_or(Ok(()), |signal| Err(Failure::signal(signal)))
    }
}

/// What people call a signal.
pub fn name(number: u8) -> &'static str {
    match i32::from(number) {
        SIGINT => "SIGINT (Ctrl-C)",
        SIGTERM => "SIGTERM",
        SIGHUP => "SIGHUP",
        _ => "a signal",
    }
}
