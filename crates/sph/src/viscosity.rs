//! Viscosity of fluids (Weiler 2018): explicit where it is mild, implicit up to honey.

use crate::arrows::Sums;
use crate::fluid::{Fluids, square};
use crate::near::{Near, Weights};
use crate::pressure::{Crowd, sum};
use crate::registers::{self, Each};
use crate::solid::{Lane, Operator, Stop, Workspace, dot};
use pliant_math::parallel;
use wide::f32x4;

/// Share of what viscosity changes in a step that its solve may leave.
const CHANGE_LEFT: f64 = 0.01;
/// Viscosity in a step over the square of a spacing up to which forces may be explicit. In dense fluid a particle then loses
/// a third of its velocity against its neighbours: `Σ_j V_j w r²` is 20 over the square of a spacing, and a third of it acts along
/// each axis.
const MILD: f64 = 0.05;
/// Smallest change of velocities that single precision resolves, over their size.
const SINGLE: f64 = 1e-7;

impl Fluids {
    /// The implicit viscosity `m v_i − Δt μ V_i Σ_j V_j w (v_ji·x_ji) x_ji = m v⁰_i`, solved by conjugate gradients from the
    /// velocity there is; returns the iterations. Weights `w`: [`crate::kernel::Kernel::drag_of_many`].
    pub fn diffuse(&self, crowd: &mut Crowd, near: &Near, (tolerance, most): (f64, usize)) -> usize {
        if !self.viscosity.iter().any(|&mu| mu > 0.0) {
            return 0;
        }
        if self.is_mild(crowd) {
            self.diffuse_explicitly(crowd, near);
            return 1;
        }
        let ties =
            Weights::new(near, |i, j, drag| self.dt * crowd.volume[i] * self.mean_viscosity(i, j) * drag);
        let mut x = crowd.velocity.clone();
        let mut system = Viscous { fluids: self, crowd, near, ties };
        let mut residual = vec![[0.0; 4]; x.len()];
        system.apply(&x, &mut residual);
        let mut load = vec![[0.0; 4]; x.len()];
        parallel::fill(&mut load, |i| system.load(&x, i));
        parallel::update(&mut residual, |i, r| (0..3).for_each(|axis| r[axis] = load[i][axis] - r[axis]));
        let (whole, missing) = (dot(&load, &load).sqrt(), dot(&residual, &residual).sqrt());
        // Of what viscosity changes, not of the velocity there is: in small steps that is much more.
        let goal = (tolerance * whole).min(CHANGE_LEFT * missing).max(SINGLE * whole);
        let stop = Stop { residual: goal, max_iterations: most };
        let mut diagonal = Diagonal::of(&system);
        let solved = Workspace::default().solve(&mut system, &mut diagonal, &mut residual, &mut x, stop);
        crowd.velocity = x;
        // What is left after the last iteration is small and carried into the next step.
        solved.unwrap_or_else(|excess| excess.iterations)
    }

    /// Whether a step changes velocities by a small part of their differences only, so that the forces of its start are
    /// as good as those of its end.
    fn is_mild(&self, crowd: &Crowd) -> bool {
        let rate = |i: usize| {
            let spacing = crowd.spacing[i];
            let kinematic = self.viscosity[i].max(0.0) * crowd.volume[i] * crowd.inverse_mass[i];
            f64::from(self.dt * kinematic / (spacing * spacing))
        };
        parallel::max(crowd.volume.len(), rate).is_some_and(|(_, rate)| rate < MILD)
    }

    /// The same with the forces of the velocities there are.
    fn diffuse_explicitly(&self, crowd: &mut Crowd, near: &Near) {
        parallel::update(&mut crowd.velocity, |i, v| v[3] = self.viscosity[i]);
        let mut velocity = vec![[0.0; 4]; crowd.velocity.len()];
        registers::fill(&mut velocity, &Dragged { fluids: self, crowd, near });
        crowd.velocity = velocity;
    }

    /// Viscosity between two particles [Pa s]; none beside solids.
    #[inline(always)]
    fn mean_viscosity(&self, i: usize, j: usize) -> f32 {
        if self.is_fluid(i) && self.is_fluid(j) { 0.5 * (self.viscosity[i] + self.viscosity[j]) } else { 0.0 }
    }

