//! What the studio draws with: its devices, for the window and for pictures in memory.

use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui;
use eframe::egui_wgpu::RenderState;
use eframe::wgpu;

use super::easel::{Apart, Easel, Straight};
use crate::viewport::gpu::can_draw;
use crate::viewport::paste::Pasted;
use crate::viewport::{Device, Pixels, Renderer, Shot};

/// What the studio draws with.
pub struct View {
    /// Draws the viewport; none for a studio without a window.
    easel: Option<Easel>,
    device: Device,
    /// For screenshots and movies, where time matters less than edges; made when it is first needed, on the thread that
    /// draws them.
    fine: Arc<Mutex<Option<Renderer>>>,
}

/// Samples a pixel where edges should be smooth.
const FINE: u32 = 4;

impl View {
    /// Draws for a window; none if its adapter cannot. `context` is told when there is a new picture.
    pub fn in_window(state: &RenderState, context: &egui::Context) -> Option<Self> {
        let is_software = state.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        if is_software { Self::apart_from_window(state, context) } else { Self::with_window(state) }
    }

    /// Draws with the device of a window; none if its adapter cannot.
    pub fn with_window(state: &RenderState) -> Option<Self> {
        can_draw(&state.adapter).then(|| {
            let device = Device::of(&state.adapter, state.device.clone(), state.queue.clone());
            let straight = Straight::new(state, device.clone(), FINE);
            Self { easel: Some(Easel::Straight(Box::new(straight))), device, fine: Arc::default() }
        })
    }

    /// Draws with another device of the same adapter on another thread; none if the adapter cannot.
    fn apart_from_window(state: &RenderState, context: &egui::Context) -> Option<Self> {
        let device = Device::on(&state.adapter).ok()?;
        let apart = Apart::new(state, context, device.clone());
        Some(Self { easel: Some(Easel::Apart(apart)), device, fine: Arc::default() })
    }

    /// Draws without a window, for screenshots and movies only.
    pub fn headless(device: Device) -> Self {
        Self { easel: None, device, fine: Arc::default() }
    }

    /// Name of the adapter.
    pub fn adapter(&self) -> &str {
        &self.device.name
    }

    /// Width and height of the first pane [pixels].
    pub fn drawn_pixels(&self) -> Option<[u32; 2]> {
        self.easel.as_ref()?.pixels()
    }

    /// Pictures of the viewport so far.
    pub(super) fn drawn(&self) -> u64 {
        self.easel.as_ref().map_or(0, Easel::drawn)
    }

    /// Whether the viewport shows what it should, and not still the picture before.
    pub(super) fn is_current(&self) -> bool {
        self.easel.as_ref().is_none_or(Easel::is_current)
    }

    /// Takes pictures that were drawn meanwhile.
    pub(super) fn receive(&mut self) {
        if let Some(easel) = &mut self.easel {
            easel.receive();
        }
    }

    /// Draws a stage for a pane, if anything has changed; returns what is to be seen there, once there is something.
    pub(super) fn show(&mut self, number: usize, size: [u32; 2], shot: &Shot<'_>) -> Option<Pasted> {
        self.easel.as_mut()?.show(number, size, shot)
    }

    /// What draws pictures in memory, on whatever thread.
    pub(super) fn painter(&self) -> Painter {
        Painter { device: self.device.clone(), fine: Arc::clone(&self.fine) }
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
