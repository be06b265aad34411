use super::*;
use grain::Pack;
use nalgebra::SVector;
use pliant_geometry::Shape;
use pliant_material::elastic::Law;
use pliant_material::{Material, preset};
use pliant_math::Random;
use pliant_math::{Mat, Vec3};
use pliant_solver::{AnySimulation, Care, Simulation, Stepping};
use pliant_world::{Acceleration, Column, Motion};
use pulp::{Simd, WithSimd};
use registers::{Registers, Run, Task};
use to_grid::ScatterPack;
use to_particles::{Source, Taken};

impl<T: Scalar, const D: usize> Mpm<T, D> {
    fn grains(&self) -> impl Iterator<Item = Grain<T, D>> {
        self.state.bunches.iter().flat_map(Bunch::iter)
    }
}

pub(crate) fn material(name: &str) -> Material {
    preset(name).unwrap().material()
}

fn double() -> MpmSettings {
    MpmSettings { precision: Precision::Double, ..MpmSettings::default() }
}

/// Cells of edge `spacing` whose centres are inside.
pub(crate) fn lattice<const D: usize>(
    half: f64,
    spacing: f64,
    inside: impl Fn(&Vect<D>) -> bool,
) -> Vec<Vect<D>> {
    let count = (2.0 * half / spacing).round() as usize;
    let place = |number: usize| {
        let mut rest = number;
        Vect::<D>::from_fn(|_, _| {
            let cell = rest % count;
            rest /= count;
            (cell as f64 + 0.5) * spacing - half
        })
    };
    (0..count.pow(D as u32)).map(place).filter(|x| inside(x)).collect()
}

/// A ball of jello, off the grid's lattice.
pub(crate) fn ball<const D: usize>(radius: f64, spacing: f64) -> World<D> {
    let mut world = World::empty();
    world.materials.push(material("rubber"));
    let shift = Vect::<D>::from_fn(|axis, _| 0.37 * spacing * (axis as f64 + 1.0));
    let points: Vec<_> =
        lattice::<D>(radius, spacing, |x| x.norm() < radius).iter().map(|x| x + shift).collect();
    world.add_body("ball", &points, spacing, 0);
    world
}

fn spin<const D: usize>(world: &mut World<D>, rate: f64) {
    for (x, v) in world.particles.position.iter().zip(&mut world.particles.velocity) {
        (v[0], v[1]) = (-rate * x[1], rate * x[0]);
    }
}

/// Takes steps of the length that the solver asks for.
fn run<const D: usize>(world: &mut World<D>, solver: &mut dyn Solver<D>, steps: usize) {
    let mut time = 0.0;
    for _ in 0..steps {
        let dt = solver.longest_step().unwrap();
        solver.step(world, Span { time, dt, care: Care::Strict }).unwrap();
        time += dt;
    }
    solver.publish(world);
}

fn spinning_body_keeps_its_momenta<const D: usize>(settings: MpmSettings) {
    let mut world = ball::<D>(0.1, 0.02);
    spin(&mut world, 10.0);
    for v in &mut world.particles.velocity {
        v[1] += 0.3;
    }
    // What the affine velocities carry is part of the angular momentum: the first step fills them.
    let mut solver = Mpm::<f64, D>::new(&world, settings);
    run(&mut world, &mut solver, 1);
    let totals = |world: &World<D>, solver: &Mpm<f64, D>| {
        let plain = pliant_solver::Totals::of(world);
        let h = solver.mesh.spacing;
        let spread = h * h / kernel::inverse_dispersion::<3>();
        let carried: f64 = solver
            .grains()
            .map(|grain| grain.mass * spread * (grain.affine[(1, 0)] - grain.affine[(0, 1)]))
            .sum();
        (plain.mass, plain.momentum, plain.angular_momentum.z + carried)
    };
    let before = totals(&world, &solver);
    run(&mut world, &mut solver, 150);
    let after = totals(&world, &solver);
    assert_eq!(before.0, after.0);
    assert!((before.1 - after.1).norm() < 1e-12 * before.1.norm(), "{} {}", before.1, after.1);
    assert!((before.2 - after.2).abs() < 1e-10 * before.2.abs(), "{} {}", before.2, after.2);
}

#[test]
fn a_free_body_keeps_momentum_and_angular_momentum() {
    spinning_body_keeps_its_momenta::<2>(double());
    spinning_body_keeps_its_momenta::<3>(double());
}

