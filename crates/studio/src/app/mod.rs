//! The window: its state, and what happens from one picture to the next. Panels and menus are in files of their own.

mod central;
mod dialog;
mod files;
mod gizmo;
mod menu;
mod recorder;
mod remembered;
mod script;
mod toolbar;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;

use crate::bench::Bench;
use crate::document::{Change, Document, Outside};
use crate::form::{Form, Schema};
use crate::history::History;
use crate::panels::{Selection, Tab, teaching::Teaching};
use crate::player::Player;
use crate::record::{RecordSettings, Recording};
use crate::viewport::{Camera, Look, Scenery, State};
use crate::worker::{Command, Pace, Phase, Shown, Worker};
pub use central::View;
use dialog::FileDialog;
pub use gizmo::Tool;
pub use recorder::FrameWriter;
pub use script::Script;

/// When a changed scene reaches the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Apply {
    /// When it is reset.
    #[default]
    OnReset,
    /// At once, from the start.
    Restart,
    /// At once, going on from where it stands.
    Live,
}

/// What is shown: the simulation, or caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Showing {
    /// The simulation.
    #[default]
    Live,
    /// Caches.
    Caches,
}

/// How caches are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compare {
    /// Each in a picture of its own.
    #[default]
    SideBySide,
    /// All in one picture, each in a colour of its own.
    Overlaid,
}

/// The timeline over caches.
#[derive(Clone, Copy, Debug)]
pub struct Timeline {
    /// Place among the frames of the first cache.
    pub place: usize,
    /// Whether it moves on.
    pub is_playing: bool,
    /// Whether it begins again at the end.
    pub repeats: bool,
    /// Simulated seconds for each second of the clock on the wall.
    pub speed: f64,
    /// Simulated time it stands at [s].
    time: f64,
    last: Instant,
}

/// Where new scenes start.
pub const FIRST_SCENE: &str = include_str!("../../../cli/templates/jelly.toml");
/// Time between looks at the file, and between saves of what is not saved.
const HOUSEKEEPING: Duration = Duration::from_secs(2);

/// The studio.
pub struct Studio {
    /// The scene as it is edited.
    pub document: Document,
    /// The simulation.
    pub worker: Worker,
    /// Its newest state.
    pub shown: Shown,
    /// What was measured.
    pub history: History,
    /// How things are shown.
    pub look: Look,
    /// Looks that were kept.
    pub looks: Vec<Look>,
    /// Where they are seen from.
    pub camera: Camera,
    /// Cameras that were kept, by name.
    pub views: Vec<(String, Camera)>,
    /// Degrees of turning for each point the mouse moves, and factor on zooming.
    pub sensitivity: f32,
    /// Speed of keys, in heights of the picture a second.
    pub camera_speed: f32,
    /// The open tab.
    pub tab: Tab,
    /// Which object, material and collider is being edited.
    pub selection: Selection,
    /// How fast the simulation goes.
    pub pace: Pace,
    /// When changes reach the simulation.
    pub apply: Apply,
    /// What is shown.
    pub showing: Showing,
    /// Caches that are open.
    pub players: Vec<Player>,
    /// The timeline over them.
    pub timeline: Timeline,
    /// How they are compared.
    pub compare: Compare,
    /// How movies are made.
    pub record: RecordSettings,
    /// The movie being made.
    pub recording: Option<Recording>,
    /// Writes the particles of every frame while the simulation runs.
    pub frame_writer: Option<FrameWriter>,
    /// The benchmark panel.
    pub bench: Bench,
    /// The teaching panel.
    pub teaching: Teaching,
    /// What the mouse does in the viewport.
    pub tool: Tool,
    /// Files opened lately.
    pub recent: Vec<PathBuf>,
    /// The last message for the status line.
    pub message: String,
    pub(crate) schema: Schema,
    pub(crate) view: Option<View>,
    pub(crate) scenery: Vec<Scenery>,
    pub(crate) dialog: Option<FileDialog>,
    pub(crate) is_dark: bool,
    pub(crate) recovered: Option<String>,
    pub(crate) outside: Option<String>,
    pub(crate) fps: FrameMeter,
    pub(crate) rename: String,
    /// Revision of the document the simulation was last given.
    loaded: Option<u64>,
    /// Whether the camera should be set once particles are there.
    frames_camera: bool,
    plays_when_loaded: bool,
    housekeeping: Instant,
    script: Option<Script>,
    context: egui::Context,
}

/// Mean time between pictures.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameMeter {
    last: Option<Instant>,
    /// Pictures a second, smoothed.
    pub rate: f64,
    /// Longest time the window took for one picture [s].
    pub longest: f64,
    /// Pictures so far.
    pub count: u64,
}

