//! A coarse space for stiff and slender bodies: motions that are affine on each of some dozen groups of particles,
//! solved directly, beside plain steps along the residual (an additive two-level preconditioner,
//! `z = s r + P (PᵀAP)⁻¹ Pᵀ r`). Plain conjugate gradients carry a push from one end of a long body to the other in
//! as many iterations as there are particles between them; the coarse space does it in one.
//!
//! Its matrix is that of the relaxed body, each group turned as its particles are in the mean: what does not flow needs it
//! once.

mod assembly;
mod blocks;

use super::contact::Touch;
use super::elasticity::Tangent;
use super::scales::{Moment, Scaling};
use blocks::{Blocks, Factor, Place, Spring};
use pliant_math::cg::Preconditioner;
use pliant_math::{Mat, Vect, parallel, polar};
use pliant_world::World;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// Groups a body is divided into, about. More only cost.
const GROUPS: usize = 64;
/// Particles a group has, at least about: with fewer the coarse system would cost more than it saves.
const SMALLEST_GROUP: usize = 64;

/// How particles are grouped, fixed for the run.
#[derive(Debug)]
pub(super) struct Groups<const D: usize> {
    /// Group of each particle.
    of: Vec<u32>,
    /// `ψ = (1, X − X_group)` of each particle, in units of the group's size; zero for pinned ones.
    functions: Vec<[f64; 4]>,
    /// Particles of each group.
    members: Vec<Vec<u32>>,
}

/// The coarse system.
#[derive(Debug)]
pub(super) struct Coarse<const D: usize> {
    /// `PᵀKP` of the body at rest.
    stiffness: Blocks<D>,
    /// `PᵀMP`.
    inertia: Blocks<D>,
    /// `M + β² K` and contacts.
    factor: Factor<D>,
    /// How each group is turned.
    rotations: Vec<Mat<D>>,
    amplitudes: Vec<f64>,
    /// What the functions of each group are multiplied with.
    motions: Vec<[Vect<D>; 4]>,
}

/// The coarse system at work.
pub(super) struct Correction<'a, const D: usize> {
    pub groups: &'a Groups<D>,
    pub coarse: &'a mut Coarse<D>,
    pub scaling: Scaling<'a>,
}

impl<const D: usize> Groups<D> {
    /// Groups by cells of a grid over each body's rest pose.
    pub fn new(world: &World<D>, pinned: &[bool]) -> Self {
        let x = &world.particles.position;
        let mut groups =
            Self { of: vec![0; x.len()], functions: vec![[0.0; 4]; x.len()], members: Vec::new() };
        for body in &world.bodies {
            let each = (body.particles.len() / GROUPS).max(SMALLEST_GROUP) as f64;
            let edge = each.powf(1.0 / D as f64) * body.spacing;
            for members in cells(x, body.particles.clone(), edge) {
                let centre = mean(x, &members);
                for &i in &members {
                    let i = i as usize;
                    groups.of[i] = groups.members.len() as u32;
                    if !pinned[i] {
                        let local = (x[i] - centre) / edge;
                        groups.functions[i] = std::array::from_fn(|k| match k {
                            0 => 1.0,
                            k if k <= D => local[k - 1],
                            _ => 0.0,
                        });
                    }
                }
                groups.members.push(members);
            }
        }
        groups
    }

    /// Makes the system ready for a solve.
    pub fn factorise(&self, coarse: &mut Coarse<D>, tangents: &[Tangent<D>], now: Moment<'_, D>) {
        let Coarse { stiffness, inertia, factor, rotations, .. } = coarse;
        rotations.par_iter_mut().zip(&self.members).for_each(|(rotation, members)| {
            *rotation = polar::rotation(&members.iter().map(|i| tangents[*i as usize].rotation).sum());
        });
        let mut springs = Vec::new();
        for touch in now.touches.iter().filter(|touch| touch.is_loaded()) {
            self.add_spring(touch, (now.beta_squared, rotations), &mut springs);
        }
        factor.update((inertia, now.beta_squared, stiffness), &springs);
    }

    /// Adds the spring of a contact between the groups it acts on, as they are turned.
    fn add_spring(
        &self,
        touch: &Touch<D>,
        (beta_squared, rotations): (f64, &[Mat<D>]),
        springs: &mut Vec<Spring<D>>,
    ) {
        let mut reach: BTreeMap<u32, [f64; 4]> = BTreeMap::new();
        let supports = touch.support.iter().map(|&(j, share)| (j, -share));
        for (j, share) in supports.chain([(touch.particle, 1.0)]) {
            let functions = reach.entry(self.of[j as usize]).or_default();
            (0..4).for_each(|k| functions[k] += share * self.functions[j as usize][k]);
        }
        let stiffness = touch.stiffness_matrix() * beta_squared;
        for (&row, left) in &reach {
            for (&column, right) in reach.range(..=row) {
                let turned = rotations[row as usize].tr_mul(&stiffness) * rotations[column as usize];
                let functions = [*left, *right];
                springs.push(Spring { at: Place { column, row }, functions, stiffness: turned });
            }
        }
    }
}

impl<const D: usize> Coarse<D> {
    /// Whether the system was positive definite in floating point.
    pub fn is_ready(&self) -> bool {
        self.factor.is_ready()
    }
}