#[test]
fn an_affine_velocity_survives_the_way_to_the_grid_and_back() {
    for kernel in [Kernel::Quadratic, Kernel::Cubic] {
        for gradient in [Gradient::MovingLeastSquares, Gradient::Kernel] {
            let mut world = ball::<3>(0.1, 0.02);
            let l = Mat::<3>::new(0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.2, 0.1, -0.3);
            for i in 0..world.particles.len() {
                world.particles.velocity[i] = l * world.particles.position[i];
            }
            let settings = MpmSettings { kernel, gradient, ..double() };
            let mut solver = Mpm::<f64, 3>::new(&world, settings);
            for bunch in &mut solver.state.bunches {
                bunch.update(|grain| grain.affine = l);
            }
            let dt = 1e-9;
            solver.step(&mut world, Span { time: 0.0, dt, care: Care::Strict }).unwrap();
            for grain in solver.grains() {
                assert!((grain.affine - l).amax() < 1e-6, "{kernel:?} {gradient:?} {}", grain.affine);
                let deformed = (grain.elastic - Mat::identity()) / dt;
                assert!((deformed - l).amax() < 1e-5, "{deformed}");
            }
        }
    }
}

#[test]
fn free_fall_is_exact_and_leaves_matter_undeformed() {
    for transfer in [Transfer::Apic, Transfer::Flip(0.0), Transfer::Flip(0.95)] {
        let mut world = ball::<2>(0.1, 0.02);
        world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
        let mut solver =
            Mpm::<f64, 2>::new(&world, MpmSettings { transfer, substep: Some(1e-4), ..double() });
        run(&mut world, &mut solver, 200);
        for (v, grain) in world.particles.velocity.iter().zip(solver.grains()) {
            assert!((v[1] + 9.81 * 0.02).abs() < 1e-11, "{v}");
            assert!((grain.elastic - Mat::identity()).amax() < 1e-11);
        }
    }
}

/// Single precision goes in packs and lanes, double precision one particle at a time: the same steps twice.
fn precisions_agree<const D: usize>(law: Law) {
    let mut exact = ball::<D>(0.1, 0.02);
    exact.materials[0].law = Some(law);
    spin(&mut exact, 20.0);
    let mut rough = exact.clone();
    let settings = MpmSettings { substep: Some(1e-4), ..double() };
    let mut in_double = Mpm::<f64, D>::new(&exact, settings.clone());
    let mut in_single = Mpm::<f32, D>::new(&rough, settings);
    run(&mut exact, &mut in_double, 300);
    run(&mut rough, &mut in_single, 300);
    let apart = exact.particles.position.iter().zip(&rough.particles.position).map(|(a, b)| (a - b).norm());
    assert!(apart.fold(0.0, f64::max) < 1e-6);
}

#[test]
fn steps_in_packs_are_those_of_single_particles() {
    for law in [Law::FixedCorotated, Law::NeoHookean, Law::Hencky] {
        precisions_agree::<2>(law);
        precisions_agree::<3>(law);
    }
}

fn mixed_scene() -> World<2> {
    let mut world = World::empty();
    world.materials = ["sand", "nilles-snow", "rubber", "water"].map(material).to_vec();
    for (material, x) in [(0u16, -0.3_f64), (1, -0.1), (2, 0.1), (3, 0.3)] {
        let points: Vec<_> = lattice::<2>(0.05, 0.01, |_| true)
            .iter()
            .map(|p| p + Vect::from([x, 0.06 + 0.1 * x.abs()]))
            .collect();
        world.add_body("piece", &points, 0.01, material);
    }
    for v in &mut world.particles.velocity {
        v[0] = -0.4 * v[1].signum();
    }
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
    world.colliders.push(floor(0.4));
    world
}

pub(crate) fn floor(friction: f64) -> Collider {
    Collider {
        name: "floor".to_owned(),
        shape: Shape::HalfSpace { normal: Vec3::y(), offset: 0.0 },
        motion: Motion::Static,
        friction,
        stickiness: 0.0,
        restitution: 0.0,
        color: [0.5; 3],
        visible: true,
    }
}

