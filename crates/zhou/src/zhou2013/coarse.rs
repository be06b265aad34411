//! A coarse space for stiff and slender bodies: motions that are affine on each of some dozen groups of particles,
//! solved directly, beside plain steps along the residual (an additive two-level preconditioner,
//! `z = s r + P (PᵀAP)⁻¹ Pᵀ r`). Plain conjugate gradients carry a push from one end of a long body to the other in
//! as many iterations as there are particles between them; the coarse space does it in one.

use super::contact::Touch;
use super::elasticity::{Elasticity, Tangent};
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMat, Triplet};
use faer::{MatMut, Side};
use pliant_math::cg::Preconditioner;
use pliant_math::{Mat, Vect, parallel};
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
    bodies: Vec<Range<usize>>,
}

/// A factorised coarse system of one step.
#[derive(Debug)]
pub(super) struct Coarse {
    factor: Llt<usize, f64>,
    /// Step along the residual of each particle, `s`.
    scale: Vec<f64>,
    amplitudes: Vec<f64>,
}

/// The coarse system at work.
pub(super) struct Correction<'a, const D: usize> {
    pub groups: &'a Groups<D>,
    pub coarse: &'a mut Coarse,
}

/// What the system is made of.
pub(super) struct Parts<'a, const D: usize> {
    pub elasticity: Elasticity<'a, D>,
    pub tangents: &'a [Tangent<D>],
    pub touches: &'a [Touch<D>],
    pub mass: &'a [f64],
    /// β² [s²].
    pub beta_squared: f64,
}

