//! Scenes to measure with: small ones of a few hundred particles, and the shipped ones made coarse.

use std::io;
use std::path::Path;

use crate::lab::Room;

/// A scene and changes to it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Text of the scene, or none for a shipped scene, which is named by its path below `scenes`.
    text: Option<String>,
    /// `key=value` changes.
    pub set: Vec<String>,
    /// Simulated time [s].
    pub duration: f64,
}

impl Case {
    /// A scene by its text, which lasts that long [s].
    pub fn of_text(name: &str, text: String, duration: f64) -> Self {
        Self { name: name.to_owned(), text: Some(text), set: Vec::new(), duration }
    }

    /// The same with a change more.
    pub fn with(mut self, change: impl Into<String>) -> Self {
        self.set.push(change.into());
        self
    }

    /// The path of the scene file, which is written into the room if it is not a shipped one.
    pub(crate) fn place_in(&self, room: &Room) -> io::Result<String> {
        let path = match &self.text {
            Some(text) => room.write(&format!("{}.toml", self.name), text)?,
            None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(&self.name),
        };
        path.into_os_string().into_string().map_err(|_| io::Error::other("the path of a scene is not text"))
    }
}

/// Simulated time of the small scenes [s]: 25 steps, five frames.
const DURATION: f64 = 0.1;

/// The small scenes.
pub fn small() -> Vec<Case> {
    let scenes = [
        ("elastic", elastic()),
        ("plastic", plastic()),
        ("two_bodies", two_bodies()),
        ("pushed_bar", pushed_bar()),
        ("plane", plane()),
    ];
    let solids = scenes.into_iter().map(|(name, text)| Case::of_text(name, text, DURATION));
    solids.chain(material_points()).chain(smoothed()).collect()
}

/// Those of Smoothed Particle Hydrodynamics.
pub fn smoothed() -> Vec<Case> {
    let scenes = [("jelly_in_water", jelly_in_water()), ("rigid_in_water", rigid_in_water())];
    scenes.into_iter().map(|(name, text)| Case::of_text(name, text, DURATION)).collect()
}

/// Those of the Material Point Method.
pub fn material_points() -> Vec<Case> {
    let scenes = [
        ("snow_and_sand", snow_and_sand()),
        ("soaked", soaked()),
        ("poured", poured()),
        ("stirred", stirred()),
        ("hammered", hammered()),
        ("stiff", stiff()),
    ];
    scenes.into_iter().map(|(name, text)| Case::of_text(name, text, DURATION)).collect()
}

/// Shipped scenes, the spacing that leaves a few hundred particles of them, and the time at which something happens.
const SHIPPED: [(&str, &str, f64); 14] = [
    ("quickstart.toml", "4 cm", 0.4),
    ("zhou2013/angry_birds.toml", "5 cm", 0.3),
    ("zhou2013/armadillo.toml", "3 cm", 0.3),
    ("zhou2013/bunny.toml", "3 cm", 0.3),
    ("zhou2013/clay.toml", "3.5 cm", 0.3),
    ("zhou2013/collision.toml", "4 cm", 0.3),
    ("zhou2013/cube_elastic.toml", "4 cm", 0.4),
    ("zhou2013/cube_medium.toml", "4 cm", 0.4),
    ("zhou2013/cube_plastic.toml", "4 cm", 0.4),
    ("zhou2013/jelly.toml", "2.4 cm", 0.3),
    ("zhou2013/metal.toml", "3.5 cm", 0.3),
    ("zhou2013/plane.toml", "4 cm", 0.5),
    ("zhou2013/rubber.toml", "4 cm", 0.3),
    ("zhou2013/twist.toml", "5 cm", 0.3),
];

/// The shipped scenes, coarse and short.
pub fn shipped() -> Vec<Case> {
    let case = |(name, spacing, duration): (&str, &str, f64)| Case {
        name: name.to_owned(),
        text: None,
        set: vec![format!("spacing={spacing}"), format!("time.duration={duration}")],
        duration,
    };
    SHIPPED.into_iter().map(case).collect()
}

/// What all small scenes share: five frames, tiny pictures, checkpoints at every step.
const HEAD: &str = r#"pliant = 1
spacing = "5 cm"
[time]
duration = "0.1 s"
fps = 50
dt = "4 ms"
[render]
width = 64
height = 48
[output]
checkpoint_interval = "1 us"
"#;