#[test]
fn bits_do_not_depend_on_threads_or_on_a_resume() {
    let stepping = Stepping { frame_time: 0.02, dt: 2e-3, frames: 5 };
    let simulate = |threads: usize, resume: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let fresh = || {
                let world = mixed_scene();
                let solver = solver(&world, MpmSettings::default());
                Simulation::new(world, solver, stepping)
            };
            let mut simulation = fresh();
            while !simulation.is_finished() {
                simulation.step().unwrap();
                if resume && simulation.steps().is_multiple_of(97) {
                    let bytes = simulation.save();
                    simulation = fresh();
                    simulation.restore(&bytes).unwrap();
                }
            }
            simulation.save()
        })
    };
    let alone = simulate(1, false);
    for (threads, resume) in [(2, false), (3, true), (8, false)] {
        assert!(alone == simulate(threads, resume), "{threads} threads, resume: {resume}");
    }
}

#[test]
fn matter_rests_on_the_floor_and_stays_there() {
    let mut world = mixed_scene();
    let mut solver = Mpm::<f32, 2>::new(&world.clone(), MpmSettings::default());
    let mut time = 0.0;
    while time < 0.6 {
        let dt = solver.longest_step().unwrap();
        solver.step(&mut world, Span { time, dt, care: Care::Strict }).unwrap();
        time += dt;
    }
    solver.publish(&mut world);
    let h = solver.mesh.spacing;
    for (x, v) in world.particles.position.iter().zip(&world.particles.velocity) {
        assert!(x[1] > -0.5 * h, "{x} is below the floor");
        assert!(v.norm() < 2.0, "{v} is too fast");
    }
}

#[test]
fn a_plate_thinner_than_the_grid_stops_a_fast_ball() {
    let mut world = ball::<3>(0.04, 0.01);
    for v in &mut world.particles.velocity {
        v[1] = -20.0;
    }
    let mut plate = floor(0.5);
    plate.shape = Shape::Cuboid { half_extents: Vec3::new(1.0, 1e-3, 1.0) };
    plate.motion = Motion::Linear { velocity: Vec3::zeros() };
    for x in &mut world.particles.position {
        x[1] += 0.1 + 0.0123;
    }
    world.colliders.push(plate);
    let mut solver = Mpm::<f32, 3>::new(&world.clone(), MpmSettings::default());
    let mut time = 0.0;
    while time < 0.03 {
        let dt = solver.longest_step().unwrap();
        solver.step(&mut world, Span { time, dt, care: Care::Strict }).unwrap();
        time += dt;
    }
    solver.publish(&mut world);
    let lowest = world.particles.position.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.0, "a particle is at {lowest}");
}

#[test]
fn a_particle_that_flies_away_breaks_nothing() {
    let mut world = ball::<2>(0.1, 0.02);
    world.particles.velocity[0] = Vect::from([9e3, 2e3]);
    let mut solver = Mpm::<f64, 2>::new(&world, MpmSettings { substep: Some(1e-6), ..double() });
    run(&mut world, &mut solver, 3000);
    assert!(world.particles.position.iter().all(|x| x.iter().all(|c| c.is_finite())));
    assert!(solver.grid.nodes.len() < 200 * layout::block_size(2), "the grid follows the particles");
}

/// Two species that overlap everywhere, one moving and one at rest.
fn overlapping(count: usize, spacing: f64) -> World<2> {
    let mut world = World::empty();
    world.materials = ["nilles-water", "nilles-water"].map(material).to_vec();
    world.materials[1].density = 2500.0;
    let half = 0.5 * count as f64 * spacing;
    let points = lattice::<2>(half, spacing, |_| true);
    for species in 0..2u8 {
        let range = world.add_body("fluid", &points, spacing, u16::from(species));
        world.bodies[usize::from(species)].species = species;
        for i in range {
            world.particles.velocity[i][0] = f64::from(species);
        }
    }
    world
}

fn mixture(drag: Drag, mode: DragMode) -> MpmSettings {
    let species = vec!["water".to_owned(), "sand".to_owned()];
    let mixture = Mixture { species, drag, mode, ..Mixture::default() };
    MpmSettings { mixture, substep: Some(1e-4), ..double() }
}

/// Velocity of the second species against the first after each step, in the middle of the overlap.
fn difference(world: &World<2>) -> f64 {
    let half = world.particles.len() / 2;
    let middle = (0..half)
        .min_by(|&a, &b| world.particles.position[a].norm().total_cmp(&world.particles.position[b].norm()))
        .unwrap();
    world.particles.velocity[half + middle][0] - world.particles.velocity[middle][0]
}

