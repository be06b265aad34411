//! Filling shapes with particles.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use nalgebra::UnitQuaternion;
use pliant_geometry::mesh::{self, TriangleMesh};
use pliant_geometry::sampling::Filling;
use pliant_geometry::sampling::quality::Quality;
use pliant_geometry::{Aabb, Placement, Sampler, SamplingError, Shape, sample};
use pliant_math::Vec3;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

const PLENTY: usize = 10_000_000;

fn cube(edge: f64) -> Shape {
    Shape::cuboid(Vec3::repeat(0.5 * edge)).unwrap()
}

fn nearest_pair(points: &[Vec3]) -> f64 {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut nearest = f64::INFINITY;
    for (i, p) in sorted.iter().enumerate() {
        let close = sorted[i + 1..].iter().take_while(|q| q.x - p.x < nearest);
        nearest = close.map(|q| (q - p).norm()).fold(nearest, f64::min);
    }
    nearest
}

#[test]
fn a_box_of_n_spacings_gets_n_particles_across_half_a_spacing_inside() {
    for n in [1, 2, 7, 10, 33] {
        let shape = cube(0.1 * f64::from(n)).translated(Vec3::new(0.123, 4.0, -2.0));
        let points = sample(&shape, &Sampler::Lattice, 0.1, 3, 0, PLENTY).unwrap();
        assert_eq!(points.len(), (n * n * n) as usize);
        let bounds = Aabb::of_points(&points).unwrap();
        let faces = shape.bounds().unwrap();
        assert!((bounds.min - faces.min - Vec3::repeat(0.05)).amax() < 1e-12);
        assert!((faces.max - bounds.max - Vec3::repeat(0.05)).amax() < 1e-12);
    }
}

#[test]
fn other_boxes_are_filled_to_the_nearest_whole_number_and_symmetrically() {
    for (edge, across) in [(0.91, 9), (0.97, 10), (1.04, 10), (0.03, 1)] {
        let points = sample(&cube(edge), &Sampler::Lattice, 0.1, 3, 0, PLENTY).unwrap();
        assert_eq!(points.len(), across * across * across, "edge {edge}");
    }
    let ball = sample(&Shape::ball(0.5).unwrap(), &Sampler::Lattice, 0.05, 3, 0, PLENTY).unwrap();
    let mean = ball.iter().sum::<Vec3>() / ball.len() as f64;
    assert!(mean.amax() < 1e-12, "the mean of a symmetric filling is its centre: {mean:?}");
    let volume = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
    assert!((ball.len() as f64 * 0.05_f64.powi(3) / volume - 1.0).abs() < 0.05);
}

#[test]
fn the_lattice_follows_a_shape_that_was_turned() {
    let turn = UnitQuaternion::from_euler_angles(0.3, 0.4, 0.5);
    let shape = cube(1.0).placed(Placement::new(turn, Vec3::new(5.0, 0.0, 0.0), 2.0).unwrap());
    let points = sample(&shape, &Sampler::Lattice, 0.2, 3, 0, PLENTY).unwrap();
    assert_eq!(points.len(), 1000);
    assert!((nearest_pair(&points) - 0.2).abs() < 1e-12);
    assert!(points.iter().all(|p| shape.contains(p)));
}

#[test]
fn two_dimensional_samples_lie_in_the_plane_and_fill_its_area() {
    let turn = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), 0.5);
    let samplers =
        [Sampler::Lattice, Sampler::Jittered { amount: 1.0 }, Sampler::Random, Sampler::PoissonDisk];
    for sampler in samplers {
        let shape = cube(1.0).rotated(turn).translated(Vec3::new(1.0, 0.5, 0.0));
        let points = sample(&shape, &sampler, 0.02, 2, 1, PLENTY).unwrap();
        assert!(points.iter().all(|p| p.z == 0.0 && shape.contains(p)));
        let filling = points.len() as f64 / 2500.0;
        assert!((filling - 1.0).abs() < 0.03, "{sampler:?}: {filling}");
    }
}

