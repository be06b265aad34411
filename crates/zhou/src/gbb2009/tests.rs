//! The mathematics of a sub-step: increments, their product, forces as derivatives, conservation.

use super::*;
use pliant_material::PRESETS;
use pliant_math::Mat;
use pliant_math::Random;

/// A matrix near the identity.
fn near_identity<const D: usize>(random: &mut Random, size: f64) -> Mat<D> {
    Mat::from_fn(|row, column| f64::from(u8::from(row == column)) + size * random.number())
}

const SPACING: f64 = 0.1;

/// A jittered cube of n^D elastic particles.
fn cube<const D: usize>(n: usize) -> World<D> {
    let mut random = Random(11);
    let mut at =
        |k: usize, axis: usize| ((k / n.pow(axis as u32) % n) as f64 + 0.5 + 0.2 * random.number()) * SPACING;
    let points: Vec<Vect<D>> = (0..n.pow(D as u32)).map(|k| Vect::from_fn(|axis, _| at(k, axis))).collect();
    let mut world = World::empty();
    world.materials.push(PRESETS.iter().find(|preset| preset.name == "zhou-elastic").unwrap().material());
    world.add_body("cube", &points, SPACING, 0);
    world
}

fn searched<const D: usize>(solver: &Gbb2009<D>, world: &World<D>, x: &[Vect<D>]) -> Workspace<D> {
    let mut work = Workspace::default();
    work.neighbourhoods.search(world, x, solver.settings.neighbours);
    solver.stress_particles(&work.neighbourhoods, &solver.state.elastic, &mut work.locals);
    work
}

fn with<const D: usize>(world: &World<D>, neighbours: Neighbours) -> Gbb2009<D> {
    Gbb2009::new(world, Gbb2009Settings { neighbours, ..Gbb2009Settings::default() })
}

/// Moves a cube by several affine maps and compares the product of the increments with the product of the maps.
fn affine_motions_multiply_up<const D: usize>(neighbours: Neighbours) {
    let world = cube::<D>(6);
    let mut solver = with(&world, neighbours);
    let mut random = Random(3);
    let (mut x, mut total) = (world.particles.position.clone(), Mat::<D>::identity());
    for _ in 0..5 {
        let (map, shift) = (near_identity::<D>(&mut random, 0.1), Vect::<D>::repeat(0.3));
        let work = searched(&solver, &world, &x);
        let u: Vec<_> = x.iter().map(|x| map * x + shift - x).collect();
        for i in 0..x.len() {
            let (g, _) = deformation::increment(&work.neighbourhoods, i, &work.locals[i], &u);
            assert!((g - map).amax() < 1e-12, "the increment of particle {i} is the map: {g} {map}");
        }
        let mut elastic = solver.state.elastic.clone();
        solver.deform(&work.neighbourhoods, &work.locals, &u, &mut elastic).unwrap();
        solver.state.elastic = elastic;
        x.iter_mut().zip(&u).for_each(|(x, u)| *x += u);
        total = map * total;
    }
    let worst = solver.state.elastic.iter().map(|f| (f - total).amax()).fold(0.0, f64::max);
    assert!(worst < 1e-11, "{worst:e}");
}

#[test]
fn increments_of_affine_motions_multiply_up_to_the_deformation() {
    affine_motions_multiply_up::<3>(Neighbours::Within(2.5));
    affine_motions_multiply_up::<3>(Neighbours::Nearest(30));
    affine_motions_multiply_up::<2>(Neighbours::Within(2.5));
    affine_motions_multiply_up::<2>(Neighbours::Nearest(12));
}

/// Forces at rest in a pre-strained state, with `settings`, and the energy of a small motion from it.
struct Strained {
    world: World<3>,
    solver: Gbb2009<3>,
    work: Workspace<3>,
}

impl Strained {
    fn new(settings: Gbb2009Settings) -> Self {
        let mut world = cube::<3>(5);
        let mut solver = Gbb2009::new(&world, settings);
        let mut random = Random(5);
        for f in &mut solver.state.elastic {
            *f = near_identity(&mut random, 0.3);
        }
        world.particles.position.iter_mut().for_each(|x| *x *= 0.9);
        let work = searched(&solver, &world, &world.particles.position);
        Self { world, solver, work }
    }

    fn forces(&self, v: &[Vect<3>]) -> Vec<Vect<3>> {
        let (near, x) = (&self.work.neighbourhoods, &self.world.particles.position);
        let after = self.solver.accelerate(&self.world, near, &self.work.locals, (x, v), (0.0, 1.0));
        after.iter().zip(v).zip(&self.world.particles.mass).map(|((a, v), m)| (a - v) * *m).collect()
    }

    /// Elastic energy and that of the pressure after a motion `u`; neighbourhoods as they are.
    fn energy(&self, u: &[Vect<3>]) -> f64 {
        let Workspace { neighbourhoods: near, locals } = &self.work;
        let crowding = |i: usize| {
            let support = near.support(i);
            let apart = |edge: &neighbourhoods::Edge<3>| (edge.offset + u[edge.neighbour] - u[i]).norm();
            2.0 + near
                .row(i)
                .iter()
                .map(|edge| pliant_geometry::kernel::cosine(apart(edge), support))
                .sum::<f64>()
        };
        (0..u.len())
            .map(|i| {
                let f = deformation::increment(near, i, &locals[i], u).0 * self.solver.state.elastic[i];
                let Matter { lame, rest_volume, .. } = self.solver.matter[i];
                let excess = (crowding(i) / self.solver.rest_crowding[i] - 1.0).max(0.0);
                let pressure = 0.5 * self.solver.settings.pressure * excess * excess;
                rest_volume * (LinearCorotated(lame).energy(&principal(&f).sigma) + pressure)
            })
            .sum()
    }
}