#[test]
fn species_relax_as_the_discrete_formula_says_on_any_grid() {
    let coefficient = 2e6;
    for count in [32, 40, 48] {
        let mut world = overlapping(count, 0.32 / count as f64);
        let settings = mixture(Drag::Physical(coefficient), DragMode::Implicit);
        let mut solver = Mpm::<f64, 2>::new(&world, settings);
        run(&mut world, &mut solver, 2);
        // τ of partial densities, the same on every grid.
        let pace = 1e-4 * coefficient * (1.0 / 1000.0 + 1.0 / 2500.0);
        let expected = (1.0 + pace).powi(-2);
        assert!((difference(&world) - expected).abs() < 1e-12, "{} {expected}", difference(&world));
    }
}

#[test]
fn any_drag_is_stable_and_unlimited_drag_is_a_single_grid() {
    let mut wild = overlapping(16, 0.02);
    let mut solver = Mpm::<f64, 2>::new(&wild, mixture(Drag::Literal(1e15), DragMode::Implicit));
    run(&mut wild, &mut solver, 20);
    assert!(difference(&wild).abs() < 1e-9);
    // Modes that do the same.
    let states =
        [(DragMode::Limit, true), (DragMode::Clamp, true), (DragMode::Limit, false)].map(|(mode, two)| {
            let mut world = overlapping(16, 0.02);
            if !two {
                world.bodies.iter_mut().for_each(|body| body.species = 0);
            }
            let mut solver = Mpm::<f64, 2>::new(&world, mixture(Drag::Literal(1e15), mode));
            run(&mut world, &mut solver, 30);
            world.particles.velocity
        });
    for other in &states[1..] {
        let apart = states[0].iter().zip(other).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(apart < 1e-12, "{apart}");
    }
}

#[test]
fn a_malformed_state_is_refused() {
    let world = mixed_scene();
    let mut solver = solver(&world, MpmSettings::default());
    let bytes = solver.save();
    assert!(solver.restore(&world, &bytes).is_ok());
    let mut random = Random(7);
    for _ in 0..200 {
        let mut broken = bytes.clone();
        let at = ((random.number() * 0.5 + 0.5) * (broken.len() - 1) as f64) as usize;
        broken[at] ^= 0x55;
        let _ = solver.restore(&world, &broken);
        let _ = solver.restore(&world, &bytes[..at]);
    }
}

/// A grain at rest.
pub(super) fn grain<T: Scalar, const D: usize>() -> Grain<T, D> {
    Grain {
        position: Vect::zeros(),
        velocity: SVector::zeros(),
        affine: SMatrix::zeros(),
        elastic: SMatrix::identity(),
        stress: SMatrix::zeros(),
        mass: T::one(),
        volume: T::one(),
        memory_volume: T::one(),
        memory_strain: T::zero(),
        saturation: T::zero(),
        id: 0,
        matter: 0,
        species: 0,
    }
}

/// Grains of one matter in all sorts of states, with velocity gradients to match.
fn states<const D: usize>(matter: &Matter, size: f64) -> (Vec<Grain<f32, D>>, Vec<SMatrix<f32, D, D>>) {
    let mut random = Random(3);
    (0..67)
        .map(|id| {
            let mut noise = |size: f64| SMatrix::<f32, D, D>::from_fn(|_, _| (random.number() * size) as f32);
            let mut grain = grain::<f32, D>();
            (grain.elastic, grain.id) = (SMatrix::identity() + noise(size), id);
            grain.set_history(&matter.initial());
            if id % 13 == 12 {
                grain.elastic *= 0.01;
            }
            (grain, noise(size * 20.0))
        })
        .unzip()
}

struct Respond<'a, const D: usize>(&'a mut Bunch<f32, D>, &'a [Taken<f32, D>], &'a [Matter]);

impl<const D: usize> Task for Respond<'_, D> {
    type Output = Summary;

    fn run<R: Registers>(self, registers: R) -> Summary {
        (0..self.0.packs.len()).fold(Summary::default(), |sum, number| {
            let count = self.0.lanes(number);
            let pack = (&mut self.0.packs[number], count);
            sum.with(packs::respond(registers, pack, &self.1[number], (self.2, 1e-2)))
        })
    }
}

