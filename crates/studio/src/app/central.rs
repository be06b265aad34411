//! The viewport in the middle of the window: pictures, legend, mouse.

use eframe::egui::{self, Color32, Pos2, Rect, Sense, Ui, Vec2, WidgetInfo};
use eframe::egui_wgpu::Callback;
use pliant_world::Snapshot;

use super::legend::{self, draw_legend};
use super::overlay::overlay_colour;
use super::{Compare, Studio};
use crate::bodies::object_of;
use crate::viewport::colours::Legend;
use crate::viewport::scenery::pick;
use crate::viewport::{Bounds, Scenery, Shot, Stage, State};

impl Studio {
    /// Colour behind everything, sRGB and opacity.
    pub(crate) fn background(&self) -> [f32; 4] {
        let theme = if self.is_dark { [30, 33, 38] } else { [244, 245, 247] };
        let [r, g, b] = self.look.background.unwrap_or(theme).map(|channel| f32::from(channel) / 255.0);
        [r, g, b, self.look.background_opacity.clamp(0.0, 1.0)]
    }

    pub(super) fn central(&mut self, ui: &mut Ui) {
        let rect = ui.max_rect();
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, "Viewport"));
        let states = self.states();
        let aspect = (rect.width() / rect.height().max(1.0)).clamp(0.05, 50.0);
        self.navigate(ui, &response, rect);
        if states.is_empty() || rect.width() < 2.0 || rect.height() < 2.0 {
            return;
        }
        let stages = self.stages(&states);
        let panes = stages.len() as f32;
        self.frame_camera(aspect / panes, &states);
        for (number, stage) in stages.iter().enumerate() {
            let width = rect.width() / panes;
            let left = rect.left() + width * number as f32;
            let place = Rect::from_min_size(Pos2::new(left, rect.top()), Vec2::new(width, rect.height()));
            self.show_pane(ui, number, place, stage);
            self.probe_mark(ui, place, &states[number]);
            if number > 0 {
                let edge = ui.visuals().widgets.noninteractive.bg_stroke;
                ui.painter().vline(place.left(), place.y_range(), edge);
            }
        }
        for caption in self.captions(&states) {
            let left = rect.left() + rect.width() * caption.left;
            let at = Pos2::new(left + 10.0, rect.top() + 8.0 + 18.0 * caption.row as f32);
            let ink =
                caption.ink.map_or(ui.visuals().strong_text_color(), |[r, g, b]| Color32::from_rgb(r, g, b));
            let font = egui::FontId::proportional(14.0);
            ui.painter().text(at, egui::Align2::LEFT_TOP, caption.text, font, ink);
        }
        self.gizmo(ui, &response, rect);
        self.legend(ui, rect);
        self.pick_particle(ui, &response, rect, &states);
        if self.scenery.iter().any(Scenery::is_busy) {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(30));
        }
    }

    /// What each picture shows.
    pub(crate) fn stages(&mut self, states: &[State]) -> Vec<Stage> {
        self.scenery.resize_with(states.len().max(1), Scenery::default);
        let (mut look, camera) = (self.look.dressed(&self.looks), self.camera);
        let mut stages = Vec::new();
        for (state, scenery) in states.iter().zip(&mut self.scenery) {
            stages.push(scenery.stage(state, &look, &camera));
            // What is compared has the same colours for the same values, those of the first.
            look.range = look.range.or_else(|| scenery.legend().map(|legend| legend.range));
        }
        let is_overlaid = stages.len() > 1 && self.compare == Compare::Overlaid;
        if is_overlaid { vec![self.overlay.of(&stages)] } else { stages }
    }

    fn show_pane(&mut self, ui: &Ui, number: usize, place: Rect, stage: &Stage) {
        let pixels = ui.ctx().pixels_per_point();
        let size =
            [(place.width() * pixels) as u32, (place.height() * pixels) as u32].map(|side| side.max(1));
        let background = self.background();
        let (camera, look) = (self.camera, self.look.clone());
        let Some(view) = &mut self.view else {
            let text = "No graphics adapter that can draw this: the viewport stays empty, all else works.\n\
                        Install a Vulkan driver, or the one in software (Debian, Ubuntu: apt install mesa-vulkan-drivers).";
            ui.painter().text(
                place.center(),
                egui::Align2::CENTER_CENTER,
                text,
                egui::FontId::proportional(14.0),
                ui.visuals().weak_text_color(),
            );
            return;
        };
        let shot = Shot { stage, camera: &camera, look: &look, background };
        if let Some(picture) = view.show(number, size, &shot) {
            ui.painter().add(Callback::new_paint_callback(place, picture));
        }
    }

    /// Sets the camera once there are particles to see.
    pub(crate) fn frame_camera(&mut self, aspect: f32, states: &[State]) {
        if !(self.frames_camera && self.shows_what_was_opened()) {
            return;
        }
        // What is drawn may still be the state before.
        let bounds = states.iter().map(State::bounds);
        let bounds = bounds.fold(Bounds::EMPTY, |all, one| all.joined(&one));
        if bounds.is_empty() {
            return;
        }
        self.frames_camera = false;
        let room =
            states.first().and_then(|state| state.scene.as_ref()).map(|scene| scene_room(scene, &bounds));
        self.camera = self.camera.seeing(&room.unwrap_or(bounds), aspect);
    }

    fn pick_particle(&mut self, ui: &Ui, response: &egui::Response, rect: Rect, states: &[State]) {
        let Some(place) = response.interact_pointer_pos().filter(|_| response.clicked()) else { return };
        let panes = if self.compare == Compare::Overlaid { 1 } else { states.len() };
        let width = rect.width() / panes as f32;
        let pane = (((place.x - rect.left()) / width) as usize).min(states.len() - 1);
        let x = 2.0 * ((place.x - rect.left()) - pane as f32 * width) / width - 1.0;
        let y = 1.0 - 2.0 * (place.y - rect.top()) / rect.height();
        let ray = self.camera.ray(x, y, width / rect.height().max(1.0));
        let Some(scenery) = self.scenery.get(pane) else { return };
        let particle = pick(scenery.grains(), &ray, 0.002);
        let snapshot = &states[pane].snapshot;
        let id = particle.map(|particle| id_of(snapshot, particle));
        self.history.choose(id);
        if let (Some(id), Some(particle)) = (id, particle) {
            let body =
                snapshot.integers("body").and_then(|bodies| bodies.get(particle)).copied().unwrap_or(0);
            self.selection.object = states[pane].scene.as_ref().map_or(0, |scene| object_of(scene, body));
            self.say(format!("particle {id} of body {body}"));
        }
        ui.ctx().request_repaint();
    }

    /// A ring around the chosen particle.
    fn probe_mark(&self, ui: &Ui, rect: Rect, state: &State) {
        let Some(probe) = self.history.probe() else { return };
        let Some(particle) = crate::history::find(&state.snapshot, probe.id) else { return };
        let Some(place) = state.snapshot.positions().get(particle) else { return };
        let aspect = rect.width() / rect.height().max(1.0);
        if let Some([x, y]) = self.camera.project(&nalgebra::Vector3::from(*place), aspect) {
            let at = rect.center() + Vec2::new(0.5 * x * rect.width(), -0.5 * y * rect.height());
            if at.any_nan() {
                return;
            }
            ui.painter().circle_stroke(at, 9.0, (2.0, Color32::from_rgb(255, 170, 0)));
        }
    }

    /// The colour bar of the particles, and left of it that of the grid.
    fn legend(&self, ui: &Ui, rect: Rect) {
        let mut rest = rect;
        for legend in self.legends() {
            draw_legend(ui, rest, legend);
            rest.max.x -= legend::WIDTH;
        }
    }
}