impl<const D: usize> Groups<D> {
    /// Groups by cells of a grid over each body's rest pose.
    pub fn new(world: &World<D>, pinned: &[bool]) -> Self {
        let x = &world.particles.position;
        let mut groups = Self {
            of: vec![0; x.len()],
            functions: vec![[0.0; 4]; x.len()],
            members: Vec::new(),
            bodies: world.bodies.iter().map(|body| body.particles.clone()).collect(),
        };
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

    /// The coarse system, factorised; none if it is not positive definite in floating point.
    pub fn factorise(&self, parts: &Parts<'_, D>) -> Option<Coarse> {
        let factor = self.assemble(parts).factorise(self.members.len())?;
        let scale = self.scales(parts);
        let amplitudes = vec![0.0; self.members.len() * Blocks::<D>::SIDE];
        Some(Coarse { factor, scale, amplitudes })
    }

    /// One over the mean diagonal of the system in a body, less where a particle's own is larger: in thin parts, whose
    /// fits are near singular, and at contacts. Shorter steps elsewhere would only cost iterations.
    fn scales(&self, parts: &Parts<'_, D>) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.of.len()];
        parallel::fill(&mut diagonal, |i| parts.mass[i] + parts.beta_squared * parts.diagonal(i));
        let mut contact = vec![0.0; self.of.len()];
        for touch in parts.touches.iter().filter(|touch| touch.is_loaded()) {
            let stiffness = touch.stiffness_matrix().trace() / D as f64 * parts.beta_squared;
            for (j, share) in touch.support.iter().copied().chain([(touch.particle, 1.0)]) {
                contact[j as usize] += share * share * stiffness;
            }
        }
        let mut scales = vec![0.0; self.of.len()];
        for body in &self.bodies {
            let mean = diagonal[body.clone()].iter().sum::<f64>() / body.len().max(1) as f64;
            for i in body.clone() {
                scales[i] = 1.0 / mean.max(diagonal[i] + contact[i]);
            }
        }
        scales
    }

    /// `PᵀAP`.
    fn assemble(&self, parts: &Parts<'_, D>) -> Blocks<D> {
        let mut matrix = Blocks::<D>::default();
        let chunks: Vec<usize> = (0..self.of.len().div_ceil(parallel::BLOCK)).collect();
        let partial: Vec<Blocks<D>> = chunks
            .into_par_iter()
            .map(|chunk| {
                let end = self.of.len().min((chunk + 1) * parallel::BLOCK);
                let mut blocks = Blocks::default();
                for i in chunk * parallel::BLOCK..end {
                    self.add_particle(i, parts, &mut blocks);
                }
                blocks
            })
            .collect();
        partial.into_iter().for_each(|blocks| matrix.merge(blocks));
        for touch in parts.touches.iter().filter(|touch| touch.is_loaded()) {
            self.add_touch(touch, parts.beta_squared, &mut matrix);
        }
        matrix
    }

    /// Adds `Pᵀ(M + β² Kᵢ)P` of particle i, whose strain is a sum over the groups its neighbours are in.
    fn add_particle(&self, i: usize, parts: &Parts<'_, D>, matrix: &mut Blocks<D>) {
        let Parts { elasticity, tangents, beta_squared, .. } = parts;
        let mut spots: Vec<Spot> = vec![Spot::new(self.of[i])];
        let (mut edge_sum, own) = ([0.0; 4], self.functions[i]);
        for (j, edge) in elasticity.neighbourhoods.outgoing(i).iter() {
            let edge = edge.map(f64::from);
            let group = self.of[j];
            let known = spots.iter().position(|spot| spot.group == group);
            let at = known.unwrap_or_else(|| {
                spots.push(Spot::new(group));
                spots.len() - 1
            });
            spots[at].add(&self.functions[j], &edge);
            (0..4).for_each(|lane| edge_sum[lane] += edge[lane]);
        }
        let weight_sum = edge_sum[3];
        for (moment, function) in spots[0].moments.iter_mut().zip(own) {
            (0..4).for_each(|lane| moment[lane] -= function * edge_sum[lane]);
        }

        let kappa = elasticity.kappa[i] * beta_squared;
        let (Tangent { rotation, stiffness }, gradient) = (&tangents[i], elasticity.gradient_map(i));
        let (mu, lambda) = (stiffness.mu * beta_squared, stiffness.lambda * beta_squared);
        let inverse_moment = elasticity.neighbourhoods.fits[i].inverse_moment;
        let w = gradient * gradient.transpose() * mu - inverse_moment * kappa;
        let q = rotation * gradient.transpose();
        let strains: Vec<[(Vect<D>, Vect<D>); 4]> = spots
            .iter()
            .map(|spot| {
                spot.moments.map(|moment| {
                    let m = Vect::from_fn(|axis, _| moment[axis]);
                    (m, q * m)
                })
            })
            .collect();
        for (a, spot) in spots.iter().enumerate() {
            for (b, other) in spots.iter().enumerate().filter(|(_, other)| other.group <= spot.group) {
                matrix.add(spot.group, other.group, |k, l| {
                    let ((m, y), (n, z)) = (strains[a][k], strains[b][l]);
                    // The penalty's springs, each between a neighbour's group and the particle's own.
                    let mut springs = if a == b { spot.squares[k][l] } else { 0.0 };
                    if b == 0 {
                        springs -= spot.squares[k][0] * own[l];
                    }
                    if a == 0 {
                        springs -= own[k] * other.squares[l][0];
                    }
                    let mut inertia = 0.0;
                    if a == 0 && b == 0 {
                        springs += weight_sum * own[k] * own[l];
                        inertia = parts.mass[i] * own[k] * own[l];
                    }
                    let alike = m.dot(&(w * n)) + kappa * springs + inertia;
                    Mat::identity() * alike + z * y.transpose() * mu + y * z.transpose() * lambda
                });
            }
        }
    }

    /// Adds the spring of a contact.
    fn add_touch(&self, touch: &Touch<D>, beta_squared: f64, matrix: &mut Blocks<D>) {
        let mut reach: BTreeMap<u32, [f64; 4]> = BTreeMap::new();
        let supports = touch.support.iter().map(|&(j, share)| (j, -share));
        for (j, share) in supports.chain([(touch.particle, 1.0)]) {
            let functions = reach.entry(self.of[j as usize]).or_default();
            (0..4).for_each(|k| functions[k] += share * self.functions[j as usize][k]);
        }
        let stiffness = touch.stiffness_matrix() * beta_squared;
        for (&group, f) in &reach {
            for (&other, g) in reach.range(..=group) {
                matrix.add(group, other, |k, l| stiffness * (f[k] * g[l]));
            }
        }
    }
}

impl<const D: usize> Parts<'_, D> {
    /// Mean diagonal element of the stiffness at particle i.
    fn diagonal(&self, i: usize) -> f64 {
        let of = |j: usize, moment: &Vect<D>, weight: f64| {
            let (Tangent { rotation, stiffness }, gradient) =
                (&self.tangents[j], self.elasticity.gradient_map(j));
            let kappa = self.elasticity.kappa[j];
            let k = gradient.tr_mul(moment);
            let shear = stiffness.mu * k.norm_squared();
            let turned = (rotation * k).norm_squared() * (stiffness.mu + stiffness.lambda) / D as f64;
            let fitted = moment.dot(&(self.elasticity.neighbourhoods.fits[j].inverse_moment * moment));
            shear + turned + kappa * (weight - fitted)
        };
        let hoods = &self.elasticity.neighbourhoods;
        let weight_sum = hoods.outgoing(i).iter().map(|(_, edge)| f64::from(edge[3])).sum();
        let neighbours: f64 = hoods
            .incoming(i)
            .iter()
            .map(|(j, edge)| of(j, &Vect::from_fn(|axis, _| f64::from(edge[axis])), f64::from(edge[3])))
            .sum();
        of(i, &hoods.fits[i].weight_sum, weight_sum) + neighbours
    }
}

