//! Signed distances of shapes and of their combinations.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::points_in_cube;
use nalgebra::UnitQuaternion;
use pliant_geometry::{Aabb, GeometryError, Placement, Shape};
use pliant_math::Vec3;

/// One of each bounded elementary body, all about a metre in size.
fn bodies() -> Vec<Shape> {
    vec![
        Shape::cuboid(Vec3::new(0.5, 0.3, 0.7)).unwrap(),
        Shape::ball(0.6).unwrap(),
        Shape::ellipsoid(Vec3::new(0.3, 0.7, 0.5)).unwrap(),
        Shape::ellipsoid(Vec3::new(0.05, 0.6, 0.2)).unwrap(),
        Shape::cylinder(0.4, 0.6).unwrap(),
        Shape::cone(0.5, 0.6).unwrap(),
        Shape::truncated_cone(0.2, 0.5, 0.4).unwrap(),
        Shape::capsule(0.3, 0.4).unwrap(),
        Shape::torus(0.5, 0.2).unwrap(),
        Shape::round_cone([Vec3::new(0.1, -0.4, 0.0), Vec3::new(0.2, 0.4, 0.3)], [0.3, 0.1]).unwrap(),
        Shape::round_cone([Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.1, 0.0, 0.0)], [0.5, 0.1]).unwrap(),
    ]
}

fn combinations() -> Vec<Shape> {
    let (a, b) = (bodies()[0].clone(), bodies()[1].clone().translated(Vec3::new(0.4, 0.3, 0.0)));
    let turn = UnitQuaternion::from_euler_angles(0.3, 0.5, 0.7);
    vec![
        Shape::union(vec![a.clone(), b.clone()]).unwrap(),
        Shape::intersection(vec![a.clone(), b.clone()]).unwrap(),
        Shape::difference(a.clone(), vec![b.clone()]).unwrap(),
        Shape::smooth_union(vec![a.clone(), b.clone(), Shape::torus(0.5, 0.2).unwrap()], 0.2).unwrap(),
        a.placed(Placement::new(turn, Vec3::new(0.1, 0.2, 0.3), 1.7).unwrap()),
    ]
}

/// The distance to the zero set, found by walking a dense cloud of surface points.
fn surface_cloud(shape: &Shape) -> Vec<Vec3> {
    let mut cloud = Vec::new();
    for mut p in points_in_cube(30_000, 1.1, 7) {
        for _ in 0..4 {
            p -= shape.normal(&p) * shape.distance(&p);
        }
        if shape.distance(&p).abs() < 1e-9 {
            cloud.push(p);
        }
    }
    cloud
}

#[test]
fn elementary_distances_agree_with_the_nearest_of_many_surface_points() {
    const CLOUD_GAP: f64 = 0.04; // what a cloud of this density leaves between its points
    for shape in bodies() {
        let cloud = surface_cloud(&shape);
        assert!(cloud.len() > 15_000, "{shape:?}: only {} surface points", cloud.len());
        for p in points_in_cube(200, 1.0, 11) {
            let nearest = cloud.iter().map(|q| (p - q).norm()).fold(f64::INFINITY, f64::min);
            let distance = shape.distance(&p).abs();
            let gap = nearest - distance;
            // The cloud's nearest point is never nearer than the surface, and not much farther.
            assert!(
                (-1e-7..CLOUD_GAP).contains(&gap) && gap <= 1e-7 + CLOUD_GAP * CLOUD_GAP / distance.max(1e-3),
                "{shape:?} at {p:?}: {distance} against {nearest}"
            );
        }
    }
}

#[test]
fn no_distance_is_steeper_than_one() {
    for shape in bodies().into_iter().chain(combinations()) {
        let points = points_in_cube(4000, 1.2, 3);
        for pair in points.chunks_exact(2) {
            let rise = (shape.distance(&pair[0]) - shape.distance(&pair[1])).abs();
            assert!(rise <= (pair[0] - pair[1]).norm() + 1e-9, "{shape:?} between {pair:?}");
        }
    }
}

#[test]
fn normals_are_unit_vectors_along_the_slope_and_never_nan() {
    for shape in bodies().into_iter().chain(combinations()) {
        for p in points_in_cube(500, 1.2, 5).into_iter().chain([Vec3::zeros(), Vec3::repeat(1e12)]) {
            let normal = shape.normal(&p);
            assert!((normal.norm() - 1.0).abs() < 1e-9, "{shape:?} at {p:?}: {normal:?}");
        }
        let mut rising = 0;
        for p in points_in_cube(500, 1.2, 6) {
            let normal = shape.normal(&p) * 1e-5;
            let (forth, back) = (shape.distance(&(p + normal)), shape.distance(&(p - normal)));
            let across =
                shape.distance(&(p + normal.cross(&Vec3::new(0.48, 0.6, 0.64)))) - shape.distance(&p);
            rising += usize::from(forth - back > 0.3e-5 && across.abs() < 1e-8);
        }
        // Not at creases and on the skeleton, where a distance has no slope.
        assert!(rising >= 490, "{shape:?}: rises along the normal at {rising} of 500 points");
    }
}

