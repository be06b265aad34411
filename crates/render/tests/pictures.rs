//! Pictures, movies and plots as a user of the crate sees them.

use pliant_geometry::{Placement, Shape};
use pliant_math::Vec3;
use pliant_render::{
    Camera, Collider, ColourBy, Coverage, FieldColours, Framing, Image, Lens, Movie, Quality, RenderError,
    Renderer, Style, SurfaceOptions, View, reconstruct, surface_of, write_plots,
};
use pliant_world::snapshot::{Column, Field, Snapshot};

const ASPECT: f64 = 16.0 / 9.0;

fn ground() -> Collider {
    Collider::new(&Shape::HalfSpace { normal: Vec3::y(), offset: 0.0 }, None)
}

fn snapshot(positions: Vec<[f32; 3]>) -> Snapshot {
    let count = positions.len();
    let velocities = positions.iter().map(|p| [p[1], 0.0, -p[0]]).collect();
    let columns = [
        ("position", Column::Vector(positions)),
        ("velocity", Column::Vector(velocities)),
        ("radius", Column::Scalar(vec![0.05; count])),
        ("body", Column::Integer((0..count).map(|i| u32::from(i >= count / 2)).collect())),
    ];
    let fields = columns.into_iter().map(|(name, column)| Field { name: name.to_owned(), column }).collect();
    Snapshot { fields, ..Snapshot::default() }
}

fn block() -> Snapshot {
    let at = |i: u32| i as f32 * 0.1 - 0.35;
    let grid = (0..8).flat_map(|i| (0..8).flat_map(move |j| (0..8).map(move |k| (i, j, k))));
    snapshot(grid.map(|(i, j, k)| [at(i), at(j) + 0.6, at(k)]).collect())
}

fn style() -> Style {
    Style { width: 160, height: 90, ..Style::default() }
}

fn camera(snapshot: &Snapshot) -> Camera {
    let mut framing = Framing::default();
    framing.include(snapshot);
    framing.camera(ASPECT, Coverage::OneSide)
}

fn with_threads<T: Send>(count: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a pool").install(work)
}

#[test]
fn a_picture_is_the_same_for_any_number_of_threads() {
    let (snapshot, ball) = (block(), Collider::new(&Shape::Ball { radius: 0.3 }, None));
    let colliders = [ground(), ball.at(Placement::translation(Vec3::new(0.8, 0.3, 0.2)))];
    let skin = surface_of(&snapshot, &SurfaceOptions::default()).unwrap();
    for surface in [None, Some(&skin)] {
        let view = View { snapshot: &snapshot, surface, colliders: &colliders, camera: camera(&snapshot) };
        let take = || Renderer::new(style()).picture(&view).unwrap();
        assert!(with_threads(1, take) == with_threads(4, take));
    }
}

#[test]
fn a_surface_is_the_same_for_any_number_of_threads() {
    let snapshot = block();
    let make = || surface_of(&snapshot, &SurfaceOptions::default()).unwrap();
    assert!(with_threads(1, make) == with_threads(4, make));
}

/// Where a point appears, in units of half the picture, for an independent check of the framing.
fn on_screen(camera: &Camera, point: Vec3) -> (f64, f64) {
    let ahead = (camera.target - camera.position).normalize();
    let right = ahead.cross(&Vec3::y()).normalize();
    let up = right.cross(&ahead);
    let offset = point - camera.position;
    let half = match camera.lens {
        Lens::Perspective { vertical_angle_deg } => {
            offset.dot(&ahead) * (0.5 * vertical_angle_deg.to_radians()).tan()
        }
        Lens::Orthographic { height } => 0.5 * height,
    };
    (offset.dot(&right) / (half * ASPECT), offset.dot(&up) / half)
}

#[test]
fn the_default_camera_sees_every_particle_of_every_frame() {
    let frames = [
        block(),
        snapshot(vec![[4.0, 0.0, -1.0], [-0.2, 3.0, 0.0], [f32::NAN, 0.0, 0.0]]),
        snapshot(vec![[0.0, -9.0, 2.0]]),
    ];
    let mut framing = Framing::default();
    frames.iter().for_each(|frame| framing.include(frame));
    let orbiting = framing.camera(ASPECT, Coverage::AllAround);
    let mut cameras = vec![framing.camera(ASPECT, Coverage::OneSide), framing.flat_camera(ASPECT)];
    cameras.extend((0..12).map(|step| orbiting.orbited(f64::from(step) * 30.0)));
    for camera in cameras {
        for position in frames.iter().flat_map(Snapshot::positions).filter(|p| p[0].is_finite()) {
            let (x, y) = on_screen(&camera, Vec3::from(position.map(f64::from)));
            assert!(x.abs() <= 1.0 && y.abs() <= 1.0, "{position:?} at {x} {y} by {camera:?}");
        }
    }
}

