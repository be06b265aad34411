//! Where pictures of the viewport are drawn for the window: with the device of the window itself, or, on an adapter in
//! software, by another thread on another device.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use eframe::egui;
use eframe::egui_wgpu::RenderState;
use eframe::wgpu;

use crate::viewport::drawing::Solid;
use crate::viewport::gpu::COLOUR;
use crate::viewport::paste::{Paste, Pasted};
use crate::viewport::{Camera, Canvas, Device, Look, Pixels, Renderer, Shot, Stage};

/// What a picture shows: drawn anew when it changes.
#[derive(Clone, Debug, PartialEq)]
struct Subject {
    size: [u32; 2],
    state: u64,
    scenery: usize,
    camera: Camera,
    look: Look,
    background: [u8; 4],
}

impl Subject {
    fn of(size: [u32; 2], shot: &Shot<'_>) -> Self {
        let grains = Arc::as_ptr(&shot.stage.grains) as usize;
        Self {
            size,
            state: shot.stage.number,
            scenery: grains ^ shot.stage.obstacles.len() ^ surface_key(shot.stage),
            camera: *shot.camera,
            look: shot.look.clone(),
            background: shot.background.map(|channel| (channel * 255.0) as u8),
        }
    }
}

/// Tells one surface from the next.
fn surface_key(stage: &Stage) -> usize {
    match stage.surface.as_ref().map(|surface| &surface.solid) {
        Some(Solid::Mesh(mesh)) => Arc::as_ptr(mesh) as usize,
        _ => 0,
    }
}

/// Draws with the device of the window: nothing is copied.
pub(super) struct Straight {
    renderer: Renderer,
    paste: Paste,
    panes: Vec<StraightPane>,
    drawn: u64,
}

struct StraightPane {
    canvas: Canvas,
    pasted: Pasted,
    subject: Option<Subject>,
}

impl Straight {
    pub(super) fn new(window: &RenderState, device: Device, samples: u32) -> Self {
        let renderer = Renderer::new(device, samples);
        Self { renderer, paste: Paste::new(window), panes: Vec::new(), drawn: 0 }
    }

    fn show(&mut self, number: usize, size: [u32; 2], shot: &Shot<'_>) -> Pasted {
        if self.panes.get(number).is_none_or(|pane| pane.canvas.size != size) {
            let canvas = self.renderer.canvas(size);
            let pasted = self.paste.picture(&self.renderer.device().device, &canvas.view);
            self.panes.truncate(number);
            self.panes.push(StraightPane { canvas, pasted, subject: None });
        }
        let pane = &mut self.panes[number];
        let subject = Subject::of(size, shot);
        if pane.subject.as_ref() != Some(&subject) {
            self.renderer.draw(shot, &pane.canvas);
            self.drawn += 1;
            pane.subject = Some(subject);
        }
        pane.pasted.clone()
    }
}

/// Has pictures drawn by another thread on a device of its own, and shows each when it is there. An adapter in software takes
/// the processor for its pictures: drawn with the device of the window, all of the window would wait for them.
pub(super) struct Apart {
    window: RenderState,
    paste: Paste,
    /// None once the studio closes.
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    pictures: Receiver<Picture>,
    panes: Vec<ApartPane>,
    drawn: u64,
}

/// Longest the window waits for a picture.
const PATIENCE: Duration = Duration::from_millis(40);

#[derive(Default)]
struct ApartPane {
    copy: Option<(wgpu::Texture, Pasted)>,
    /// What was ordered last, and how many orders there have been.
    subject: Option<Subject>,
    ordered: u64,
    /// Number of the order that is shown, and its size.
    shown: u64,
    size: Option<[u32; 2]>,
}

/// A picture that is to be drawn.
struct Order {
    pane: usize,
    number: u64,
    subject: Subject,
    stage: Stage,
    background: [f32; 4],
}

/// One that is drawn.
struct Picture {
    pane: usize,
    number: u64,
    pixels: Pixels,
}

impl Apart {
    /// Starts the thread; `context` is told of every picture.
    pub(super) fn new(window: &RenderState, context: &egui::Context, device: Device) -> Self {
        let (orders, ordered) = mpsc::channel();
        let (drawn, pictures) = mpsc::channel();
        let waker = context.clone();
        let thread = std::thread::spawn(move || {
            paint(&device, &ordered, |picture| {
                let is_wanted = drawn.send(picture).is_ok();
                waker.request_repaint();
                is_wanted
            });
        });
        let paste = Paste::new(window);
        let (orders, thread) = (Some(orders), Some(thread));
        Self { window: window.clone(), paste, orders, thread, pictures, panes: Vec::new(), drawn: 0 }
    }

