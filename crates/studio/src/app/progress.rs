//! How far long work is, and how long it still takes.

use std::time::Instant;

/// A length of time in words.
pub fn duration_text(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "very long".to_owned();
    }
    let whole = seconds.round().max(0.0) as u64;
    match whole {
        0..=99 => format!("{whole} s"),
        100..=5999 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

/// How long the rest takes if it goes on as since `began`; nothing until that can be told.
pub fn time_left(began: Instant, share: f64) -> Option<String> {
    let passed = began.elapsed().as_secs_f64();
    let is_known = share > 0.0 && share < 1.0 && passed > 0.5;
    is_known.then(|| format!("{} left", duration_text(passed * (1.0 - share) / share)))
}

#[cfg(test)]
mod tests {
    use super::{duration_text, time_left};
    use std::time::{Duration, Instant};

    #[test]
    fn times_are_told_in_fitting_words() {
        let said: Vec<String> = [0.4, 99.0, 125.0, 7322.0, f64::NAN].map(duration_text).into();
        assert_eq!(said, ["0 s", "99 s", "2 min 05 s", "2 h 02 min", "very long"]);
        let before = Instant::now().checked_sub(Duration::from_secs(10)).unwrap();
        assert_eq!(time_left(before, 0.5).unwrap(), "10 s left");
        assert_eq!(time_left(before, 0.0), None);
    }
}