impl<const D: usize> Preconditioner<D> for Correction<'_, D> {
    fn apply(&mut self, residual: &[Vect<D>], out: &mut [Vect<D>]) -> f64 {
        let groups = self.groups;
        let Coarse { factor, rotations, amplitudes, motions, .. } = &mut *self.coarse;
        let sums = amplitudes.par_chunks_exact_mut(Blocks::<D>::SIDE).zip(&groups.members).zip(&*rotations);
        sums.for_each(|((amplitudes, members), rotation)| {
            let mut sums = [Vect::<D>::zeros(); 4];
            for &i in members {
                let functions = &groups.functions[i as usize];
                sums.iter_mut().zip(functions).for_each(|(sum, f)| *sum += residual[i as usize] * *f);
            }
            for (amplitude, sum) in amplitudes.chunks_exact_mut(D).zip(&sums) {
                amplitude.copy_from_slice(rotation.tr_mul(sum).as_slice());
            }
        });
        factor.solve(amplitudes);
        let amplitudes = amplitudes.chunks_exact(Blocks::<D>::SIDE);
        for ((motions, amplitudes), rotation) in motions.iter_mut().zip(amplitudes).zip(rotations) {
            for (motion, amplitude) in motions.iter_mut().zip(amplitudes.chunks_exact(D)) {
                *motion = *rotation * Vect::from_column_slice(amplitude);
            }
        }
        let (motions, scale) = (&*motions, self.scaling.0);
        parallel::update_and_sum(out, 0.0, |i, z| {
            let (functions, motions) = (&groups.functions[i], &motions[groups.of[i] as usize]);
            *z = residual[i] * scale[i];
            motions.iter().zip(functions).for_each(|(motion, f)| *z += motion * *f);
            residual[i].dot(z)
        })
    }
}

/// Particles of a body by cells of about that edge. Cells with few of them stay groups: tips of thin parts that join
/// another group cannot move by themselves, which cost 1.6 times the iterations on the armadillo.
fn cells<const D: usize>(x: &[Vect<D>], body: Range<usize>, edge: f64) -> Vec<Vec<u32>> {
    let Some(&first) = x[body.clone()].first() else {
        return Vec::new();
    };
    let (low, high) = x[body.clone()].iter().fold((first, first), |(low, high), x| (low.inf(x), high.sup(x)));
    let counts = (high - low).map(|extent| (extent / edge).round().max(1.0));
    let mut cells: BTreeMap<[u32; 3], Vec<u32>> = BTreeMap::new();
    for i in body {
        let cell = std::array::from_fn(|axis| {
            if axis >= D || high[axis] <= low[axis] {
                return 0;
            }
            let share = (x[i][axis] - low[axis]) / (high[axis] - low[axis]);
            (share * counts[axis]).min(counts[axis] - 1.0) as u32
        });
        cells.entry(cell).or_default().push(i as u32);
    }
    cells.into_values().collect()
}

fn mean<const D: usize>(x: &[Vect<D>], members: &[u32]) -> Vect<D> {
    members.iter().map(|&i| x[i as usize]).sum::<Vect<D>>() / members.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zhou2013::tests::{cube, elastic, exact_product, gradient, solver};

    #[test]
    fn the_coarse_matrix_is_the_system_seen_by_affine_motions_of_groups() {
        let mut world = cube::<3>(8, 0.2, elastic());
        let turn = Mat::from(nalgebra::Rotation3::from_euler_angles(0.3, -0.8, 1.1));
        let mut solver = solver(&world);
        solver.pinned[5] = true;
        let groups = Groups::new(&world, &solver.pinned);
        assert!(groups.members.len() >= 8, "{} groups", groups.members.len());
        for x in &mut world.particles.position {
            x.x *= 1.5;
            *x = turn * *x;
        }
        let (_, tangents) = gradient(&solver, &world.particles.position);
        let (mass, beta_squared) = (&world.particles.mass, 1e-6);
        let mut coarse = groups.assemble(&solver.elasticity(), &tangents, mass);
        groups.factorise(&mut coarse, &tangents, Moment { touches: &[], mass, beta_squared });
        assert!(coarse.is_ready());
        assert!(coarse.rotations.iter().all(|rotation| (rotation - turn).norm() < 1e-12));
        let side = Blocks::<3>::SIDE;
        let amplitude = |n: usize| ((n * 37 % 101) as f64 / 50.0 - 1.0) * 1e-2;
        let u: Vec<Vect<3>> = (0..groups.of.len())
            .map(|i| {
                let start = groups.of[i] as usize * side;
                let motion = Vect::from_fn(|d, _| {
                    (0..4).map(|k| groups.functions[i][k] * amplitude(start + 3 * k + d)).sum()
                });
                turn * motion
            })
            .collect();
        let product = exact_product(&solver, &tangents, &u);
        let squares = |blocks: &Blocks<3>| {
            let mut sum = 0.0;
            for (Place { column, row }, block) in blocks.iter() {
                let twice = if row == column { 1.0 } else { 2.0 };
                for (n, value) in block.as_flattened().iter().enumerate() {
                    let (r, c) = (row as usize * side + n / side, column as usize * side + n % side);
                    sum += twice * amplitude(r) * value * amplitude(c);
                }
            }
            sum
        };
        let agree = |fine: f64, coarse: f64| {
            assert!((fine - coarse).abs() < 1e-9 * fine, "{fine} {coarse}");
        };
        agree((0..u.len()).map(|i| u[i].dot(&product[i])).sum(), squares(&coarse.stiffness));
        agree((0..u.len()).map(|i| u[i].norm_squared() * mass[i]).sum(), squares(&coarse.inertia));
    }
}
