//! The way back: changes of the scene and of what the tabs set in one row, moves of the camera in a row of their own.

use std::time::{Duration, Instant};

use eframe::egui;

use super::{Apply, Compare, Studio};
use crate::past::Past;
use crate::record::RecordSettings;
use crate::viewport::{Camera, Look};
use crate::worker::{Command, Pace};

/// What the tabs set beside the scene.
#[derive(Clone, PartialEq)]
struct Settings {
    look: Look,
    looks: Vec<Look>,
    views: Vec<(String, Camera)>,
    sensitivity: f32,
    camera_speed: f32,
    pace: Pace,
    apply: Apply,
    compare: Compare,
    record: RecordSettings,
}

/// What was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Scene,
    Settings,
}

impl Deed {
    /// What it was done to.
    fn subject(self) -> &'static str {
        match self {
            Self::Scene => "the scene",
            Self::Settings => "how it is shown or made",
        }
    }
}

/// How long the camera must rest before a move is over: turns of the wheel come one by one.
const REST: Duration = Duration::from_millis(400);

/// All that can be taken back, in the order it was done.
#[derive(Default)]
pub(super) struct Undo {
    done: Vec<Deed>,
    undone: Vec<Deed>,
    /// Changes of the scene that are in the row.
    scene_changes: u64,
    settings: Past<Settings>,
    cameras: Past<Camera>,
    moved: Option<(Camera, Instant)>,
}

impl Studio {
    fn settings(&self) -> Settings {
        Settings {
            look: self.look.clone(),
            looks: self.looks.clone(),
            views: self.views.clone(),
            sensitivity: self.sensitivity,
            camera_speed: self.camera_speed,
            pace: self.pace,
            apply: self.apply,
            compare: self.compare,
            record: self.record.clone(),
        }
    }

    fn take_settings(&mut self, settings: Settings) {
        (self.look, self.looks, self.views) = (settings.look, settings.looks, settings.views);
        (self.sensitivity, self.camera_speed) = (settings.sensitivity, settings.camera_speed);
        (self.pace, self.apply) = (settings.pace, settings.apply);
        (self.compare, self.record) = (settings.compare, settings.record);
        self.worker.send(Command::Pace(self.pace));
    }

    /// Takes note of what was changed, once nothing is held or typed any more: what is dragged is one change.
    pub(super) fn follow_changes(&mut self, context: &egui::Context) {
        let is_held = context.input(|input| input.pointer.any_down()) || context.egui_wants_keyboard_input();
        if !is_held {
            self.note_changes();
        }
        let now = Instant::now();
        let (camera, since) = self.undo.moved.unwrap_or((self.camera, now));
        if camera != self.camera {
            self.undo.moved = Some((self.camera, now));
        } else {
            self.undo.moved = Some((camera, since));
            if !is_held && now.duration_since(since) > REST {
                self.note_camera();
            }
        }
    }

    fn note_changes(&mut self) {
        let settings = self.settings();
        let undo = &mut self.undo;
        let changes = self.document.changes();
        let scene = (undo.scene_changes..changes).map(|_| Deed::Scene);
        let before = undo.done.len();
        undo.done.extend(scene);
        undo.scene_changes = changes;
        if undo.settings.observe(&settings) {
            undo.done.push(Deed::Settings);
        }
        if undo.done.len() > before {
            undo.undone.clear();
        }
    }

    fn note_camera(&mut self) {
        // A camera that is about to be set has not been chosen by anyone.
        if !self.frames_camera {
            self.undo.cameras.observe(&self.camera);
        }
    }

    /// Another scene: what was done to the last one cannot be taken back any more.
    pub(super) fn forget_scene_changes(&mut self) {
        self.undo.done.retain(|deed| *deed == Deed::Settings);
        self.undo.undone.retain(|deed| *deed == Deed::Settings);
        self.undo.scene_changes = 0;
        self.undo.cameras = Past::default();
    }

    /// Whether there is something to take back.
    pub fn can_undo(&self) -> bool {
        !self.undo.done.is_empty()
    }

    /// Whether there is something to do again.
    pub fn can_redo(&self) -> bool {
        !self.undo.undone.is_empty()
    }

    /// Takes the last change back, of the scene or of what the tabs set.
    pub fn undo(&mut self) {
        self.note_changes();
        while let Some(deed) = self.undo.done.pop() {
            match deed {
                // So long ago that it is forgotten.
                Deed::Scene if !self.document.can_undo() => continue,
                Deed::Scene => self.document.undo(),
                Deed::Settings => match self.undo.settings.back() {
                    Some(settings) => self.take_settings(settings),
                    None => continue,
                },
            }
            self.say(format!("took back a change of {}", deed.subject()));
            return self.undo.undone.push(deed);
        }
    }

    /// Does again what was taken back last.
    pub fn redo(&mut self) {
        self.note_changes();
        let Some(deed) = self.undo.undone.pop() else { return };
        match deed {
            Deed::Scene => self.document.redo(),
            Deed::Settings => {
                if let Some(settings) = self.undo.settings.forward() {
                    self.take_settings(settings);
                }
            }
        }
        self.say(format!("made a change of {} again", deed.subject()));
        self.undo.done.push(deed);
    }

    /// The camera as it stood before its last move.
    pub fn previous_view(&mut self) {
        self.note_camera();
        if let Some(camera) = self.undo.cameras.back() {
            self.camera = camera;
        }
    }

    /// The camera as it stood after the move that was taken back last.
    pub fn next_view(&mut self) {
        self.note_camera();
        if let Some(camera) = self.undo.cameras.forward() {
            self.camera = camera;
        }
    }

    /// Whether the camera has stood elsewhere before, and whether it can go forward again.
    pub(super) fn views_around(&self) -> [bool; 2] {
        [self.undo.cameras.can_go_back(), self.undo.cameras.can_go_forward()]
    }
}
