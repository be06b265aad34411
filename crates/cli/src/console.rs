//! Words for people on the terminal: colours only where they are seen, and no complaint when nobody listens.

use std::io::{self, ErrorKind, IsTerminal, Write};

use serde_json::Value;

use crate::exit::{FILES, Failure};

/// Prints a text and a line end on stdout. A reader that went away is no failure.
pub fn line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(FILES, format!("cannot write to stdout: {error}; check where it is sent to")))
        }
        _ => Ok(()),
    }
}

/// Prints one JSON value on a line of its own.
pub fn json(value: &Value) -> Result<(), Failure> {
    line(&value.to_string())
}

/// Prints a JSON value for reading by people and programs alike.
pub fn pretty_json(value: &Value) -> Result<(), Failure> {
    line(&format!("{value:#}"))
}

/// Says what went wrong on stderr.
pub fn error(message: &str) {
    labelled("error", "31", message);
}

/// Says what is doubtful on stderr.
pub fn warning(message: &str) {
    labelled("warning", "33", message);
}

fn labelled(label: &str, color: &str, message: &str) {
    let mut out = io::stderr().lock();
    let shows_color = out.is_terminal() && std::env::var_os("NO_COLOR").is_none();
    // There is no better place to report that stderr is gone.
    let _ = if shows_color {
        writeln!(out, "\x1b[1;{color}m{label}:\x1b[0m {message}")
    } else {
        writeln!(out, "{label}: {message}")
    };
}

/// A defect of the program is told in one sentence.
pub fn speak_plainly_of_defects() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|place| format!(" at {}:{}", place.file(), place.line()));
        let cause = info.payload_as_str().unwrap_or("no reason given");
        let place = place.unwrap_or_default();
        error(&format!("this is a defect of the program{place}: {cause}; please report it with the scene"));
    }));
}

/// A number of bytes as people say it.
pub fn bytes(count: f64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let power = if count < 1e3 { 0 } else { ((count.log10() / 3.0) as usize).min(units.len() - 1) };
    let value = count / 1000_f64.powi(i32::try_from(power).unwrap_or(0));
    if value < 1e4 {
        format!("{value:.*} {}", usize::from(power > 0), units[power])
    } else {
        format!("{value:.1e} {}", units[power])
    }
}

/// A duration as people say it [s].
pub fn duration(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1e3)
    } else if seconds < 100.0 {
        format!("{seconds:.1} s")
    } else if seconds < 6000.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.1} h", seconds / 3600.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, duration};

    #[test]
    fn sizes_and_durations_read_well() {
        assert_eq!(bytes(12.0), "12 bytes");
        assert_eq!(bytes(2.5e9), "2.5 GB");
        assert_eq!(bytes(3e30), "3.0e12 EB");
        assert_eq!(duration(0.0123), "12 ms");
        assert_eq!(duration(240.0), "4 min");
        assert_eq!(duration(9000.0), "2.5 h");
    }
}
