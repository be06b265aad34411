//! What is seen: from snapshots to pictures on the graphics processor, in a window or without one.
//!
//! `camera`, `look`, `drawing`, `colours`, `cull`, `turns`, `grid`, `obstacles`, `trace` and `scenery` are plain calculations that
//! tests reach without any device; `gpu`, `pipelines`, `renderer`, `passes`, `paste` and `readback` are the device.

pub mod bounds;
pub mod camera;
pub mod canvas;
mod choices;
pub mod colours;
pub mod cull;
pub mod drawing;
pub mod gpu;
pub mod grid;
pub mod look;
pub mod obstacles;
mod overlays;
mod passes;
pub mod paste;
mod pipelines;
mod plan;
pub mod readback;
pub mod renderer;
pub mod scenery;
pub mod trace;
mod turns;
mod upload;

pub use bounds::Bounds;
pub use camera::{Camera, Lens};
pub use canvas::Canvas;
pub use gpu::{Device, NoAdapter};
pub use look::Look;
pub use readback::Pixels;
pub use renderer::{Renderer, Shot, Stage};
pub use scenery::{Scenery, State};
