//! The `pliant-studio` program: opens the window, or draws a run without one.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use eframe::egui;
use pliant_studio::app::{FIRST_SCENE, Script, Studio, View};
use pliant_studio::document::Document;
use pliant_studio::headless::{self, Wish};

/// Build, watch, probe and record simulations in a window.
#[derive(Debug, Parser)]
#[command(name = "pliant-studio", version)]
struct Options {
    /// Scene, folder of a run, or folder of .geo files; a first scene if left out.
    path: Option<PathBuf>,
    /// Do what a file says, a line a command, and go on.
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Close the window after that many seconds.
    #[arg(long, value_name = "SECONDS")]
    exit_after: Option<f64>,
    /// Size of the window [points].
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x800", value_parser = parse_size)]
    window: [u32; 2],
    /// Draw the run without a window, as a movie or (with --out FOLDER) as pictures.
    #[arg(long)]
    render: bool,
    /// Where the movie goes.
    #[arg(long, value_name = "PATH", requires = "render")]
    out: Option<PathBuf>,
    /// Size of the movie in pixels; the scene's if left out.
    #[arg(long, value_name = "WIDTHxHEIGHT", requires = "render", value_parser = parse_size)]
    size: Option<[u32; 2]>,
    /// What colours show; the scene's choice if left out.
    #[arg(long, value_name = "FIELD", requires = "render")]
    color_by: Option<String>,
    /// Measure how many pictures a second the adapter makes of that many particles.
    #[arg(long, value_name = "PARTICLES", value_parser = clap::value_parser!(u32).range(1..=20_000_000))]
    bench: Option<u32>,
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    sides
        .filter(|sides: &[u32; 2]| sides.iter().all(|side| (16..=8192).contains(side)))
        .ok_or_else(|| "write a size from 16x16 to 8192x8192, such as 1280x720".to_owned())
}

fn main() -> ExitCode {
    let begun = std::time::Instant::now();
    let options = Options::parse();
    let outcome = match options.bench {
        Some(particles) => {
            pliant_studio::frame_rate::measure(particles as usize, 1).map(|rates| print!("{rates}"))
        }
        None if options.render => draw(&options),
        None => open(options, begun),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn draw(options: &Options) -> Result<(), String> {
    let run = options.path.clone().ok_or("name the folder of a run")?;
    let wish =
        Wish { run, out: options.out.clone(), size: options.size, colour_by: options.color_by.clone() };
    println!("{}", headless::render(&wish)?.display());
    Ok(())
}

fn open(options: Options, begun: std::time::Instant) -> Result<(), String> {
    let script = script_of(&options)?;
    let [width, height] = options.window.map(|side| side as f32);
    let icon = egui::IconData::default();
    let viewport = egui::ViewportBuilder::default()
        .with_title("Pliant Studio")
        .with_app_id("pliant-studio")
        .with_inner_size([width, height])
        .with_min_inner_size([320.0, 240.0])
        .with_icon(icon);
    let is_scripted = script.is_some();
    let native = eframe::NativeOptions { viewport, persist_window: !is_scripted, ..Default::default() };
    let path = options.path;
    let create = move |context: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, Box<dyn std::error::Error + Send + Sync>> {
        let state = context.wgpu_render_state.as_ref();
        let view = state.and_then(|state| View::in_window(state, &context.egui_ctx));
        let mut studio = Studio::new(&context.egui_ctx, Document::new(FIRST_SCENE)).with_view(view).begun_at(begun);
        if let Some(script) = script {
            // A script starts from the same place every time.
            studio = studio.with_script(script);
        } else {
            studio = studio.recalling(context.storage);
        }
        if let Some(path) = path {
            studio.open(&path);
        }
        Ok(Box::new(studio))
    };
    eframe::run_native("pliant-studio", native, Box::new(create)).map_err(|error| {
        format!(
            "the window cannot be opened: {error}\nIt needs a desktop (X11 or Wayland) and a graphics adapter; the one in \
             software will do (Debian and Ubuntu: apt install mesa-vulkan-drivers). `pliant run` and `pliant render` \
             need neither."
        )
    })
}

fn script_of(options: &Options) -> Result<Option<Script>, String> {
    let text = match &options.script {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?,
        None if options.exit_after.is_some() => String::new(),
        None => return Ok(None),
    };
    let ending = options.exit_after.map(|seconds| format!("\nwait {seconds}\nexit\n")).unwrap_or_default();
    Script::parse(&format!("{text}{ending}")).map(Some)
}
