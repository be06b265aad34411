//! The Material Point Method in one plain file, to read: snow in the plane after R. Fumoto and Stomakhin et al. 2013.
//!
//! Nothing here is fast and nothing is shared with the engine, which is tested against it
//! (`crates/mpm/tests/teaching.rs`). The calls are those of Fumoto's class; every step names its equation. Run it with
//! `cargo run --release -p pliant-mpm --example fumoto`: it draws a snowball that hits the floor and leaves Houdini files
//! in `runs/fumoto`.

use nalgebra::{Matrix2, Vector2};
use pliant_export::{ExportError, Exporter, Format, Options};
use pliant_world::{Column, Field, Snapshot};
use serde_json::Value;
use std::fmt::Write;
use std::io;
use std::path::Path;

/// What a simulation is given (`initialise` of the class diagram).
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where particles are at the start [m].
    pub position: Vec<Vector2<f64>>,
    /// Their velocity [m/s].
    pub velocity: Vector2<f64>,
    /// Mass of each [kg].
    pub mass: f64,
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// ξ of Eq. 8.
    pub hardening: f64,
    /// θc of Eq. 14.
    pub compression: f64,
    /// θs of Eq. 14.
    pub stretch: f64,
    /// α of Eq. 16: 0 is PIC, 1 is FLIP.
    pub blending: f64,
    /// Distance between nodes [m].
    pub grid_size: f64,
    /// Nodes along x and y; the outer two rows are solid.
    pub resolution: [usize; 2],
    /// [s]
    pub time_step: f64,
    /// Acceleration of everything [m/s²].
    pub force: Vector2<f64>,
}

/// All that Fig. 1 of the report lists: particles, grid, parameters.
#[derive(Clone, Debug)]
pub struct Mpm {
    /// Where particles are [m].
    pub position: Vec<Vector2<f64>>,
    /// How fast they move [m/s].
    pub velocity: Vec<Vector2<f64>>,
    volume: Vec<f64>,
    /// Elastic part of the deformation, `F_E`.
    pub elastic: Vec<Matrix2<f64>>,
    /// Plastic part, `F_P`.
    pub plastic: Vec<Matrix2<f64>>,
    grid_mass: Vec<f64>,
    grid_velocity_old: Vec<Vector2<f64>>,
    grid_velocity: Vec<Vector2<f64>>,
    is_first: bool,
    settings: Settings,
}

/// Rows of solid nodes around the frame.
const SOLID: usize = 2;

impl Mpm {
    /// Particles at rest shape, with a velocity.
    pub fn initialise(settings: Settings) -> Self {
        let (count, nodes) = (settings.position.len(), settings.resolution[0] * settings.resolution[1]);
        Self {
            position: settings.position.clone(),
            velocity: vec![settings.velocity; count],
            volume: vec![0.0; count],
            elastic: vec![Matrix2::identity(); count],
            plastic: vec![Matrix2::identity(); count],
            grid_mass: vec![0.0; nodes],
            grid_velocity_old: vec![Vector2::zeros(); nodes],
            grid_velocity: vec![Vector2::zeros(); nodes],
            is_first: true,
            settings,
        }
    }

    /// One time step.
    pub fn simulate(&mut self) {
        self.particle_to_grid();
        if self.is_first {
            self.compute_volumes();
            self.is_first = false;
        }
        self.update_grid_velocity();
        self.update_deformation_gradients();
        self.grid_to_particle();
    }

    /// A picture in letters, one for each cell of the grid.
    pub fn render(&self) -> String {
        let [columns, rows] = self.settings.resolution;
        let mut cells = vec![0usize; columns * rows];
        for x in &self.position {
            let cell = x / self.settings.grid_size;
            cells[cell.y as usize * columns + cell.x as usize] += 1;
        }
        let mut picture = String::new();
        for row in (0..rows).rev() {
            let line: String = cells[row * columns..][..columns]
                .iter()
                .map(|count| b" .:oO@"[*count.min(&5)] as char)
                .collect();
            let _ = writeln!(picture, "{}", line.trim_end());
        }
        picture
    }