impl<const D: usize> Preconditioner<D> for Correction<'_, D> {
    fn apply(&mut self, residual: &[Vect<D>], out: &mut [Vect<D>]) -> f64 {
        let groups = self.groups;
        let Coarse { factor, scale, amplitudes } = &mut *self.coarse;
        let side = Blocks::<D>::SIDE;
        amplitudes.par_chunks_mut(side).zip(&groups.members).for_each(|(sums, members)| {
            sums.fill(0.0);
            for &i in members {
                let (r, functions) = (&residual[i as usize], &groups.functions[i as usize]);
                for (n, sum) in sums.iter_mut().enumerate() {
                    *sum += r[n % D] * functions[n / D];
                }
            }
        });
        let rows = amplitudes.len();
        factor.solve_in_place(MatMut::from_column_major_slice_mut(amplitudes, rows, 1));
        let amplitudes = &*amplitudes;
        let scale = &*scale;
        parallel::update(out, |i, z| {
            let (functions, block) = (&groups.functions[i], groups.of[i] as usize * side);
            *z = residual[i] * scale[i];
            for n in 0..side {
                z[n % D] += amplitudes[block + n] * functions[n / D];
            }
        });
        parallel::sum(out.len(), 0.0, |i| residual[i].dot(&out[i]))
    }
}

/// Neighbours of one particle that are in one group, summed.
#[derive(Clone)]
struct Spot {
    group: u32,
    /// `Σ ψ_k (b, w)`.
    moments: [[f64; 4]; 4],
    /// `Σ w ψ_k ψ_l`.
    squares: [[f64; 4]; 4],
}

impl Spot {
    fn new(group: u32) -> Self {
        Self { group, moments: [[0.0; 4]; 4], squares: [[0.0; 4]; 4] }
    }

    fn add(&mut self, functions: &[f64; 4], edge: &[f64; 4]) {
        for k in 0..4 {
            for lane in 0..4 {
                self.moments[k][lane] += functions[k] * edge[lane];
                self.squares[k][lane] += functions[k] * functions[lane] * edge[3];
            }
        }
    }
}

