//! The device of the window and the pictures it draws.

use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui;
use eframe::egui_wgpu::RenderState;
use eframe::wgpu;

use crate::viewport::drawing::Solid;
use crate::viewport::gpu::can_draw;
use crate::viewport::{Camera, Canvas, Device, Look, Pixels, Renderer, Shot};

/// The device of the window, and its pictures.
pub struct View {
    renderer: Renderer,
    /// For screenshots and movies, where time matters less than edges; made when it is first needed, on the thread that
    /// draws them.
    fine: Arc<Mutex<Option<Renderer>>>,
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
impl View {
    /// Draws with the device of a window; none if its adapter cannot.
    pub fn in_window(state: &RenderState) -> Option<Self> {
        if !can_draw(&state.adapter) {
            return None;
        }
        let device = Device::of(&state.adapter, state.device.clone(), state.queue.clone());
        // An adapter in software is slow enough without.
        let is_software = state.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        let samples = if is_software { 1 } else { FINE };
        Some(Self {
            renderer: Renderer::new(device, samples),
            fine: Arc::default(),
            window: Some(state.clone()),
            panes: Vec::new(),
        })
    }

    /// Draws without a window, for screenshots and movies only.
    pub fn headless(device: Device) -> Self {
        Self { renderer: Renderer::new(device, FINE), fine: Arc::default(), window: None, panes: Vec::new() }
    }

    /// Name of the adapter.
    pub fn adapter(&self) -> &str {
        &self.renderer.device().name
    }

    /// Width and height of the first pane [pixels].
    pub fn drawn_pixels(&self) -> Option<[u32; 2]> {
        self.panes.first().map(|pane| pane.canvas.size)
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
    pub(super) fn show(&mut self, number: usize, size: [u32; 2], shot: &Shot<'_>) -> Option<egui::TextureId> {
        self.pane(number, size)?;
        let background = shot.background.map(|channel| (channel * 255.0) as u8);
        let scenery =
            Arc::as_ptr(&shot.stage.grains) as usize ^ shot.stage.obstacles.len() ^ surface_key(shot.stage);
        let key = (shot.stage.number, *shot.camera, shot.look.clone(), background, scenery);
        let pane = &mut self.panes[number];
        if pane.drawn.as_ref() != Some(&key) {
            self.renderer.draw(shot, &pane.canvas);
            pane.drawn = Some(key);
        }
        Some(pane.texture)
    }

    /// What draws pictures in memory, on whatever thread.
    pub(super) fn painter(&self) -> Painter {
        Painter { device: self.renderer.device().clone(), fine: Arc::clone(&self.fine) }
    }
}

/// Tells one surface from the next.
fn surface_key(stage: &crate::viewport::Stage) -> usize {
    match stage.surface.as_ref().map(|surface| &surface.solid) {
        Some(Solid::Mesh(mesh)) => Arc::as_ptr(mesh) as usize,
        _ => 0,
    }
}

/// Draws pictures in memory; may be sent to another thread.
pub(super) struct Painter {
    device: Device,
    fine: Arc<Mutex<Option<Renderer>>>,
}

impl Painter {
    /// A picture in memory; waits until it is drawn.
    ///
    /// # Errors
    /// When the device is lost.
    pub(super) fn picture(&self, size: [u32; 2], shot: &Shot<'_>) -> Result<Pixels, String> {
        let mut fine = self.fine.lock().unwrap_or_else(PoisonError::into_inner);
        let fine = fine.get_or_insert_with(|| Renderer::new(self.device.clone(), FINE));
        let canvas = fine.canvas(size);
        fine.draw(shot, &canvas);
        Pixels::read(&self.device, &canvas)
    }
}