    /// Writes the particles for Houdini into `folder`.
    pub fn save_frame(&self, frame: u32, folder: &Path) -> Result<(), ExportError> {
        let column = |values: &[Vector2<f64>]| {
            Column::Vector(values.iter().map(|v| [v.x as f32, v.y as f32, 0.0]).collect())
        };
        let field = |name: &str, column| Field { name: name.to_owned(), column };
        let snapshot = Snapshot {
            frame,
            fields: vec![
                field(Snapshot::POSITION, column(&self.position)),
                field("velocity", column(&self.velocity)),
            ],
            ..Snapshot::default()
        };
        Exporter::new(Format::Geo, folder, Options::default())?.write(&snapshot).map(|_| ())
    }

    /// Room for so many particles, to play what was saved.
    pub fn prep(count: usize, grid_size: f64, resolution: [usize; 2]) -> Self {
        let somewhere = Vector2::repeat(grid_size);
        let settings = Settings {
            position: vec![somewhere; count],
            grid_size,
            resolution,
            ..snowball(Vector2::zeros(), 0.0)
        };
        Self::initialise(settings)
    }

    /// Puts the particles where they are in a saved file, for [`Mpm::render`].
    pub fn play(&mut self, file: &Path) -> io::Result<()> {
        let saved: Value = serde_json::from_slice(&std::fs::read(file)?)?;
        let found = positions(&saved).filter(|found| found.len() == self.position.len());
        self.position = found.ok_or_else(|| {
            io::Error::other(format!("{} does not hold {} particles", file.display(), self.position.len()))
        })?;
        Ok(())
    }

    /// The spline between node (i, j) and a point (Eq. 1).
    fn interpolate(&self, node: [usize; 2], x: &Vector2<f64>) -> f64 {
        let h = self.settings.grid_size;
        b_spline(x.x / h - node[0] as f64) * b_spline(x.y / h - node[1] as f64)
    }

    /// Its gradient (Eq. 9, over h: the printed one is in cells).
    fn d_interpolate(&self, node: [usize; 2], x: &Vector2<f64>) -> Vector2<f64> {
        let h = self.settings.grid_size;
        let (dx, dy) = (x.x / h - node[0] as f64, x.y / h - node[1] as f64);
        Vector2::new(d_b_spline(dx) * b_spline(dy), b_spline(dx) * d_b_spline(dy)) / h
    }

    /// The sixteen nodes around a point.
    fn nodes_around(&self, x: &Vector2<f64>) -> impl Iterator<Item = [usize; 2]> + use<> {
        let first = (x / self.settings.grid_size).map(|cells| cells.floor() as usize - 1);
        (0..16).map(move |k| [first.x + k % 4, first.y + k / 4])
    }

    fn index(&self, node: [usize; 2]) -> usize {
        node[1] * self.settings.resolution[0] + node[0]
    }

    fn is_solid(&self, node: [usize; 2]) -> bool {
        (0..2).any(|axis| node[axis] <= SOLID || node[axis] + SOLID + 1 >= self.settings.resolution[axis])
    }

    /// Mass and velocity go to the grid (Eq. 3 and 4).
    fn particle_to_grid(&mut self) {
        self.grid_mass.fill(0.0);
        self.grid_velocity_old.fill(Vector2::zeros());
        for p in 0..self.position.len() {
            for node in self.nodes_around(&self.position[p]) {
                let (i, weight) = (self.index(node), self.interpolate(node, &self.position[p]));
                self.grid_mass[i] += self.settings.mass * weight;
                self.grid_velocity_old[i] += self.velocity[p] * (self.settings.mass * weight);
            }
        }
        for (velocity, mass) in self.grid_velocity_old.iter_mut().zip(&self.grid_mass) {
            if *mass > 0.0 {
                *velocity /= *mass;
            }
        }
    }