/// Does a task in registers of all sizes that the machine has, sixteen numbers, eight, and one.
fn on_all_registers<K: Task>(tasks: [K; 3]) -> [K::Output; 3] {
    let [widest, eight, one] = tasks;
    let widest = registers::dispatch(widest);
    #[cfg(target_arch = "x86_64")]
    let eight = match pulp::x86::V3::try_new() {
        Some(simd) => Simd::vectorize(simd, Run(eight)),
        None => Run(eight).with_simd(pulp::Scalar),
    };
    #[cfg(not(target_arch = "x86_64"))]
    let eight = Run(eight).with_simd(pulp::Scalar);
    [widest, eight, Run(one).with_simd(pulp::Scalar)]
}

fn packs_agree<const D: usize>(name: &str, law: Option<Law>, size: f64) {
    let mut material = material(name);
    material.law = law.or(material.law);
    let matters = [Matter::of(&material)];
    let (mut exact, gradients) = states::<D>(&matters[0], size);
    let taken: Vec<_> = gradients.chunks(registers::LANES).map(Taken::of).collect();
    let mut bunches = [(); 3].map(|()| Bunch::of(exact.iter()));
    let summaries = on_all_registers(bunches.each_mut().map(|bunch| Respond(bunch, &taken, &matters)));
    assert!(summaries.iter().all(|summary| *summary == summaries[0]));
    assert!(
        bunches.iter().all(|bunch| *bunch == bunches[0]),
        "{name}: registers of all sizes give the same bits"
    );
    let scale = matters[0].lame.p_wave() as f32;
    let mut fastest = 0.0_f64;
    for (grain, gradient) in exact.iter_mut().zip(&gradients) {
        fastest = fastest.max(matters[0].respond(grain, &widen(gradient), 1e-2).wave_speed);
    }
    // Laws without principal axes know only a bound of the largest stretch.
    let speed = summaries[0].wave_speed / fastest;
    assert!(speed > 1.0 - 1e-5 && speed < 1.0 + size, "{name}: {speed}");
    for (a, b) in bunches[0].iter().zip(&exact) {
        let hardening = (b.stress.amax() / scale).max(1.0);
        assert!(
            (a.stress - b.stress).amax() < 1e-5 * scale * hardening,
            "{name} {}: {} {}",
            a.id,
            a.stress,
            b.stress
        );
        assert!((a.elastic - b.elastic).amax() < 1e-5, "{name} {}: {} {}", a.id, a.elastic, b.elastic);
        assert!((a.memory_volume - b.memory_volume).abs() < 1e-5, "{name} {}", a.id);
        assert!((a.memory_strain - b.memory_strain).abs() < 1e-5, "{name} {}", a.id);
    }
}

#[test]
fn packs_of_particles_answer_as_single_ones_do() {
    for size in [1e-3, 0.02, 0.2] {
        for law in [Law::FixedCorotated, Law::NeoHookean, Law::Hencky] {
            packs_agree::<2>("rubber", Some(law), size);
            packs_agree::<3>("rubber", Some(law), size);
        }
        for name in ["nilles-snow", "sand", "nilles-sand", "water"] {
            packs_agree::<2>(name, None, size);
            packs_agree::<3>(name, None, size);
        }
    }
}

struct ToGrid<'a, const D: usize, const W: usize>(ScatterPack<'a, f32, D>, &'a mut [Node<f32>]);

impl<const D: usize, const W: usize> Task for ToGrid<'_, D, W> {
    type Output = ();

    fn run<R: Registers>(self, registers: R) {
        self.0.in_lanes::<R, W>(registers, self.1);
    }
}

struct Back<'a, const D: usize, const W: usize>(Source<'a, f32, D>, &'a mut Pack<f32, D>);

impl<const D: usize, const W: usize> Task for Back<'_, D, W> {
    type Output = Taken<f32, D>;

    fn run<R: Registers>(self, registers: R) -> Self::Output {
        self.0.in_lanes::<R, W>(registers, self.1)
    }
}