#[test]
fn particles_fill_much_of_the_default_picture() {
    let snapshot = block();
    let seen =
        snapshot.positions().iter().map(|p| on_screen(&camera(&snapshot), Vec3::from(p.map(f64::from))));
    let largest = seen.map(|(x, y)| x.abs().max(y.abs())).fold(0.0, f64::max);
    assert!(largest > 0.6, "{largest}");
}

#[test]
fn nothing_to_see_is_no_error() {
    let empty = Snapshot::default();
    for camera in [camera(&empty), Framing::default().flat_camera(ASPECT)] {
        let view = View { snapshot: &empty, surface: None, colliders: &[ground()], camera };
        Renderer::new(style()).picture(&view).unwrap();
    }
}

#[test]
fn particles_that_are_not_a_number_are_magenta_and_do_not_disturb_others() {
    let mut snapshot = block();
    let count = snapshot.positions().len();
    let values = (0..count).map(|i| if i % 3 == 0 { f32::NAN } else { f32::INFINITY }).collect();
    snapshot.fields.push(Field { name: "pressure".to_owned(), column: Column::Scalar(values) });
    let colour_by = ColourBy::Field(FieldColours::new("pressure"));
    let view = View { snapshot: &snapshot, surface: None, colliders: &[], camera: camera(&snapshot) };
    let image = Renderer::new(Style { colour_by, ..style() }).picture(&view).unwrap();
    let is_magenta = |p: &&[u8; 3]| p[0] > 120 && p[1] < 60 && p[2] > 120;
    assert!(image.pixels().iter().filter(is_magenta).count() > 100);
}

#[test]
fn impossible_sizes_are_refused() {
    let snapshot = block();
    let view = View { snapshot: &snapshot, surface: None, colliders: &[], camera: camera(&snapshot) };
    for (width, height) in [(0, 90), (160, 0), (1_000_000, 90)] {
        let renderer = Renderer::new(Style { width, height, ..style() });
        assert!(matches!(renderer.picture(&view), Err(RenderError::Size { .. })));
    }
    assert!(matches!(Movie::new(8, 8, 30.0), Err(RenderError::MovieSize { .. })));
    assert!(matches!(Movie::new(64, 64, f64::NAN), Err(RenderError::FrameRate { .. })));
}

#[test]
fn a_shadow_darkens_the_ground_beneath() {
    let snapshot = block();
    let above = Camera::new(Vec3::new(0.0, 6.0, 0.01), Vec3::zeros(), 40.0);
    let colliders = [ground()];
    let without =
        View { snapshot: &Snapshot::default(), surface: None, colliders: &colliders, camera: above };
    let with = View { snapshot: &snapshot, ..without };
    let take = |view| Renderer::new(Style { quality: Quality::High, ..style() }).picture(&view).unwrap();
    let darker =
        take(with).pixels().iter().zip(take(without).pixels()).filter(|(a, b)| a[1] < b[1] - 20).count();
    assert!(darker > 500, "{darker}");
}

/// The number of samples in the movie's sample size table.
fn sample_count(bytes: &[u8]) -> u32 {
    let at = bytes.windows(4).position(|name| name == b"stsz").expect("a sample table");
    u32::from_be_bytes(bytes[at + 12..at + 16].try_into().expect("four bytes"))
}

#[test]
fn a_movie_holds_every_frame_and_the_same_bytes_each_time() {
    let make = || {
        let mut movie = Movie::new(65, 49, 24.0).unwrap();
        for frame in 0..40_u8 {
            movie.push(&Image::filled(65, 49, [frame * 6, 100, 200]).unwrap()).unwrap();
        }
        movie.finish().unwrap()
    };
    let bytes = make();
    assert_eq!(&bytes[4..8], b"ftyp");
    assert_eq!(sample_count(&bytes), 40);
    assert!(bytes == make());
}

#[test]
fn a_movie_keeps_pictures_that_take_more_bits_than_planned() {
    let mut seed = 1_u32;
    let mut noise = || {
        let mut tile = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [a, b, c, _] = seed.to_be_bytes();
            Image::filled(4, 4, [a, b, c]).unwrap()
        };
        let rows: Vec<Vec<Image>> = (0..45).map(|_| (0..80).map(|_| tile()).collect()).collect();
        Image::grid(&rows).unwrap()
    };
    let first = noise();
    let mut movie = Movie::new(first.width(), first.height(), 30.0).unwrap();
    movie.push(&first).unwrap();
    for _ in 1..30 {
        movie.push(&noise()).unwrap();
    }
    assert_eq!(sample_count(&movie.finish().unwrap()), 30);
}

