//! Pictures and movies show what the window shows. Without an adapter these tests say so and pass.

use std::path::Path;

use crate::common::{SCENE, open_tab, press, read_png, run_of, until};
use eframe::egui;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use pliant_render::Image;
use pliant_studio::app::{Compare, Studio, View};
use pliant_studio::document::Document;
use pliant_studio::panels::Tab;
use pliant_studio::record::{Codec, RecordSettings, Recording, has_large_h264};
use pliant_studio::viewport::Device;

const BACKGROUND: [u8; 3] = [0, 0, 255];

/// A studio that draws without a window.
fn studio() -> Option<Harness<'static, Studio>> {
    let device = match Device::headless() {
        Ok(device) => device,
        Err(error) => {
            println!("not tested: {error}");
            return None;
        }
    };
    let builder = Harness::builder().with_size(egui::vec2(1280.0, 900.0));
    let mut harness = builder.build_eframe(|context| {
        let view = View::headless(device);
        Studio::new(&context.egui_ctx, Document::new(SCENE)).with_view(Some(view))
    });
    until(&mut harness, "the scene is built", |studio| studio.shown.number > 0);
    let studio = harness.state_mut();
    (studio.look.background, studio.record.size) = (Some(BACKGROUND), [240, 120]);
    Some(harness)
}

/// Two runs of the small scene, the second with a ball elsewhere.
fn open_two(harness: &mut Harness<'static, Studio>, folders: [&Path; 2]) {
    let runs = [
        run_of(SCENE, folders[0]),
        run_of(&SCENE.replace("position = [0, 0.4]", "position = [0, 0.8]"), folders[1]),
    ];
    harness.state_mut().open(&runs[0]);
    until(harness, "the first run is open", |studio| studio.players.len() == 1);
    harness.state_mut().add_cache(&runs[1]);
    until(harness, "the second run is open", |studio| studio.players.len() == 2);
}

fn screenshot(harness: &mut Harness<'static, Studio>, path: &Path) -> Image {
    let start = std::time::Instant::now();
    while !(harness.state_mut().has_frames() && harness.state_mut().is_prepared()) {
        assert!(start.elapsed().as_secs() < 15);
        harness.step();
    }
    harness.state_mut().take_screenshot(Some(path));
    until(harness, "the picture is written", |studio| !studio.is_at_work());
    read_png(path).unwrap_or_else(|error| panic!("{error}: {}", harness.state().message))
}

/// Mean height of the red balls between two columns, from the top; none if there are none.
fn height_of_matter(image: &Image, columns: std::ops::Range<u32>) -> Option<f64> {
    let is_matter = |pixel: &[u8; 3]| pixel[2] < 200 && pixel[0] > 40;
    let width = image.width() as usize;
    let inside = |place: &usize| columns.contains(&((place % width) as u32)) && place / width < 100;
    let rows: Vec<f64> = (0..image.pixels().len())
        .filter(inside)
        .filter(|place| is_matter(&image.pixels()[*place]))
        .map(|place| (place / width) as f64)
        .collect();
    (!rows.is_empty()).then(|| rows.iter().sum::<f64>() / rows.len() as f64)
}

#[test]
fn runs_that_are_compared_are_all_in_the_picture() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(mut harness) = studio() else { return };
    open_two(&mut harness, [first.path(), second.path()]);
    harness.state_mut().look.obstacles = pliant_studio::viewport::look::Obstacles::Hidden;
    let image = screenshot(&mut harness, &first.path().join("beside.png"));
    assert_eq!((image.width(), image.height()), (240, 120));
    let [left, right] = [0..119, 121..240].map(|columns| height_of_matter(&image, columns));
    let (left, right) = (left.unwrap(), right.unwrap());
    assert!(left > right + 8.0, "the second ball hangs higher: {left} {right}");
    harness.state_mut().compare = Compare::Overlaid;
    harness.run_steps(2);
    let image = screenshot(&mut harness, &first.path().join("over.png"));
    // The colours of the first and the second run, lighter or darker.
    let orange = image.pixels().iter().filter(|p| p[0] > p[2] && p[0] > p[1]).count();
    let blue = image.pixels().iter().filter(|p| **p != BACKGROUND && p[2] > p[0] && p[1] > 60).count();
    assert!(orange > 50 && blue > 50, "{orange} {blue}");
}