/// The way to the grid and back in lanes is that of single particles but for rounding, and the same in all registers.
fn transfers_agree<const D: usize, const W: usize>(kernel: Kernel, transfer: Transfer) {
    let mut random = Random(5);
    let world = ball::<D>(0.1, 0.02);
    let mut solver = Mpm::<f32, D>::new(&world, MpmSettings { kernel, transfer, ..MpmSettings::default() });
    for bunch in &mut solver.state.bunches {
        bunch.update(|grain| {
            let mut noise = |size: f64| (size * random.number()) as f32;
            (grain.mass, grain.velocity) = (1.0 + noise(0.5), SVector::from_fn(|_, _| noise(1.0)));
            grain.affine = SMatrix::from_fn(|_, _| noise(10.0));
            let stress = SMatrix::<f32, D, D>::from_fn(|_, _| noise(1.0));
            grain.stress = stress + stress.transpose();
        });
    }
    let scatter = Scatter { mesh: &solver.mesh, dt: 1e-3, is_affine: transfer.is_affine(), by_kernel: false };
    let span = Span { time: 0.0, dt: 1e-3, care: Care::Strict };
    let (mesh, settings, matters) = (&solver.mesh, &solver.settings, &solver.matters[..]);
    let obstacles = &Obstacles::new([].iter(), &[], mesh.spacing, (0.0, 1e-3));
    let gather = &Gather { mesh, span, settings, by_kernel: false, matters, obstacles };
    let push = &[[0.3; registers::LANES]; D];
    for (block, bunch) in solver.layout.blocks.iter().zip(&solver.state.bunches) {
        let (place, count) = (&block.place, bunch.lanes(0));
        let task = || ScatterPack { scatter: &scatter, place, pack: &bunch.packs[0], count, push };
        let mut plain = vec![Node::<f32>::default(); tile_size(D, W)];
        task().plain::<W>(&mut plain);
        let mut tiles = [(); 3].map(|()| vec![Node::<f32>::default(); tile_size(D, W)]);
        on_all_registers(tiles.each_mut().map(|tile| ToGrid::<D, W>(task(), tile)));
        assert!(tiles.iter().all(|tile| *tile == tiles[0]), "registers of all sizes give the same bits");
        for (a, b) in tiles[0].iter().zip(&plain) {
            assert!((*a - *b).to_array().iter().all(|apart| apart.abs() < 1e-5), "{a:?} {b:?}");
        }
        let before: Vec<_> = plain.iter().map(|node| *node * Node::<f32>::splat(0.7)).collect();
        let source = || Source { gather, place, tile: &plain, before: &before, count };
        let mut packs = [(); 3].map(|()| bunch.packs[0].clone());
        let taken = on_all_registers(packs.each_mut().map(|pack| Back::<D, W>(source(), pack)));
        assert!(packs.iter().all(|pack| *pack == packs[0]), "registers of all sizes give the same bits");
        let mut exact = bunch.packs[0].clone();
        let expected = source().plain::<W>(&mut exact);
        for lane in 0..count {
            let (a, b) = (packs[0].get(lane, 0), exact.get(lane, 0));
            let apart = (taken[0].gradient_of(lane) - expected.gradient_of(lane)).amax();
            assert!(apart < 2e-3 && (a.affine - b.affine).amax() < 2e-3, "{apart} of hundreds");
            assert!((a.velocity - b.velocity).amax() < 2e-5 && (a.saturation - b.saturation).abs() < 1e-5);
        }
    }
}

#[test]
fn packs_go_to_the_grid_and_back_as_single_particles_do() {
    for transfer in [Transfer::Apic, Transfer::Flip(0.95), Transfer::AffineFlip(0.5)] {
        transfers_agree::<2, 3>(Kernel::Quadratic, transfer);
        transfers_agree::<3, 3>(Kernel::Quadratic, transfer);
        transfers_agree::<2, 4>(Kernel::Cubic, transfer);
        transfers_agree::<3, 4>(Kernel::Cubic, transfer);
    }
}

#[test]
fn pinned_particles_go_where_they_must_and_matter_inside_an_obstacle_is_pushed_out() {
    let mut world = ball::<2>(0.1, 0.02);
    let motion = Motion::Linear { velocity: Vec3::x() * 2.0 };
    let particles: Vec<u32> = (0..10).collect();
    let initial = world.particles.position[..10].to_vec();
    world.pins.push(pliant_world::Pin { particles, initial: initial.clone(), motion });
    let mut post = floor(0.5);
    post.shape = Shape::Cuboid { half_extents: Vec3::new(0.005, 0.3, 1.0) };
    world.colliders.push(post);
    let mut solver =
        Mpm::<f32, 2>::new(&world, MpmSettings { particle_collision: true, ..MpmSettings::default() });
    let (mut time, mut steps) = (0.0, 0);
    while time < 0.1 {
        let dt = solver.longest_step().unwrap();
        solver.step(&mut world, Span { time, dt, care: Care::Strict }).unwrap();
        (time, steps) = (time + dt, steps + 1);
    }
    solver.publish(&mut world);
    assert!(steps > 10);
    for (x, start) in world.particles.position.iter().zip(&initial) {
        assert!((x - start - Vect::from([2.0 * time, 0.0])).norm() < 1e-12);
    }
    assert!(world.particles.position[10..].iter().all(|x| x[0].abs() > 0.004), "no particle is left inside");
}

