//! How a step works: the stages of the method one after the other, with formula and numbers of the chosen particle.
//!
//! Numbers before the step come from the state it starts from, numbers after it from the state the method really
//! reached. What lies between is worked out here from the formulas, plainly, for the one particle and its nearest node.

use std::sync::Arc;

use eframe::egui::{RichText, Ui};
use nalgebra::{Matrix3, Vector3};
use pliant_scene::{Method, Scene};
use pliant_world::{Column, Snapshot};

use crate::app::Studio;
use crate::history::find;
use crate::viewport::grid::{grid_of, spline};
use crate::worker::{Command, Phase, Shown};

/// A stage of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What happens.
    pub title: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// Whether its numbers are known only when the step is done.
    pub is_after: bool,
}

const fn before(title: &'static str, formula: &'static str) -> Stage {
    Stage { title, formula, is_after: false }
}

const fn after(title: &'static str, formula: &'static str) -> Stage {
    Stage { title, formula, is_after: true }
}

/// The ten stages of the Material Point Method.
pub const MPM: [Stage; 10] = [
    before("1. Weights", "w_ip = N((x_i - x_p) / h), products of splines"),
    before("2. Mass to the grid", "m_i = sum_p w_ip m_p"),
    before("3. Momentum to the grid", "(m v)_i = sum_p w_ip m_p (v_p + C_p (x_i - x_p))"),
    before("4. Velocity of nodes", "v_i = (m v)_i / m_i"),
    before("5. Force on nodes", "f_i = - sum_p V_p sigma_p grad w_ip"),
    after("6. Update of the grid", "v_i* = v_i + dt (f_i / m_i + g)"),
    after("7. Obstacles", "v_i* loses what points into an obstacle, and friction"),
    after("8. Deformation", "F_p = (1 + dt sum_i v_i* (grad w_ip)^T) F_p"),
    after("9. Plastic flow", "F_p is put back onto the yield surface"),
    after("10. Grid to particles", "v_p = sum_i w_ip v_i*, x_p = x_p + dt v_p"),
];

/// The six steps of Zhou 2013, section 4.
pub const ZHOU: [Stage; 6] = [
    before("1. Predict", "Q' = Q + dt V, with the last forces (Eq. 17)"),
    before("2. Rotations", "F = R S around each particle, by singular values (Eq. 5)"),
    before("3. System", "A = M + dt^2 K(R), b = M Q' + forces (Eq. 9, 19, 24, 25)"),
    after("4. Solve", "A Q = b, by conjugate gradients (Eq. 23)"),
    after("5. Velocity", "V = (Q - Q_old) / dt"),
    after("6. Plastic flow", "F is split into elastic and plastic parts (Eq. 12-15)"),
];

/// Algorithm 1 of Kugelstadt 2021, in six parts.
pub const SPH: [Stage; 6] = [
    before("1. Neighbours", "all particles within the support of the kernel"),
    before("2. Other forces", "v = v + dt (g + friction + viscosity)"),
    before("3. Rotations", "F = R S around each particle, in its rest state"),
    after("4. Stretching", "(M + dt^2 G^T G) v = b, factorised once (Eq. 29)"),
    after("5. Volume", "the part of tr(epsilon), by conjugate gradients (Eq. 30)"),
    after("6. Pressure", "rho = rho_0, by DFSPH; x = x + dt v"),
];

/// Stages of the explicit points of Gerszewski et al. 2009.
pub const GBB: [Stage; 4] = [
    before("1. Neighbours", "the nearest particles in the present state"),
    before("2. Deformation", "F = (sum w u x^T)(sum w x x^T)^-1 F"),
    before("3. Forces", "f = - V sigma, spread over the neighbours"),
    after("4. Step", "v = v + dt f / m, x = x + dt v"),
];

/// The stages of a scene's method.
pub fn stages(scene: &Scene) -> &'static [Stage] {
    match scene.method {
        Method::Mpm(_) => &MPM,
        Method::Sph(_) => &SPH,
        Method::Gbb2009(_) => &GBB,
        _ => &ZHOU,
    }
}

/// Where the step-through stands.
#[derive(Clone, Default)]
pub struct Teaching {
    /// Number of the stage.
    pub stage: usize,
    before: Option<Arc<Snapshot>>,
    after: Option<Arc<Snapshot>>,
    dt: f64,
}

impl Teaching {
    /// Takes up a new state.
    pub fn observe(&mut self, shown: &Shown) {
        if let Some(before) = &self.before
            && shown.snapshot.step == before.step + 1
            && self.after.is_none()
        {
            self.after = Some(Arc::clone(&shown.snapshot));
            self.dt = shown.snapshot.time - before.time;
        }
    }
}

impl Studio {
    /// Goes to the next stage; the step itself is taken where its first outcome is needed.
    pub fn next_stage(&mut self) {
        let Some(scene) = self.shown.scene.clone() else { return };
        if self.worker.phase() == Phase::Playing {
            self.worker.send(Command::Pause);
        }
        let all = stages(&scene);
        let is_new = self.teaching.before.is_none() || self.teaching.stage + 1 >= all.len();
        if is_new {
            let before = Some(Arc::clone(&self.shown.snapshot));
            self.teaching = Teaching { before, ..Teaching::default() };
            return;
        }
        self.teaching.stage += 1;
        let entered = all[self.teaching.stage].is_after && !all[self.teaching.stage - 1].is_after;
        if entered {
            self.worker.send(Command::Step);
        }
    }

