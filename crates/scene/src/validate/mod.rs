//! From the file as written to a scene that cannot be wrong. Each item gives its first fault, so that one run
//! reports all items at fault.

mod asset;
mod flow;
mod geometry;
mod joint;
mod material;
mod motion;
mod mpm;
mod object;
mod settings;
mod sph;

use std::cell::RefCell;

use pliant_math::Vec3;
use pliant_world::VectorField;

use crate::error::{Fault, SceneError, locate};
use crate::file::SceneFile;
use crate::file::collider::{ColliderFile, ForceFile};
use crate::file::quantity::{Acceleration, Limit, Measure, OfPlaceAndTime};
use crate::file::shape::ShapeFile;
use crate::file::value::At;
use crate::file::vector::{ColorFile, Vector};
use crate::include::{Assets, Document};
use crate::scene::{Force, Method, Scene, linear};
use crate::source::Span;
use crate::tree::{Node, Value};
use crate::{FORMAT_VERSION, deserialize};

/// Checks a document and everything it refers to.
pub(crate) fn validate(document: Document) -> Result<Scene, SceneError> {
    let Document { tree, assets } = document;
    let result = check_version(&tree)
        .map_err(|fault| vec![fault])
        .and_then(|()| deserialize::read::<SceneFile>(&tree))
        .and_then(|file| scene(file, &assets));
    result.map_err(|faults| locate(&assets.sources, faults))
}

/// Files of newer formats are named as such before their new keys are called unknown.
fn check_version(tree: &Node) -> Result<(), Fault> {
    let version = match &tree.value {
        Value::Table(table) => table.get("pliant").map(|(_, node)| node),
        _ => None,
    };
    let Some(node) = version else {
        return Err(Fault::new(
            tree.span.clone(),
            "the key `pliant` is missing: the version of the scene format",
        )
        .help(format!("add `pliant = {FORMAT_VERSION}` as the first line")));
    };
    match node.value {
        Value::Integer(version) if version == i64::from(FORMAT_VERSION) => Ok(()),
        Value::Integer(version) if version > i64::from(FORMAT_VERSION) => {
            let message = format!("written for scene format {version}, this program reads {FORMAT_VERSION}");
            Err(Fault::new(node.span.clone(), message).help("use a newer program"))
        }
        _ => Err(Fault::new(
            node.span.clone(),
            format!("the version of the scene format must be {FORMAT_VERSION}"),
        )),
    }
}

/// Materials one scene may have.
const MAX_MATERIALS: usize = 1000;

/// What every check needs to know.
pub(crate) struct Context<'a> {
    pub(crate) assets: &'a Assets,
    pub(crate) dimension: usize,
    pub(crate) seed: u64,
    pub(crate) max_particles: usize,
    /// What is doubtful but not wrong.
    pub(crate) warnings: &'a RefCell<Vec<String>>,
}

/// Faults found so far; a value that is at fault leaves a gap and the search goes on.
#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn keep<T>(&mut self, result: Result<T, Fault>) -> Option<T> {
        result.map_err(|fault| self.0.push(fault)).ok()
    }
}

