//! Bodies that are too large for one factor.

use super::*;

/// A lattice of 24 × 16 × 12 particles, shaken or not, with some of them pinned; and the number of iterations and the solution of a random
/// right-hand side.
fn solved(limit: usize, (young, dt): (f64, f64), disorder: f64) -> (usize, Vec<Lane>, Vec<Lane>) {
    let mut world = block([24, 16, 12], young, 0.3);
    let points = shaken(&world.particles.position, disorder);
    world.particles.position.clone_from(&points);
    let particles: Vec<u32> = (0..24 * 16 * 12).filter(|i| i % 24 == 0).collect();
    let initial = particles.iter().map(|&i| points[i as usize]).collect();
    world.pins.push(Pin { particles, initial, motion: Motion::Static });
    let solids = Solids::new(&world, &SphSettings { direct_limit: limit, ..settings(dt) });
    let body = &solids.bodies[0];
    let push = shaken(&vec![Vec3::new(0.0, -2.0, 0.0); points.len()], 1.0);
    let side: Vec<Lane> = (0..points.len())
        .map(|place| {
            let v = push[body.particle(place)];
            if body.shape.pinned[place] { [0.0; 4] } else { [v.x as f32, v.y as f32, v.z as f32, 0.0] }
        })
        .collect();
    let mut solution = side.clone();
    let effort = Effort { dt, tolerance: 1e-5, max_iterations: 100, acceleration: 1e-3 };
    let iterations = body.shape.solve(&mut [&mut solution], &effort).unwrap();
    let mut image = vec![[0.0; 4]; side.len()];
    StretchSystem::new(&body.shape, dt).apply(&solution, &mut image);
    let missing = side.iter().zip(&image).map(|(a, b)| std::array::from_fn(|k| a[k] - b[k])).collect();
    let mut sorted = solution.clone();
    (0..points.len()).for_each(|place| sorted[body.particle(place)] = solution[place]);
    (iterations, sorted, missing)
}

fn norm(vectors: &[Lane]) -> f64 {
    vectors.iter().map(|v| wide_vector(v).norm_squared()).sum::<f64>().sqrt()
}

#[test]
fn parts_and_coarse_motions_solve_what_one_factor_solves() {
    for disorder in [0.0, 0.04] {
        for material in [(1e6, 2e-3), (1e8, 2e-3)] {
            let (none, direct, _) = solved(10_000, material, disorder);
            let (iterations, found, missing) = solved(1000, material, disorder);
            assert_eq!(none, 0);
            assert!(iterations > 3, "{iterations} iterations: it was not solved in parts");
            let difference: Vec<Lane> =
                direct.iter().zip(&found).map(|(a, b)| std::array::from_fn(|k| a[k] - b[k])).collect();
            let error = norm(&difference) / norm(&direct);
            assert!(error < 2e-4, "{error} of the solution, {material:?}, disorder {disorder}");
            // The sides are 2 N s on each of 4,400 particles.
            assert!(norm(&missing) < 1e-2, "{} missing, {material:?}, disorder {disorder}", norm(&missing));
        }
    }
}

#[test]
fn iterations_do_not_grow_with_stiffness() {
    // Parts alone took 19, 46 and 68 iterations for two solves of 64,000 particles at 1, 10 and 100 MPa.
    for young in [1e6, 1e7, 1e8, 1e9] {
        let (iterations, ..) = solved(1000, (young, 2e-3), 0.0);
        assert!(iterations < 30, "{iterations} iterations at {young} Pa");
    }
}

#[test]
fn products_have_the_same_bits_on_any_number_of_threads() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solved(1000, (1e6, 2e-3), 0.04).1)
    };
    let bits = |x: &[Lane]| x.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
    let alone = bits(&on(1));
    for threads in [2, 3, 8] {
        assert_eq!(alone, bits(&on(threads)), "{threads} threads");
    }
}

#[test]
fn a_large_body_that_is_held_everywhere_has_nothing_to_solve() {
    let mut world = block([12, 10, 10], 1e6, 0.3);
    let initial = world.particles.position.clone();
    world.pins.push(Pin { particles: (0..1200).collect(), initial, motion: Motion::Static });
    let solids = Solids::new(&world, &SphSettings { direct_limit: 1000, ..settings(2e-3) });
    let mut side = vec![[0.0; 4]; 1200];
    let effort = Effort { dt: 2e-3, tolerance: 1e-5, max_iterations: 10, acceleration: 9.81 };
    assert_eq!(solids.bodies[0].shape.solve(&mut [&mut side], &effort).unwrap(), 0);
}