#[test]
fn a_particle_takes_the_memory_that_is_written_down() {
    let bytes = [size_of::<Pack<f32, 2>>(), size_of::<Pack<f32, 3>>()].map(|bytes| bytes / registers::LANES);
    assert_eq!(bytes, [100, 160]);
}

/// A ball from the start, and one that falls on it from 0.03 s on.
fn two_balls(second: bool) -> World<2> {
    let mut world = ball::<2>(0.1, 0.02);
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
    if second {
        let above: Vec<_> = world.particles.position.iter().map(|x| x + Vect::from([0.03, 0.21])).collect();
        for i in world.add_body("late", &above, 0.02, 0) {
            world.particles.birth.resize(i, 0.0);
            world.particles.birth.push(0.03);
            world.particles.velocity[i] = Vect::from([0.0, -2.0]);
        }
    }
    world
}

fn simulate(world: World<2>, frames: u32) -> Simulation<2> {
    let solver = solver(&world, MpmSettings::default());
    Simulation::new(world, solver, Stepping { frame_time: 0.01, dt: 0.01, frames })
}

fn run_to_frame(simulation: &mut Simulation<2>, frame: u32) {
    while simulation.clock().frame() < frame {
        simulation.step().unwrap();
    }
}

#[test]
fn matter_that_has_yet_to_appear_touches_nothing_and_weighs_nothing() {
    let (mut with, mut without) = (simulate(two_balls(true), 6), simulate(two_balls(false), 6));
    let one = without.snapshot();
    for frame in 0..=2 {
        run_to_frame(&mut with, frame);
        run_to_frame(&mut without, frame);
        let (a, b) = (with.snapshot(), without.snapshot());
        assert_eq!((a.fields, a.quantities), (b.fields, b.quantities), "frame {frame}");
    }
    run_to_frame(&mut with, 3);
    let both = with.snapshot();
    assert_eq!(both.positions().len(), 2 * one.positions().len());
    let mass = both.quantity("mass").unwrap() / one.quantity("mass").unwrap();
    assert!((mass - 2.0).abs() < 1e-12, "{mass}");
    run_to_frame(&mut with, 6);
    run_to_frame(&mut without, 6);
    assert!(
        with.snapshot().quantity("momentum_y").unwrap() < without.snapshot().quantity("momentum_y").unwrap()
    );
    let pushed = |simulation: &mut Simulation<2>| simulation.snapshot().positions()[0][1];
    assert!(pushed(&mut with) < pushed(&mut without) - 1e-3, "the second ball hits the first");
}

#[test]
fn births_survive_a_checkpoint_before_and_after_them() {
    let mut whole = simulate(two_balls(true), 6);
    run_to_frame(&mut whole, 6);
    for steps in [1, 4, 9] {
        let mut first = simulate(two_balls(true), 6);
        (0..steps).for_each(|_| drop(first.step().unwrap()));
        let mut second = simulate(two_balls(true), 6);
        second.restore(&first.save()).unwrap();
        run_to_frame(&mut second, 6);
        assert_eq!(whole.snapshot(), second.snapshot(), "after {steps} steps");
    }
}

#[test]
fn a_body_that_starts_with_its_velocity_gradient_loses_no_angular_momentum_in_the_first_step() {
    let lost = |gradient: Option<Mat<2>>| {
        let mut world = ball::<2>(0.1, 0.02);
        spin(&mut world, 10.0);
        if let Some(gradient) = gradient {
            let particles = 0..world.particles.len();
            let values = vec![gradient; particles.len()];
            world.velocity_gradients.push(pliant_world::VelocityGradient { particles, values });
        }
        let before = pliant_solver::Totals::of(&world).angular_momentum.z;
        let mut solver = Mpm::<f64, 2>::new(&world, double());
        run(&mut world, &mut solver, 1);
        1.0 - pliant_solver::Totals::of(&world).angular_momentum.z / before
    };
    assert!(lost(None) > 1e-2);
    assert!(lost(Some(Mat::<2>::new(0.0, -10.0, 10.0, 0.0))).abs() < 1e-6);
}