/// The lower half of a symmetric matrix in square blocks, one per pair of groups.
#[derive(Default)]
struct Blocks<const D: usize>(BTreeMap<(u32, u32), Vec<f64>>);

impl<const D: usize> Blocks<D> {
    /// Unknowns of a group: D + 1 functions in D directions.
    const SIDE: usize = D * (D + 1);

    /// Adds `f(k, l)` to the part of block (row, column) that couples functions k and l.
    fn add(&mut self, row: u32, column: u32, f: impl Fn(usize, usize) -> Mat<D>) {
        let block = self.0.entry((row, column)).or_insert_with(|| vec![0.0; Self::SIDE * Self::SIDE]);
        for k in 0..=D {
            for l in 0..=D {
                let part = f(k, l);
                for d in 0..D {
                    for e in 0..D {
                        block[(k * D + d) * Self::SIDE + l * D + e] += part[(d, e)];
                    }
                }
            }
        }
    }

    fn merge(&mut self, other: Self) {
        for (key, block) in other.0 {
            match self.0.entry(key) {
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(block);
                }
                std::collections::btree_map::Entry::Occupied(mut place) => {
                    place.get_mut().iter_mut().zip(block).for_each(|(sum, value)| *sum += value);
                }
            }
        }
    }

    fn factorise(&self, groups: usize) -> Option<Llt<usize, f64>> {
        let side = Self::SIDE;
        let largest = self.0.values().flatten().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let mut entries = Vec::new();
        for (&(row, column), block) in &self.0 {
            for (n, &value) in block.iter().enumerate() {
                let (r, c) = (row as usize * side + n / side, column as usize * side + n % side);
                if r > c {
                    entries.push(Triplet::new(r, c, value));
                } else if r == c {
                    // Functions that vanish on a flat group would leave the matrix singular.
                    entries.push(Triplet::new(r, c, value + 1e-10 * largest));
                }
            }
        }
        let matrix = SparseColMat::try_new_from_triplets(groups * side, groups * side, &entries).ok()?;
        let symbolic = SymbolicLlt::try_new(matrix.symbolic(), Side::Lower).ok()?;
        Llt::try_new_with_symbolic(symbolic, matrix.as_ref(), Side::Lower).ok()
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
        for x in &mut world.particles.position {
            x.x *= 1.5;
        }
        let mut solver = solver(&world);
        solver.pinned[5] = true;
        let groups = Groups::new(&world, &solver.pinned);
        assert!(groups.members.len() >= 8, "{} groups", groups.members.len());
        let (_, tangents) = gradient(&solver, &world.particles.position);
        let parts = Parts {
            elasticity: solver.elasticity(),
            tangents: &tangents,
            touches: &[],
            mass: &world.particles.mass,
            beta_squared: 1e-6,
        };
        let matrix = groups.assemble(&parts);
        let side = Blocks::<3>::SIDE;
        let amplitude = |n: usize| ((n * 37 % 101) as f64 / 50.0 - 1.0) * 1e-2;
        let u: Vec<Vect<3>> = (0..groups.of.len())
            .map(|i| {
                let start = groups.of[i] as usize * side;
                Vect::from_fn(|d, _| {
                    (0..4).map(|k| groups.functions[i][k] * amplitude(start + 3 * k + d)).sum()
                })
            })
            .collect();
        let product = exact_product(&solver, &tangents, &u);
        let fine: f64 =
            (0..u.len()).map(|i| u[i].norm_squared() * parts.mass[i] + u[i].dot(&product[i]) * 1e-6).sum();
        let mut coarse = 0.0;
        for (&(row, column), block) in &matrix.0 {
            let twice = if row == column { 1.0 } else { 2.0 };
            for (n, value) in block.iter().enumerate() {
                let (r, c) = (row as usize * side + n / side, column as usize * side + n % side);
                coarse += twice * amplitude(r) * value * amplitude(c);
            }
        }
        assert!((fine - coarse).abs() < 1e-9 * fine, "{fine} {coarse}");
    }
}
