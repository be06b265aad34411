//! Objects: what is filled, with what, and how it starts.

use std::sync::Arc;

use pliant_geometry::{ColorPicture, Placement, Sampler};
use pliant_material::Law;
use pliant_math::Vec3;

use super::{Context, Faults, Names, color, lookup, motion};
use crate::error::Fault;
use crate::field::ScalarField;
use crate::file::SceneFile;
use crate::file::method::MethodFile;
use crate::file::object::{
    CopiesFile, DrawnColorFile, EmitFile, ObjectFile, PinFile, SamplerFile, SkinFile, SpinFile,
};
use crate::file::quantity::{Any, Length, NotNegative, Positive, Speed, Turning};
use crate::file::value::{At, Value};
use crate::file::vector::Form;
use crate::scene::{Emission, Matter, Object, ObjectPin, Paint, Palette, SceneMaterial, Skin};

/// Copies one object may have.
const MAX_COPIES: u64 = 10_000;

/// All objects; one whose material is at fault is left out without a fault of its own.
pub(super) fn objects(
    context: &Context<'_>,
    file: &SceneFile,
    material_names: &[&str],
    materials: &[Option<SceneMaterial>],
    faults: &mut Faults,
) -> Vec<Object> {
    let mut names = Names::new("object");
    let mut objects = Vec::new();
    for (index, entry) in file.objects.iter().enumerate() {
        let name = faults.keep(names.claim(entry.value.name.as_ref()));
        let material = faults.keep(lookup("material", &entry.value.material, material_names));
        let material = material.and_then(|index| Some((index, materials[index].as_ref()?)));
        let (Some(name), Some((material, of))) = (name, material) else { continue };
        let builder = Builder {
            context,
            entry,
            index,
            default_spacing: file.spacing.as_ref(),
            species: species_of(&file.method),
            remembers: matches!(file.method, MethodFile::Zhou2013(_) | MethodFile::Sph(_)),
            ties: matches!(file.method, MethodFile::Sph(_)),
            emits: matches!(file.method, MethodFile::Mpm(_) | MethodFile::Sph(_)),
            streams: match file.method {
                MethodFile::Sph(_) => matches!(of.material.law, Some(Law::Fluid(_))),
                _ => true,
            },
        };
        if let Some(object) = faults.keep(builder.object(of)) {
            objects.push(Object { name, material, ..object });
        }
    }
    objects
}

/// Names of the species that the method knows.
fn species_of(method: &MethodFile) -> &[At<String>] {
    match method {
        MethodFile::Mpm(file) => &file.species,
        MethodFile::Zhou2013(_) | MethodFile::Gbb2009(_) | MethodFile::Sph(_) => &[],
    }
}

struct Builder<'a> {
    context: &'a Context<'a>,
    entry: &'a At<ObjectFile>,
    index: usize,
    default_spacing: Option<&'a Value<Length, Positive>>,
    species: &'a [At<String>],
    /// Whether the method knows rigid bodies.
    ties: bool,
    /// Whether the method takes particles that appear later.
    emits: bool,
    /// Whether the method remembers where particles were at rest.
    remembers: bool,
    /// Whether its material may flow in as a stream, of which no two particles need to be neighbours at rest.
    streams: bool,
}