#[test]
fn friction_of_an_obstacle_may_depend_on_species_place_and_time() {
    // Two cubes slide over one floor: rough to one species until a place, smooth to the other.
    let slide = |species: u8| {
        let mut world = World::<2>::empty();
        world.materials.push(material("rubber"));
        let points: Vec<_> =
            lattice::<2>(0.1, 0.02, |_| true).iter().map(|x| x + Vect::from([0.0, 0.1])).collect();
        world.add_body("cube", &points, 0.02, 0);
        world.bodies[0].species = species;
        world.particles.velocity.fill(Vect::from([1.0, 0.0]));
        world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
        world.colliders.push(floor(0.0));
        let surface = Surface {
            collider: 0,
            species: Some(0),
            friction: Some(
                pliant_expression::Expression::compile("0.5 * (x < 10)", &Surface::VARIABLES).unwrap(),
            ),
            stickiness: None,
        };
        let mixture =
            Mixture { species: vec!["rough".to_owned(), "smooth".to_owned()], ..Mixture::default() };
        let settings = MpmSettings { surfaces: vec![surface], mixture, ..double() };
        let mut solver = solver(&world, settings);
        let (mut time, end) = (0.0, 0.1);
        while time < end {
            let dt = solver.longest_step().unwrap().min(end - time);
            solver.step(&mut world, Span { time, dt, care: Care::Strict }).unwrap();
            time += dt;
        }
        solver.publish(&mut world);
        world.particles.velocity.iter().map(|v| v[0]).sum::<f64>() / world.particles.len() as f64
    };
    let (rough, smooth) = (slide(0), slide(1));
    assert!((smooth - 1.0).abs() < 1e-3, "{smooth}");
    assert!((rough - (1.0 - 0.5 * 9.81 * 0.1)).abs() < 0.05, "{rough}");
}

#[test]
fn a_shape_that_grows_pushes_matter_ahead_of_it() {
    let key = |time, radius| pliant_geometry::shape::Key { time, shape: Shape::ball(radius).unwrap() };
    let mut world = World::<2>::empty();
    world.materials.push(material("rubber"));
    let points: Vec<_> =
        lattice::<2>(0.06, 0.02, |_| true).iter().map(|x| x + Vect::from([0.3, 0.0])).collect();
    world.add_body("cube", &points, 0.02, 0);
    world
        .colliders
        .push(Collider { shape: Shape::morph(vec![key(0.0, 0.2), key(0.1, 0.4)]).unwrap(), ..floor(0.0) });
    let mut solver = solver(&world, double());
    let (mut time, end) = (0.0, 0.1);
    while time < end {
        let dt = solver.longest_step().unwrap().min(end - time);
        solver.step(&mut world, Span { time, dt, care: Care::Strict }).unwrap();
        time += dt;
    }
    solver.publish(&mut world);
    let nearest = world.particles.position.iter().map(|x| x.norm()).fold(f64::INFINITY, f64::min);
    let pace = world.particles.velocity.iter().map(|v| v[0]).sum::<f64>() / world.particles.len() as f64;
    // The surface comes at 2 m/s and is at 0.4 m; what it hits leaves with up to twice its speed.
    assert!(nearest > 0.38, "{nearest}");
    assert!((1.9..4.1).contains(&pace), "{pace}");
}

#[test]
fn the_grid_that_is_shown_holds_the_mass_and_momentum_of_the_particles() {
    for kernel in [Kernel::Linear, Kernel::Quadratic, Kernel::Cubic] {
        let mut world = ball::<3>(0.1, 0.025);
        spin(&mut world, 5.0);
        world.particles.velocity.iter_mut().for_each(|v| v[2] += 0.7);
        let solver = solver(&world, MpmSettings { kernel, ..double() });
        let fields = solver.grid().unwrap();
        let column = |name: &str| fields.iter().find(|field| field.name == name).unwrap().column.clone();
        let (Column::Scalar(mass), Column::Vector(velocity)) = (column("mass"), column("velocity")) else {
            panic!("numbers and vectors");
        };
        let totals = pliant_solver::Totals::of(&world);
        let sum: f64 = mass.iter().map(|m| f64::from(*m)).sum();
        let momentum: f64 = mass.iter().zip(&velocity).map(|(m, v)| f64::from(*m) * f64::from(v[2])).sum();
        assert!((sum / totals.mass - 1.0).abs() < 1e-5 && (momentum / totals.momentum.z - 1.0).abs() < 1e-5);
    }
}