/// An elastic cube of 216 particles falls on the floor.
pub fn elastic() -> String {
    format!(
        r#"{HEAD}formats = ["vtp"]
[materials.soft]
young = "50 kPa"
[[objects]]
name = "cube"
material = "soft"
shape.box.size = [0.3, 0.3, 0.3]
position = [0, 0.16, 0]
velocity = [0.5, -2, 0]
[[colliders]]
shape.half_space = {{}}
"#
    )
}

/// A ball of clay hits the floor.
pub fn plastic() -> String {
    format!(
        r#"{HEAD}[materials.clay]
preset = "clay"
[[objects]]
material = "clay"
shape.ball.radius = "15 cm"
position = [0, 0.16, 0]
velocity = [1, -6, 0]
[[colliders]]
shape.half_space = {{}}
"#
    )
}

/// Two bodies of different stiffness collide.
pub fn two_bodies() -> String {
    format!(
        r#"{HEAD}[materials.soft]
young = "50 kPa"
[materials.stiff]
preset = "rubber"
[[objects]]
material = "soft"
shape.box.size = [0.25, 0.25, 0.25]
position = [-0.15, 0, 0]
velocity = [3, 0, 0]
[[objects]]
material = "stiff"
shape.ball.radius = "13 cm"
position = [0.17, 0.02, 0]
sampler.jittered = {{ amount = 0.2 }}
"#
    )
}

/// A bar, pinned at one end, is pushed by a moving and turning collider.
pub fn pushed_bar() -> String {
    format!(
        r#"{HEAD}[materials.rubber]
preset = "rubber"
[[objects]]
material = "rubber"
shape.box.size = [0.5, 0.2, 0.2]
[[objects.pins]]
region = {{ shape.box.size = [0.06, 0.4, 0.4], position = [-0.25, 0, 0] }}
[[colliders]]
shape.box.size = [0.1, 0.1, 0.5]
position = [0.2, 0.17, 0]
motion.linear.velocity = [0, -1, 0]
[[colliders]]
shape.box.size = [0.3, 0.02, 0.3]
position = [0.1, -0.16, 0]
motion.rotating = {{ rate = "90 deg/s" }}
"#
    )
}

/// A disc falls on a slope in the plane.
pub fn plane() -> String {
    format!(
        r#"dimension = 2
{HEAD}[materials.soft]
young = "30 kPa"
[[objects]]
material = "soft"
shape.ball.radius = "40 cm"
position = [0, 0.42]
velocity = [0, -2]
[[colliders]]
shape.half_space.normal = [0.2, 1]
"#
    )
}

/// Snow, sand, jello and water fall on the floor, on one grid.
pub fn snow_and_sand() -> String {
    let pieces = [
        ("snow", "nilles-snow", -0.9),
        ("sand", "sand", -0.3),
        ("jello", "jello", 0.3),
        ("water", "water", 0.9),
    ];
    let pieces: String = pieces
        .iter()
        .map(|(name, preset, x)| {
            format!(
                "[materials.{name}]\npreset = \"{preset}\"\n[[objects]]\nmaterial = \"{name}\"\n\
                 shape.box.size = [0.5, 0.4]\nposition = [{x}, 0.25]\nvelocity = [{}, -2]\n",
                -x
            )
        })
        .collect();
    format!("dimension = 2\nmethod = \"mpm\"\n{HEAD}{pieces}[[colliders]]\nshape.half_space = {{}}\n")
}

/// Water falls on wet sand that loses its cohesion, each on its own grid.
pub fn soaked() -> String {
    format!(
        r#"dimension = 2
{HEAD}[method.mpm]
domain = {{ min = [-0.6, 0], max = [0.6, 3] }}
species = ["grains", "water"]
drag.physical = 1e5
buoyancy = "water"
[[method.mpm.interactions]]
material = "sand"
parameter = "cohesion"
value = "2000 * (1 - phi)"
[materials.sand]
preset = "sand-wet"
[materials.water]
preset = "water"
[[objects]]
material = "sand"
species = "grains"
shape.box.size = [0.6, 0.4]
position = [0, 0.2]
[[objects]]
material = "water"
species = "water"
shape.box.size = [0.4, 0.4]
position = [0, 0.5]
velocity = [0, -3]
"#
    )
}

/// Sand runs out of a spout, and balls of jello appear above it.
pub fn poured() -> String {
    format!(
        r#"dimension = 2
{HEAD}[method.mpm]
domain = {{ min = [-0.6, 0], max = [0.6, 3] }}
[materials.sand]
preset = "sand"
[materials.jello]
preset = "jello"
[[objects]]
material = "sand"
shape.box.size = [0.3, 0.2]
position = [0, 0.4]
velocity = [0, -3]
emit.stream.duration = 1
[[objects]]
material = "jello"
shape.ball.radius = 0.15
position = [0.4, 0.5]
velocity = [-1, -3]
spin = 5
emit.bursts = {{ start = "30 ms", every = "70 ms", count = 3 }}
"#
    )
}

