//! The studio as people and scripts use it: by the names of its controls, by random events, by its pictures.

mod common;
mod monkey;
mod pictures;
mod tabs;
