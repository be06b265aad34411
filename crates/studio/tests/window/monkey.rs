//! Random clicks, keys, sizes and damage: the window neither panics nor freezes. `PLIANT_MONKEY=10000` makes more of it.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{SCENE, run_of, studio};
use eframe::egui::{self, Key, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use pliant_studio::app::Studio;
use pliant_studio::panels::Tab;

/// A small generator of numbers; the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// Longest the window may take for a picture, without a graphics adapter. The machine may be busy with other tests.
const LONGEST: Duration = Duration::from_millis(2000);
const KEYS: [Key; 10] =
    [Key::Space, Key::Period, Key::F, Key::Z, Key::A, Key::Enter, Key::Escape, Key::Tab, Key::Delete, Key::R];
const SIZES: [(f32, f32); 5] = [(0.0, 0.0), (1.0, 1.0), (3000.0, 20.0), (1280.0, 900.0), (320.0, 240.0)];

/// One thing a monkey may do.
fn shake(harness: &mut Harness<'static, Studio>, dice: &mut Dice, run: &Path) {
    let place = Pos2::new(dice.roll(1400) as f32 - 60.0, dice.roll(1000) as f32 - 50.0);
    match dice.roll(12) {
        0..=4 => {
            let button = if dice.roll(5) == 0 { PointerButton::Secondary } else { PointerButton::Primary };
            harness.event(egui::Event::PointerMoved(place));
            for pressed in [true, false] {
                let modifiers = Modifiers::NONE;
                harness.event(egui::Event::PointerButton { pos: place, button, pressed, modifiers });
            }
        }
        5 => harness.drag_at(place),
        6 => harness.drop_at(place),
        7 => {
            let modifiers = if dice.roll(3) == 0 { Modifiers::COMMAND } else { Modifiers::NONE };
            harness.key_press_modifiers(modifiers, KEYS[dice.roll(KEYS.len())]);
        }
        8 => harness.event(egui::Event::Text("1e9 \"[x\u{0} €".to_owned())),
        9 => {
            let (width, height) = SIZES[dice.roll(SIZES.len())];
            harness.set_size(egui::vec2(width, height));
        }
        10 => harness.state_mut().tab = Tab::ALL[dice.roll(Tab::ALL.len())],
        _ => {
            // Someone else deletes and damages the cache while it is open; it may be gone already.
            let frame = run.join(format!("frames/frame.{:04}.plf", dice.roll(7)));
            let _ = if dice.roll(2) == 0 {
                std::fs::remove_file(frame)
            } else {
                std::fs::write(frame, "not a frame")
            };
        }
    }
}

#[test]
fn random_events_never_stop_the_window() {
    let events: u64 = std::env::var("PLIANT_MONKEY").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let folder = tempfile::tempdir().unwrap();
    let run = run_of(SCENE, folder.path());
    // What is written without a full path must not land among the sources.
    std::env::set_current_dir(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut harness = studio();
    harness.state_mut().open_cache(&run);
    harness.state_mut().save_scene_as(&folder.path().join("monkey.toml"));
    harness.state_mut().record.path = folder.path().join("movie.mp4").to_string_lossy().into_owned();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut slowest = Duration::ZERO;
    for number in 0..events {
        shake(&mut harness, &mut dice, &run);
        let start = Instant::now();
        harness.step();
        slowest = slowest.max(start.elapsed());
        assert!(slowest < LONGEST, "event {number} took {slowest:?}");
    }
    println!("{events} events, the slowest picture took {slowest:?}");
}
