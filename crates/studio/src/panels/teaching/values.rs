//! The numbers of a stage for one particle and its nearest node, worked out plainly from the formulas, and beside them
//! those of the method itself.

use nalgebra::{Matrix3, Vector3};
use pliant_scene::Scene;
use pliant_world::{Column, Snapshot};

use crate::viewport::grid::{grid_of, spline};

/// One particle of a state.
pub(super) struct Particle<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) particle: usize,
}

impl Particle<'_> {
    fn scalar(&self, name: &str) -> f64 {
        self.snapshot
            .scalars(name)
            .and_then(|values| values.get(self.particle))
            .map_or(f64::NAN, |x| f64::from(*x))
    }

    fn vector(&self, name: &str) -> Vector3<f64> {
        let value = self.snapshot.vectors(name).and_then(|values| values.get(self.particle));
        value.map_or_else(Vector3::zeros, |v| Vector3::from(*v).cast())
    }

    fn moved_from(&self, other: &Self) -> Vector3<f64> {
        self.vector(Snapshot::POSITION) - other.vector(Snapshot::POSITION)
    }

    fn tensor(&self, name: &str) -> Matrix3<f64> {
        match self.snapshot.column(name) {
            Some(Column::Tensor(values)) => values
                .get(self.particle)
                .map_or_else(Matrix3::identity, |t| Matrix3::from_row_slice(t).cast::<f64>()),
            _ => Matrix3::identity(),
        }
    }
}

fn show(vector: &Vector3<f64>) -> String {
    format!("({:.4}, {:.4}, {:.4})", vector.x, vector.y, vector.z)
}

fn show_matrix(matrix: &Matrix3<f64>) -> String {
    let row = |i: usize| format!("[{:.4} {:.4} {:.4}]", matrix[(i, 0)], matrix[(i, 1)], matrix[(i, 2)]);
    format!("{} {} {}", row(0), row(1), row(2))
}

fn named(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

/// A node and what the particles around it give it.
struct Node {
    place: Vector3<f64>,
    weight: f64,
    mass: f64,
    momentum: Vector3<f64>,
    force: Vector3<f64>,
}

/// The node nearest to a particle, from the formulas of stages 1 to 5.
fn nearest_node(scene: &Scene, view: &Particle<'_>) -> Node {
    let (spacing, kernel) = grid_of(scene);
    let (h, dimension) = (f64::from(spacing), scene.dimension);
    let mut place = view.vector(Snapshot::POSITION).map(|x| (x / h).round() * h);
    if dimension == 2 {
        place.z = 0.0;
    }
    let weight = |position: &Vector3<f64>| {
        let part = |axis: usize| {
            let (weight, slope) = spline(kernel, ((place[axis] - position[axis]) / h) as f32);
            (f64::from(weight), f64::from(slope))
        };
        let parts: Vec<(f64, f64)> = (0..dimension).map(part).collect();
        let whole: f64 = parts.iter().map(|(w, _)| w).product();
        let mut slope = Vector3::zeros();
        for axis in 0..dimension {
            let others: f64 = (0..dimension).filter(|a| *a != axis).map(|a| parts[a].0).product();
            // Slope along the particle's place: it moves against the argument of the spline.
            slope[axis] = -parts[axis].1 * others / h;
        }
        (whole, slope)
    };
    let mut node =
        Node { place, weight: 0.0, mass: 0.0, momentum: Vector3::zeros(), force: Vector3::zeros() };
    for particle in 0..view.snapshot.positions().len() {
        let other = Particle { snapshot: view.snapshot, particle };
        let (w, slope) = weight(&other.vector(Snapshot::POSITION));
        if w <= 0.0 {
            continue;
        }
        let mass = other.scalar("mass");
        let ratio = other.scalar("J");
        let volume = mass / other.scalar("density") * if ratio.is_finite() { ratio } else { 1.0 };
        node.mass += w * mass;
        node.momentum += other.vector(Snapshot::VELOCITY) * (w * mass);
        node.force -= other.tensor("stress") * slope * volume;
        if particle == view.particle {
            node.weight = w;
        }
    }
    node
}

/// What a stage of the Material Point Method is worked out from.
pub(super) struct Moment<'a> {
    pub(super) scene: &'a Scene,
    pub(super) stage: usize,
    /// Before the step.
    pub(super) view: Particle<'a>,
    /// After it, once it is taken.
    pub(super) later: Option<Particle<'a>>,
    /// The nodes of the method itself where the stage ends.
    pub(super) nodes: Option<&'a Snapshot>,
    pub(super) dt: f64,
}

/// Mass and velocity of a node in the method itself.
fn solver_node(nodes: Option<&Snapshot>, place: &Vector3<f64>) -> Option<(f64, Vector3<f64>)> {
    let nodes = nodes?;
    let off = |position: &[f32; 3]| (Vector3::from(*position).cast::<f64>() - place).norm();
    let node = nodes.positions().iter().position(|position| off(position) < 1e-4 * (1.0 + place.norm()))?;
    let view = Particle { snapshot: nodes, particle: node };
    Some((view.scalar("mass"), view.vector(Snapshot::VELOCITY)))
}