fn scene(file: SceneFile, assets: &Assets) -> Result<Scene, Vec<Fault>> {
    let warnings = RefCell::new(Vec::new());
    let context = Context {
        assets,
        warnings: &warnings,
        dimension: file.dimension.value.0 as usize,
        seed: u64::from(file.seed.0),
        max_particles: file.max_particles.0 as usize,
    };
    let mut faults = Faults::default();
    faults.keep(check_counts(&file));
    let gravity = faults.keep(gravity(&context, &file.gravity));
    let time = faults.keep(settings::time(&file.time));
    let output = faults.keep(settings::output(&file.output));
    let render = faults.keep(settings::render(&context, &file.render));
    let materials: Vec<_> =
        file.materials.iter().map(|(name, entry)| faults.keep(material::material(name, entry))).collect();
    let material_names: Vec<&str> = file.materials.keys().map(String::as_str).collect();
    let method = faults.keep(settings::method(&context, &file, &material_names));
    material::check_suited(&file, method.as_ref(), &materials, &mut faults);
    let objects = object::objects(&context, &file, &material_names, &materials, &mut faults);
    let colliders = colliders(&context, &file.colliders, &mut faults);
    faults.keep(check_changing(&file, method.as_ref()));
    let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
    let forces: Vec<_> =
        file.forces.iter().map(|entry| faults.keep(force(&context, entry, &names))).collect();
    let joints: Vec<_> =
        file.joints.iter().filter_map(|entry| faults.keep(joint::joint(&context, entry, &objects))).collect();
    let materials: Option<Vec<_>> = materials.into_iter().collect();
    let forces: Option<Vec<_>> = forces.into_iter().collect();
    match (gravity, time, method, output, render, materials, forces) {
        (
            Some(gravity),
            Some(time),
            Some(method),
            Some(output),
            Some(render),
            Some(materials),
            Some(forces),
        ) if faults.0.is_empty() => {
            let (seed, dimension, max_particles) = (context.seed, context.dimension, context.max_particles);
            let (title, up_axis, assets) = (file.title, file.up_axis, assets.clone());
            #[rustfmt::skip]
            let scene = Scene {
                title, dimension, up_axis, seed, max_particles, time, method, gravity, materials, objects,
                colliders, forces, joints, output, render, assets, warnings: warnings.into_inner(),
            };
            Ok(scene)
        }
        _ => Err(faults.0),
    }
}

/// Shapes that change are followed by one method only.
fn check_changing(file: &SceneFile, method: Option<&Method>) -> Result<(), Fault> {
    let changing = file.colliders.iter().find(|entry| matches!(entry.value.shape.value, ShapeFile::Morph(_)));
    match (changing, method) {
        (Some(entry), Some(method)) if !matches!(method, Method::Mpm(_)) => {
            let message = "only the method `mpm` follows a shape that changes";
            Err(Fault::new(entry.value.shape.span.clone(), message)
                .help("use `method = \"mpm\"` or another shape"))
        }
        _ => Ok(()),
    }
}

/// Particles name their material by a small number.
fn check_counts(file: &SceneFile) -> Result<(), Fault> {
    match file.materials.values().nth(MAX_MATERIALS) {
        None => Ok(()),
        Some(extra) => {
            Err(Fault::new(extra.span.clone(), format!("a scene may have at most {MAX_MATERIALS} materials")))
        }
    }
}

fn colliders(
    context: &Context<'_>,
    entries: &[At<ColliderFile>],
    faults: &mut Faults,
) -> Vec<pliant_world::Collider> {
    let mut names = Names::new("collider");
    let mut colliders = Vec::new();
    for entry in entries {
        let name = faults.keep(names.claim(entry.value.name.as_ref()));
        let collider = faults.keep(motion::collider(context, &entry.value));
        if let (Some(name), Some(collider)) = (name, collider) {
            colliders.push(pliant_world::Collider { name, ..collider });
        }
    }
    colliders
}

/// Gravity is a force like others, on everything everywhere.
fn gravity(context: &Context<'_>, file: &Vector<OfPlaceAndTime<Acceleration>>) -> Result<Force, Fault> {
    Ok(Force { field: context.field(file)?, region: None, objects: None, span: file.span.clone() })
}

fn force(context: &Context<'_>, entry: &At<ForceFile>, names: &[&str]) -> Result<Force, Fault> {
    let file = &entry.value;
    let index = |name: &At<String>| lookup("object", name, names);
    Ok(Force {
        field: context.field(&file.acceleration)?,
        region: file.region.as_ref().map(|region| context.placed(region)).transpose()?,
        objects: file.objects.as_ref().map(|list| list.iter().map(index).collect()).transpose()?,
        span: file.acceleration.span.clone(),
    })
}

/// The index of a name, or a fault that suggests the nearest.
fn lookup(what: &str, name: &At<String>, known: &[&str]) -> Result<usize, Fault> {
    known.iter().position(|other| *other == name.value).ok_or_else(|| {
        Fault::new(name.span.clone(), format!("there is no {what} `{}`", name.value))
            .help(crate::error::suggestion(&name.value, known.iter().copied()))
    })
}

/// Names of one list, each given once.
struct Names {
    what: &'static str,
    taken: Vec<String>,
}

impl Names {
    fn new(what: &'static str) -> Self {
        Self { what, taken: Vec::new() }
    }

