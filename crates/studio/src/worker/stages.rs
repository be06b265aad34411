//! A step taken stage by stage: the thread of the simulation stands still in the midst of it until the window wants the
//! next one.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, PoisonError};

use pliant_solver::StageEnd;
use pliant_world::{Field, Snapshot};

use super::{Command, Phase, Shared};

/// Where in a step the simulation stands.
#[derive(Clone, Debug, PartialEq)]
pub struct StageShown {
    /// The stage that has ended, by its name in the method.
    pub name: &'static str,
    /// Whether the step has ended with it.
    pub is_last: bool,
    /// The state the step began from.
    pub before: Arc<Snapshot>,
    /// The nodes of the grid as they are now, a node a row; none without a grid.
    pub nodes: Option<Arc<Snapshot>>,
}

/// Stops a step where its stages end.
pub(super) struct Gate<'a> {
    pub(super) shared: &'a Shared,
    pub(super) wake: &'a dyn Fn(),
    pub(super) commands: &'a Receiver<Command>,
    /// Commands that have to wait until the step is over.
    pub(super) held: &'a mut VecDeque<Command>,
    pub(super) before: Arc<Snapshot>,
    pub(super) number: &'a mut u64,
    /// Whether the rest of the step is taken without a stop.
    pub(super) is_open: bool,
}

impl Gate<'_> {
    /// Shows the end of a stage and waits for the window.
    pub(super) fn stop(&mut self, end: StageEnd) {
        if self.is_open {
            return;
        }
        self.show(end);
        loop {
            match self.commands.recv() {
                Ok(Command::Stage) => return,
                Ok(Command::Pause) => {}
                Ok(Command::Pace(pace)) => self.held.push_back(Command::Pace(pace)),
                Ok(Command::Step) | Err(_) => break,
                Ok(other) => {
                    self.held.push_back(other);
                    break;
                }
            }
        }
        self.is_open = true;
    }

    fn show(&mut self, end: StageEnd) {
        *self.number += 1;
        let nodes =
            (!end.nodes.is_empty()).then(|| Arc::new(Snapshot { fields: end.nodes, ..bare(&self.before) }));
        let snapshot = with_fields(&self.before, end.particles);
        let mut shown = self.shared.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.snapshot = Arc::new(snapshot);
        shown.number = *self.number;
        shown.stage =
            Some(StageShown { name: end.name, is_last: false, before: Arc::clone(&self.before), nodes });
        drop(shown);
        *self.shared.phase.lock().unwrap_or_else(PoisonError::into_inner) = Phase::Paused;
        self.shared.is_taken.store(false, Ordering::Release);
        (self.wake)();
    }
}

/// A snapshot of the same moment without columns.
fn bare(of: &Snapshot) -> Snapshot {
    Snapshot { frame: of.frame, step: of.step, time: of.time, ..Snapshot::default() }
}

/// A snapshot with some columns in place of those of the same name.
fn with_fields(base: &Snapshot, fields: Vec<Field>) -> Snapshot {
    let mut snapshot = base.clone();
    for field in fields {
        match snapshot.fields.iter_mut().find(|known| known.name == field.name) {
            Some(known) => known.column = field.column,
            None => snapshot.fields.push(field),
        }
    }
    snapshot
}