/// Three species, mud, water and wet sand, and a paddle whose friction varies.
pub fn stirred() -> String {
    format!(
        r#"dimension = 2
{HEAD}[method.mpm]
kernel = "cubic"
transfer.blend = 0.9
domain = {{ min = [-0.6, 0], max = [0.6, 3] }}
species = ["mud", "water", "grains"]
drag.physical = 1e5
[[method.mpm.surfaces]]
collider = "paddle"
species = "water"
friction = "0.1 + 0.05 * sin(20 * t)"
[materials.mud]
preset = "mud"
[materials.water]
preset = "water"
[materials.sand]
preset = "sand-wet"
[[objects]]
material = "mud"
species = "mud"
shape.box.size = [0.5, 0.3]
position = [-0.3, 0.2]
[[objects]]
material = "water"
species = "water"
shape.box.size = [0.5, 0.3]
position = [0.25, 0.2]
colors = [{{ color = [0.2, 0.4, 0.8], share = 3 }}, {{ color = [0.6, 0.8, 1] }}]
[[objects]]
material = "sand"
species = "grains"
shape.box.size = [0.3, 0.2]
position = [0, 0.45]
velocity = [0, -3]
[[colliders]]
name = "paddle"
shape.box.size = [0.1, 0.3]
position = [0, 0.1]
motion.rotating = {{ axis = [0, 0, 1], rate = 6 }}
"#
    )
}

/// A metal block hits clay, in space and in double precision.
pub fn hammered() -> String {
    format!(
        r#"{HEAD}[method.mpm]
precision = "double"
transfer.affine_flip = 0.98
[materials.metal]
preset = "lead"
young = "20 MPa"
[materials.clay]
preset = "clay"
[[objects]]
material = "metal"
shape.box.size = [0.2, 0.2, 0.2]
position = [0, 0.42, 0]
velocity = [0, -4, 0]
[[objects]]
material = "clay"
shape.box.size = [0.4, 0.3, 0.4]
position = [0, 0.15, 0]
[[colliders]]
shape.half_space = {{}}
"#
    )
}

/// A stiff block lands in sand, by implicit steps.
pub fn stiff() -> String {
    format!(
        r#"dimension = 2
{HEAD}[method.mpm]
integrator = "implicit"
[materials.block]
young = "1 GPa"
density = 2000
[materials.sand]
preset = "sand"
[[objects]]
material = "block"
shape.box.size = [0.3, 0.3]
position = [0, 0.5]
velocity = [0, -2]
[[objects]]
material = "sand"
shape.box.size = [0.9, 0.3]
position = [0, 0.15]
[[colliders]]
shape.half_space = {{}}
"#
    )
}

const TANK: &str = r#"pliant = 1
spacing = "5 cm"
method.sph = { surface_tension = 0.5, vorticity = 0.01 }
[time]
duration = 0.1
fps = 50
dt = "4 ms"
[materials.water]
preset = "water"
[materials.jelly]
young = "50 kPa"
poisson = 0.3
density = 800
[[objects]]
name = "water"
shape.box.size = [0.4, 0.2, 0.4]
position = [0, 0.1, 0]
velocity = [0.5, 0, 0]
material = "water"
[[objects]]
name = "jelly"
shape.box.size = [0.15, 0.15, 0.15]
position = [0.1, 0.32, 0]
velocity = [0, -1, 0]
material = "jelly"
[[colliders]]
shape.half_space = {}
friction = 0.3
[[colliders]]
shape.half_space.normal = [-1, 0, 0]
position = [0.2, 0, 0]
"#;

/// A fluid and an elastic body in one pressure solve.
fn jelly_in_water() -> String {
    TANK.to_owned()
}

/// The same with a rigid block that falls, and one on a joint.
fn rigid_in_water() -> String {
    let rigid = r#"[[objects]]
name = "block"
shape.box.size = [0.15, 0.1, 0.15]
position = [-0.1, 0.3, 0]
velocity = [0, -1, 0]
material = "jelly"
rigid = true
copies = { count = [1, 2, 1], step = [0, 0.15, 0] }
[[joints]]
kind = "ball"
objects = ["block"]
position = [-0.15, 0.45, 0]
"#;
    format!("{TANK}{rigid}")
}
