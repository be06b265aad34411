//! How a step works: the stages of the method one after the other, with formula and numbers of the chosen particle. The
//! simulation goes along: it stands where the stage that is shown has ended.

mod stages;
mod values;

use std::sync::Arc;

use eframe::egui::{RichText, Ui};
use pliant_scene::{Method, Scene};
use pliant_world::Snapshot;

pub use stages::{GBB, MPM, SPH, Stage, ZHOU, stages};
use values::{Moment, Particle, mpm_values, solid_values};

use crate::app::Studio;
use crate::history::find;
use crate::worker::{Command, Shown, StageShown};

/// Where the step-through stands.
#[derive(Clone, Default)]
pub struct Teaching {
    /// Number of the stage that is explained.
    pub stage: usize,
    /// The stages the simulation has ended in this step, with the states it reached.
    reached: Vec<(StageShown, Arc<Snapshot>)>,
    number: u64,
}

impl Teaching {
    /// Takes up a new state.
    pub fn observe(&mut self, shown: &Shown) {
        if shown.number == self.number {
            return;
        }
        self.number = shown.number;
        let (Some(stage), Some(scene)) = (&shown.stage, &shown.scene) else {
            *self = Self { number: self.number, ..Self::default() };
            return;
        };
        let is_new = self.before().is_none_or(|before| !Arc::ptr_eq(before, &stage.before));
        if is_new {
            self.reached.clear();
        }
        self.reached.push((stage.clone(), Arc::clone(&shown.snapshot)));
        // What comes first of that stage; a method that is taken as a whole begins at the first.
        let known = stages(scene).iter().position(|known| known.done_by == stage.name);
        self.stage = known.unwrap_or(0);
    }

    /// The state the step began from.
    fn before(&self) -> Option<&Arc<Snapshot>> {
        self.reached.first().map(|(stage, _)| &stage.before)
    }

    /// The stage of the method that ended last, and how often it has in this step.
    fn newest(&self) -> Option<(&StageShown, usize)> {
        let (newest, _) = self.reached.last()?;
        let count = self.reached.iter().filter(|(stage, _)| stage.name == newest.name).count();
        Some((newest, count))
    }

    /// Whether the next explanation is of what the simulation has done already.
    fn is_explaining(&self, all: &[Stage]) -> bool {
        let Some((newest, _)) = self.newest() else { return false };
        let is_whole = !all.iter().any(|stage| stage.done_by == newest.name);
        all.get(self.stage + 1).is_some_and(|next| is_whole || next.done_by == newest.name)
    }
}

impl Studio {
    /// Goes to the next stage of the explanation; the simulation goes along where it has to.
    pub fn next_stage(&mut self) {
        let Some(scene) = self.shown.scene.clone() else { return };
        if self.teaching.is_explaining(stages(&scene)) {
            self.teaching.stage += 1;
        } else {
            self.worker.send(Command::Stage);
        }
    }

    pub(super) fn teaching_panel(&mut self, ui: &mut Ui) {
        let Some(scene) = self.shown.scene.clone() else {
            ui.weak("Open a scene first.");
            return;
        };
        ui.horizontal(|ui| {
            if ui.button("Next stage").clicked() {
                self.next_stage();
            }
            if ui.button("Leave step").on_hover_text("Take the rest of the step at once").clicked() {
                self.leave_step();
            }
        });
        if self.history.probe().is_none() {
            ui.weak("Click a particle to follow it; until then the first one is followed.");
        }
        if let Some((newest, count)) = self.teaching.newest() {
            let pass = if count > 1 { format!(", time {count} in this step") } else { String::new() };
            let end = if newest.is_last { "; the step is over" } else { "" };
            ui.label(format!("The method has ended: {}{pass}{end}", newest.name));
        }
        let all = stages(&scene);
        let stage = self.teaching.stage.min(all.len() - 1);
        for (number, known) in all.iter().enumerate() {
            let is_here = number == stage && self.teaching.before().is_some();
            let title = RichText::new(known.title);
            ui.label(if is_here { title.strong().size(16.0) } else { title.weak() });
            if is_here {
                ui.monospace(known.formula);
                ui.indent("values", |ui| {
                    for (name, value) in self.stage_values(&scene, stage) {
                        ui.label(format!("{name} = {value}"));
                    }
                });
            }
        }
        self.stage_times(ui);
    }

    /// Takes the rest of the step, if one is under way.
    fn leave_step(&mut self) {
        if self.teaching.newest().is_some_and(|(newest, _)| !newest.is_last) {
            self.worker.send(Command::Step);
        }
        self.teaching.reached.clear();
    }

    fn stage_times(&self, ui: &mut Ui) {
        if self.effort.stages.is_empty() {
            return;
        }
        ui.separator();
        ui.weak("Time by stage of the last steps:");
        for (name, seconds) in &self.effort.stages {
            ui.weak(format!("{name}: {:.3} ms", 1e3 * seconds / f64::from(self.effort.steps.max(1))));
        }
    }

    /// The numbers of a stage for the chosen particle.
    pub fn stage_values(&self, scene: &Scene, stage: usize) -> Vec<(String, String)> {
        let Some(before) = self.teaching.before() else { return Vec::new() };
        let id = self.history.probe().map_or(0, |probe| probe.id);
        let Some(particle) = find(before, id) else { return Vec::new() };
        let view = Particle { snapshot: before, particle };
        let Some(known) = stages(scene).get(stage) else { return Vec::new() };
        let reached = self.teaching.reached.iter().rev();
        let found = reached.clone().find(|(stage, _)| stage.name == known.done_by);
        let Some((ended, now)) = found.or_else(|| reached.clone().next()) else { return Vec::new() };
        let last = reached.clone().find(|(stage, _)| stage.is_last).map(|(_, after)| after);
        let particle_of = |snapshot: &'_ Arc<Snapshot>| find(snapshot, id);
        match scene.method {
            Method::Mpm(_) => mpm_values(&Moment {
                scene,
                stage,
                view,
                later: last
                    .and_then(|after| Some(Particle { snapshot: after, particle: particle_of(after)? })),
                nodes: ended.nodes.as_deref(),
                dt: last.map_or(0.0, |after| after.time - before.time),
            }),
            _ => match particle_of(now) {
                Some(particle) => solid_values(&view, &Particle { snapshot: now, particle }),
                None => Vec::new(),
            },
        }
    }
}
