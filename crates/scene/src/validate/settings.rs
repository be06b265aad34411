//! Time, method, output and pictures.

use pliant_zhou::explicit;
use pliant_zhou::gbb2009::Neighbours;
use pliant_zhou::zhou2013::{Integrator, Preconditioner, Rest};
use pliant_zhou::{Gbb2009Settings, Zhou2013Settings};

use super::Context;
use super::mpm::mpm;
use super::sph::sph;
use crate::error::{Fault, suggestion};
use crate::file::method::{
    Gbb2009File, IntegratorFile, MethodFile, PreconditionerFile, RestFile, Zhou2013File,
};
use crate::file::output::OutputFile;
use crate::file::quantity::{Positive, Time};
use crate::file::render::RenderFile;
use crate::file::value::{At, Count, Value};
use crate::file::{SceneFile, TimeFile};
use crate::scene::{Camera, Method, Output, Render, TimePlan};

/// Frames one run may have.
const MAX_FRAMES: f64 = 1e6;
/// Steps one frame may have: the clock counts them in 32 bits.
const MAX_STEPS: f64 = 1e6;

pub(super) fn time(file: &TimeFile) -> Result<TimePlan, Fault> {
    let (duration, fps, dt) = (file.duration.get()?, file.fps.get()?, file.dt.get()?);
    // A hair less before rounding up keeps 2 s at 30 fps at 60 frames, whatever the last bit says.
    let frames = (duration * fps * (1.0 - 1e-9)).ceil().max(1.0);
    if frames > MAX_FRAMES {
        let message = format!(
            "{duration} s at {fps} frames a second make {frames:.3e} frames, at most {MAX_FRAMES:.0e}"
        );
        return Err(Fault::new(file.duration.span.clone(), message).help("shorten it or lower `fps`"));
    }
    if 1.0 / fps / dt > MAX_STEPS {
        let message = format!("a frame would take {:.3e} steps, at most {MAX_STEPS:.0e}", 1.0 / fps / dt);
        return Err(Fault::new(file.dt.span.clone(), message).help("lengthen the step or raise `fps`"));
    }
    // Fits: at most MAX_FRAMES.
    Ok(TimePlan { duration: frames / fps, fps, dt, frame_count: frames as u32 })
}

pub(super) fn method(context: &Context<'_>, scene: &SceneFile, materials: &[&str]) -> Result<Method, Fault> {
    let time = &scene.time;
    match &scene.method {
        MethodFile::Zhou2013(file) => zhou2013(file, time).map(Method::Zhou2013),
        MethodFile::Gbb2009(file) => gbb2009(file, time).map(Method::Gbb2009),
        MethodFile::Mpm(file) => mpm(context, file, materials, &scene.colliders).map(Method::Mpm),
        MethodFile::Sph(file) => sph(file, time, &scene.dimension).map(Method::Sph),
    }
}

fn gbb2009(file: &Gbb2009File, time: &TimeFile) -> Result<Gbb2009Settings, Fault> {
    let neighbours = match (&file.neighbour_radius, &file.nearest) {
        (None, None) => Gbb2009Settings::default().neighbours,
        (Some(radius), None) => Neighbours::Within(radius.get()?),
        (None, Some(count)) => Neighbours::Nearest(count.value.0 as usize),
        (Some(_), Some(count)) => {
            let message = "neighbours are chosen by `nearest` or by `neighbour_radius`, not by both";
            return Err(Fault::new(count.span.clone(), message).help("leave one of them out"));
        }
    };
    Ok(Gbb2009Settings {
        neighbours,
        substep: file.substep.as_ref().map(|substep| checked_substep(substep, time)).transpose()?,
        pressure: file.pressure.get()?,
        viscosity: file.viscosity.get()?,
        stress_clamp: file.stress_clamp.get()?,
    })
}

fn checked_substep(substep: &Value<Time, Positive>, time: &TimeFile) -> Result<f64, Fault> {
    let length = substep.get()?;
    // A wrong `time.dt` is reported where times are checked.
    let count = time.dt.get().map_or(1.0, |dt| explicit::substeps(dt, length));
    if count <= explicit::MAX_SUBSTEPS {
        return Ok(length);
    }
    let message = format!("a step would take {count:.3e} sub-steps, at most {:.0e}", explicit::MAX_SUBSTEPS);
    Err(Fault::new(substep.span.clone(), message).help("lengthen it or shorten `time.dt`"))
}