impl Builder<'_> {
    /// The object; name and index of its material are the caller's business.
    fn object(&self, material: &SceneMaterial) -> Result<Object, Fault> {
        let file = &self.entry.value;
        let spacing = file.spacing.as_ref().or(self.default_spacing).ok_or_else(|| {
            Fault::new(self.entry.span.clone(), "the distance between particles is missing")
                .help("give the object or the scene a `spacing`")
        })?;
        Ok(Object {
            name: String::new(),
            matter: self.matter()?,
            material: 0,
            species: self.species()?,
            spacing: spacing.get()?,
            density: file.density.as_ref().map(Value::field).transpose()?,
            rigid: self.rigid(material)?,
            volume_ratio: file.volume_ratio.as_ref().map(Value::field).transpose()?,
            concentration: file.concentration.as_ref().map(Value::field).transpose()?,
            velocity: self.velocity()?,
            spin: file.spin.as_ref().map_or(Ok(Vec3::zeros()), |spin| self.spin(spin))?,
            scatter: file.scatter.as_ref().map_or(Ok(0.0), |scatter| self.scatter(scatter))?,
            scatter_seed: self.context.seed << 20 | self.index as u64,
            copies: file.copies.as_ref().map_or(Ok(vec![Vec3::zeros()]), |copies| self.copies(copies))?,
            emission: file.emit.as_ref().map(|emit| self.emission(emit)).transpose()?,
            pins: file.pins.iter().map(|pin| self.pin(pin)).collect::<Result<_, Fault>>()?,
            skin: file.skin.as_ref().map(|skin| self.skin(skin)).transpose()?,
            color: file.color.as_ref().map_or(Ok(material.material.color), color)?,
            paint: self.paint()?,
            filled: Arc::default(),
            span: self.entry.span.clone(),
        })
    }

    fn rigid(&self, material: &SceneMaterial) -> Result<bool, Fault> {
        let file = &self.entry.value;
        let Some(rigid) = file.rigid.as_ref().filter(|rigid| rigid.value) else { return Ok(false) };
        let fault = |message: &str, help: &str| Err(Fault::new(rigid.span.clone(), message).help(help));
        if !self.ties {
            return fault(
                "only the method `sph` knows rigid objects",
                "use `method = \"sph\"`, or a collider",
            );
        }
        if matches!(material.material.law, Some(Law::Fluid(_))) {
            return fault("a fluid cannot be rigid", "give the object the material of a solid");
        }
        if !file.pins.is_empty() || file.scatter.is_some() {
            return fault(
                "a rigid object has no `pins` and no `scatter`",
                "tie it with a joint of kind `fixed`, or make it a collider",
            );
        }
        Ok(true)
    }

    fn paint(&self) -> Result<Option<Paint>, Fault> {
        let file = &self.entry.value;
        let written = [file.color.is_some(), !file.colors.is_empty(), file.color_image.is_some()];
        if written.into_iter().filter(|one| *one).count() > 1 {
            let message = "the object has more than one of `color`, `colors` and `color_image`";
            return Err(Fault::new(self.entry.span.clone(), message).help("leave all but one out"));
        }
        if let Some(image) = &file.color_image {
            let path = self.context.assets.path(&image.path.value, &image.path.span)?;
            let picture = ColorPicture::load(&path, image.width.get()?)
                .map_err(|error| Fault::new(image.path.span.clone(), error.to_string()))?;
            return Ok(Some(Paint::Picture(picture, self.placement()?)));
        }
        if file.colors.is_empty() {
            return Ok(None);
        }
        let drawn = |entry: &At<DrawnColorFile>| Ok((color(&entry.value.color)?, entry.value.share.get()?));
        let mut colors: Vec<([f32; 3], f64)> = file.colors.iter().map(drawn).collect::<Result<_, Fault>>()?;
        let sum: f64 = colors.iter().map(|(_, share)| share).sum();
        colors.iter_mut().for_each(|(_, share)| *share /= sum);
        Ok(Some(Paint::Drawn(Palette { colors, seed: self.seed() })))
    }

    fn placement(&self) -> Result<Placement, Fault> {
        let file = &self.entry.value;
        self.context.placement(file.position.as_ref(), file.rotation.as_ref(), file.scale.as_ref())
    }

    /// Objects of one scene must not repeat each other's random numbers.
    fn seed(&self) -> u64 {
        let derived = self.context.seed << 20 | self.index as u64;
        self.entry.value.seed.as_ref().map_or(derived, |seed| u64::from(seed.0))
    }

    fn scatter(&self, value: &Value<Length, NotNegative>) -> Result<f64, Fault> {
        if !self.remembers {
            let message = "particles of this method have no place at rest to be scattered from";
            return Err(Fault::new(value.span.clone(), message)
                .help("use `method.sph = {}` or `method.zhou2013 = {}`, or leave it out"));
        }
        value.get()
    }

    fn species(&self) -> Result<u8, Fault> {
        let Some(name) = &self.entry.value.species else { return Ok(0) };
        let names: Vec<&str> = self.species.iter().map(|name| name.value.as_str()).collect();
        // Fits: their number is limited.
        lookup("species", name, &names).map(|index| index as u8)
    }

    fn matter(&self) -> Result<Matter, Fault> {
        let (context, file) = (self.context, &self.entry.value);
        let placement = self.placement()?;
        match (&file.shape, &file.points) {
            (Some(entry), None) => {
                let shape = context.shape(entry)?.placed(placement);
                if shape.is_changing() {
                    return Err(Fault::new(entry.span.clone(), "`morph` is for colliders"));
                }
                context.check_reach(shape.bounds(), &entry.span)?;
                Ok(Matter::Filled { shape, sampler: sampler(&file.sampler)?, seed: self.seed() })
            }
            (None, Some(path)) => {
                let points = context.points(path)?;
                Ok(Matter::Points(points.iter().map(|point| placement.to_world(point)).collect()))
            }
            (None, None) => {
                Err(Fault::new(self.entry.span.clone(), "the object has neither `shape` nor `points`"))
            }
            (Some(_), Some(path)) => {
                Err(Fault::new(path.span.clone(), "the object has both `shape` and `points`")
                    .help("leave one out"))
            }
        }
    }

    fn velocity(&self) -> Result<Option<[ScalarField; 3]>, Fault> {
        let Some(vector) = &self.entry.value.velocity else { return Ok(None) };
        let still = Value::<Speed, Any>::number(0.0).field()?;
        let mut fields = [still.clone(), still.clone(), still];
        for (field, component) in fields.iter_mut().zip(vector.components(self.context.dimension)?) {
            *field = component.field()?;
        }
        Ok(Some(fields))
    }

    fn spin(&self, file: &SpinFile) -> Result<Vec3, Fault> {
        let span = &file.0.span;
        match (&file.0.value, self.context.dimension) {
            (Form::One(raw), 2) => {
                Ok(Vec3::z() * Value::<Turning, Any>::new(raw.clone(), span.clone()).get()?)
            }
            (Form::List(items), 3) if items.len() == 3 => {
                let values: Vec<f64> = items.iter().map(Value::get).collect::<Result<_, Fault>>()?;
                Ok(Vec3::from_column_slice(&values))
            }
            (_, 2) => Err(Fault::new(span.clone(), "expected one number: a plane scene turns about z")),
            _ => Err(Fault::new(span.clone(), "expected 3 components").help("such as [0, 0, \"60 rpm\"]")),
        }
    }

    fn copies(&self, file: &CopiesFile) -> Result<Vec<Vec3>, Fault> {
        let step = self.context.offset(Some(&file.step))?;
        let counts: Vec<u32> = file.count.value.iter().map(|count| count.0).collect();
        let (nx, ny, nz) = match (counts.as_slice(), self.context.dimension) {
            (&[x, y, z], 3) | (&[x, y, z @ 1], 2) => (x, y, z),
            (&[x, y], 2) => (x, y, 1),
            _ => {
                let message = format!("expected {} counts, got {}", self.context.dimension, counts.len());
                return Err(Fault::new(file.count.span.clone(), message));
            }
        };
        let total = u64::from(nx) * u64::from(ny) * u64::from(nz);
        if total > MAX_COPIES {
            let message = format!("{total} copies, at most {MAX_COPIES} are allowed");
            return Err(Fault::new(file.count.span.clone(), message));
        }
        let place =
            |x: u32, y: u32, z: u32| step.component_mul(&Vec3::new(f64::from(x), f64::from(y), f64::from(z)));
        let row = |y: u32, z: u32| (0..nx).map(move |x| place(x, y, z));
        Ok((0..nz).flat_map(|z| (0..ny).flat_map(move |y| row(y, z))).collect())
    }

    fn emission(&self, entry: &At<EmitFile>) -> Result<Emission, Fault> {
        let file = &self.entry.value;
        let wrong = |message: &str| Err(Fault::new(entry.span.clone(), message));
        if !self.emits {
            return Err(Fault::new(entry.span.clone(), "this method needs all particles from the start")
                .help("use `method.mpm = {}` or `method.sph = {}` for objects that appear later"));
        }
        if !file.pins.is_empty() {
            return wrong("particles that appear later cannot be pinned; leave out `pins` or `emit`");
        }
        match &entry.value {
            EmitFile::Bursts(bursts) => Ok(Emission::Bursts {
                start: bursts.start.get()?,
                every: bursts.every.get()?,
                count: bursts.count.0,
            }),
            EmitFile::Stream(_) if !self.streams => {
                wrong("only fluids can stream in this method; let solids appear in `emit.bursts`")
            }
            EmitFile::Stream(stream) => {
                if file.spin.is_some() {
                    return wrong("a stream cannot spin; leave out `spin`");
                }
                let components = self.velocity()?;
                let constant = components.as_ref().and_then(|fields| {
                    let values = fields.each_ref().map(ScalarField::constant);
                    Some(Vec3::new(values[0]?, values[1]?, values[2]?))
                });
                match constant {
                    Some(velocity) if velocity != Vec3::zeros() => Ok(Emission::Stream {
                        start: stream.start.get()?,
                        duration: stream.duration.get()?,
                        velocity,
                    }),
                    _ => wrong(
                        "a stream needs a `velocity` of the object that is not zero and the same everywhere",
                    ),
                }
            }
        }
    }

    fn skin(&self, entry: &At<SkinFile>) -> Result<Skin, Fault> {
        let (context, file) = (self.context, &self.entry.value);
        if context.dimension == 2 {
            return Err(Fault::new(entry.span.clone(), "a scene of dimension 2 has no skins; leave it out"));
        }
        match &entry.value {
            SkinFile::Mesh(path) => {
                let placement =
                    context.placement(file.position.as_ref(), file.rotation.as_ref(), file.scale.as_ref())?;
                let mut mesh = context.skin_mesh(path)?;
                mesh.vertices.iter_mut().for_each(|vertex| *vertex = placement.to_world(vertex));
                context.check_reach(mesh.bounds(), &path.span)?;
                Ok(Skin::Mesh(mesh))
            }
            SkinFile::Surface(_) if file.shape.is_none() => {
                let fault = Fault::new(entry.span.clone(), "an object of `points` has no surface to take");
                Err(fault.help("give a mesh: skin.mesh = \"file.obj\""))
            }
            SkinFile::Surface(edge) => Ok(Skin::Surface { edge: edge.get()? }),
        }
    }

    fn pin(&self, entry: &At<PinFile>) -> Result<ObjectPin, Fault> {
        let region = &entry.value.region;
        let origin = self.context.offset(region.position.as_ref())?;
        Ok(ObjectPin {
            region: self.context.placed(region)?,
            motion: motion::motion(self.context, &entry.value.motion, &origin)?,
            span: entry.span.clone(),
        })
    }
}

fn sampler(file: &SamplerFile) -> Result<Sampler, Fault> {
    Ok(match file {
        SamplerFile::Lattice => Sampler::Lattice,
        SamplerFile::Jittered(file) => Sampler::Jittered { amount: file.amount.get()? },
        SamplerFile::Random => Sampler::Random,
        SamplerFile::PoissonDisk => Sampler::PoissonDisk,
        SamplerFile::Relaxed(file) => {
            Sampler::Relaxed { cohesion: file.cohesion.get()?, adhesion: file.adhesion.get()? }
        }
        SamplerFile::BlueNoise => Sampler::BlueNoise,
    })
}