/// Numbers of a stage of the Material Point Method.
pub(super) fn mpm_values(moment: &Moment<'_>) -> Vec<(String, String)> {
    if moment.stage < 7 { node_values(moment) } else { particle_values(moment) }
}

/// Stages 1 to 7: a node, worked out by hand and as the method has it.
fn node_values(moment: &Moment<'_>) -> Vec<(String, String)> {
    let Moment { scene, stage, view, nodes, .. } = moment;
    let node = nearest_node(scene, view);
    let gravity = gravity_at(scene, &node.place, view.snapshot.time);
    let solved = |name: &str, value: &dyn Fn((f64, Vector3<f64>)) -> String| {
        let known = solver_node(*nodes, &node.place);
        named(name, known.map_or_else(|| "not on the grid".to_owned(), value))
    };
    match stage {
        0 => vec![
            named("x_p", show(&view.vector(Snapshot::POSITION))),
            named("nearest node x_i", show(&node.place)),
            named("w_ip", format!("{:.5}", node.weight)),
        ],
        1 => vec![
            named("m_p", format!("{:.4e} kg", view.scalar("mass"))),
            named("m_i", format!("{:.4e} kg", node.mass)),
            solved("m_i in the method", &|(mass, _)| format!("{mass:.4e} kg")),
        ],
        2 => vec![
            named("v_p", show(&view.vector(Snapshot::VELOCITY))),
            named("(m v)_i without C", show(&node.momentum)),
        ],
        3 => vec![named("v_i", show(&(node.momentum / node.mass.max(1e-300))))],
        4 => vec![
            named("sigma_p", show_matrix(&view.tensor("stress"))),
            named("f_i", format!("{} N", show(&node.force))),
            solved("v_i with forces, in the method", &|(_, velocity)| show(&velocity)),
        ],
        5 => vec![
            named("f_i / m_i", show(&(node.force / node.mass.max(1e-300)))),
            named("g", show(&gravity)),
            solved("v_i* after obstacles, in the method", &|(_, velocity)| show(&velocity)),
        ],
        _ => {
            let pose = |collider: &pliant_world::Collider| collider.world_from_initial(view.snapshot.time);
            let distances = scene.colliders.iter().map(|wall| wall.distance(&pose(wall), &node.place));
            let nearest = distances.fold(f64::INFINITY, f64::min);
            vec![
                named("distance of the node to obstacles", format!("{nearest:.4} m")),
                solved("v_i* after obstacles, in the method", &|(_, velocity)| show(&velocity)),
            ]
        }
    }
}

/// Stages 8 to 10: the particle before the step and after it.
fn particle_values(moment: &Moment<'_>) -> Vec<(String, String)> {
    let Moment { stage, view, later, dt, .. } = moment;
    let after = |name: &str, value: &dyn Fn(&Particle<'_>) -> String| match later {
        Some(later) => named(name, value(later)),
        None => named(name, "the step is being taken"),
    };
    match stage {
        7 => vec![
            named("dt", format!("{dt:.4e} s")),
            named("F_p before", show_matrix(&view.tensor("F"))),
            after("F_p after, with flow", &|later| show_matrix(&later.tensor("F"))),
        ],
        8 => vec![
            named("plastic strain before", format!("{:.5}", view.scalar("plastic_strain"))),
            after("plastic strain after", &|later| format!("{:.5}", later.scalar("plastic_strain"))),
            after("J_P after", &|later| format!("{:.5}", later.scalar("Jp"))),
        ],
        _ => vec![
            after("v_p", &|later| show(&later.vector(Snapshot::VELOCITY))),
            after("x_p", &|later| show(&later.vector(Snapshot::POSITION))),
        ],
    }
}

fn gravity_at(scene: &Scene, place: &Vector3<f64>, time: f64) -> Vector3<f64> {
    scene.gravity.field.at(place, time)
}

/// Numbers of a stage of another method: those of the state where it ends.
pub(super) fn solid_values(before: &Particle<'_>, now: &Particle<'_>) -> Vec<(String, String)> {
    let mut values = vec![
        named("x", show(&now.vector(Snapshot::POSITION))),
        named("moved since the step began", show(&now.moved_from(before))),
        named("v", show(&now.vector(Snapshot::VELOCITY))),
    ];
    for (name, column) in [("R", "rotation"), ("F", "F")] {
        if now.snapshot.column(column).is_some() {
            values.push(named(name, show_matrix(&now.tensor(column))));
        }
    }
    if now.snapshot.column("right_side").is_some() {
        values.push(named("right-hand side b", show(&now.vector("right_side"))));
    }
    for (name, column) in [("relative density", "relative_density"), ("plastic strain", "plastic_strain")] {
        if now.snapshot.column(column).is_some() {
            values.push(named(name, format!("{:.5}", now.scalar(column))));
        }
    }
    values
}