    /// Density and volume of the particles, once (Eq. 5 and 6).
    fn compute_volumes(&mut self) {
        let h = self.settings.grid_size;
        for p in 0..self.position.len() {
            let x = self.position[p];
            let density: f64 = self
                .nodes_around(&x)
                .map(|node| self.grid_mass[self.index(node)] * self.interpolate(node, &x) / (h * h))
                .sum();
            self.volume[p] = self.settings.mass / density;
        }
    }

    /// `∂Ψ/∂F_E` of snow (Eq. 8).
    fn stress(&self, p: usize) -> Matrix2<f64> {
        let Settings { young, poisson, hardening, .. } = self.settings;
        let harder = (hardening * (1.0 - self.plastic[p].determinant())).exp();
        let mu = harder * young / (2.0 * (1.0 + poisson));
        let lambda = harder * young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let f = self.elastic[p];
        let (u, _, vt) = decompose(&f);
        let (j, inverse) = (f.determinant(), f.try_inverse().unwrap_or_else(Matrix2::zeros));
        (f - u * vt) * (2.0 * mu) + inverse.transpose() * (lambda * (j - 1.0) * j)
    }

    /// Forces move the nodes (Eq. 7 and 10); solid ones stand still.
    fn update_grid_velocity(&mut self) {
        let Settings { time_step, force, resolution, .. } = self.settings;
        let mut forces = vec![Vector2::zeros(); self.grid_mass.len()];
        for p in 0..self.position.len() {
            let push = self.stress(p) * self.elastic[p].transpose() * self.volume[p];
            for node in self.nodes_around(&self.position[p]) {
                forces[self.index(node)] -= push * self.d_interpolate(node, &self.position[p]);
            }
        }
        for (i, pull) in forces.iter().enumerate() {
            let node = [i % resolution[0], i / resolution[0]];
            self.grid_velocity[i] = if self.grid_mass[i] > 0.0 && !self.is_solid(node) {
                self.grid_velocity_old[i] + (pull / self.grid_mass[i] + force) * time_step
            } else {
                Vector2::zeros()
            };
        }
    }

    /// What is stretched too far becomes plastic (Eq. 12 to 15).
    fn update_deformation_gradients(&mut self) {
        let Settings { time_step, compression, stretch, .. } = self.settings;
        for p in 0..self.position.len() {
            let mut gradient = Matrix2::zeros();
            for node in self.nodes_around(&self.position[p]) {
                let slope = self.d_interpolate(node, &self.position[p]);
                gradient += self.grid_velocity[self.index(node)] * slope.transpose();
            }
            let trial = (Matrix2::identity() + gradient * time_step) * self.elastic[p];
            let (u, sigma, vt) = decompose(&trial);
            let clamped = sigma.map(|s| s.clamp(1.0 - compression, 1.0 + stretch));
            self.elastic[p] = u * Matrix2::from_diagonal(&clamped) * vt;
            let inverse = Matrix2::from_diagonal(&clamped.map(|s| 1.0 / s));
            self.plastic[p] = vt.transpose() * inverse * u.transpose() * trial * self.plastic[p];
        }
    }

    /// Velocities come back, a blend of PIC and FLIP, and move the particles (Eq. 16 and 17).
    fn grid_to_particle(&mut self) {
        let Settings { time_step, blending, grid_size, .. } = self.settings;
        for p in 0..self.position.len() {
            let x = self.position[p];
            let (mut new, mut old) = (Vector2::zeros(), Vector2::zeros());
            for node in self.nodes_around(&x) {
                let (i, weight) = (self.index(node), self.interpolate(node, &x));
                new += self.grid_velocity[i] * weight;
                old += self.grid_velocity_old[i] * weight;
            }
            self.velocity[p] = new + (self.velocity[p] - old) * blending;
            if self.is_solid((x / grid_size).map(|cells| cells.round() as usize).into()) {
                self.velocity[p] = Vector2::zeros();
            }
            self.position[p] += self.velocity[p] * time_step;
        }
    }
}

