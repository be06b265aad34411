//! What particles that are held store.

use super::super::held;
use super::*;

/// Factors of a block whose particles are held where `is_held` says so, and its rest pose.
fn factors(
    points: &[Vec3],
    is_held: impl Fn(&Vec3) -> bool,
    penalty: f64,
) -> (Vec<f64>, Vec<Vec3>, Vec<bool>) {
    let rest = super::super::rest::Rest::new(points, &vec![1e-3; points.len()], 0.1, &settings(1.0));
    let place: Vec<Vec3> = rest.order.iter().map(|&i| points[i as usize]).collect();
    let pinned: Vec<bool> = place.iter().map(is_held).collect();
    (held::factors(&rest, &pinned, penalty), place, pinned)
}

fn lattice() -> Vec<Vec3> {
    block([9, 7, 7], 1e6, 0.3).particles.position
}

/// At the axis of the block, where no side is near.
fn in_the_middle(x: &Vec3) -> bool {
    (x.y - 0.3).abs() < 0.01 && (x.z - 0.3).abs() < 0.01
}

#[test]
fn a_layer_at_the_end_of_a_body_counts_half() {
    for penalty in [0.0, 10.0] {
        let (factors, place, _) = factors(&lattice(), |x| x.x < 0.05, penalty);
        for (factor, x) in factors.iter().zip(&place) {
            let exact = if x.x < 0.05 { 0.5 } else { 1.0 };
            assert!((factor - exact).abs() < 1e-4, "{factor} at {x}");
        }
    }
}

#[test]
fn what_is_surrounded_by_free_matter_counts_whole() {
    let (pin, ..) = factors(&lattice(), |x| in_the_middle(x) && (x.x - 0.4).abs() < 0.01, 0.1);
    assert!(pin.iter().all(|factor| (factor - 1.0).abs() < 1e-4), "{pin:?}");
    let (corner, ..) = factors(&lattice(), |x| x.norm() < 0.01, 0.1);
    assert!(corner.iter().all(|factor| (factor - 1.0).abs() < 1e-4), "{corner:?}");
    let (sheet, ..) = factors(&lattice(), |x| (x.x - 0.4).abs() < 0.01, 0.1);
    assert!(sheet.iter().all(|factor| (factor - 1.0).abs() < 1e-4), "{sheet:?}");
}

/// What held particles at the axis store when the free side is stretched by ε, over `μ V ε²`.
fn stored_in_a_clamp(points: &[Vec3], penalty: f64) -> f64 {
    let mut world = World::empty();
    world.materials = block([1, 1, 1], 1e6, 0.0).materials;
    world.add_body("block", points, 0.1, 0);
    let held: Vec<u32> = (0..points.len() as u32).filter(|&i| points[i as usize].x < 0.35).collect();
    let initial = held.iter().map(|&i| points[i as usize]).collect();
    world.pins.push(Pin { particles: held, initial, motion: Motion::Static });
    let energy = |zero_energy: f64, strain: f64| {
        let settings =
            SphSettings { zero_energy: crate::settings::ZeroEnergy::Implicit(zero_energy), ..settings(1.0) };
        let moved: Vec<Vec3> =
            points.iter().map(|x| x + Vec3::x() * (strain * (x.x - 0.3).max(0.0))).collect();
        Solids::new(&world, &settings).energy(&moved)
    };
    // All of the free side but the held layer: 49 particles in each of five layers.
    let mu = world.materials[0].lame.mu;
    energy(penalty, 1e-3) / (mu * 49e-3 * 1e-6) - 5.0
}

#[test]
fn a_clamp_in_a_body_stores_what_its_free_half_stores() {
    for penalty in [0.0, 0.1, 10.0] {
        let stored = stored_in_a_clamp(&lattice(), penalty);
        // Beside the free sides of the block the free neighbours are fewer, and not straight ahead.
        assert!((stored - 0.5).abs() < 0.05, "{stored} with a penalty of {penalty}");
    }
}

#[test]
fn factors_off_lattices_are_those_of_lattices_in_the_mean() {
    let points: Vec<Vec3> = shaken(&lattice(), 0.04);
    let (factors, place, pinned) = factors(&points, |x| x.x < 0.05, 0.1);
    let held: Vec<f64> = (0..place.len()).filter(|&i| pinned[i]).map(|i| factors[i]).collect();
    let mean = held.iter().sum::<f64>() / held.len() as f64;
    assert!((mean - 0.5).abs() < 0.05, "{mean}");
    assert!(held.iter().all(|factor| (0.4..1.2).contains(factor)), "{held:?}");
}

#[test]
fn forces_beside_a_clamp_are_minus_the_slope_of_the_energy() {
    let mut world = block([5, 3, 3], 1e5, 0.3);
    let held: Vec<u32> = (0..45).filter(|i| i % 5 < 2).collect();
    let initial = held.iter().map(|&i| world.particles.position[i as usize]).collect();
    world.pins.push(Pin { particles: held, initial, motion: Motion::Static });
    let mut solids = Solids::new(&world, &settings(1.0));
    let body = &mut solids.bodies[0];
    let x = shaken(&world.particles.position, 0.02);
    let forces = forces_at(body, &x);
    for place in (0..45).filter(|&place| !body.shape.pinned[place]) {
        let energy = |step: f64| {
            let mut moved = x.clone();
            moved[body.particle(place)].x += step;
            let (stored, penalty) = body.energy_at(&moved);
            stored + penalty
        };
        let slope = (energy(1e-4) - energy(-1e-4)) / 2e-4;
        let force = f64::from(forces[place][0]);
        assert!((force + slope).abs() < 2e-3 * (20.0 + force.abs()), "{force} {slope}");
    }
}