#[test]
fn every_sampler_reaches_one_particle_per_cell() {
    let shapes = [cube(1.0), Shape::ball(0.6).unwrap(), Shape::torus(0.5, 0.2).unwrap()];
    let volumes = [1.0, 0.904_779, 0.394_784];
    let samplers =
        [Sampler::Lattice, Sampler::Jittered { amount: 0.6 }, Sampler::Random, Sampler::PoissonDisk];
    for sampler in samplers {
        for (shape, volume) in shapes.iter().zip(volumes) {
            let points = sample(shape, &sampler, 0.04, 3, 42, PLENTY).unwrap();
            assert!(points.iter().all(|p| shape.contains(p)));
            let filling = points.len() as f64 * 0.04_f64.powi(3) / volume;
            assert!((filling - 1.0).abs() < 0.04, "{sampler:?} in {shape:?}: {filling}");
        }
    }
}

#[test]
fn poisson_disk_samples_keep_their_distance_in_every_part() {
    let parts = [Vec3::zeros(), Vec3::new(3.0, 0.0, 0.0)].map(|at| cube(0.5).translated(at));
    let shape = Shape::union(parts.to_vec()).unwrap();
    let points = sample(&shape, &Sampler::PoissonDisk, 0.05, 3, 3, PLENTY).unwrap();
    assert!(nearest_pair(&points) >= 0.83 * 0.05, "{}", nearest_pair(&points) / 0.05);
    for part in &parts {
        let filling = points.iter().filter(|p| part.contains(p)).count() as f64 / 1000.0;
        assert!((filling - 1.0).abs() < 0.1, "{filling}");
    }
}

#[test]
fn jitter_stays_in_its_cell() {
    let lattice = sample(&cube(1.0), &Sampler::Lattice, 0.1, 3, 0, PLENTY).unwrap();
    let jittered = sample(&cube(1.0), &Sampler::Jittered { amount: 0.5 }, 0.1, 3, 8, PLENTY).unwrap();
    assert_eq!(lattice.len(), jittered.len());
    let moves: Vec<f64> = lattice.iter().zip(&jittered).map(|(a, b)| (a - b).amax()).collect();
    assert!(moves.iter().all(|move_| *move_ <= 0.025 + 1e-12));
    assert!(moves.iter().sum::<f64>() / 1000.0 > 0.015);
}

#[test]
fn a_seed_decides_everything_and_threads_nothing() {
    let shape = Shape::torus(0.5, 0.2).unwrap();
    let samplers = [
        Sampler::Jittered { amount: 1.0 },
        Sampler::Random,
        Sampler::PoissonDisk,
        Sampler::RELAXED,
        Sampler::BlueNoise,
    ];
    for sampler in samplers {
        let with_threads = |threads: usize, seed: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sample(&shape, &sampler, 0.06, 3, seed, PLENTY).unwrap())
        };
        assert_eq!(with_threads(1, 5), with_threads(3, 5));
        assert_ne!(with_threads(1, 5), with_threads(1, 6));
    }
}

