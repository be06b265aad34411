//! Random clicks, keys, sizes and damage: the window neither panics nor freezes. `PLIANT_MONKEY=10000` makes more of it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::{SCENE, run_of, until};
use eframe::egui::{self, Key, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use pliant_studio::app::{Compare, Studio, View};
use pliant_studio::document::Document;
use pliant_studio::panels::Tab;
use pliant_studio::viewport::Device;
use pliant_studio::viewport::look::{Grain, Obstacles};

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

/// Longest the thread of the window may work on one picture.
const LONGEST: Duration = Duration::from_millis(100);
const KEYS: [Key; 10] =
    [Key::Space, Key::Period, Key::F, Key::Z, Key::A, Key::Enter, Key::Escape, Key::Tab, Key::Delete, Key::R];
const SIZES: [(f32, f32); 5] = [(0.0, 0.0), (1.0, 1.0), (3000.0, 20.0), (1280.0, 900.0), (320.0, 240.0)];

/// Time this thread has been at work: a busy machine does not lengthen it. Time of the wall where that is not known.
fn worked(start: Instant) -> Duration {
    let known = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = known.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.filter(|time| *time > 0).map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// What a monkey may damage.
struct Playground {
    run: PathBuf,
    geo: PathBuf,
}

impl Playground {
    fn new(folder: &Path) -> Self {
        let geo = folder.join("geo");
        std::fs::create_dir_all(&geo).unwrap();
        for (frame, number) in ["null", "1e39", "-1e39", "0.5"].into_iter().enumerate() {
            std::fs::write(geo.join(format!("a.{frame:04}.geo")), geometry(number)).unwrap();
        }
        Self { run: run_of(SCENE, folder), geo }
    }

    /// Someone else deletes and damages files while they are open; they may be gone already.
    fn damage(&self, dice: &mut Dice) {
        let file = match dice.roll(8) {
            0 => self.run.join("journal.jsonl"),
            1 => self.geo.join(format!("a.{:04}.geo", dice.roll(4))),
            _ => self.run.join(format!("frames/frame.{:04}.plf", dice.roll(7))),
        };
        let _ = match dice.roll(3) {
            0 => std::fs::remove_file(file),
            1 => std::fs::write(file, "not a frame"),
            _ => std::fs::write(file, geometry("null")),
        };
    }
}

/// Two particles in Houdini's form, full of a number that may be none.
fn geometry(number: &str) -> String {
    let attribute = |name: &str, size: usize| {
        let list = vec![number; size].join(",");
        format!(
            r#"[["name","{name}"],["values",["size",{size},"tuples",[[{list}],[{}]]]]]"#,
            vec!["0.1"; size].join(",")
        )
    };
    let all = [("P", 3), ("v", 3), ("pscale", 1), ("Cd", 3), ("pressure", 1), ("F", 9), ("J", 1)];
    let all: Vec<String> = all.iter().map(|(name, size)| attribute(name, *size)).collect();
    format!(r#"["attributes",["pointattributes",[{}]]]"#, all.join(","))
}

/// One thing a monkey may do.
fn shake(harness: &mut Harness<'static, Studio>, dice: &mut Dice, playground: &Playground) {
    let place = Pos2::new(dice.roll(1400) as f32 - 60.0, dice.roll(1000) as f32 - 50.0);
    match dice.roll(14) {
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
        11 => playground.damage(dice),
        12 => open_something(harness.state_mut(), dice, playground),
        _ => look_otherwise(harness.state_mut(), dice),
    }
}

fn open_something(studio: &mut Studio, dice: &mut Dice, playground: &Playground) {
    match dice.roll(5) {
        0 => studio.open_cache(&playground.geo),
        1 => studio.open_cache(&playground.run),
        2 if studio.players.len() < 4 => studio.add_cache(&playground.geo),
        3 => studio.new_scene(SCENE),
        _ => studio.timeline.place = dice.roll(9),
    }
}

fn look_otherwise(studio: &mut Studio, dice: &mut Dice) {
    let look = &mut studio.look;
    look.grain = Grain::ALL[dice.roll(Grain::ALL.len())].0;
    look.colour_by = ["pressure", "J", "speed", "material", "nothing"][dice.roll(5)].to_owned();
    (look.grid_lines, look.particle_lines) = (dice.roll(2) == 0, dice.roll(2) == 0);
    look.layer.is_shown = dice.roll(2) == 0;
    look.range = [None, Some([f32::NAN, 1.0]), Some([2.0, 2.0])][dice.roll(3)];
    look.body_mut(0).opacity = [1.0, 0.5, f32::NAN][dice.roll(3)];
    look.body_mut(0).look = [None, Some("standard".to_owned())][dice.roll(2)].clone();
    look.obstacles = Obstacles::ALL[dice.roll(Obstacles::ALL.len())].0;
    look.layer.range = [None, Some([f32::NAN, 1.0]), Some([3.0, 1.0])][dice.roll(3)];
    studio.camera.is_flat = dice.roll(2) == 0;
    studio.compare = [Compare::SideBySide, Compare::Overlaid][dice.roll(2)];
}

/// A studio that draws where there is an adapter.
fn studio() -> Harness<'static, Studio> {
    let builder = Harness::builder().with_size(egui::vec2(1280.0, 900.0));
    let builder = if Device::headless().is_ok() { builder.wgpu() } else { builder };
    let mut harness = builder.build_eframe(|context| {
        let state = context.wgpu_render_state.as_ref();
        let view = state.and_then(|state| View::in_window(state, &context.egui_ctx));
        Studio::new(&context.egui_ctx, Document::new(SCENE)).with_view(view)
    });
    until(&mut harness, "the scene is built", |studio| studio.shown.number > 0);
    harness
}

#[test]
fn random_events_never_stop_the_window() {
    let events: u64 = std::env::var("PLIANT_MONKEY").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let folder = tempfile::tempdir().unwrap();
    let playground = Playground::new(folder.path());
    // What is written without a full path must not land among the sources.
    std::env::set_current_dir(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut harness = studio();
    harness.state_mut().open_cache(&playground.geo);
    until(&mut harness, "what is not a number is shown", |studio| {
        studio.players.first().is_some_and(|player| player.is_kept(0))
    });
    harness.state_mut().save_scene_as(&folder.path().join("monkey.toml"));
    harness.state_mut().record.path = folder.path().join("movie.mp4").to_string_lossy().into_owned();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut slowest, mut latest) = (Duration::ZERO, (Duration::ZERO, String::new()));
    let mut late = 0;
    let mut times = Vec::new();
    for number in 0..events {
        shake(&mut harness, &mut dice, &playground);
        let start = Instant::now();
        let before = worked(start);
        // One picture for each event: a click is three.
        harness.step();
        let work = worked(start).saturating_sub(before);
        let clock = harness.state_mut().take_longest_picture();
        slowest = slowest.max(work);
        times.push(work);
        let state = harness.state();
        late += usize::from(clock > LONGEST);
        if clock > latest.0 {
            latest = (clock, format!("event {number} in the tab {:?}, {}", state.tab, state.message));
        }
        assert!(work < LONGEST, "event {number} took {work:?} in the tab {:?}: {}", state.tab, state.message);
    }
    times.sort();
    println!(
        "{events} events: pictures took {:?} (median) to {slowest:?} of work, {:?} on the clock at most ({}), {late} over \
         {LONGEST:?}",
        times[times.len() / 2],
        latest.0,
        latest.1
    );
}
