//! The viewport in the middle of the window: pictures, legend, mouse.

use std::sync::Arc;

use eframe::egui::{self, Color32, Key, Pos2, Rect, Sense, Ui, Vec2, WidgetInfo};
use eframe::egui_wgpu::RenderState;
use eframe::wgpu;
use pliant_render::{FieldColours, LegendText, ValueRange};
use pliant_world::Snapshot;

use super::{Compare, Studio, Tool};
use crate::viewport::drawing::{Grains, Legend};
use crate::viewport::scenery::pick;
use crate::viewport::{Bounds, Camera, Canvas, Device, Look, Pixels, Renderer, Scenery, Shot, Stage, State};

/// The device of the window, and its pictures.
pub struct View {
    renderer: Renderer,
    /// For screenshots and movies, where time matters less than edges; made when it is first needed.
    fine: Option<Renderer>,
    /// How pictures get into the window; none for a studio without one.
    window: Option<RenderState>,
    panes: Vec<Pane>,
}

struct Pane {
    canvas: Canvas,
    texture: egui::TextureId,
    drawn: Option<(u64, Camera, Look, [u8; 4], usize)>,
}

/// Samples a pixel where edges should be smooth.
const FINE: u32 = 4;
/// Colours of caches that are laid over each other.
const OVERLAY: [[f32; 3]; 4] = [[0.95, 0.45, 0.25], [0.25, 0.6, 0.95], [0.4, 0.8, 0.4], [0.85, 0.6, 0.95]];

impl View {
    /// Draws with the device of a window.
    pub fn in_window(state: &RenderState) -> Self {
        let device = Device {
            device: state.device.clone(),
            queue: state.queue.clone(),
            name: state.adapter.get_info().name,
        };
        // An adapter in software is slow enough without.
        let is_software = state.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        let samples = if is_software { 1 } else { FINE };
        Self {
            renderer: Renderer::new(device, samples),
            fine: None,
            window: Some(state.clone()),
            panes: Vec::new(),
        }
    }

    /// Draws without a window, for screenshots and movies only.
    pub fn headless(device: Device) -> Self {
        Self { renderer: Renderer::new(device, FINE), fine: None, window: None, panes: Vec::new() }
    }

    /// Name of the adapter.
    pub fn adapter(&self) -> &str {
        &self.renderer.device().name
    }

    /// The pane of that number in a size, made anew where the size changed.
    fn pane(&mut self, number: usize, size: [u32; 2]) -> Option<&mut Pane> {
        let window = self.window.clone()?;
        let is_right = self.panes.get(number).is_some_and(|pane| pane.canvas.size == size);
        if !is_right {
            let canvas = self.renderer.canvas(size);
            let filter = wgpu::FilterMode::Linear;
            let mut painter = window.renderer.write();
            match self.panes.get_mut(number) {
                Some(pane) => {
                    painter.update_egui_texture_from_wgpu_texture(
                        &window.device,
                        &canvas.view,
                        filter,
                        pane.texture,
                    );
                    (pane.canvas, pane.drawn) = (canvas, None);
                }
                None => {
                    let texture = painter.register_native_texture(&window.device, &canvas.view, filter);
                    self.panes.push(Pane { canvas, texture, drawn: None });
                }
            }
        }
        self.panes.get_mut(number)
    }

    /// Draws a stage into a pane, if anything has changed; returns its texture.
    fn show(&mut self, number: usize, size: [u32; 2], shot: &Shot<'_>) -> Option<egui::TextureId> {
        self.pane(number, size)?;
        let background = shot.background.map(|channel| (channel * 255.0) as u8);
        let scenery = Arc::as_ptr(&shot.stage.grains) as usize
            ^ shot.stage.obstacles.len()
            ^ shot.stage.surface.as_ref().map_or(0, |surface| Arc::as_ptr(&surface.mesh) as usize);
        let key = (shot.stage.number, *shot.camera, shot.look.clone(), background, scenery);
        let pane = &mut self.panes[number];
        if pane.drawn.as_ref() != Some(&key) {
            self.renderer.draw(shot, &pane.canvas);
            pane.drawn = Some(key);
        }
        Some(pane.texture)
    }