#[test]
fn impossible_requests_are_refused_at_once() {
    let started = Instant::now();
    let error = sample(&cube(1.0), &Sampler::PoissonDisk, 1e-9, 3, 0, 1_000_000).unwrap_err();
    assert!(matches!(error, SamplingError::TooMany { predicted, .. } if predicted > 0.9e27), "{error}");
    let SamplingError::TooMany { suggestion, .. } = error else { unreachable!() };
    assert!(sample(&cube(1.0), &Sampler::Lattice, suggestion, 3, 0, 1_000_000).is_ok());
    let shell = Shape::difference(Shape::ball(1.0).unwrap(), vec![Shape::ball(1.0 - 1e-9).unwrap()]).unwrap();
    let error = sample(&shell, &Sampler::Lattice, 1e-4, 3, 0, 1_000_000).unwrap_err();
    assert!(matches!(error, SamplingError::TooSparse { .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(2));

    let ground = Shape::half_space(Vec3::y(), Vec3::zeros()).unwrap();
    assert_eq!(sample(&ground, &Sampler::Lattice, 0.1, 3, 0, 10), Err(SamplingError::Unbounded));
    for spacing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = sample(&cube(1.0), &Sampler::Lattice, spacing, 3, 0, 10);
        assert!(matches!(refused, Err(SamplingError::BadSpacing { .. })));
    }
    assert!(sample(&cube(1.0), &Sampler::Lattice, 0.1, 4, 0, 10).is_err());
    assert!(sample(&cube(1.0), &Sampler::Jittered { amount: 2.0 }, 0.5, 3, 0, 10).is_err());
}

#[test]
fn a_shape_thinner_than_the_spacing_says_so() {
    let ring = Shape::torus(1.0, 0.01).unwrap();
    let error = sample(&ring, &Sampler::Lattice, 0.3, 3, 0, PLENTY).unwrap_err();
    assert!(matches!(error, SamplingError::Nothing { .. }));
    assert!(error.to_string().contains("0.010 m or less"), "{error}");
}

#[test]
fn relaxing_makes_spacings_even_and_keeps_the_volume() {
    let shape = Shape::ball(0.5).unwrap();
    let relaxed = sample(&shape, &Sampler::RELAXED, 0.1, 3, 5, PLENTY).unwrap();
    let quality = Quality::of(&relaxed, &shape, 0.1, 3);
    assert_eq!(quality.outside, 0);
    assert_eq!([quality.coplanar, quality.colinear], [0, 0]);
    let volume = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
    assert!((relaxed.len() as f64 * 1e-3 / volume - 1.0).abs() < 0.02, "{} particles", relaxed.len());
    assert!(quality.nearest.min > 0.7 && quality.nearest.mean > 0.93, "{:?}", quality.nearest);
    assert!(quality.nearest_deviation < 0.06, "{}", quality.nearest_deviation);
    assert!(quality.density_error.unwrap() < 0.05, "{:?}", quality.density_error);
    let touching = relaxed.iter().filter(|p| shape.distance(p) > -0.06).count() as f64;
    assert!(touching > 0.3 * relaxed.len() as f64, "a shell of {touching} particles touches the surface");
    let explicit = sample(&shape, &Sampler::BlueNoise, 0.1, 3, 5, PLENTY).unwrap();
    let explicit = Quality::of(&explicit, &shape, 0.1, 3);
    assert!(explicit.nearest_deviation > quality.nearest_deviation, "the paper's claim (Fig. 5)");
}

#[test]
fn relaxing_keeps_thin_parts_without_flat_neighbourhoods() {
    // A plate thinner than the spacing: a lattice has one flat layer of it.
    let plate = Shape::cuboid(Vec3::new(0.5, 0.5, 0.02)).unwrap();
    let relaxed = sample(&plate, &Sampler::RELAXED, 0.05, 3, 2, PLENTY).unwrap();
    // As many as cover it: one for each square of a spacing, the share of a plate as thick as the spacing.
    let share = relaxed.len() as f64 * 0.05 * 0.05;
    assert!((share - 1.0).abs() < 0.05, "{} particles cover {share} of the plate", relaxed.len());
    assert!(relaxed.iter().all(|p| plate.contains(p)));
    let flat = |points: &[Vec3]| Quality::of(points, &plate, 0.05, 3).coplanar as f64 / points.len() as f64;
    let lattice = sample(&plate, &Sampler::Lattice, 0.05, 3, 0, PLENTY).unwrap();
    assert_eq!(flat(&lattice), 1.0);
    let ear = Shape::cuboid(Vec3::new(0.5, 0.5, 0.03)).unwrap();
    let relaxed = sample(&ear, &Sampler::RELAXED, 0.05, 3, 2, PLENTY).unwrap();
    assert!(flat(&relaxed) < 0.2, "{} of the neighbourhoods are flat", flat(&relaxed));
}

#[test]
fn relaxing_works_in_the_plane_and_can_be_stopped() {
    let shape = Shape::ball(0.5).unwrap();
    let disk = sample(&shape, &Sampler::RELAXED, 0.05, 2, 1, PLENTY).unwrap();
    assert!(disk.iter().all(|p| p.z == 0.0 && p.norm() < 0.5));
    let area = std::f64::consts::PI * 0.25;
    assert!((disk.len() as f64 * 0.0025 / area - 1.0).abs() < 0.03);
    let filling = Filling {
        shape: &shape,
        sampler: Sampler::RELAXED,
        spacing: 0.05,
        dimension: 2,
        seed: 1,
        limit: PLENTY,
    };
    let mut heard = 0;
    let stopped = filling.points(&mut |progress| {
        heard = progress.iteration;
        if heard == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((stopped, heard), (Err(SamplingError::Stopped), 3));
}

#[test]
fn open_meshes_are_not_relaxed() {
    let vertices = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    let open = TriangleMesh { vertices, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]] };
    let (mesh, report) = mesh::inspect(open, "tent").unwrap();
    let shape = Shape::mesh(mesh, &report).unwrap();
    assert_eq!(sample(&shape, &Sampler::RELAXED, 0.1, 3, 0, PLENTY), Err(SamplingError::NotClosed));
    assert!(sample(&shape, &Sampler::Lattice, 0.1, 3, 0, PLENTY).is_ok());
}