/// Cubic B-spline (Eq. 2).
fn b_spline(x: f64) -> f64 {
    match x.abs() {
        x if x < 1.0 => 0.5 * x * x * x - x * x + 2.0 / 3.0,
        x if x < 2.0 => -x * x * x / 6.0 + x * x - 2.0 * x + 4.0 / 3.0,
        _ => 0.0,
    }
}

/// Its derivative (Eq. 9).
fn d_b_spline(x: f64) -> f64 {
    match x.abs() {
        size if size < 1.0 => 1.5 * x * size - 2.0 * x,
        size if size < 2.0 => -0.5 * x * size + 2.0 * x - 2.0 * x.signum(),
        _ => 0.0,
    }
}

/// `F = U Σ Vᵀ` (Eq. 13).
fn decompose(f: &Matrix2<f64>) -> (Matrix2<f64>, Vector2<f64>, Matrix2<f64>) {
    let svd = f.svd(true, true);
    let (u, vt) = (svd.u.unwrap_or_else(Matrix2::identity), svd.v_t.unwrap_or_else(Matrix2::identity));
    (u, svd.singular_values, vt)
}

/// The positions in a Houdini file: the first of its point attributes.
fn positions(saved: &Value) -> Option<Vec<Vector2<f64>>> {
    // Objects are lists of keys and values.
    let entry = |object: &Value, key: &str| -> Option<Value> {
        let list = object.as_array()?;
        list.get(list.iter().position(|name| name == key)? + 1).cloned()
    };
    let points = entry(&entry(saved, "attributes")?, "pointattributes")?;
    let tuples = entry(&entry(points.get(0)?.get(1)?, "values")?, "tuples")?;
    let point = |tuple: &Value| Some(Vector2::new(tuple.get(0)?.as_f64()?, tuple.get(1)?.as_f64()?));
    tuples.as_array()?.iter().map(point).collect()
}

/// A disc of snow of this radius [m], four particles in a cell, about a centre.
pub fn disc(centre: Vector2<f64>, radius: f64, grid_size: f64) -> Vec<Vector2<f64>> {
    let (spacing, count) = (0.5 * grid_size, (2.0 * radius / grid_size) as i32);
    let lattice = (-count..count).flat_map(|i| (-count..count).map(move |j| (i, j)));
    lattice
        .map(|(i, j)| Vector2::new(f64::from(i) + 0.5, f64::from(j) + 0.5) * spacing)
        .filter(|x| x.norm() < radius)
        .map(|x| x + centre)
        .collect()
}

/// Snow of Fumoto's Fig. 3 on a grid of 40 cells.
pub fn snowball(velocity: Vector2<f64>, blending: f64) -> Settings {
    let grid_size = 0.025;
    Settings {
        position: disc(Vector2::new(0.5, 0.3), 0.15, grid_size),
        velocity,
        mass: 400.0 * (0.5 * grid_size) * (0.5 * grid_size),
        young: 1.4e5,
        poisson: 0.2,
        hardening: 10.0,
        compression: 0.025,
        stretch: 0.0075,
        blending,
        grid_size,
        resolution: [41, 41],
        time_step: 5e-5,
        force: Vector2::new(0.0, -9.81),
    }
}

/// Frames of a snowball that is thrown to the floor.
#[allow(dead_code, reason = "the test reads this file for what is above")]
fn main() -> Result<(), ExportError> {
    let mut mpm = Mpm::initialise(snowball(Vector2::new(1.0, -4.0), 0.95));
    for frame in 0..20 {
        mpm.save_frame(frame, Path::new("runs/fumoto"))?;
        println!("frame {frame}\n{}", mpm.render());
        for _ in 0..100 {
            mpm.simulate();
        }
    }
    Ok(())
}
