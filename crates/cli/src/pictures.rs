//! Pictures, movie and plots of a run.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use pliant_geometry::Placement;
use pliant_math::Vec3;
use pliant_render::{
    Camera, Collider, ColourBy, Coverage, FieldColours, Framing, Image, Lens, Movie, Quality, Renderer,
    Skins, Style, SurfaceMesh, SurfaceOptions, ValueRange, View, dressed, write_plots,
};
use pliant_scene::{Render, Scene};
use pliant_store::RunFolder;
use pliant_world::Snapshot;
use serde_json::json;

use crate::exit::Failure;
use crate::frames::FrameRange;
use crate::progress::Desk;
use crate::signals::Signals;

/// What is drawn, and how.
pub struct PictureOptions {
    /// As in the scene, perhaps changed by options.
    pub render: Render,
    /// Time against noise.
    pub quality: Quality,
    /// Which frames.
    pub frames: FrameRange,
    /// Folder that `pictures`, `movie.mp4` and `plots` go to.
    pub out: PathBuf,
}

/// Draws the pictures, the movie and the plots of a run; returns where they are, most interesting first.
pub fn make(
    run: &RunFolder,
    scene: &Scene,
    options: &PictureOptions,
    desk: &mut Desk,
) -> Result<Vec<PathBuf>, Failure> {
    let frames = options.frames.of(run)?;
    let Desk { progress, signals } = desk;
    let survey = Survey::take(run, &frames, options, signals)?;
    let studio = Studio::new(scene, options, &survey)?;
    let folder = options.out.join("pictures");
    create(&folder)?;
    let [width, height] = options.render.size;
    let mut movie = match Movie::new(width, height, scene.time.fps.clamp(1.0, 240.0)) {
        Ok(movie) => Some(movie),
        Err(error) => {
            progress.warning(&format!("no movie: {error}"))?;
            None
        }
    };
    let count = u32::try_from(frames.len()).unwrap_or(u32::MAX);
    progress.begin("drawing", 0, count);
    for (done, frame) in (1_u32..).zip(&frames) {
        signals.check()?;
        let share = f64::from(done - 1) / f64::from(count.max(2) - 1);
        let image = studio.picture(&run.read_frame(*frame)?, share)?;
        let path = folder.join(format!("picture.{frame:04}.png"));
        image.save(&path)?;
        if let Some(movie) = &mut movie {
            movie.push(&image)?;
        }
        progress.advance_to(done);
        progress.event("picture", json!({ "frame": frame, "file": path }))?;
    }
    finish(movie, &folder, &survey, &options.out)
}

/// The picture of one frame, with a camera that frames that one.
pub fn still(
    run: &RunFolder,
    scene: &Scene,
    options: &PictureOptions,
    frame: u32,
    signals: &Signals,
) -> Result<Image, Failure> {
    let survey = Survey::take(run, &[frame], options, signals)?;
    Studio::new(scene, options, &survey)?.picture(&run.read_frame(frame)?, 0.0)
}

/// The picture of a snapshot that belongs to no run.
pub fn of_snapshot(snapshot: &Snapshot, scene: &Scene, options: &PictureOptions) -> Result<Image, Failure> {
    let mut survey = Survey { framing: Framing::default(), range: ValueRange::default(), rows: Vec::new() };
    survey.framing.include(snapshot);
    survey.range.include(snapshot, &options.render.color_by);
    Studio::new(scene, options, &survey)?.picture(snapshot, 0.0)
}

/// Writes the movie and the plots.
fn finish(
    movie: Option<Movie>,
    pictures: &Path,
    survey: &Survey,
    out: &Path,
) -> Result<Vec<PathBuf>, Failure> {
    let mut made = Vec::new();
    if let Some(movie) = movie {
        made.push(out.join("movie.mp4"));
        movie.save(&out.join("movie.mp4"))?;
    }
    made.push(pictures.to_owned());
    let plots = out.join("plots");
    create(&plots)?;
    write_plots(&survey.rows, &plots)?;
    made.push(plots);
    Ok(made)
}

/// Makes a folder and those above it.
pub fn create(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::io("create the folder", folder, &error))
}

/// What must be known of all frames before the first is drawn.
struct Survey {
    framing: Framing,
    range: ValueRange,
    rows: Vec<(f64, Vec<(String, f64)>)>,
}

