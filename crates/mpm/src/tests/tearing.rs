//! Elastic matter that tears.

use super::*;

#[test]
fn torn_matter_pushes_and_does_not_pull() {
    let rubber = Matter::of(&Material { tear_stretch: 1.2, ..material("rubber") });
    let stretched_by = |grain: &mut Grain<f64, 2>, rate: f64| {
        let _ = rubber.respond(grain, &Mat::from_diagonal(&Vect::from([rate, 0.0])), 0.1);
        grain.stress[(0, 0)]
    };
    let mut grain = grain::<f64, 2>();
    assert!(stretched_by(&mut grain, 1.0) > 0.0, "a stretch of 1.1 pulls");
    assert!(stretched_by(&mut grain, 1.0) <= 0.0 && grain.memory_strain == 1.0, "one of 1.21 tears");
    assert!(stretched_by(&mut grain, 0.5) <= 0.0, "what is torn never pulls again");
    assert!(stretched_by(&mut grain, -0.5) < 0.0, "and can be pressed");
    let whole = Matter::of(&material("rubber"));
    assert!(whole.tear_stretch.is_infinite());
}

/// How far apart the outer quarters of a bar are that was thrown apart, over what they were at the start.
fn parted(tear_stretch: f64) -> f64 {
    let mut world = World::<2>::empty();
    world.materials.push(Material { tear_stretch, ..material("rubber") });
    let points = lattice::<2>(0.2, 0.02, |x| x[1].abs() < 0.05);
    world.add_body("bar", &points, 0.02, 0);
    for (x, v) in world.particles.position.iter().zip(&mut world.particles.velocity) {
        v[0] = 5.0 * x[0].signum();
    }
    let mut solver = Mpm::<f32, 2>::new(&world, MpmSettings::default());
    let mut time = 0.0;
    while time < 0.05 {
        let dt = solver.longest_step().unwrap();
        solver.step(&mut world, Span { time, dt, care: Care::Strict }).unwrap();
        time += dt;
    }
    solver.publish(&mut world);
    let right = points.iter().zip(&world.particles.position).filter(|(rest, _)| rest[0] > 0.1);
    let (count, rest, now) =
        right.fold((0.0, 0.0, 0.0), |(n, a, b), (rest, x)| (n + 1.0, a + rest[0], b + x[0]));
    assert!(count > 0.0);
    now / rest
}

#[test]
fn a_bar_that_is_thrown_apart_breaks_if_it_may_and_holds_if_not() {
    let (brittle, whole) = (parted(1.1), parted(f64::INFINITY));
    assert!(brittle > 2.0, "the ends fly at 5 m/s: {brittle}");
    assert!(whole < 1.5, "the ends are drawn back: {whole}");
}
