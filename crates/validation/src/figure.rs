//! Curves beside known ones.

/// Lines over a common axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What stands above them.
    pub title: String,
    /// What stands along the horizontal axis, with its unit.
    pub across: String,
    /// What stands along the vertical axis, with its unit.
    pub along: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// One line: what it shows, and its points from left to right.
pub type Line = (String, Vec<(f64, f64)>);

impl Figure {
    pub(crate) fn new(title: &str, across: &str, along: &str) -> Self {
        Self {
            title: title.to_owned(),
            across: across.to_owned(),
            along: along.to_owned(),
            lines: Vec::new(),
        }
    }

    pub(crate) fn with(mut self, label: &str, points: Vec<(f64, f64)>) -> Self {
        self.lines.push((label.to_owned(), points));
        self
    }
}

/// Points of a function over a range.
pub(crate) fn sampled(from: f64, to: f64, f: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    const POINTS: usize = 100;
    (0..=POINTS).map(|k| from + (to - from) * k as f64 / POINTS as f64).map(|x| (x, f(x))).collect()
}