#[test]
fn a_movie_of_a_comparison_has_the_runs_beside_each_other() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(mut harness) = studio() else { return };
    open_two(&mut harness, [first.path(), second.path()]);
    let series = first.path().join("series");
    let record = &mut harness.state_mut().record;
    (record.codec, record.path) = (Codec::Png, series.to_string_lossy().into_owned());
    (record.fps, record.stop) = (20.0, Some(0.1));
    open_tab(&mut harness, Tab::Record);
    press(&mut harness, "Start recording");
    until(&mut harness, "the series is written", |studio| studio.recording.is_none());
    let pictures: Vec<Image> =
        (0..3).map(|number| Image::load(&series.join(format!("picture.{number:04}.png"))).unwrap()).collect();
    for image in &pictures {
        assert!(height_of_matter(image, 0..119).is_some() && height_of_matter(image, 121..240).is_some());
    }
    let falls = |columns: std::ops::Range<u32>| {
        height_of_matter(&pictures[2], columns.clone()) > height_of_matter(&pictures[0], columns)
    };
    assert!(falls(0..119) && falls(121..240), "both balls fall");
}

#[test]
fn the_colour_bar_is_in_the_picture_where_it_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut harness) = studio() else { return };
    harness.state_mut().look.colour_by = "mass".to_owned();
    harness.run_steps(2);
    let [with, without] = [true, false].map(|shows| {
        harness.state_mut().look.shows_legend = shows;
        harness.run_steps(2);
        screenshot(&mut harness, &folder.path().join(format!("{shows}.png")))
    });
    let differ = |image: &Image, other: &Image, columns: std::ops::Range<usize>| {
        let pairs = image.pixels().iter().zip(other.pixels()).enumerate();
        pairs.filter(|(place, (a, b))| columns.contains(&(place % 240)) && a != b).count()
    };
    assert!(differ(&with, &without, 160..240) > 200, "a bar with numbers");
    assert_eq!(differ(&with, &without, 0..120), 0);
}

#[test]
fn movies_larger_than_pliant_itself_can_encode_are_made_by_ffmpeg() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.mp4");
    let settings = RecordSettings {
        path: path.to_string_lossy().into_owned(),
        size: [4096, 2304],
        stop: Some(0.04),
        ..RecordSettings::default()
    };
    // Looked for on another thread; a second is long enough where it is installed.
    let is_there = (0..50).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        has_large_h264()
    });
    match Recording::start(&settings) {
        Ok(mut recording) if is_there => {
            while recording.next_time().is_some() {
                while !recording.is_ready() {}
                recording.push(Image::filled(4096, 2304, [90, 40, 20]).unwrap());
            }
            assert_eq!(recording.wait().unwrap(), path);
            let movie = std::fs::read(&path).unwrap();
            assert!(movie.windows(4).any(|word| word == b"avc1"), "it is H.264");
        }
        Ok(_) => println!("not tested: ffmpeg has no libx264"),
        Err(message) => assert!(message.contains("ffmpeg") && message.contains("PNG series"), "{message}"),
    }
}

#[test]
fn the_record_tab_says_who_encodes_a_large_movie() {
    let Some(mut harness) = studio() else { return };
    open_tab(&mut harness, Tab::Record);
    assert_eq!(harness.query_all_by_label_contains("Beyond 3840").count(), 0);
    harness.state_mut().record.size = [5120, 2880];
    harness.run_steps(2);
    assert_eq!(harness.query_all_by_label_contains("Beyond 3840").count(), 1);
    harness.state_mut().record.codec = Codec::Png;
    harness.run_steps(2);
    assert_eq!(harness.query_all_by_label_contains("Beyond 3840").count(), 0);
}
