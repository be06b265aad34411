//! Heightfields and bitmaps as solids.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use pliant_geometry::shape::{Filter, Heightfield, ImageOptions, ImageShape, Inside, Sweep};
use pliant_geometry::{GeometryError, Shape};
use pliant_math::Vec3;
use std::sync::Arc;

const OPTIONS: ImageOptions = ImageOptions {
    width: 2.0,
    threshold: 0.5,
    inside: Inside::Bright,
    filter: Filter::Bilinear,
    sweep: Sweep::Extruded { half_thickness: 0.25 },
};

/// A white disk of diameter 1.2 m in a square picture 2 m wide, its edge one pixel soft.
fn disk(edge: usize) -> Vec<f64> {
    let coordinate = |index: usize| (index as f64 + 0.5) / edge as f64 * 2.0 - 1.0;
    let grey = |i: usize, j: usize| {
        let outside = (coordinate(i).hypot(coordinate(j)) - 0.6) * edge as f64 / 2.0;
        (0.5 - outside).clamp(0.0, 1.0)
    };
    (0..edge * edge).map(|number| grey(number % edge, number / edge)).collect()
}

fn image(values: Vec<f64>, width: usize, options: &ImageOptions) -> Shape {
    Shape::Image(Arc::new(ImageShape::new(values, width, options).unwrap()))
}

#[test]
fn a_slope_has_the_distance_of_its_plane() {
    let field =
        Heightfield::from_function([20, 30], [4.0, 6.0], -1.0, |x, z| 0.5 * x + 0.25 * z).unwrap_err();
    assert!(matches!(field, GeometryError::NotPositive { .. }), "the slope dips below the bottom: {field}");
    let field = Heightfield::from_function([20, 30], [4.0, 6.0], -3.0, |x, z| 0.5 * x + 0.25 * z).unwrap();
    let shape = Shape::Heightfield(Arc::new(field));
    let normal = Vec3::new(-0.5, 1.0, -0.25).normalize();
    for p in [Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.5, -0.4, -0.7), Vec3::new(-0.3, 0.6, 0.0)] {
        assert!((shape.distance(&p) - normal.dot(&p)).abs() < 1e-9, "{p:?}");
        assert!((shape.normal(&p) - normal).norm() < 1e-6, "{p:?}");
    }
    assert!(!shape.contains(&Vec3::new(2.1, -2.0, 0.0)) && !shape.contains(&Vec3::new(0.0, -3.1, 0.0)));
    assert!((shape.bounds().unwrap().size() - Vec3::new(4.0, 4.75, 6.0)).amax() < 2.0);
    assert!(shape.triangles().is_some());
}

#[test]
fn ragged_or_tiny_heightfields_are_refused() {
    assert!(matches!(
        Heightfield::new(&[vec![1.0, 2.0], vec![1.0]], [1.0, 1.0], 0.0),
        Err(GeometryError::WrongLength { got: 1, expected: 2, .. })
    ));
    assert!(Heightfield::new(&[vec![1.0, 2.0]], [1.0, 1.0], 0.0).is_err());
    assert!(Heightfield::new(&[vec![1.0, f64::NAN], vec![1.0, 1.0]], [1.0, 1.0], 0.0).is_err());
    assert!(Heightfield::from_function([10_000, 10_000], [1.0, 1.0], -1.0, |_, _| 0.0).is_err());
}

#[test]
fn a_disk_in_a_picture_is_a_cylinder_or_a_ball() {
    let shape = image(disk(64), 64, &OPTIONS);
    for p in [
        Vec3::new(0.9, 0.0, 0.0),
        Vec3::new(0.3, 0.3, 0.1),
        Vec3::new(3.0, 4.0, 0.0),
        Vec3::new(0.0, 0.7, 0.5),
    ] {
        let exact = Shape::cylinder(0.6, 0.25).unwrap().distance(&Vec3::new(p.x, p.z, p.y));
        let error = shape.distance(&p) - exact;
        assert!(error.abs() < 0.01 || (p.norm() > 2.0 && (-1.0..0.01).contains(&error)), "{p:?}: {error}");
    }
    let right_half: Vec<f64> = disk(64).chunks(64).flat_map(|row| row[32..].to_vec()).collect();
    let ball = image(right_half, 32, &ImageOptions { width: 1.0, sweep: Sweep::Revolved, ..OPTIONS });
    for p in [Vec3::new(0.2, 0.3, 0.4), Vec3::new(0.5, 0.5, 0.5), Vec3::new(0.01, 0.0, 0.0)] {
        assert!((ball.distance(&p) - (p.norm() - 0.6)).abs() < 0.02, "{p:?}: {}", ball.distance(&p));
    }
    assert!((ball.bounds().unwrap().size() - Vec3::repeat(1.2)).amax() < 0.03);
}

#[test]
fn threshold_and_sense_choose_the_inside() {
    let dark = image(disk(64), 64, &ImageOptions { inside: Inside::Dark, ..OPTIONS });
    assert!(!dark.contains(&Vec3::zeros()) && dark.contains(&Vec3::new(0.8, 0.8, 0.0)));
    let black = ImageShape::new(vec![0.0; 16], 4, &OPTIONS);
    assert!(matches!(black, Err(GeometryError::EmptyImage { .. })));
    assert!(ImageShape::new(vec![1.0; 15], 4, &OPTIONS).is_err());
    let blocky = image(vec![1.0, 0.0, 0.0, 1.0], 2, &ImageOptions { filter: Filter::Nearest, ..OPTIONS });
    // The first row is the upper one.
    assert!(blocky.contains(&Vec3::new(-0.1, 0.1, 0.0)) && !blocky.contains(&Vec3::new(0.1, 0.1, 0.0)));
}

#[test]
fn pictures_are_read_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.png");
    let pixels = disk(64).iter().map(|grey| (grey * 255.0) as u8).collect();
    image::GrayImage::from_raw(64, 64, pixels).unwrap().save(&path).unwrap();
    let loaded = Shape::Image(Arc::new(ImageShape::load(&path, &OPTIONS).unwrap()));
    let direct = image(disk(64), 64, &OPTIONS);
    let p = Vec3::new(0.4, 0.3, 0.0);
    assert!((loaded.distance(&p) - direct.distance(&p)).abs() < 0.01);
    let ground = Heightfield::from_image(&path, [2.0, 2.0], [0.0, 1.0], -0.1).unwrap();
    let ground = Shape::Heightfield(Arc::new(ground));
    assert!(ground.contains(&Vec3::new(0.0, 0.9, 0.0)) && !ground.contains(&Vec3::new(0.9, 0.5, 0.9)));
    std::fs::write(&path, b"not a picture").unwrap();
    let error = ImageShape::load(&path, &OPTIONS).unwrap_err().to_string();
    assert!(error.contains("disk.png") && error.contains("PNG"), "{error}");
}
