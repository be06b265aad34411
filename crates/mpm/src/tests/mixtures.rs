//! Species that share a place.

use super::*;

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
fn a_smooth_wall_meets_species_that_move_as_one_like_a_single_grid() {
    let velocities = [true, false].map(|are_two| {
        let mut world = overlapping(16, 0.02);
        // One species comes to the wall, the lighter one leaves it.
        for (x, v) in world.particles.position.iter_mut().zip(&mut world.particles.velocity) {
            (x[0], v[0]) = (x[0] + 0.16, 1.0 - 2.0 * v[0]);
        }
        if !are_two {
            world.bodies.iter_mut().for_each(|body| body.species = 0);
        }
        let shape = Shape::HalfSpace { normal: Vec3::x(), offset: 0.0 };
        world.colliders.push(Collider { shape, ..floor(0.0) });
        let mut solver = Mpm::<f64, 2>::new(&world, mixture(Drag::Literal(1e15), DragMode::Limit));
        run(&mut world, &mut solver, 30);
        world.particles.velocity
    });
    let apart = velocities[0].iter().zip(&velocities[1]).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(apart < 1e-12, "{apart}");
}

/// A square that falls on a floor, of vertical strips: rubber, snow and sand by turns, each strip of a material of its own
/// or all of three.
fn striped(strips: u16, of_three: bool) -> World<2> {
    let mut world = World::empty();
    let three = ["rubber", "nilles-snow", "sand"].map(material);
    world.materials = three.iter().cycle().take(if of_three { 3 } else { strips.into() }).cloned().collect();
    let spacing = 0.01;
    for strip in 0..strips {
        let place = |k: u16| Vect::from([f64::from(strip) + 0.5, f64::from(k) + 0.5]) * spacing;
        let points: Vec<Vect<2>> = (0..4).map(place).collect();
        world.add_body("strip", &points, spacing, if of_three { strip % 3 } else { strip });
    }
    world.particles.velocity.iter_mut().for_each(|v| v[1] = -1.0);
    world.colliders.push(floor(0.4));
    world
}

#[test]
fn hundreds_of_materials_share_a_grid() {
    for precision in [Precision::Double, Precision::Single] {
        let ends = [false, true].map(|of_three| {
            let mut world = striped(300, of_three);
            let settings = MpmSettings { substep: Some(1e-4), precision, ..MpmSettings::default() };
            let mut solver = solver(&world, settings);
            run(&mut world, &mut *solver, 60);
            world.particles.velocity
        });
        let apart = ends[0].iter().zip(&ends[1]).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        // Sums are in another order.
        let bound = if precision == Precision::Double { 1e-11 } else { 1e-3 };
        assert!(apart < bound, "{precision:?}: {apart}");
        let speeds = ends[0].iter().map(|v| v[1]);
        assert!(speeds.fold(f64::NEG_INFINITY, f64::max) > -0.9, "the floor has stopped nothing");
    }
}