impl FrameMeter {
    fn tick(&mut self) {
        let now = Instant::now();
        if let Some(last) = self.last.replace(now) {
            let seconds = now.duration_since(last).as_secs_f64();
            let rate = 1.0 / seconds.max(1e-4);
            self.rate = if self.rate == 0.0 { rate } else { self.rate * 0.9 + rate * 0.1 };
        }
        self.count += 1;
    }
}

impl Studio {
    /// The studio with a document; `context` is told when there is something new to see.
    pub fn new(context: &egui::Context, document: Document) -> Self {
        let waker = context.clone();
        let recovered = document.left_behind();
        Self {
            document,
            worker: Worker::start(move || waker.request_repaint()),
            shown: Shown::default(),
            history: History::default(),
            look: Look::default(),
            looks: Vec::new(),
            camera: Camera::default(),
            views: Vec::new(),
            sensitivity: 0.4,
            camera_speed: 0.6,
            tab: Tab::Scene,
            selection: Selection::default(),
            pace: Pace::default(),
            apply: Apply::default(),
            showing: Showing::Live,
            players: Vec::new(),
            timeline: Timeline {
                place: 0,
                is_playing: false,
                repeats: true,
                speed: 1.0,
                time: 0.0,
                last: Instant::now(),
            },
            compare: Compare::default(),
            record: RecordSettings::default(),
            recording: None,
            frame_writer: None,
            bench: Bench::default(),
            teaching: Teaching::default(),
            tool: Tool::Look,
            recent: Vec::new(),
            message: String::new(),
            schema: Schema::default(),
            view: None,
            scenery: vec![Scenery::default()],
            dialog: None,
            is_dark: true,
            recovered,
            outside: None,
            fps: FrameMeter::default(),
            rename: String::new(),
            loaded: None,
            frames_camera: true,
            plays_when_loaded: false,
            housekeeping: Instant::now(),
            script: None,
            context: context.clone(),
        }
    }

    /// Draws with the device of the window.
    #[must_use]
    pub fn with_view(mut self, view: Option<View>) -> Self {
        self.view = view;
        self
    }

    /// Does what a script says.
    #[must_use]
    pub fn with_script(mut self, script: Script) -> Self {
        self.script = Some(script);
        self
    }

    /// Says something in the status line.
    pub fn say(&mut self, message: impl Into<String>) {
        self.message = message.into();
    }

    /// Whether the simulation goes on.
    pub fn is_playing(&self) -> bool {
        match self.showing {
            Showing::Live => self.worker.phase() == Phase::Playing,
            Showing::Caches => self.timeline.is_playing,
        }
    }

    /// Whether the simulation is of an older text.
    pub fn is_stale(&self) -> bool {
        self.loaded.is_some_and(|loaded| loaded != self.document.revision())
    }

    /// Makes a change of the scene.
    pub fn change(&mut self, change: &Change) {
        if let Err(error) = self.document.change(change) {
            self.say(error.to_string());
        }
    }

