//! The method against theory: answers, contacts, stability. One program: what they share is compiled once.

mod adaptive;
mod coarse_space;
mod common;
mod contact;
mod explicit;
mod gbb2009;
mod known_answers;
mod spin_and_shape;
mod stability;
mod topology;
