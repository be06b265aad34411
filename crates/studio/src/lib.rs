//! Pliant Studio: the window in which people build, watch, probe and record simulations.
//!
//! [`document`] holds the scene as text, [`worker`] the simulation on its own thread, [`viewport`] turns states into
//! pictures, [`player`] reads runs from disk, [`app`] is the window and [`panels`] its tabs. Without a graphics adapter
//! the window cannot open; everything else of Pliant goes on working.

pub mod app;
pub mod bench;
pub mod bodies;
pub mod document;
pub mod form;
pub mod frame_rate;
pub mod gallery;
pub mod headless;
pub mod history;
pub mod panels;
pub mod past;
pub mod player;
pub mod record;
pub mod sequence;
pub mod survey;
pub mod templates;
pub mod viewport;
pub mod worker;