#[test]
fn bounds_hold_every_inside_point_and_are_tight_for_bodies() {
    for shape in bodies().into_iter().chain(combinations()) {
        let bounds = shape.bounds().unwrap();
        let inside: Vec<Vec3> =
            points_in_cube(20_000, 2.0, 9).into_iter().filter(|p| shape.contains(p)).collect();
        assert!(!inside.is_empty());
        assert!(inside.iter().all(|p| bounds.contains(p)), "{shape:?}");
    }
    for shape in bodies() {
        let cloud = surface_cloud(&shape);
        let tight = Aabb::of_points(&cloud).unwrap();
        let slack = (tight.min - shape.bounds().unwrap().min).amax();
        assert!(slack < 0.03, "{shape:?}: {slack}");
    }
}

#[test]
fn combinations_obey_the_laws_of_sets() {
    let (a, b) = (Shape::ball(0.6).unwrap(), Shape::cuboid(Vec3::repeat(0.5)).unwrap());
    let union = Shape::union(vec![a.clone(), b.clone()]).unwrap();
    let shared = Shape::intersection(vec![a.clone(), b.clone()]).unwrap();
    let rest = Shape::difference(a.clone(), vec![b.clone()]).unwrap();
    let smooth = Shape::smooth_union(vec![a.clone(), b.clone()], 0.1).unwrap();
    for p in points_in_cube(5000, 1.0, 13) {
        let (in_a, in_b) = (a.contains(&p), b.contains(&p));
        assert_eq!(union.contains(&p), in_a || in_b);
        assert_eq!(shared.contains(&p), in_a && in_b);
        assert_eq!(rest.contains(&p), in_a && !in_b);
        assert!(smooth.contains(&p) || !union.contains(&p), "a smooth union holds the union");
        assert!(
            smooth.distance(&p) >= union.distance(&p) - 0.025 - 1e-12,
            "and grows by a quarter of the blend"
        );
    }
}

#[test]
fn placing_scales_turns_and_moves_distances() {
    let turn = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
    let placement = Placement::new(turn, Vec3::new(1.0, 2.0, 3.0), 2.0).unwrap();
    let shape = Shape::cuboid(Vec3::new(1.0, 0.5, 0.25)).unwrap().placed(placement);
    // The long x axis now points along y.
    assert!((shape.distance(&Vec3::new(1.0, 5.0, 3.0)) - 1.0).abs() < 1e-12);
    assert!((shape.distance(&Vec3::new(3.0, 2.0, 3.0)) - 1.0).abs() < 1e-12);
    assert!((shape.normal(&Vec3::new(1.0, 5.0, 3.0)) - Vec3::y()).norm() < 1e-6);
    let p = Vec3::new(0.3, -0.2, 0.9);
    assert!((placement.to_shape(&placement.to_world(&p)) - p).norm() < 1e-12);
    let size = shape.bounds().unwrap().size();
    assert!((size - Vec3::new(2.0, 4.0, 1.0)).norm() < 1e-12, "{size:?}");
}

#[test]
fn half_spaces_are_unbounded_until_they_are_cut() {
    let ground = Shape::half_space(Vec3::new(0.0, 2.0, 0.0), Vec3::new(5.0, 1.0, 0.0)).unwrap();
    assert!(ground.bounds().is_none());
    assert!((ground.distance(&Vec3::new(0.0, 3.0, 0.0)) - 2.0).abs() < 1e-15);
    let dome = Shape::intersection(vec![ground, Shape::ball(2.0).unwrap()]).unwrap();
    assert_eq!(dome.bounds().unwrap(), Shape::ball(2.0).unwrap().bounds().unwrap());
}

#[test]
fn an_array_repeats_a_shape_step_by_step() {
    let row = Shape::ball(0.1).unwrap().array([3, 1, 2], Vec3::new(1.0, 0.0, 0.5)).unwrap();
    assert!((row.distance(&Vec3::new(2.0, 0.0, 0.5)) + 0.1).abs() < 1e-15);
    assert!((row.distance(&Vec3::new(3.0, 0.0, 0.5)) - 0.9).abs() < 1e-15);
    let endless = Shape::ball(0.1).unwrap().array([u32::MAX; 3], Vec3::x());
    assert!(matches!(endless, Err(GeometryError::TooMany { .. })));
}

#[test]
fn senseless_values_are_refused_by_name() {
    assert!(matches!(Shape::ball(-1.0), Err(GeometryError::NotPositive { value: -1.0, .. })));
    assert!(Shape::ball(f64::NAN).unwrap_err().to_string().contains("NaN"));
    assert!(Shape::cuboid(Vec3::new(1.0, 0.0, 1.0)).is_err());
    assert!(Shape::torus(1.0, f64::INFINITY).is_err());
    assert!(Shape::truncated_cone(0.0, 0.0, 1.0).is_err());
    assert!(Shape::capsule(0.1, -0.1).is_err());
    assert!(matches!(
        Shape::half_space(Vec3::zeros(), Vec3::zeros()),
        Err(GeometryError::NoDirection { .. })
    ));
    assert!(matches!(Shape::union(vec![]), Err(GeometryError::NoShapes { .. })));
    assert!(Placement::new(UnitQuaternion::identity(), Vec3::zeros(), 0.0).is_err());
}
