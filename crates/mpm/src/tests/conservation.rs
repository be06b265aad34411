//! Momenta, free flight, and bodies far away.

use super::*;

/// How far mass, momentum and angular momentum of a spinning body are from those at the start, as shares of them.
fn losses<const D: usize>(settings: MpmSettings) -> [f64; 3] {
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
        let spread = |axis: usize| h * h / solver.mesh.inverse_dispersion::<3>(axis);
        let turning =
            |grain: &Grain<f64, D>| grain.affine[(1, 0)] * spread(0) - grain.affine[(0, 1)] * spread(1);
        let carried: f64 = solver.grains().map(|grain| grain.mass * turning(&grain)).sum();
        (plain.mass, plain.momentum, plain.angular_momentum.z + carried)
    };
    let before = totals(&world, &solver);
    run(&mut world, &mut solver, 150);
    let after = totals(&world, &solver);
    [
        (before.0 - after.0).abs() / before.0,
        (before.1 - after.1).norm() / before.1.norm(),
        (before.2 - after.2).abs() / before.2.abs(),
    ]
}

fn spinning_body_keeps_its_momenta<const D: usize>(settings: MpmSettings) {
    let [mass, momentum, turning] = losses::<D>(settings);
    assert!(mass == 0.0 && momentum < 1e-12 && turning < 1e-10, "{mass} {momentum} {turning}");
}

#[test]
fn a_free_body_keeps_momentum_and_angular_momentum() {
    spinning_body_keeps_its_momenta::<2>(double());
    spinning_body_keeps_its_momenta::<3>(double());
    let mixed = Some([Kernel::Quadratic, Kernel::Cubic, Kernel::Cubic]);
    spinning_body_keeps_its_momenta::<2>(MpmSettings { kernel: Kernel::Cubic, mixed, ..double() });
}

#[test]
fn affine_flip_keeps_momentum_but_not_all_angular_momentum() {
    let settings = || MpmSettings { transfer: Transfer::AffineFlip(1.0), ..double() };
    // 2.5 % in the plane; a share of it is enough to say that it is not rounding.
    for [_, momentum, turning] in [losses::<2>(settings()), losses::<3>(settings())] {
        assert!(momentum < 1e-12 && turning > 1e-6 && turning < 0.05, "{momentum} {turning}");
    }
}

#[test]
fn an_affine_velocity_survives_the_way_to_the_grid_and_back() {
    let splines = [
        (Kernel::Quadratic, None),
        (Kernel::Cubic, None),
        (Kernel::Cubic, Some([Kernel::Cubic, Kernel::Quadratic, Kernel::Cubic])),
        (Kernel::Cubic, Some([Kernel::Quadratic, Kernel::Cubic, Kernel::Linear])),
        (Kernel::Quadratic, Some([Kernel::Linear, Kernel::Linear, Kernel::Quadratic])),
    ];
    for (kernel, mixed) in splines {
        for gradient in [Gradient::MovingLeastSquares, Gradient::Kernel] {
            let mut world = ball::<3>(0.1, 0.02);
            let l = Mat::<3>::new(0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.2, 0.1, -0.3);
            for i in 0..world.particles.len() {
                world.particles.velocity[i] = l * world.particles.position[i];
            }
            let settings = MpmSettings { kernel, mixed, gradient, ..double() };
            let mut solver = Mpm::<f64, 3>::new(&world, settings);
            for bunch in &mut solver.state.bunches {
                bunch.update(|grain| grain.affine = l);
            }
            let dt = 1e-9;
            solver.step(&mut world, Span { time: 0.0, dt, care: Care::Strict }).unwrap();
            for grain in solver.grains() {
                let settings = &solver.settings;
                assert!((grain.affine - l).amax() < 1e-6, "{settings:?} {}", grain.affine);
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

#[test]
fn a_particle_that_flies_away_breaks_nothing() {
    let mut world = ball::<2>(0.1, 0.02);
    world.particles.velocity[0] = Vect::from([9e3, 2e3]);
    let mut solver = Mpm::<f64, 2>::new(&world, MpmSettings { substep: Some(1e-6), ..double() });
    run(&mut world, &mut solver, 3000);
    assert!(world.particles.position.iter().all(|x| x.iter().all(|c| c.is_finite())));
    assert!(solver.grid.nodes.len() < 200 * layout::block_size(2), "the grid follows the particles");
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
