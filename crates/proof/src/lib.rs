//! What Pliant guarantees, measured on the real program: each module is one guarantee, its `measure` returns one
//! [`Report`]. Everything random comes from the seed of the [`Lab`]; only moments of wall time differ between runs.

pub mod conservation;
pub mod corruption;
pub mod faults;
pub mod golden;
pub mod kill;
pub mod lab;
pub mod memory;
pub mod misuse;
pub mod mutation;
pub mod numerics;
pub mod readers;
pub mod report;
pub mod resume;
pub mod run_view;
pub mod scenes;
pub mod signals;
pub mod steps;
pub mod threads;
pub mod typos;
pub mod writers;

pub use lab::{Answer, Lab, Room};
pub use report::Report;
