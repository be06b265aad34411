//! Settings of the Material Point Method.

use pliant_expression::Expression;
use pliant_material::Parameter;
use pliant_mpm::MpmSettings;
use pliant_mpm::{
    Domain, Drag, DragMode, Effect, Gradient, Integrator, Interaction, Kernel, MAX_SPECIES, Mixture,
    Precision, Supply, Surface, Transfer, VolumeRule,
};

use super::{Context, lookup};
use crate::error::{Fault, suggestion};
use crate::file::collider::ColliderFile;
use crate::file::mpm::{
    DomainFile, DragFile, DragModeFile, GradientFile, GridIntegratorFile, InteractionFile, KernelFile,
    MpmFile, PrecisionFile, SupplyFile, SurfaceFile, TransferFile, VolumeFile,
};
use crate::file::quantity::{Limit, Measure};
use crate::file::value::{At, Value};

/// Coarsest and finest share of the stable step that makes sense.
const COURANT: std::ops::RangeInclusive<f64> = 0.01..=1.0;

pub(super) fn mpm(
    context: &Context<'_>,
    file: &MpmFile,
    materials: &[&str],
    colliders: &[At<ColliderFile>],
) -> Result<MpmSettings, Fault> {
    let (kernel, mixed) = splines(context, file)?;
    Ok(MpmSettings {
        spacing: file.grid_spacing.as_ref().map(Value::get).transpose()?,
        kernel,
        mixed,
        transfer: match &file.transfer {
            TransferFile::Apic => Transfer::Apic,
            TransferFile::Pic => Transfer::Flip(0.0),
            TransferFile::Flip => Transfer::Flip(1.0),
            TransferFile::Blend(share) => Transfer::Flip(share.get()?),
            TransferFile::AffineFlip(share) => Transfer::AffineFlip(share.get()?),
        },
        gradient: match file.gradient {
            GradientFile::MovingLeastSquares => Gradient::MovingLeastSquares,
            GradientFile::Kernel => Gradient::Kernel,
        },
        precision: match file.precision {
            PrecisionFile::Single => Precision::Single,
            PrecisionFile::Double => Precision::Double,
        },
        integrator: match file.integrator {
            GridIntegratorFile::Explicit => Integrator::Explicit,
            GridIntegratorFile::Implicit => Integrator::Implicit,
        },
        courant: courant(file)?,
        substep: file.substep.as_ref().map(Value::get).transpose()?,
        domain: file.domain.as_ref().map(|domain| walls(context, domain)).transpose()?,
        particle_collision: file.particle_collision,
        volume: match file.volume {
            VolumeFile::Constant => VolumeRule::Constant,
            VolumeFile::Grid => VolumeRule::Grid,
        },
        mixture: mixture(file, materials)?,
        supplies: file.supplies.iter().map(|entry| supply(context, entry)).collect::<Result<_, Fault>>()?,
        surfaces: file
            .surfaces
            .iter()
            .map(|entry| surface(&entry.value, &file.species, colliders))
            .collect::<Result<_, Fault>>()?,
    })
}

/// The widest spline, and that of each axis where they differ.
fn splines(context: &Context<'_>, file: &MpmFile) -> Result<(Kernel, Option<[Kernel; 3]>), Fault> {
    let kernel = |file: KernelFile| match file {
        KernelFile::Linear => Kernel::Linear,
        KernelFile::Quadratic => Kernel::Quadratic,
        KernelFile::Cubic => Kernel::Cubic,
    };
    let Some(each) = &file.kernels else { return Ok((kernel(file.kernel), None)) };
    let axes: Vec<Kernel> = each.value.iter().map(|axis| kernel(*axis)).collect();
    if axes.len() != context.dimension {
        let message = format!("has {} splines; give one for each of {} axes", axes.len(), context.dimension);
        return Err(Fault::new(each.span.clone(), message));
    }
    let widest = axes.iter().copied().max_by_key(|axis| axis.width()).unwrap_or(Kernel::Quadratic);
    let mixed = [0, 1, 2].map(|axis| axes.get(axis).copied().unwrap_or(widest));
    Ok((widest, axes.iter().any(|axis| *axis != widest).then_some(mixed)))
}

fn supply(context: &Context<'_>, entry: &At<SupplyFile>) -> Result<Supply, Fault> {
    let file = &entry.value;
    Ok(Supply {
        region: context.placed(&file.region)?,
        concentration: of_place_and_time(&file.concentration)?,
    })
}

fn surface(
    file: &SurfaceFile,
    species: &[At<String>],
    colliders: &[At<ColliderFile>],
) -> Result<Surface, Fault> {
    let names: Vec<String> = colliders
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            entry
                .value
                .name
                .as_ref()
                .map_or_else(|| format!("collider-{}", index + 1), |name| name.value.clone())
        })
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let species: Vec<&str> = species.iter().map(|name| name.value.as_str()).collect();
    Ok(Surface {
        collider: lookup("collider", &file.collider, &names)?,
        species: file.species.as_ref().map(|name| lookup("species", name, &species)).transpose()?,
        friction: file.friction.as_ref().map(of_place_and_time).transpose()?,
        stickiness: file.stickiness.as_ref().map(of_place_and_time).transpose()?,
    })
}