    /// Draws a form and applies what was changed in it.
    pub(crate) fn form(&mut self, draw: impl FnOnce(&mut Form<'_>)) {
        let mut form = Form::new(&self.document, &self.schema);
        draw(&mut form);
        let (changes, is_row_over) = (std::mem::take(&mut form.changes), form.is_row_over);
        for change in &changes {
            self.change(change);
        }
        if is_row_over {
            self.document.end_row();
        }
    }

    /// Takes up a new document; the simulation follows once it is checked.
    pub fn take_document(&mut self, document: Document) {
        self.recovered = document.left_behind();
        self.document = document;
        self.loaded = None;
        self.frames_camera = true;
        self.showing = Showing::Live;
        self.selection = Selection::default();
        self.history.clear();
        self.outside = None;
    }

    /// Starts the scene afresh, with all changes.
    pub fn reset(&mut self) {
        match self.document.scene() {
            Some(scene) => self.load(Command::Load(scene)),
            None => self.say("the scene has mistakes; mend them first"),
        }
    }

    fn load(&mut self, command: Command) {
        if matches!(command, Command::Load(_)) {
            self.history.clear();
        }
        self.worker.send(command);
        self.loaded = Some(self.document.revision());
        self.showing = Showing::Live;
    }

    /// Plays or pauses.
    pub fn toggle_play(&mut self) {
        match self.showing {
            Showing::Caches => {
                self.timeline.is_playing = !self.timeline.is_playing;
                self.timeline.last = Instant::now();
            }
            Showing::Live if self.worker.phase() == Phase::Playing => self.worker.send(Command::Pause),
            Showing::Live if self.loaded.is_none() => self.plays_when_loaded = true,
            Showing::Live => {
                if self.worker.phase() == Phase::Finished {
                    self.reset();
                }
                self.worker.send(Command::Play);
            }
        }
    }

    /// The states that are shown now, one for each picture.
    pub fn states(&mut self) -> Vec<State> {
        match self.showing {
            Showing::Live => {
                vec![State { snapshot: Arc::clone(&self.shown.snapshot), scene: self.shown.scene.clone() }]
            }
            Showing::Caches => {
                let place = self.timeline.place;
                let time =
                    self.players.first().and_then(|first| first.marks().get(place)).map_or(0.0, |m| m.time);
                let state = |(index, player): (usize, &mut Player)| {
                    let place = if index == 0 { place } else { player.place_of(time) };
                    let snapshot = player.frame_at(place)?;
                    Some(State { snapshot, scene: player.scene().cloned() })
                };
                self.players.iter_mut().enumerate().filter_map(state).collect()
            }
        }
    }

    /// What happens between pictures.
    pub(crate) fn advance(&mut self) {
        self.fps.tick();
        if self.document.poll() {
            self.context.request_repaint();
        }
        self.follow_document();
        self.shown = self.worker.shown();
        for passed in self.worker.passed() {
            self.history.record(&passed);
            if let Some(writer) = &mut self.frame_writer {
                writer.offer(&passed.snapshot);
            }
        }
        if let Some(failure) = self.frame_writer.as_ref().and_then(FrameWriter::failure) {
            self.say(failure);
        }
        self.teaching.observe(&self.shown);
        self.bench.poll();
        let mut news = false;
        for player in &mut self.players {
            news |= player.poll();
        }
        self.advance_timeline();
        if news || self.is_playing() || self.bench.is_running() || self.recording.is_some() {
            self.context.request_repaint();
        } else if !self.players.is_empty() {
            self.context.request_repaint_after(Duration::from_millis(250));
        }
        if !self.document.is_checked() {
            self.context.request_repaint_after(Duration::from_millis(30));
        }
        if self.housekeeping.elapsed() > HOUSEKEEPING {
            self.keep_house();
        }
        self.advance_recording();
    }

    fn follow_document(&mut self) {
        let Some(scene) = self.document.scene() else { return };
        match (self.loaded, self.apply) {
            (None, _) => {
                self.camera.is_flat = scene.dimension == 2;
                self.load(Command::Load(scene));
                if std::mem::take(&mut self.plays_when_loaded) {
                    self.worker.send(Command::Play);
                }
            }
            (Some(loaded), Apply::Restart) if loaded != self.document.revision() => {
                self.load(Command::Load(scene));
            }
            (Some(loaded), Apply::Live) if loaded != self.document.revision() => {
                self.load(Command::Swap(scene))
            }
            _ => {}
        }
    }

    fn advance_timeline(&mut self) {
        let (Some(first), Showing::Caches) = (self.players.first(), self.showing) else { return };
        let count = first.marks().len();
        let now = Instant::now();
        let passed = now.duration_since(self.timeline.last).as_secs_f64() * self.timeline.speed;
        self.timeline.last = now;
        if self.timeline.is_playing && count > 0 {
            let end = first.marks()[count - 1].time;
            self.timeline.time += passed;
            if self.timeline.time > end {
                self.timeline.time = if self.timeline.repeats { 0.0 } else { end };
                self.timeline.is_playing = self.timeline.repeats || first.is_growing();
            }
            self.timeline.place = first.place_of(self.timeline.time);
        } else if let Some(mark) = first.marks().get(self.timeline.place) {
            self.timeline.time = mark.time;
        }
        self.timeline.place = self.timeline.place.min(count.saturating_sub(1));
    }

    /// Saves what is not saved, and looks whether the file changed outside.
    pub(crate) fn keep_house(&mut self) {
        self.housekeeping = Instant::now();
        if let Err(error) = self.document.autosave() {
            self.say(format!("cannot keep a copy of the unsaved scene: {error}"));
        }
        if let Outside::Changed(text) = self.document.look_outside() {
            if self.document.is_changed() {
                self.outside = Some(text);
            } else {
                self.document.take_outside(text);
                self.say("the file changed outside and was read again");
            }
        }
        self.context.request_repaint_after(HOUSEKEEPING);
    }

    /// Moves the camera so that everything is seen.
    pub fn see_all(&mut self) {
        self.frames_camera = true;
    }
}

impl eframe::App for Studio {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let start = Instant::now();
        self.context = ui.ctx().clone();
        self.advance();
        self.shortcuts(ui.ctx());
        self.take_dropped_files(ui.ctx());
        self.menu_bar(ui);
        self.tool_bar(ui);
        self.status_bar(ui);
        self.side_panel(ui);
        egui::CentralPanel::no_frame().show(ui, |ui| self.central(ui));
        self.show_dialog(ui.ctx());
        self.follow_script(ui.ctx());
        let seconds = start.elapsed().as_secs_f64();
        if self.fps.count > 3 {
            self.fps.longest = self.fps.longest.max(seconds);
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.remember(storage);
    }
}
