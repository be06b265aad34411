//! `pliant render`: pictures, movie and plots of a run.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pliant_math::Vec3;
use pliant_render::Quality;
use pliant_scene::Render;
use pliant_store::RunFolder;
use serde_json::json;

use crate::args::Talk;
use crate::exit::Failure;
use crate::frames::FrameRange;
use crate::loading::LoadedScene;
use crate::pictures::{self, PictureOptions};
use crate::progress::Desk;

/// Draw pictures, a movie and plots of a run.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  pliant render runs/quickstart --size 1280x720 --color-by speed --orbit 90"
)]
pub struct Options {
    /// Folder of the run.
    folder: PathBuf,
    /// Size of the pictures in pixels; the scene's if left out.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = parse_size)]
    size: Option<[u32; 2]>,
    /// What colours show: material, or a field such as speed, von_mises, pressure, plastic_strain, J.
    #[arg(long, value_name = "FIELD")]
    color_by: Option<String>,
    /// Values at the ends of the colour scale; from the data if left out.
    #[arg(long, value_name = "LOW,HIGH", value_parser = parse_numbers::<2>, allow_hyphen_values = true)]
    range: Option<[f64; 2]>,
    /// Draw the surface around the particles.
    #[arg(long)]
    surface: bool,
    /// Frame N, or frames A to B; all if left out.
    #[arg(long, value_name = "N|A-B", value_parser = FrameRange::parse)]
    frames: Option<FrameRange>,
    /// Where the camera stands [m].
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_numbers::<3>, allow_hyphen_values = true)]
    camera: Option<[f64; 3]>,
    /// What the camera looks at [m].
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_numbers::<3>, allow_hyphen_values = true)]
    target: Option<[f64; 3]>,
    /// Vertical opening angle of the camera [degrees].
    #[arg(long, value_name = "DEGREES", value_parser = clap::value_parser!(u16).range(1..=170))]
    fov: Option<u16>,
    /// Angle the camera travels around its target during the movie [degrees].
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    orbit: Option<f64>,
    /// Time against noise.
    #[arg(long, value_enum, default_value_t = QualityArg::Normal)]
    quality: QualityArg,
    /// Draw with the renderer of the studio, on the graphics processor: a movie, `realtime.mp4`.
    #[arg(long, conflicts_with_all = ["range", "surface", "frames", "camera", "target", "fov", "orbit", "quality"])]
    realtime: bool,
    /// Folder for `pictures`, `movie.mp4` and `plots`; the folder of the run if left out.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    talk: Talk,
}

/// Time against noise.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum QualityArg {
    /// One ray a pixel.
    Draft,
    /// For movies.
    Normal,
    /// For covers.
    High,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    if options.realtime {
        return draw_in_real_time(options);
    }
    let mut desk = Desk::open(&options.talk)?;
    let outcome = draw(options, &mut desk);
    desk.close(outcome)
}

/// Leaves the drawing to the studio, which needs no window for it.
fn draw_in_real_time(options: &Options) -> Result<(), Failure> {
    let mut arguments: Vec<OsString> = vec!["--render".into(), options.folder.clone().into()];
    if let Some(folder) = &options.out {
        crate::pictures::create(folder)?;
        arguments.extend(["--out".into(), folder.join("realtime.mp4").into()]);
    }
    if let Some([width, height]) = options.size {
        arguments.extend(["--size".into(), format!("{width}x{height}").into()]);
    }
    if let Some(field) = &options.color_by {
        arguments.extend(["--color-by".into(), field.into()]);
    }
    super::studio::start(&arguments)
}

fn draw(options: &Options, desk: &mut Desk) -> Result<(), Failure> {
    let run = RunFolder::open(&options.folder)?;
    let loaded = LoadedScene::of_run(&run)?;
    let drawing = PictureOptions {
        render: changed(options, loaded.scene.render.clone()),
        quality: match options.quality {
            QualityArg::Draft => Quality::Draft,
            QualityArg::Normal => Quality::Normal,
            QualityArg::High => Quality::High,
        },
        frames: options.frames.unwrap_or(FrameRange::ALL),
        out: options.out.clone().unwrap_or_else(|| run.path().to_owned()),
    };
    let files = pictures::make(&run, &loaded.scene, &drawing, desk)?;
    desk.progress.event("finished", json!({ "files": files }))?;
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    desk.progress.result(&names.join(", "))
}

/// The scene's wishes with those of the options on top.
fn changed(options: &Options, mut render: Render) -> Render {
    render.size = options.size.unwrap_or(render.size);
    if let Some(field) = &options.color_by {
        // A range in the scene is meant for the scene's own field.
        render.range = None;
        render.color_by.clone_from(field);
    }
    render.range = options.range.or(render.range);
    render.surface |= options.surface;
    let camera = &mut render.camera;
    camera.position = options.camera.map(Vec3::from).or(camera.position);
    camera.target = options.target.map(Vec3::from).or(camera.target);
    camera.fov = options.fov.map_or(camera.fov, |degrees| f64::from(degrees).to_radians());
    camera.orbit = options.orbit.map_or(camera.orbit, f64::to_radians);
    render
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    sides
        .filter(|sides: &[u32; 2]| sides.iter().all(|side| (16..=8192).contains(side)))
        .ok_or_else(|| "write a size from 16x16 to 8192x8192, such as 1280x720".to_owned())
}

fn parse_numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|part| part.trim().parse().ok().filter(|n: &f64| n.is_finite())).collect();
    numbers
        .and_then(|numbers| <[f64; N]>::try_from(numbers).ok())
        .ok_or_else(|| format!("write {N} numbers separated by commas"))
}

#[cfg(test)]
mod tests {
    use super::{parse_numbers, parse_size};

    #[test]
    fn sizes_and_vectors_are_read_or_refused() {
        assert_eq!(parse_size("64x48"), Ok([64, 48]));
        assert!(parse_size("64").is_err());
        assert!(parse_size("0x48").is_err());
        assert_eq!(parse_numbers::<3>("1,-2,0.5"), Ok([1.0, -2.0, 0.5]));
        assert!(parse_numbers::<3>("1,2").is_err());
        assert!(parse_numbers::<2>("1,nan").is_err());
    }
}