impl Studio {
    /// The colour bars that are shown.
    pub(super) fn legends(&self) -> impl Iterator<Item = &Legend> {
        // Laid over each other, particles have the colour of their cache.
        let is_overlaid = self.scenery.len() > 1 && self.compare == Compare::Overlaid;
        let scenery = self.scenery.first().filter(|_| self.look.shows_legend);
        let particles = scenery.filter(|_| !is_overlaid).and_then(Scenery::legend);
        [particles, scenery.and_then(Scenery::layer_legend)].into_iter().flatten()
    }

    /// The names of caches that are compared, and where they stand.
    pub(super) fn captions(&self, states: &[State]) -> Vec<Caption> {
        let several = states.iter().enumerate().filter(|_| states.len() > 1);
        let caption = |(number, state): (usize, &State)| match self.compare {
            Compare::SideBySide => Caption {
                text: state.title.clone(),
                left: number as f32 / states.len() as f32,
                row: 0,
                ink: None,
            },
            Compare::Overlaid => Caption {
                text: state.title.clone(),
                left: 0.0,
                row: number,
                ink: Some(overlay_colour(number)),
            },
        };
        several.map(caption).collect()
    }
}

/// The name of a cache in the picture.
pub(super) struct Caption {
    pub(super) text: String,
    /// Where it begins, as a share of the width.
    pub(super) left: f32,
    /// Its line.
    pub(super) row: usize,
    /// Its own colour, if it has one.
    pub(super) ink: Option<[u8; 3]>,
}

/// What should be in sight of a scene: its matter, and a little room below.
fn scene_room(scene: &pliant_scene::Scene, bounds: &Bounds) -> Bounds {
    let mut room = *bounds;
    let radius = bounds.radius();
    let falls = scene.colliders.iter().filter(|collider| collider.visible).filter_map(|c| c.shape.bounds());
    for solid in falls {
        let (min, max) = (solid.min.cast::<f32>(), solid.max.cast::<f32>());
        let is_near = (max - min).norm() < 8.0 * radius;
        if is_near {
            room = room.joined(&Bounds { min, max });
        }
    }
    let ground = scene.colliders.iter().any(|collider| collider.shape.bounds().is_none());
    if ground && room.min.y > 0.0 {
        room.min.y = 0.0;
    }
    room
}

/// The `id` of a particle.
pub(crate) fn id_of(snapshot: &Snapshot, particle: usize) -> u32 {
    snapshot.integers("id").and_then(|ids| ids.get(particle)).copied().unwrap_or(particle as u32)
}