fn forces_are_derivatives(settings: Gbb2009Settings) {
    let strained = Strained::new(settings);
    let count = strained.world.particles.len();
    let direction = Random(7).field::<3>(count, 1.0);
    let forces = strained.forces(&vec![Vect::zeros(); count]);
    let step = 1e-6 * SPACING;
    let along = |sign: f64| strained.energy(&direction.iter().map(|u| u * (sign * step)).collect::<Vec<_>>());
    let slope = (along(1.0) - along(-1.0)) / (2.0 * step);
    let expected: f64 = -forces.iter().zip(&direction).map(|(f, u)| f.dot(u)).sum::<f64>();
    assert!((slope - expected).abs() < 1e-6 * expected.abs(), "{slope} {expected}");
}

#[test]
fn forces_are_minus_the_derivative_of_the_energy() {
    forces_are_derivatives(Gbb2009Settings::default());
    forces_are_derivatives(Gbb2009Settings {
        neighbours: Neighbours::Nearest(25),
        ..Gbb2009Settings::default()
    });
    forces_are_derivatives(Gbb2009Settings { pressure: 1e6, ..Gbb2009Settings::default() });
}

#[test]
fn inner_forces_and_torques_cancel_with_every_term() {
    for neighbours in [Neighbours::Within(2.5), Neighbours::Nearest(25)] {
        let settings =
            Gbb2009Settings { neighbours, pressure: 1e6, viscosity: 1e3, ..Gbb2009Settings::default() };
        let strained = Strained::new(settings);
        let x = &strained.world.particles.position;
        let forces = strained.forces(&Random(8).field::<3>(x.len(), 1.0));
        let size: f64 = forces.iter().map(Vect::norm).sum();
        let sum: Vect<3> = forces.iter().sum();
        let torque: Vect<3> = x.iter().zip(&forces).map(|(x, force)| x.cross(force)).sum();
        assert!(sum.norm() < 1e-13 * size, "{:e}", sum.norm() / size);
        assert!(torque.norm() < 1e-13 * size, "{:e}", torque.norm() / size);
    }
}

#[test]
fn viscosity_leaves_a_rigid_spin_alone_and_brakes_everything_else() {
    let strained = Strained::new(Gbb2009Settings { viscosity: 1e3, ..Gbb2009Settings::default() });
    let x = &strained.world.particles.position;
    let still = strained.forces(&vec![Vect::zeros(); x.len()]);
    let spin = Vect::<3>::from([1.0, -2.0, 0.5]);
    let turning = strained.forces(&x.iter().map(|x| spin.cross(x)).collect::<Vec<_>>());
    let size = still.iter().map(Vect::norm).fold(0.0, f64::max);
    assert!(turning.iter().zip(&still).all(|(a, b)| (a - b).norm() < 1e-12 * size));
    let noise = Random(9).field::<3>(x.len(), 1.0);
    let braked = strained.forces(&noise);
    let power: f64 = braked.iter().zip(&still).zip(&noise).map(|((a, b), v)| (a - b).dot(v)).sum();
    assert!(power < 0.0, "{power}");
}

#[test]
fn the_nearest_are_found_and_no_more_count() {
    let world = cube::<3>(8);
    let solver = with(&world, Neighbours::Nearest(30));
    let near = &solver.work.neighbourhoods;
    for i in 0..world.particles.len() {
        let heard = near.row(i).iter().filter(|edge| edge.weight > 0.0).count();
        assert_eq!(heard, 30, "particle {i}");
        let mut all: Vec<f64> =
            world.particles.position.iter().map(|x| (x - world.particles.position[i]).norm()).collect();
        all.sort_by(f64::total_cmp);
        let farthest = near.row(i).iter().filter(|edge| edge.weight > 0.0).map(|edge| edge.offset.norm());
        assert_eq!(farthest.fold(0.0, f64::max), all[30], "particle {i}");
        let is_mutual =
            |edge: &neighbourhoods::Edge<3>| near.row(edge.neighbour).iter().any(|back| back.neighbour == i);
        assert!(near.row(i).iter().all(is_mutual), "particle {i}");
    }
}

#[test]
fn a_turning_sheet_keeps_its_shape() {
    let mut world = World::<3>::empty();
    world.materials = cube::<3>(2).materials;
    let sheet: Vec<Vect<3>> =
        (0..64).map(|k| Vect::from([f64::from(k % 8), 0.0, f64::from(k / 8)]) * SPACING).collect();
    world.add_body("sheet", &sheet, SPACING, 0);
    let mut solver = with(&world, Neighbours::Within(2.5));
    assert!(solver.warnings().join(" ").contains("64 particles have co-planar"), "{:?}", solver.warnings());
    let turn = *nalgebra::Rotation3::new(Vect::<3>::from([0.05, 0.01, 0.03])).matrix();
    let mut x = sheet;
    for _ in 0..60 {
        let work = searched(&solver, &world, &x);
        let u: Vec<_> = x.iter().map(|x| turn * x - x).collect();
        let mut elastic = solver.state.elastic.clone();
        solver.deform(&work.neighbourhoods, &work.locals, &u, &mut elastic).unwrap();
        solver.state.elastic = elastic;
        x.iter_mut().zip(&u).for_each(|(x, u)| *x += u);
    }
    for f in &solver.state.elastic {
        assert!((principal(f).sigma - Vect::repeat(1.0)).amax() < 1e-12, "{f}");
    }
}