impl Survey {
    fn take(
        run: &RunFolder,
        frames: &[u32],
        options: &PictureOptions,
        signals: &Signals,
    ) -> Result<Self, Failure> {
        let mut survey = Self { framing: Framing::default(), range: ValueRange::default(), rows: Vec::new() };
        for frame in frames {
            signals.check()?;
            let snapshot = run.read_frame(*frame)?;
            survey.framing.include(&snapshot);
            survey.range.include(&snapshot, &options.render.color_by);
            survey.rows.push((snapshot.time, snapshot.quantities));
        }
        if let Some([low, high]) = options.render.range {
            survey.range = ValueRange { low: low as f32, high: high as f32 };
        }
        Ok(survey)
    }
}

/// Everything that stays the same from frame to frame.
struct Studio<'a> {
    scene: &'a Scene,
    options: &'a PictureOptions,
    renderer: Renderer,
    camera: Camera,
    colliders: Vec<(&'a pliant_world::Collider, Collider)>,
    skins: RefCell<Skins>,
}

impl<'a> Studio<'a> {
    fn new(scene: &'a Scene, options: &'a PictureOptions, survey: &Survey) -> Result<Self, Failure> {
        let render = &options.render;
        let colour_by = match render.color_by.as_str() {
            "material" | "color" => ColourBy::Body,
            field => ColourBy::Field(FieldColours { range: survey.range, ..FieldColours::new(field) }),
        };
        let [width, height] = render.size;
        let quality = options.quality;
        let style = Style { width, height, quality, colour_by, shows_time: true, ..Style::default() };
        let shown = scene.colliders.iter().filter(|collider| collider.visible);
        let prepared = shown.map(|collider| (collider, Collider::new(&collider.shape, Some(collider.color))));
        let camera = camera(scene, render, &survey.framing);
        let skins = RefCell::new(if render.surface { Skins::new(scene.skins()?) } else { Skins::default() });
        let (renderer, colliders) = (Renderer::new(style), prepared.collect());
        Ok(Self { scene, options, renderer, camera, colliders, skins })
    }

    /// The picture of a frame; `share` of the movie lies before it.
    fn picture(&self, snapshot: &Snapshot, share: f64) -> Result<Image, Failure> {
        let surface = self.surface(snapshot)?;
        let colliders: Vec<Collider> = self
            .colliders
            .iter()
            .map(|(collider, drawn)| {
                let pose = collider.world_from_initial(snapshot.time);
                let (rotation, translation) = (pose.rotation, pose.translation.vector);
                let placement = Placement { rotation, translation, scale: 1.0 };
                if collider.shape.is_changing() {
                    let now = collider.shape.at(snapshot.time);
                    return Collider::new(&now, Some(collider.color)).at(placement);
                }
                drawn.at(placement)
            })
            .collect();
        let orbit = self.options.render.camera.orbit.to_degrees() * share;
        let camera = self.camera.orbited(orbit);
        let view = View { snapshot, surface: surface.as_ref(), colliders: &colliders, camera };
        Ok(self.renderer.picture(&view)?)
    }

    fn surface(&self, snapshot: &Snapshot) -> Result<Option<SurfaceMesh>, Failure> {
        if !self.options.render.surface || self.scene.dimension == 2 {
            return Ok(None);
        }
        Ok(Some(dressed(snapshot, &mut self.skins.borrow_mut(), &SurfaceOptions::default())?))
    }
}

/// The camera of a plane scene. One that stands somewhere sees as much of the plane as a camera in space would.
fn flat_camera(render: &Render, framing: &Framing, aspect: f64) -> Camera {
    let found = framing.flat_camera(aspect);
    let Some(position) = render.camera.position.filter(|position| position.z > 0.0) else { return found };
    let target = render.camera.target.unwrap_or(Vec3::new(position.x, position.y, 0.0));
    let height = 2.0 * position.z * (0.5 * render.camera.fov).tan();
    Camera { position: target + Vec3::z() * height, target, lens: Lens::Orthographic { height } }
}

/// The camera the scene asks for; what it leaves out frames the action.
fn camera(scene: &Scene, render: &Render, framing: &Framing) -> Camera {
    let aspect = f64::from(render.size[0]) / f64::from(render.size[1]);
    if scene.dimension == 2 {
        return flat_camera(render, framing, aspect);
    }
    let coverage = if render.camera.orbit == 0.0 { Coverage::OneSide } else { Coverage::AllAround };
    let found = framing.camera(aspect, coverage);
    let target = render.camera.target.unwrap_or(found.target);
    match render.camera.position {
        Some(position) => Camera::new(position, target, render.camera.fov.to_degrees()),
        None => Camera { position: found.position + target - found.target, target, ..found },
    }
}
