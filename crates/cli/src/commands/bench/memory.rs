//! Memory of this program, as the system sees it; nothing where it does not tell.

use std::fs;

/// What was in use when a measurement began [bytes].
pub(super) struct Before(Option<f64>);

/// Begins a measurement: the peak starts anew where the system allows it.
pub(super) fn begin() -> Before {
    // Not allowed everywhere; the peak is then that of the whole run.
    let _ = fs::write("/proc/self/clear_refs", "5");
    Before(bytes("VmRSS:"))
}

impl Before {
    /// Most that was in use since, beyond what was before [bytes].
    pub fn peak(&self) -> Option<f64> {
        Some(bytes("VmHWM:")? - self.0?)
    }
}

/// A number of `/proc/self/status` [bytes].
pub(super) fn bytes(name: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok().map(|kilobytes| 1024.0 * kilobytes)
}
