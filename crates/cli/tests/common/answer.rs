//! What the program answers, how fast, and with how much memory.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time an answer may take, and the memory it may use [bytes].
const TIME: Duration = Duration::from_secs(1);
const MEMORY: u64 = 200_000_000;

/// What became of a command.
pub struct Answer {
    pub code: Option<i32>,
    pub message: String,
    pub time: Duration,
    pub memory: u64,
}

/// Runs a command and watches its memory.
pub fn ask(home: &Path, arguments: &[&str]) -> Answer {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(arguments)
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut message = String::new();
        stderr.read_to_string(&mut message).unwrap();
        message
    });
    let mut memory = 0;
    let status = loop {
        memory = peak_memory(child.id()).unwrap_or(0).max(memory);
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > Duration::from_secs(20) => child.kill().unwrap(),
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let time = start.elapsed();
    Answer { code: status.code(), message: reader.join().unwrap(), time, memory }
}

fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// What is wrong with an answer, if anything; `named` must be in the message.
pub fn complaint(what: &str, answer: &Answer, named: &[&str]) -> Option<String> {
    let Answer { code, message, time, memory } = answer;
    let mut faults = Vec::new();
    if !matches!(code, Some(2 | 5)) {
        faults.push(format!("exit code {code:?}"));
    }
    if !message.starts_with("error: ") || message.contains("defect") {
        faults.push("no clear error".to_owned());
    }
    faults.extend(
        named.iter().filter(|name| !message.contains(**name)).map(|name| format!("does not name {name}")),
    );
    if *time > TIME {
        faults.push(format!("took {time:?}"));
    }
    if *memory > MEMORY {
        faults.push(format!("used {} MB", memory / 1_000_000));
    }
    (!faults.is_empty()).then(|| format!("{what}: {}\n{message}", faults.join(", ")))
}

/// Fails with all complaints.
pub fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} failed\n\n{}", complaints.len(), complaints.join("\n\n"));
}