    /// The same towards a wall to which fluids stick.
    fn wall_tie(&self, crowd: &Crowd, i: usize) -> f32 {
        self.dt * self.viscosity[i].max(0.0) * crowd.volume[i] * crowd.walls[i].grip
    }
}

/// Velocities after the forces of those before [m/s], whose fourth numbers are viscosities.
struct Dragged<'a> {
    fluids: &'a Fluids,
    crowd: &'a Crowd,
    near: &'a Near,
}

impl Each for Dragged<'_> {
    type Found = Lane;

    #[inline(always)]
    fn of<P: Sums>(&self, sums: P, i: usize) -> Lane {
        let Self { fluids, crowd, near } = self;
        let (here, wall) = (&crowd.velocity[i], &crowd.walls[i]);
        let [x, y, z, _] = *here;
        let before = f32x4::from([x, y, z, 0.0]);
        if !fluids.is_fluid(i) || crowd.inverse_mass[i] <= 0.0 {
            return before.to_array();
        }
        let [x, y, z] = wall.pace;
        let mut pull = (f32x4::from([x, y, z, 0.0]) - before) * f32x4::splat(fluids.wall_tie(crowd, i));
        pull += sums.drag(&near.row(i), near.drags(i), (&crowd.velocity, here))
            * f32x4::splat(fluids.dt * crowd.volume[i]);
        (before + pull * f32x4::splat(crowd.inverse_mass[i])).to_array()
    }
}

/// `m v_i − Δt μ V_i Σ_j V_j w (v_ji·x_ji) x_ji`.
struct Viscous<'a> {
    fluids: &'a Fluids,
    crowd: &'a Crowd,
    near: &'a Near,
    /// How strongly viscosity ties two particles along the line between them, over the square of the gradient in units [kg].
    ties: Weights,
}

impl Viscous<'_> {
    /// Mass and the tie to a wall [kg].
    fn kept(&self, i: usize) -> f32 {
        let inverse = self.crowd.inverse_mass[i];
        if inverse > 0.0 { 1.0 / inverse + self.fluids.wall_tie(self.crowd, i) } else { 0.0 }
    }

    /// What the product has to be, given the velocities before [kg m/s].
    fn load(&self, before: &[Lane], i: usize) -> Lane {
        let (wall, tie) = (&self.crowd.walls[i], self.fluids.wall_tie(self.crowd, i));
        let mass = (self.kept(i) - tie).max(0.0);
        let of = |axis: usize| mass * before[i][axis] + tie * wall.pace[axis];
        [of(0), of(1), of(2), 0.0]
    }
}

impl Operator for Viscous<'_> {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) -> f64 {
        let Self { fluids, crowd, near, ties } = self;
        parallel::fill(out, |i| {
            if crowd.inverse_mass[i] <= 0.0 {
                return [0.0; 4];
            }
            let kept = 1.0 / crowd.inverse_mass[i] + fluids.wall_tie(crowd, i);
            let here = f32x4::from(x[i]);
            if !fluids.is_fluid(i) {
                return (here * f32x4::splat(kept)).to_array();
            }
            let drag = near.row(i).weighted_sum(ties.row(near, i), |j, gradient, tie| {
                gradient * f32x4::splat(tie * sum((here - f32x4::from(x[j])) * gradient))
            });
            (here * f32x4::splat(kept) + drag).to_array()
        });
        dot(x, out)
    }
}

/// One over the diagonal, the mean of the three axes.
struct Diagonal(Vec<f32>);

impl Diagonal {
    fn of(system: &Viscous<'_>) -> Self {
        let Viscous { near, ties, .. } = system;
        let mut inverse = vec![0.0; system.crowd.volume.len()];
        parallel::fill(&mut inverse, |i| {
            let gradients = near.row(i).iter().map(|(_, gradient)| square(&gradient));
            let terms = gradients.zip(ties.row(near, i)).map(|(square, tie)| square * tie);
            1.0 / (system.kept(i) + terms.sum::<f32>() / 3.0).max(f32::MIN_POSITIVE)
        });
        Self(inverse)
    }
}

impl Operator for Diagonal {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) -> f64 {
        parallel::fill(out, |i| x[i].map(|value| value * self.0[i]));
        dot(x, out)
    }
}