fn zhou2013(file: &Zhou2013File, time: &TimeFile) -> Result<Zhou2013Settings, Fault> {
    let (least, most) = (file.relinearisations.0, file.max_relinearisations.value.0);
    let written = file.max_relinearisations.span != (0..0);
    if most < least && written {
        let message = format!("must be at least `relinearisations`, which is {least}, got {most}");
        return Err(Fault::new(file.max_relinearisations.span.clone(), message));
    }
    Ok(Zhou2013Settings {
        integrator: match file.integrator {
            IntegratorFile::Bdf2 => Integrator::Bdf2,
            IntegratorFile::BackwardEuler => Integrator::BackwardEuler,
            IntegratorFile::Explicit => Integrator::Explicit,
        },
        rest: match file.rest {
            RestFile::Kept => Rest::Kept,
            RestFile::Updated => Rest::Updated,
        },
        step_error: file.step_error.as_ref().map(Value::get).transpose()?,
        substep: file.substep.as_ref().map(|substep| checked_substep(substep, time)).transpose()?,
        neighbour_radius: file.neighbour_radius.get()?,
        zero_energy: file.zero_energy.get()?,
        relinearisations: least as usize,
        max_relinearisations: most.max(least) as usize,
        tolerance: file.tolerance.get()?,
        preconditioner: match file.preconditioner {
            PreconditionerFile::Automatic => Preconditioner::Automatic,
            PreconditionerFile::None => Preconditioner::None,
            PreconditionerFile::CoarseSpace => Preconditioner::CoarseSpace,
        },
        max_iterations: file.max_iterations.0 as usize,
        rebuild_strain: file.rebuild_strain.get()?,
        self_contact: file.self_contact,
    })
}

pub(super) fn output(file: &OutputFile) -> Result<Output, Fault> {
    Ok(Output {
        directory: file.directory.as_ref().map(|directory| directory.value.clone()),
        formats: file.formats.clone(),
        grid: file.grid,
        skins: file.skins.clone(),
        checkpoint_interval: file.checkpoint_interval.get()?,
    })
}

/// What colours can show.
const COLOR_FIELDS: [&str; 15] = [
    "material",
    "body",
    "speed",
    "velocity",
    "von_mises",
    "pressure",
    "plastic_strain",
    "hardening",
    "J",
    "Jp",
    "saturation",
    "concentration",
    "density",
    "neighbour_count",
    "color",
];

pub(super) fn render(context: &Context<'_>, file: &RenderFile) -> Result<Render, Fault> {
    if !COLOR_FIELDS.contains(&file.color_by.value.as_str()) {
        let message = format!("there is no field `{}` to colour by", file.color_by.value);
        return Err(Fault::new(file.color_by.span.clone(), message)
            .help(suggestion(&file.color_by.value, COLOR_FIELDS)));
    }
    let range = match &file.range {
        None => None,
        Some(list) => match list.value.as_slice() {
            [low, high] if low.get()? < high.get()? => Some([low.get()?, high.get()?]),
            _ => return Err(Fault::new(list.span.clone(), "expected [low, high] with low below high")),
        },
    };
    // The third component of a camera is meaningful in plane scenes too.
    let space = Context { dimension: 3, ..*context };
    Ok(Render {
        enabled: file.enabled,
        size: [even(&file.width)?, even(&file.height)?],
        color_by: file.color_by.value.clone(),
        range,
        surface: file.surface,
        camera: Camera {
            position: file.camera.position.as_ref().map(|p| space.vector(p, 0.0)).transpose()?,
            target: file.camera.target.as_ref().map(|p| space.vector(p, 0.0)).transpose()?,
            fov: file.camera.fov.get()?,
            orbit: file.camera.orbit.get()?,
        },
    })
}

/// Movies need even sizes.
fn even(count: &At<Count<16, 8192>>) -> Result<u32, Fault> {
    match count.value.0 {
        pixels if pixels % 2 == 0 => Ok(pixels),
        pixels => Err(Fault::new(count.span.clone(), format!("must be even, got {pixels}"))
            .help(format!("write {}", pixels + 1))),
    }
}
