//! The window: its state, and what happens from one picture to the next. Panels and menus are in files of their own.

mod advance;
mod central;
mod control;
mod dialog;
mod easel;
mod errands;
mod files;
mod gizmo;
mod legend;
mod menu;
mod modes;
mod navigate;
mod overlay;
mod progress;
mod recorder;
mod remembered;
mod script;
mod sitting;
mod toolbar;
mod undo;
mod view;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;
use pliant_scene::Scene;

use crate::bench::Bench;
use crate::document::Document;
use crate::form::Schema;
use crate::gallery::Gallery;
use crate::history::History;
use crate::panels::{Selection, Tab, teaching::Teaching};
use crate::player::Player;
use crate::record::{RecordSettings, Recording};
use crate::survey::Survey;
use crate::viewport::{Camera, Look, Scenery};
use crate::worker::{Effort, Pace, Shown, Worker};
use dialog::FileDialog;
use errands::Errand;
pub use gizmo::Tool;
pub use modes::{Apply, Compare, FrameMeter, Showing, Timeline};
use overlay::Overlay;
pub use progress::{duration_text, time_left};
pub use recorder::FrameWriter;
pub use script::Script;
use undo::Undo;
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
    /// What the last steps took; a pause does not forget it.
    pub effort: Effort,
    /// What was measured.
    pub history: History,
    /// The first cache from end to end, for the charts.
    pub survey: Survey,
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
    /// The scene it was last given.
    given: Option<Arc<Scene>>,
    /// Whether the camera should be set once particles are there.
    frames_camera: bool,
    plays_when_loaded: bool,
    housekeeping: Instant,
    /// Since when particles are being placed.
    building: Option<Instant>,
    script: Option<Script>,
    errands: Vec<Errand>,
    undo: Undo,
    overlay: Overlay,
    /// When the program began, and how long it took until particles were seen.
    begun: Instant,
    first_picture: Option<Duration>,
    context: egui::Context,
}

impl Studio {
    /// The studio with a document; `context` is told when there is something new to see.
    pub fn new(context: &egui::Context, document: Document) -> Self {
        let waker = context.clone();
        // The whole window is cleared to the colour of panels: painting them over it costs an adapter in software more than
        // all that is on them.
        context.all_styles_mut(|style| style.visuals.panel_fill = egui::Color32::TRANSPARENT);
        // What is left of scenes without a name may be anybody's: the program asks for it, see `recalling`.
        let recovered = document.path().and_then(|_| document.left_behind());
        Self {
            document,
            worker: Worker::start(move || waker.request_repaint()),
            shown: Shown::default(),
            effort: Effort::default(),
            history: History::default(),
            survey: Survey::default(),
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
            given: None,
            frames_camera: true,
            plays_when_loaded: false,
            housekeeping: Instant::now(),
            building: None,
            script: None,
            errands: Vec::new(),
            undo: Undo::default(),
            overlay: Overlay::default(),
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
}

impl eframe::App for Studio {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let start = Instant::now();
        self.context = ui.ctx().clone();
        if self.first_picture.is_none() && self.is_drawn() && !self.scenery[0].grains().balls.is_empty() {
            // The last call had particles, and the window has shown them.
            self.first_picture = Some(self.begun.elapsed());
        }
        self.advance();
        self.follow_script(ui.ctx());
        self.shortcuts(ui.ctx());
        self.take_dropped_files(ui.ctx());
        self.menu_bar(ui);
        self.tool_bar(ui);
        self.status_bar(ui);
        self.side_panel(ui);
        egui::CentralPanel::no_frame().show(ui, |ui| self.central(ui));
        self.show_dialog(ui.ctx());
        self.follow_changes(ui.ctx());
        if self.fps.count > 3 {
            self.fps.longest = self.fps.longest.max(start.elapsed());
        }
    }

    fn clear_color(&self, _visuals: &egui::Visuals) -> [f32; 4] {
        let theme = if self.is_dark { egui::Visuals::dark() } else { egui::Visuals::light() };
        theme.panel_fill.to_normalized_gamma_f32()
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.remember(storage);
    }
}
