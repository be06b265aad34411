//! Floors, plates, pins, walls and shapes that grow.

use super::*;
use crate::scalar::Quad;

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
fn sand_that_runs_over_an_edge_does_not_enter_the_ledge() {
    let mut world = World::<2>::empty();
    world.materials.push(material("sand"));
    let points: Vec<_> = lattice::<2>(0.1, 0.01, |_| true).iter().map(|x| x + Vect::repeat(0.1)).collect();
    world.add_body("sand", &points, 0.01, 0);
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
    let mut ledge = floor(0.6);
    ledge.shape = Shape::cuboid(Vec3::new(0.4, 0.2, 1.0)).unwrap().translated(Vec3::new(0.453, -0.2, 0.0));
    world.colliders.push(ledge.clone());
    let mut solver = Mpm::<f32, 2>::new(&world.clone(), MpmSettings::default());
    let mut time = 0.0;
    let mut fallen = 0;
    while time < 0.5 {
        let dt = solver.longest_step().unwrap();
        solver.step(&mut world, Span { time, dt, care: Care::Strict }).unwrap();
        time += dt;
        solver.publish(&mut world);
        for x in &world.particles.position {
            let depth = -ledge.shape.distance(&pliant_math::embed(x));
            assert!(depth < 0.1 * solver.mesh.spacing, "{x} is {depth} inside the ledge at {time} s");
        }
        fallen = world.particles.position.iter().filter(|x| x[1] < -0.05).count();
    }
    assert!(fallen > 10, "{fallen} particles went over the edge");
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
    let nearest = world.particles.position.iter().map(Vect::norm).fold(f64::INFINITY, f64::min);
    let pace = world.particles.velocity.iter().map(|v| v[0]).sum::<f64>() / world.particles.len() as f64;
    // The surface comes at 2 m/s and is at 0.4 m; what it hits leaves with up to twice its speed.
    assert!(nearest > 0.38, "{nearest}");
    assert!((1.9..4.1).contains(&pace), "{pace}");
}

#[test]
fn the_velocity_of_the_grid_is_zero_on_a_smooth_wall_that_pushes() {
    let pressed = |friction: f64| {
        let mut world = World::<2>::empty();
        world.materials.push(material("rubber"));
        let points: Vec<_> =
            lattice::<2>(0.1, 0.01, |_| true).iter().map(|x| x + Vect::from([0.0, 0.1])).collect();
        world.add_body("block", &points, 0.01, 0);
        world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
        world.colliders.push(floor(friction));
        let mut solver = Mpm::<f64, 2>::new(&world, double());
        run(&mut world, &mut solver, 20);
        // Between its edges, one cell behind the floor and before it, and on it.
        let velocity = |row: f64| {
            let middle = |place: &layout::Place<2>, node: usize| {
                let x = grid::node_position(solver.mesh.spacing, place, node);
                x[0].abs() < 0.05 && (x[1] - row * solver.mesh.spacing).abs() < 1e-9
            };
            let size = layout::block_size(2);
            let all = solver.layout.nodes.iter().enumerate().flat_map(|(block, place)| {
                (0..size).filter(move |node| middle(place, *node)).map(move |node| block * size + node)
            });
            all.map(|index| solver.grid.nodes[index].array()[1]).collect::<Vec<f64>>()
        };
        let rows = velocity(-1.0).into_iter().zip(velocity(0.0)).zip(velocity(1.0));
        rows.map(|((behind, on), before)| ((behind + before) / 8.0 + 0.75 * on, before)).collect::<Vec<_>>()
    };
    for (on_wall, before) in pressed(0.0) {
        assert!(before < -1e-4 && on_wall.abs() < 1e-12, "{on_wall} on the wall, {before} before it");
    }
    // A rough wall holds the nodes behind it, and leaves an eighth.
    assert!(pressed(0.3).iter().all(|(on_wall, before)| (on_wall / before - 0.125).abs() < 1e-9));
}

#[test]
fn what_is_driven_into_a_wall_pushes_nothing_through_it() {
    let mut world = World::<2>::empty();
    world.materials.push(material("sand"));
    let heap: Vec<_> =
        lattice::<2>(0.1, 0.01, |x| x[1] < 0.0).iter().map(|x| x + Vect::from([0.24, 0.0])).collect();
    world.add_body("heap", &heap, 0.01, 0);
    let plane =
        |normal: Vec3, offset: f64| Collider { shape: Shape::HalfSpace { normal, offset }, ..floor(0.3) };
    let motion = Motion::Linear { velocity: Vec3::x() * 4.0 };
    let shot = Collider { shape: Shape::Ball { radius: 0.1 }, motion, ..floor(0.3) };
    world.colliders = vec![shot, plane(Vec3::y(), -0.1), plane(-Vec3::x(), -0.36)];
    let mut solver = Mpm::<f32, 2>::new(&world, MpmSettings::default());
    let mut time = 0.0;
    while time < 0.12 {
        let dt = solver.longest_step().unwrap();
        solver.step(&mut world, Span { time, dt, care: Care::Strict }).unwrap();
        time += dt;
    }
    solver.publish(&mut world);
    let farthest = world.particles.position.iter().map(|x| x[0]).fold(0.0, f64::max);
    assert!(farthest < 0.36 + solver.mesh.spacing, "a particle is at {farthest}");
}
