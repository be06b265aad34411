//! The window: its state, and what happens from one picture to the next. Panels and menus are in files of their own.

mod advance;
mod central;
mod dialog;
mod errands;
mod files;
mod gizmo;
mod legend;
mod menu;
mod modes;
mod navigate;
mod overlay;
mod recorder;
mod remembered;
mod script;
mod toolbar;
mod view;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;

use crate::bench::Bench;
use crate::document::{Change, Document};
use crate::form::{Form, Schema};
use crate::gallery::Gallery;
use crate::history::History;
use crate::panels::{Selection, Tab, teaching::Teaching};
use crate::player::Player;
use crate::record::{RecordSettings, Recording};
use crate::viewport::{Camera, Look, Scenery, State};
use crate::worker::{Command, Pace, Phase, Shown, Worker};
use dialog::FileDialog;
use errands::Errand;
pub use gizmo::Tool;
pub use modes::{Apply, Compare, FrameMeter, Showing, Timeline};
pub use recorder::FrameWriter;
pub use script::Script;
pub use view::View;

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
    pub(crate) gallery: Gallery,
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
    errands: Vec<Errand>,
    /// When the program began, and how long it took until particles were seen.
    begun: Instant,
    first_picture: Option<Duration>,
    context: egui::Context,
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
            timeline: Timeline::default(),
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
            gallery: Gallery::default(),
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
            errands: Vec::new(),
            begun: Instant::now(),
            first_picture: None,
            context: context.clone(),
        }
    }

    /// Draws with the device of the window.
    #[must_use]
    pub fn with_view(mut self, view: Option<View>) -> Self {
        self.view = view;
        self
    }

    /// Counts the time to the first picture from there.
    #[must_use]
    pub fn begun_at(mut self, begun: Instant) -> Self {
        self.begun = begun;
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
                let nodes = self.shown.stage.as_ref().and_then(|stage| stage.nodes.clone());
                let snapshot = Arc::clone(&self.shown.snapshot);
                vec![State { snapshot, scene: self.shown.scene.clone(), nodes }]
            }
            Showing::Caches => {
                let place = self.timeline.place;
                let time =
                    self.players.first().and_then(|first| first.marks().get(place)).map_or(0.0, |m| m.time);
                let state = |(index, player): (usize, &mut Player)| {
                    let place = if index == 0 { place } else { player.place_of(time) };
                    let snapshot = player.frame_at(place)?;
                    Some(State::new(snapshot, player.scene().cloned()))
                };
                self.players.iter_mut().enumerate().filter_map(state).collect()
            }
        }
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
        if self.first_picture.is_none() && !self.scenery[0].grains().balls.is_empty() {
            // The last call drew particles, and the window has shown them.
            self.first_picture = Some(self.begun.elapsed());
        }
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