    fn show(&mut self, number: usize, size: [u32; 2], shot: &Shot<'_>) -> Option<Pasted> {
        if self.panes.len() <= number {
            self.panes.resize_with(number + 1, ApartPane::default);
        }
        let pane = &mut self.panes[number];
        let subject = Subject::of(size, shot);
        if pane.subject.as_ref() != Some(&subject) {
            pane.subject = Some(subject.clone());
            pane.ordered += 1;
            let (stage, background) = (shot.stage.clone(), shot.background);
            let order = Order { pane: number, number: pane.ordered, subject, stage, background };
            // The thread is gone when its device is lost: then there is nothing to draw with.
            self.orders.as_ref()?.send(order).ok()?;
        }
        pane.copy.as_ref().map(|(_, pasted)| pasted.clone())
    }

    /// Takes the pictures that are there.
    fn receive(&mut self) {
        // Both share the processor: left to itself the window would paint itself several times for each picture.
        let mut patience = if self.is_current() { Duration::ZERO } else { PATIENCE };
        while let Ok(picture) = self.pictures.recv_timeout(patience) {
            self.hang(&picture);
            patience = Duration::ZERO;
        }
    }

    /// Whether every pane shows what was ordered last.
    fn is_current(&self) -> bool {
        self.panes.iter().all(|pane| pane.shown == pane.ordered)
    }

    /// Puts a picture into its pane.
    fn hang(&mut self, picture: &Picture) {
        let Some(pane) = self.panes.get_mut(picture.pane) else { return };
        let [width, height] = picture.pixels.size;
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let (texture, _) = match pane.copy.take() {
            Some(copy) if copy.0.size() == size => pane.copy.insert(copy),
            _ => {
                let texture = copy_of(&self.window.device, size);
                let pasted =
                    self.paste.picture(&self.window.device, &texture.create_view(&Default::default()));
                pane.copy.insert((texture, pasted))
            }
        };
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * width), rows_per_image: None };
        let bytes = picture.pixels.rgba.as_flattened();
        self.window.queue.write_texture(texture.as_image_copy(), bytes, layout, size);
        (pane.shown, pane.size) = (picture.number, Some(picture.pixels.size));
        self.drawn += 1;
    }
}

impl Drop for Apart {
    /// The program must not end while the driver is at work.
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked has nothing left to wait for.
            let _ = thread.join();
        }
    }
}

/// Where a picture of another device is copied to.
fn copy_of(device: &wgpu::Device, size: wgpu::Extent3d) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("copy of a picture"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: COLOUR,
        usage: wgpu::TextureUsages::COPY_DST | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}

/// Draws what is ordered until nobody orders or looks any more, of each pane only what was ordered last.
fn paint(device: &Device, orders: &Receiver<Order>, mut deliver: impl FnMut(Picture) -> bool) {
    let mut renderer = Renderer::new(device.clone(), 1);
    let mut canvas: Option<Canvas> = None;
    while let Ok(first) = orders.recv() {
        let newest: BTreeMap<usize, Order> =
            std::iter::once(first).chain(orders.try_iter()).map(|order| (order.pane, order)).collect();
        for (pane, order) in newest {
            let subject = order.subject;
            let canvas = match &mut canvas {
                Some(canvas) if canvas.size == subject.size => canvas,
                other => other.insert(renderer.canvas(subject.size)),
            };
            let (camera, look) = (&subject.camera, &subject.look);
            renderer.draw(&Shot { stage: &order.stage, camera, look, background: order.background }, canvas);
            let Ok(pixels) = Pixels::read(device, canvas) else { return };
            if !deliver(Picture { pane, number: order.number, pixels }) {
                return;
            }
        }
    }
}

/// Either way to draw for the window.
pub(super) enum Easel {
    Straight(Box<Straight>),
    Apart(Apart),
}

impl Easel {
    /// Draws a stage for a pane, if anything has changed; returns what is to be seen there, once there is something.
    pub(super) fn show(&mut self, number: usize, size: [u32; 2], shot: &Shot<'_>) -> Option<Pasted> {
        match self {
            Self::Straight(straight) => Some(straight.show(number, size, shot)),
            Self::Apart(apart) => apart.show(number, size, shot),
        }
    }

    /// Takes pictures that were drawn meanwhile.
    pub(super) fn receive(&mut self) {
        match self {
            Self::Straight(_) => {}
            Self::Apart(apart) => apart.receive(),
        }
    }

    /// Pictures drawn so far.
    pub(super) fn drawn(&self) -> u64 {
        match self {
            Self::Straight(straight) => straight.drawn,
            Self::Apart(apart) => apart.drawn,
        }
    }

    /// Whether every pane shows what it should.
    pub(super) fn is_current(&self) -> bool {
        match self {
            Self::Straight(_) => true,
            Self::Apart(apart) => apart.is_current(),
        }
    }

    /// Width and height of the first pane [pixels].
    pub(super) fn pixels(&self) -> Option<[u32; 2]> {
        match self {
            Self::Straight(straight) => straight.panes.first().map(|pane| pane.canvas.size),
            Self::Apart(apart) => apart.panes.first()?.size,
        }
    }
}