    /// The given name, or one made from its place in the list.
    fn claim(&mut self, name: Option<&At<String>>) -> Result<String, Fault> {
        let number = self.taken.len() + 1;
        let (text, span) = match name {
            Some(name) => (name.value.clone(), name.span.clone()),
            None => (format!("{}-{number}", self.what), 0..0),
        };
        if text.is_empty() || text.chars().any(char::is_control) || text.len() > 100 {
            return Err(Fault::new(span, "a name must have 1 to 100 visible characters"));
        }
        if self.taken.contains(&text) {
            return Err(Fault::new(span, format!("a second {} is called `{text}`", self.what))
                .help("give each its own name"));
        }
        self.taken.push(text.clone());
        Ok(text)
    }
}

impl Context<'_> {
    /// A vector; in the plane the missing third component becomes `fill`.
    pub(crate) fn vector<M: Measure, L: Limit>(
        &self,
        vector: &Vector<M, L>,
        fill: f64,
    ) -> Result<Vec3, Fault> {
        let mut result = Vec3::repeat(fill);
        for (axis, component) in vector.components(self.dimension)?.iter().take(self.dimension).enumerate() {
            result[axis] = component.get()?;
        }
        Ok(result)
    }

    /// A position or displacement; zero if it was not given.
    pub(crate) fn offset<M: Measure, L: Limit>(&self, vector: Option<&Vector<M, L>>) -> Result<Vec3, Fault> {
        vector.map_or(Ok(Vec3::zeros()), |vector| self.vector(vector, 0.0))
    }

    /// A direction of length 1.
    pub(crate) fn direction<M: Measure, L: Limit>(&self, vector: &Vector<M, L>) -> Result<Vec3, Fault> {
        self.vector(vector, 0.0)?
            .try_normalize(1e-300)
            .ok_or_else(|| Fault::new(vector.span.clone(), "a direction must not be zero"))
    }

    /// A vector field of position and time.
    pub(crate) fn field<M: Measure, L: Limit>(&self, vector: &Vector<M, L>) -> Result<VectorField, Fault> {
        let components = vector.components(self.dimension)?;
        let mut constant = Vec3::zeros();
        let mut expressions = Vec::with_capacity(3);
        let mut varies = false;
        for (axis, component) in components.iter().enumerate() {
            let expression = component.expression(&VectorField::VARIABLES)?;
            match &expression {
                Some(expression) if !expression.is_constant() => varies = true,
                Some(expression) => constant[axis] = component.within(expression.evaluate(&[0.0; 4]))?,
                None => constant[axis] = component.get()?,
            }
            expressions.push(expression);
        }
        if !varies {
            return Ok(VectorField::Constant(constant));
        }
        let number = |axis: usize| {
            pliant_expression::Expression::compile(&format!("{:?}", constant[axis]), &VectorField::VARIABLES)
                .expect("a finite number is an expression")
        };
        let mut given = expressions.into_iter();
        let all = [0, 1, 2].map(|axis| given.next().flatten().unwrap_or_else(|| number(axis)));
        Ok(VectorField::Varying(Box::new(all)))
    }
}

/// A colour as linear red, green, blue.
pub(crate) fn color(file: &ColorFile) -> Result<[f32; 3], Fault> {
    use crate::file::value::{Raw, Value as Number};
    use crate::file::vector::Form;
    let wrong = |span: &Span| {
        Fault::new(span.clone(), "expected a colour")
            .help("write \"#e0533d\" or [0.88, 0.33, 0.24], each from 0 to 1")
    };
    let display = match &file.0.value {
        Form::One(Raw::Text(text)) => hexadecimal(text),
        Form::List(items) if items.len() == 3 => {
            let values: Result<Vec<f64>, Fault> = items.iter().map(Number::get).collect();
            <[f64; 3]>::try_from(values?).ok().filter(|c| c.iter().all(|v| (0.0..=1.0).contains(v)))
        }
        _ => None,
    };
    display.map(|color| color.map(linear)).ok_or_else(|| wrong(&file.0.span))
}

fn hexadecimal(text: &str) -> Option<[f64; 3]> {
    let digits =
        text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let channel = |index: usize| u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).ok();
    Some([channel(0)?, channel(1)?, channel(2)?].map(|value| f64::from(value) / 255.0))
}
