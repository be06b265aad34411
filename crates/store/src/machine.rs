//! The machine a run was made on, for its manifest.

use serde::{Deserialize, Serialize};
use std::fs;

/// What is worth knowing of a machine when timings are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system and architecture, e.g. `linux x86_64`.
    pub os: String,
    /// Model of the processor; empty where the system does not tell.
    pub cpu: String,
    /// Cores this process may use.
    pub cores: usize,
    /// Memory in bytes; zero where the system does not tell.
    pub memory: u64,
}

impl Machine {
    /// This machine.
    pub fn detect() -> Self {
        let cpu_info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let memory_info = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let kilobytes =
            value_of(&memory_info, "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        Self {
            os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            cpu: value_of(&cpu_info, "model name").unwrap_or_default().to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: kilobytes.map_or(0, |kb| kb.saturating_mul(1024)),
        }
    }
}

/// The value of the first `key : value` line.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, v)| v.trim())
}