/// An expression of place and time; one that is wrong at the origin at the start is refused.
fn of_place_and_time<M: Measure, L: Limit>(value: &Value<M, L>) -> Result<Expression, Fault> {
    let Some(expression) = value.expression(&Surface::VARIABLES)? else {
        let number = format!("{:e}", value.get()?);
        return Expression::compile(&number, &Surface::VARIABLES)
            .map_err(|error| Fault::new(value.span.clone(), error.to_string()));
    };
    let number = expression.evaluate(&[0.0; Surface::VARIABLES.len()]);
    if !number.is_finite() {
        let message = format!("is {number} at the origin; it must be finite everywhere");
        return Err(Fault::new(value.span.clone(), message));
    }
    Ok(expression)
}

fn courant(file: &MpmFile) -> Result<f64, Fault> {
    let share = file.courant.get()?;
    if COURANT.contains(&share) {
        return Ok(share);
    }
    let message = format!("must be between {} and {}, got {share}", COURANT.start(), COURANT.end());
    Err(Fault::new(file.courant.span.clone(), message))
}

fn walls(context: &Context<'_>, entry: &At<DomainFile>) -> Result<Domain, Fault> {
    let file = &entry.value;
    let (min, max) = (context.vector(&file.min, 0.0)?, context.vector(&file.max, 0.0)?);
    if (0..context.dimension).any(|axis| min[axis] >= max[axis]) {
        return Err(Fault::new(entry.span.clone(), "`min` must be below `max` along every axis"));
    }
    Ok(Domain { min, max, friction: file.friction.get()?, sticky: file.sticky })
}

fn mixture(file: &MpmFile, materials: &[&str]) -> Result<Mixture, Fault> {
    if let (Some(fluid), GridIntegratorFile::Implicit) = (&file.buoyancy, file.integrator) {
        let message = "buoyancy takes the pressure of explicit steps";
        let help = "leave out `buoyancy` or `integrator = \"implicit\"`";
        return Err(Fault::new(fluid.span.clone(), message).help(help));
    }
    let names: Vec<&str> = file.species.iter().map(|name| name.value.as_str()).collect();
    if let Some(one) = file.species.get(MAX_SPECIES) {
        let message = format!("{} species, at most {MAX_SPECIES} are allowed", names.len());
        return Err(Fault::new(one.span.clone(), message));
    }
    for (index, name) in file.species.iter().enumerate() {
        if names[..index].contains(&name.value.as_str()) {
            return Err(Fault::new(
                name.span.clone(),
                format!("the species `{}` is named twice", name.value),
            ));
        }
    }
    Ok(Mixture {
        drag: match &file.drag {
            DragFile::Physical(value) => Drag::Physical(value.get()?),
            DragFile::Literal(value) => Drag::Literal(value.get()?),
        },
        mode: match file.drag_mode {
            DragModeFile::Implicit => DragMode::Implicit,
            DragModeFile::Free => DragMode::Free,
            DragModeFile::Clamp => DragMode::Clamp,
            DragModeFile::Limit => DragMode::Limit,
        },
        buoyancy: file.buoyancy.as_ref().map(|name| lookup("species", name, &names)).transpose()?,
        interactions: file
            .interactions
            .iter()
            .map(|entry| interaction(entry, materials))
            .collect::<Result<_, Fault>>()?,
        species: names.into_iter().map(str::to_owned).collect(),
    })
}

fn interaction(entry: &At<InteractionFile>, materials: &[&str]) -> Result<Interaction, Fault> {
    let file = &entry.value;
    let effect = match (&file.parameter, &file.r#become) {
        (Some(name), None) => Effect::Parameter(Parameter::from_name(&name.value).ok_or_else(|| {
            Fault::new(name.span.clone(), format!("there is no parameter `{}`", name.value))
                .help(suggestion(&name.value, Parameter::NAMES.map(|(name, _)| name)))
        })?),
        (None, Some(name)) => Effect::Become(lookup("material", name, materials)?),
        _ => {
            let message = "an interaction changes a `parameter` or lets particles `become` another material";
            return Err(Fault::new(entry.span.clone(), message).help("give one of the two"));
        }
    };
    let value = Expression::compile(&file.value.value, &Interaction::VARIABLES)
        .map_err(|error| Fault::new(file.value.span.clone(), error.to_string()))?;
    for saturation in [0.0, 0.5, 1.0] {
        let number = value.evaluate(&[saturation, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        if !number.is_finite() {
            let message =
                format!("is {number} at a saturation of {saturation}; it must be finite everywhere");
            return Err(Fault::new(file.value.span.clone(), message));
        }
    }
    Ok(Interaction { material: lookup("material", &file.material, materials)?, effect, value })
}
