//! Bodies that are stiff for their step.

use super::*;
use pliant_world::Pin;

/// Speed left and sinking of the free end [m/s, m] of a beam of 100 MPa, `across` particles thick and 0.1 m, that is braked
/// while it bends under its own weight.
fn bend(across: usize, dt: f64, elasticity: Elasticity) -> (f64, f64) {
    let (d, clamped) = (0.1 / across as f64, 3);
    let mut world = world(1e8, 9.81);
    let along = 10 * across + clamped;
    let points: Vec<Vec3> =
        lattice([along, across, across], Vec3::zeros()).iter().map(|x| x * (d / D)).collect();
    world.add_body("beam", &points, d, SOLID);
    let held: Vec<u32> =
        (0..points.len() as u32).filter(|&i| points[i as usize].x < clamped as f64 * d).collect();
    let initial = held.iter().map(|&i| points[i as usize]).collect();
    world.pins.push(Pin { particles: held, initial, motion: Motion::Static });
    let mut solver = Sph::new(&world, SphSettings { elasticity, ..settings(dt) });
    let mut time = 0.0;
    while time < 2.5 {
        let step = solver.longest_step().unwrap();
        solver.step(&mut world, Span { time, dt: step, care: Care::Strict }).unwrap();
        time += step;
        world.particles.velocity.iter_mut().for_each(|v| *v *= (-10.0 * step).exp());
    }
    let end: Vec<usize> = (0..points.len()).filter(|&i| points[i].x > (along as f64 - 1.0) * d).collect();
    let sunk = end.iter().map(|&i| points[i].y - world.particles.position[i].y).sum::<f64>();
    (fastest(&world), sunk / end.len() as f64)
}

#[test]
fn a_stiff_slender_beam_comes_to_rest_at_the_same_place_in_any_step() {
    // Bernoulli's beam sinks by 12 ρ g L⁴/(8 E b²) = 15 mm; a mean over neighbours makes six particles across too soft.
    let exact = 12.0 * 1000.0 * 9.81 / (8.0 * 1e8 * 0.01);
    let runs = [(Elasticity::Corrected, 2e-3), (Elasticity::Corrected, 5e-3), (Elasticity::Unsplit, 5e-3)];
    let places = runs.map(|(elasticity, dt)| {
        let (speed, sunk) = bend(6, dt, elasticity);
        assert!(speed < 0.01, "{elasticity:?} in steps of {dt} s: still at {speed} m/s");
        sunk / exact
    });
    assert!((1.0..1.3).contains(&places[0]), "{places:?} of the exact value");
    assert!(places.iter().all(|place| (place / places[0] - 1.0).abs() < 0.02), "{places:?}");
}