    pub(super) fn teaching_panel(&mut self, ui: &mut Ui) {
        let Some(scene) = self.shown.scene.clone() else {
            ui.weak("Open a scene first.");
            return;
        };
        ui.horizontal(|ui| {
            if ui.button("Next stage").clicked() {
                self.next_stage();
            }
            if ui.button("Leave step").clicked() {
                self.teaching = Teaching::default();
            }
        });
        if self.history.probe().is_none() {
            ui.weak("Click a particle to follow it; until then the first one is followed.");
        }
        let all = stages(&scene);
        let stage = self.teaching.stage.min(all.len() - 1);
        for (number, known) in all.iter().enumerate() {
            let is_here = number == stage && self.teaching.before.is_some();
            let title = RichText::new(known.title);
            ui.label(if is_here { title.strong().size(16.0) } else { title.weak() });
            if is_here {
                ui.monospace(known.formula);
                ui.indent("values", |ui| {
                    for (name, value) in self.stage_values(&scene, stage) {
                        ui.label(format!("{name} = {value}"));
                    }
                });
            }
        }
        ui.separator();
        ui.weak("Time by stage of the last steps:");
        for (name, seconds) in &self.shown.effort.stages {
            ui.weak(format!("{name}: {:.3} ms", 1e3 * seconds / f64::from(self.shown.effort.steps.max(1))));
        }
    }

    /// The numbers of a stage for the chosen particle.
    pub fn stage_values(&self, scene: &Scene, stage: usize) -> Vec<(String, String)> {
        let Some(before) = &self.teaching.before else { return Vec::new() };
        let id = self.history.probe().map_or(0, |probe| probe.id);
        let Some(particle) = find(before, id) else { return Vec::new() };
        let view = Particle { snapshot: before, particle };
        let later = self
            .teaching
            .after
            .as_ref()
            .and_then(|after| Some(Particle { snapshot: after, particle: find(after, id)? }));
        match scene.method {
            Method::Mpm(_) => mpm_values(scene, stage, &view, later.as_ref(), self.teaching.dt),
            _ => solid_values(stages(scene)[stage], &view, later.as_ref(), self.teaching.dt),
        }
    }
}

struct Particle<'a> {
    snapshot: &'a Snapshot,
    particle: usize,
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

fn mpm_values(
    scene: &Scene,
    stage: usize,
    view: &Particle<'_>,
    later: Option<&Particle<'_>>,
    dt: f64,
) -> Vec<(String, String)> {
    let node = nearest_node(scene, view);
    let velocity = node.momentum / node.mass.max(1e-300);
    let gravity = gravity_at(scene, &node.place, view.snapshot.time);
    let after = |name: &str, value: &dyn Fn(&Particle<'_>) -> String| match later {
        Some(later) => named(name, value(later)),
        None => named(name, "the step is being taken"),
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
        ],
        2 => vec![
            named("v_p", show(&view.vector(Snapshot::VELOCITY))),
            named("(m v)_i without C", show(&node.momentum)),
        ],
        3 => vec![named("v_i", show(&velocity))],
        4 => vec![
            named("sigma_p", show_matrix(&view.tensor("stress"))),
            named("f_i", format!("{} N", show(&node.force))),
        ],
        5 => vec![
            named("dt", format!("{dt:.4e} s")),
            named("g", show(&gravity)),
            named("v_i*", show(&(velocity + (node.force / node.mass.max(1e-300) + gravity) * dt))),
        ],
        6 => {
            let point = node.place;
            let distance = scene
                .colliders
                .iter()
                .map(|collider| collider.distance(&collider.world_from_initial(view.snapshot.time), &point));
            let nearest = distance.fold(f64::INFINITY, f64::min);
            vec![named("distance of the node to obstacles", format!("{nearest:.4} m"))]
        }
        7 => vec![
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

fn solid_values(
    stage: Stage,
    view: &Particle<'_>,
    later: Option<&Particle<'_>>,
    dt: f64,
) -> Vec<(String, String)> {
    if !stage.is_after {
        let gradient = view.tensor("F");
        let rotation = pliant_math::principal(&gradient).rotation();
        return vec![
            named("x", show(&view.vector(Snapshot::POSITION))),
            named("v", show(&view.vector(Snapshot::VELOCITY))),
            named("F", show_matrix(&gradient)),
            named("R", show_matrix(&rotation)),
        ];
    }
    let Some(later) = later else { return vec![named("state", "the step is being taken")] };
    let moved = later.vector(Snapshot::POSITION) - view.vector(Snapshot::POSITION);
    vec![
        named("dt", format!("{dt:.4e} s")),
        named("x", show(&later.vector(Snapshot::POSITION))),
        named("(x - x_old) / dt", show(&(moved / dt.max(1e-300)))),
        named("v", show(&later.vector(Snapshot::VELOCITY))),
        named("plastic strain", format!("{:.5}", later.scalar("plastic_strain"))),
    ]
}
