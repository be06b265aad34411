//! The studio as people and scripts use it: by the names of its controls, by random events, by its pictures.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;
mod controls;
mod gallery;
mod gems;
mod gizmos;
mod habits;
mod monkey;
mod pictures;
mod recording;
mod runs;
mod snapshots;
mod tabs;
mod teaching;
mod tracing;
mod undo;
