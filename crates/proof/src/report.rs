//! What a measurement found, as one line.

use serde_json::{Map, Value, json};

/// What a measurement found.
#[derive(Clone, Debug)]
pub struct Report {
    /// Number of the guarantee, such as `R4`.
    pub id: &'static str,
    /// Name of the command that measures it.
    pub name: &'static str,
    /// The figures in words.
    pub summary: String,
    /// The figures by name.
    pub figures: Map<String, Value>,
    /// What went against the guarantee, one sentence each.
    pub failures: Vec<String>,
}

impl Report {
    /// A report without figures and failures.
    pub fn new(id: &'static str, name: &'static str) -> Self {
        Self { id, name, summary: String::new(), figures: Map::new(), failures: Vec::new() }
    }

    /// Notes a failure unless `holds`; `what` is only made if needed.
    pub fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) -> bool {
        if !holds {
            self.failures.push(what());
        }
        holds
    }

    /// Keeps a figure by its name.
    pub fn figure(&mut self, name: &str, value: impl Into<Value>) {
        self.figures.insert(name.to_owned(), value.into());
    }

    /// Whether the guarantee held.
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// The one line of the result.
    pub fn line(&self) -> String {
        let verdict = match self.failures.len() {
            0 => String::new(),
            count => format!("; FAILED {count} times"),
        };
        format!("{} {}: {}{verdict}", self.id, self.name, self.summary)
    }

    /// The result as JSON.
    pub fn json(&self) -> Value {
        json!({
            "id": self.id, "name": self.name, "passed": self.passed(), "line": self.line(),
            "figures": self.figures, "failures": self.failures,
        })
    }
}