#[test]
fn a_movie_refuses_frames_of_another_size() {
    let mut movie = Movie::new(64, 48, 24.0).unwrap();
    let odd_one = Image::filled(32, 48, [0; 3]).unwrap();
    assert!(matches!(movie.push(&odd_one), Err(RenderError::FrameSize { .. })));
    assert!(matches!(movie.finish(), Err(RenderError::Movie(_))));
}

#[test]
fn plots_of_odd_series_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let values = |i: usize| {
        [
            ("kinetic_energy", (i as f64).sin()),
            ("total_energy", 3.0),
            ("momentum_x", if i.is_multiple_of(2) { f64::NAN } else { 1e300 }),
            ("volume", f64::NAN),
            ("dt", 0.0),
        ]
    };
    let row = |i: usize| (i as f64 * 0.1, values(i).map(|(name, value)| (name.to_owned(), value)).to_vec());
    let rows: Vec<_> = (0..20).map(row).collect();
    assert_eq!(write_plots(&[], folder.path()).unwrap().len(), 0);
    assert_eq!(write_plots(&rows[..1], folder.path()).unwrap().len(), 4);
    let written = write_plots(&rows, folder.path()).unwrap();
    assert_eq!(written.len(), 6, "{written:?}");
    for path in written {
        let bytes = std::fs::read(&path).unwrap();
        let is_svg = path.extension().is_some_and(|ending| ending == "svg");
        assert!(if is_svg { bytes.starts_with(b"<svg") } else { bytes.starts_with(b"\x89PNG") }, "{path:?}");
    }
}

#[test]
fn a_surface_encloses_its_particles_closely() {
    let snapshot = block();
    let positions = snapshot.positions();
    let mesh = reconstruct(positions, 0.05, &SurfaceOptions::default()).unwrap();
    let volume: f64 = mesh.triangles.iter().map(|t| six_fold_volume(&mesh.positions, *t)).sum::<f64>() / 6.0;
    // 512 particles of 0.1 m spacing; smoothing rounds the corners.
    assert!((0.40..0.60).contains(&volume), "{volume}");
    assert_eq!(mesh.normals.len(), mesh.positions.len());
}

fn six_fold_volume(positions: &[[f32; 3]], triangle: [u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|vertex| Vec3::from(positions[vertex as usize].map(f64::from)));
    a.dot(&b.cross(&c))
}

#[test]
fn a_surface_carries_the_particles_values() {
    let mesh = surface_of(&block(), &SurfaceOptions::default()).unwrap();
    let column = |name: &str| &mesh.attributes.iter().find(|field| field.name == name).unwrap().column;
    let Column::Vector(velocities) = column("velocity") else { panic!("velocity is a vector") };
    for (position, velocity) in mesh.positions.iter().zip(velocities) {
        // The field is linear, and the mean over the inner side of the surface lags by less than a spacing.
        assert!((velocity[0] - position[1]).abs() < 0.1, "{position:?} {velocity:?}");
    }
    let Column::Integer(bodies) = column("body") else { panic!("bodies are numbers") };
    assert!(bodies.contains(&0) && bodies.contains(&1));
}

#[test]
fn a_surface_of_nonsense_is_an_answer_not_a_crash() {
    let options = SurfaceOptions::default();
    assert!(reconstruct(&[], 0.1, &options).unwrap().triangles.is_empty());
    assert!(reconstruct(&[[f32::NAN; 3]], 0.1, &options).unwrap().triangles.is_empty());
    assert!(!reconstruct(&[[0.0; 3]], 0.1, &options).unwrap().triangles.is_empty());
    assert!(matches!(reconstruct(&[[0.0; 3]], f32::NAN, &options), Err(RenderError::NotPositive { .. })));
    let apart = [[0.0; 3], [1e9, 1e9, 1e9]];
    assert!(matches!(reconstruct(&apart, 1e-3, &options), Err(RenderError::SurfaceTooLarge { .. })));
}

#[test]
fn surface_files_hold_all_vertices_and_triangles() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = surface_of(&block(), &SurfaceOptions::default()).unwrap();
    let (obj, ply) = (folder.path().join("skin.obj"), folder.path().join("skin.ply"));
    mesh.save_obj(&obj).unwrap();
    mesh.save_ply(&ply).unwrap();
    for path in [obj, ply] {
        let (read, _) = pliant_geometry::mesh::load(&path, folder.path()).unwrap();
        assert_eq!(read.triangles.len(), mesh.triangles.len(), "{path:?}");
    }
}