    /// A picture in memory.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn picture(&mut self, size: [u32; 2], shot: &Shot<'_>) -> Result<Pixels, String> {
        let device = self.renderer.device().clone();
        let fine = self.fine.get_or_insert_with(|| Renderer::new(device.clone(), FINE));
        let canvas = fine.canvas(size);
        fine.draw(shot, &canvas);
        Pixels::read(&device, &canvas)
    }
}

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
            if stages.len() > 1 {
                let name = self.players.get(number).map(crate::player::Player::name).unwrap_or_default();
                let at = place.left_top() + Vec2::new(10.0, 8.0);
                let ink = ui.visuals().strong_text_color();
                ui.painter().text(at, egui::Align2::LEFT_TOP, name, egui::FontId::proportional(14.0), ink);
            }
        }
        self.gizmo(ui, &response, rect);
        self.legend(ui, rect);
        self.probe_mark(ui, rect, &states[0]);
        self.pick_particle(ui, &response, rect, &states);
        if self.scenery.iter().any(Scenery::is_busy) {
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(30));
        }
    }

    /// What each picture shows.
    pub(crate) fn stages(&mut self, states: &[State]) -> Vec<Stage> {
        self.scenery.resize_with(states.len().max(1), Scenery::default);
        let (look, camera) = (self.look.clone(), self.camera);
        let stages =
            states.iter().zip(&mut self.scenery).map(|(state, scenery)| scenery.stage(state, &look, &camera));
        let stages: Vec<Stage> = stages.collect();
        if stages.len() > 1 && self.compare == Compare::Overlaid { vec![overlaid(&stages)] } else { stages }
    }

    fn show_pane(&mut self, ui: &Ui, number: usize, place: Rect, stage: &Stage) {
        let pixels = ui.ctx().pixels_per_point();
        let size =
            [(place.width() * pixels) as u32, (place.height() * pixels) as u32].map(|side| side.max(1));
        let background = self.background();
        let (camera, look) = (self.camera, self.look.clone());
        let Some(view) = &mut self.view else {
            let text = "No graphics adapter: the viewport stays empty, everything else works.";
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
        if let Some(texture) = view.show(number, size, &shot) {
            let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
            ui.painter().image(texture, place, whole, Color32::WHITE);
        }
    }

    /// Sets the camera once there are particles to see.
    pub(crate) fn frame_camera(&mut self, aspect: f32, states: &[State]) {
        let bounds =
            self.scenery.iter().map(Scenery::bounds).fold(Bounds::EMPTY, |all, one| all.joined(&one));
        if !self.frames_camera || bounds.is_empty() {
            return;
        }
        self.frames_camera = false;
        let room =
            states.first().and_then(|state| state.scene.as_ref()).map(|scene| scene_room(scene, &bounds));
        self.camera = self.camera.seeing(&room.unwrap_or(bounds), aspect);
    }

    fn navigate(&mut self, ui: &Ui, response: &egui::Response, rect: Rect) {
        let delta = response.drag_delta();
        let turns = response.dragged_by(egui::PointerButton::Primary) && self.tool == Tool::Look;
        let moves = response.dragged_by(egui::PointerButton::Secondary)
            || response.dragged_by(egui::PointerButton::Middle);
        let shift = ui.input(|input| input.modifiers.shift);
        if turns && !self.camera.is_flat && !shift {
            self.camera.orbit(-delta.x * self.sensitivity, delta.y * self.sensitivity);
        } else if (turns || moves) && rect.height() > 1.0 {
            self.camera.pan(-delta.x / rect.height(), delta.y / rect.height());
        }
        if response.hovered() {
            let scroll = ui.input(|input| input.smooth_scroll_delta().y + 200.0 * (input.zoom_delta() - 1.0));
            if scroll != 0.0 {
                self.camera.zoom((scroll * 0.004 * self.sensitivity / 0.4).exp());
            }
        }
        if response.double_clicked() {
            self.see_all();
        }
        self.fly(ui);
    }

    /// Arrow keys and W A S D move the camera.
    fn fly(&mut self, ui: &Ui) {
        if ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        let (held, seconds) = ui.input(|input| (input.keys_down.clone(), input.stable_dt.min(0.1)));
        let by = |more: [Key; 2], less: [Key; 2]| {
            let any = |keys: [Key; 2]| keys.iter().any(|key| held.contains(key));
            f32::from(i8::from(any(more)) - i8::from(any(less))) * self.camera_speed * seconds
        };
        let right = by([Key::ArrowRight, Key::D], [Key::ArrowLeft, Key::A]);
        let up = by([Key::ArrowUp, Key::W], [Key::ArrowDown, Key::S]);
        if (right, up) != (0.0, 0.0) && !ui.input(|input| input.modifiers.any()) {
            self.camera.pan(right, up);
            ui.ctx().request_repaint();
        }
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
            self.selection.object =
                (body as usize).min(states[pane].scene.as_ref().map_or(0, |s| s.objects.len().max(1) - 1));
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

    fn legend(&self, ui: &Ui, rect: Rect) {
        let Some(legend) = self.scenery.first().and_then(Scenery::legend).filter(|_| self.look.shows_legend)
        else {
            return;
        };
        draw_legend(ui, rect, legend);
    }
}

/// The colour bar at the right of the viewport.
fn draw_legend(ui: &Ui, rect: Rect, legend: &Legend) {
    let [low, high] = legend.range;
    let range = ValueRange { low, high };
    let text = LegendText::of(&FieldColours { field: legend.field.clone(), map: Some(legend.map), range });
    let height = (rect.height() * 0.5).clamp(20.0, 320.0);
    let bar = Rect::from_min_size(
        Pos2::new(rect.right() - 86.0, rect.center().y - 0.5 * height),
        Vec2::new(16.0, height),
    );
    let painter = ui.painter().with_clip_rect(rect);
    let ink = ui.visuals().strong_text_color();
    let font = egui::FontId::proportional(12.0);
    let rows = 64;
    for row in 0..rows {
        let share = row as f32 / rows as f32;
        let [r, g, b] = legend.map.colour(1.0 - share - 0.5 / rows as f32).map(|c| (c * 255.0) as u8);
        let top = bar.top() + share * height;
        let strip = Rect::from_min_size(
            Pos2::new(bar.left(), top),
            Vec2::new(bar.width(), height / rows as f32 + 0.5),
        );
        painter.rect_filled(strip, 0.0, Color32::from_rgb(r, g, b));
    }
    let span = f64::from(high) - f64::from(low);
    for (value, label) in text.ticks {
        let share = ((value - f64::from(low)) / span) as f32;
        let at = Pos2::new(bar.right() + 6.0, bar.bottom() - share * height);
        painter.text(at, egui::Align2::LEFT_CENTER, label, font.clone(), ink);
    }
    let at = Pos2::new(rect.right() - 8.0, bar.top() - 10.0);
    painter.text(at, egui::Align2::RIGHT_BOTTOM, text.heading, font, ink);
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

/// Several stages in one, each in a colour of its own.
fn overlaid(stages: &[Stage]) -> Stage {
    let mut all = Grains::default();
    for (number, stage) in stages.iter().enumerate() {
        let tint = OVERLAY[number % OVERLAY.len()];
        let start = all.balls.len() as u32;
        let grains = &stage.grains;
        all.balls.extend_from_slice(&grains.balls);
        all.sources.extend_from_slice(&grains.sources);
        all.turns.extend_from_slice(&grains.turns);
        let tinted = grains.colours.iter().map(|colour| {
            let grey = (u32::from(colour[0]) + u32::from(colour[1]) + u32::from(colour[2])) as f32 / 765.0;
            let mixed = tint.map(|channel| (channel * (0.55 + 0.45 * grey) * 255.0) as u8);
            [mixed[0], mixed[1], mixed[2], colour[3]]
        });
        all.colours.extend(tinted);
        all.batches.extend(grains.batches.iter().cloned().map(|mut batch| {
            batch.particles = batch.particles.start + start..batch.particles.end + start;
            batch
        }));
        let bounds = grains.bounds.unwrap_or(Bounds::EMPTY);
        all.bounds = Some(all.bounds.unwrap_or(Bounds::EMPTY).joined(&bounds));
    }
    let first = stages.first().cloned().unwrap_or_default();
    let number = stages.iter().map(|stage| stage.number).sum();
    Stage { grains: Arc::new(all), number, ..first }
}
