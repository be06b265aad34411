//! Movies and pictures of runs without a window, by the same renderer as the viewport.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pliant_scene::Scene;
use pliant_store::RunFolder;
use pliant_world::Snapshot;

use crate::record::{Codec, RecordSettings, Recording};
use crate::viewport::{Bounds, Camera, Device, Lens, Look, Renderer, Scenery, Shot, Stage, State};

/// Colour behind everything.
const PAPER: [u8; 3] = [244, 245, 247];
/// Colour of letters on it.
const INK: [u8; 3] = [43, 48, 56];

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Folder of the run.
    pub run: PathBuf,
    /// File or folder to write; `realtime.mp4` in the run if none.
    pub out: Option<PathBuf>,
    /// Width and height; the scene's if none.
    pub size: Option<[u32; 2]>,
    /// `material` or a field; the scene's if none.
    pub colour_by: Option<String>,
}

/// Draws all frames of a run as a movie; returns where it is.
///
/// # Errors
/// When there is no adapter, or the run cannot be read or the movie not written.
pub fn render(wish: &Wish) -> Result<PathBuf, String> {
    let run = RunFolder::open(&wish.run).map_err(|error| error.to_string())?;
    let scene = Scene::load(&run.scene_path(), &[]).map_err(|error| error.to_string())?;
    let device = Device::headless().map_err(|error| error.to_string())?;
    let out = wish.out.clone().unwrap_or_else(|| wish.run.join("realtime.mp4"));
    let settings = RecordSettings {
        path: out.to_string_lossy().into_owned(),
        size: wish.size.unwrap_or(scene.render.size),
        fps: scene.time.fps.clamp(1.0, 240.0),
        codec: if out.extension().is_some_and(|extension| extension == "mp4") {
            Codec::H264
        } else {
            Codec::Png
        },
        ..RecordSettings::default()
    }
    .sane();
    let numbers: Vec<u32> = run.frames().map(|entry| entry.frame).collect();
    let mut bounds = Bounds::EMPTY;
    for number in &numbers {
        // A damaged frame is left out of the movie, as on the timeline.
        let Ok(snapshot) = run.read_frame(*number) else { continue };
        bounds = bounds.joined(&Bounds::of(snapshot.positions(), radius(&snapshot)));
    }
    let mut look = Look { colour_by: scene.render.color_by.clone(), ..Look::default() };
    if let Some(field) = &wish.colour_by {
        look.colour_by.clone_from(field);
    }
    look.background = Some(PAPER);
    let camera = camera_of(&scene, &bounds, settings.size);
    let mut studio =
        Drawing { renderer: Renderer::new(device, 4), scenery: Scenery::default(), look, camera };
    let mut recording = Recording::start(&settings)?;
    let scene = Arc::new(scene);
    for number in numbers {
        let Ok(snapshot) = run.read_frame(number) else {
            eprintln!("frame {number} cannot be read and is left out");
            continue;
        };
        let state = State::new(Arc::new(snapshot), Some(Arc::clone(&scene)));
        let mut picture = studio.picture(&state, settings.size)?;
        if let Some(legend) = studio.scenery.legend() {
            picture.draw_legend(&legend.colours(), settings.size[0] as f32, INK);
        }
        while !recording.is_ready() {
            std::thread::sleep(Duration::from_millis(2));
        }
        recording.push(picture);
    }
    recording.wait()
}

fn radius(snapshot: &Snapshot) -> f32 {
    snapshot.scalars(Snapshot::RADIUS).and_then(|radii| radii.first().copied()).unwrap_or(0.0)
}

/// The camera of a scene, as `pliant render` places it where the scene says so, else around the action.
pub fn camera_of(scene: &Scene, bounds: &Bounds, size: [u32; 2]) -> Camera {
    let aspect = size[0] as f32 / size[1].max(1) as f32;
    let wish = &scene.render.camera;
    let mut camera = Camera {
        angle: wish.fov.to_degrees() as f32,
        is_flat: scene.dimension == 2,
        lens: Lens::Perspective,
        ..Camera::default()
    }
    .seeing(bounds, aspect);
    if let Some(target) = wish.target {
        camera.target = target.cast::<f32>().into();
    }
    if let Some(position) = wish.position {
        let back = (position - pliant_math::Vec3::from(camera.target.map(f64::from))).cast::<f32>();
        camera.distance = back.norm();
        camera.azimuth = back.x.atan2(back.z).to_degrees();
        camera.elevation = (back.y / back.norm().max(1e-9)).asin().to_degrees();
    }
    camera.sane()
}

/// A renderer with what it needs to draw a state.
pub struct Drawing {
    /// The device.
    pub renderer: Renderer,
    /// What was prepared.
    pub scenery: Scenery,
    /// How things are shown.
    pub look: Look,
    /// Where they are seen from.
    pub camera: Camera,
}

impl Drawing {
    /// What is drawn of a state, once its obstacles and surfaces are there.
    pub fn stage(&mut self, state: &State) -> Stage {
        loop {
            let stage = self.scenery.stage(state, &self.look, &self.camera);
            if !self.scenery.is_busy() {
                return stage;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// A picture of a state.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn picture(&mut self, state: &State, size: [u32; 2]) -> Result<pliant_render::Image, String> {
        let stage = self.stage(state);
        let [r, g, b] =
            self.look.background.unwrap_or([30, 33, 38]).map(|channel| f32::from(channel) / 255.0);
        let canvas = self.renderer.canvas(size);
        let shot = Shot { stage: &stage, camera: &self.camera, look: &self.look, background: [r, g, b, 1.0] };
        self.renderer.draw(&shot, &canvas);
        let pixels = crate::viewport::Pixels::read(self.renderer.device(), &canvas)?;
        pixels.image().map_err(|error| error.to_string())
    }
}

/// Whether a path is a run.
pub fn is_run(path: &Path) -> bool {
    path.join("manifest.json").exists()
}
