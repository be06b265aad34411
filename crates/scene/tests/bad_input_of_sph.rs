//! Each bad input that issue and guide of SPH name gets one clear error at its place, or a warning.

use std::fs;
use std::path::Path;

use pliant_scene::Scene;

const GOOD: &str = r#"pliant = 1
spacing = "5 cm"
[time]
duration = 1
dt = "2 ms"
[method.sph]
[materials.m]
young = 1e5
poisson = 0.3
density = 1000
[[objects]]
name = "cube"
material = "m"
shape.box.size = [0.3, 0.3, 0.3]
position = [0, 0.15, 0]
[[colliders]]
shape = "half_space"
"#;

/// Two cubes with a corner each inside the other, all their triangles outward; or one of them without its last side.
fn mesh(crossing: bool) -> String {
    let mut text = String::new();
    let cubes = if crossing { 2 } else { 1 };
    for cube in 0..cubes {
        for k in 0..8 {
            let along = |axis: u32| {
                f64::from(k >> axis & 1) * 0.4 + f64::from(cube) * [0.2, 0.15, 0.1][axis as usize]
            };
            text += &format!("v {} {} {}\n", along(0), along(1), along(2));
        }
    }
    let sides = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"];
    for cube in 0..cubes {
        for side in &sides[..if crossing { 6 } else { 5 }] {
            let corners: Vec<i32> =
                side.split(' ').map(|n| n.parse::<i32>().expect("a number") + 8 * cube).collect();
            text += &format!("f {} {} {}\n", corners[0], corners[1], corners[2]);
            text += &format!("f {} {} {}\n", corners[0], corners[2], corners[3]);
        }
    }
    text
}

fn changed(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    GOOD.replacen(from, to, 1)
}

fn warnings(text: &str, folder: &Path) -> Vec<String> {
    let scene = Scene::from_text(text, folder, &[]).unwrap_or_else(|error| panic!("{text}\n{error}"));
    scene.check(2).unwrap_or_else(|error| panic!("{error}")).warnings
}

#[test]
fn each_gets_one_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("open.obj"), mesh(false)).unwrap();
    let cube = "shape.box.size = [0.3, 0.3, 0.3]";
    let cases = [
        (changed("poisson = 0.3", "poisson = 0.7"), "above -1 and below 0.5"),
        (changed("young = 1e5", "young = -1e5"), "positive"),
        (changed("density = 1000", "density = 0"), "positive"),
        (changed("dt = \"2 ms\"", "dt = 0"), "positive"),
        (changed("[method.sph]", "[method.sph]\npressure = \"pbf\""), "`pbf` is not known here"),
        (changed(cube, "shape.mesh.path = \"nothing.obj\""), "nothing.obj"),
        (changed(cube, "shape.mesh.path = \"open.obj\"\nsampler = \"relaxed\""), "not closed"),
        (
            changed("[[colliders]]", "[[objects.pins]]\nregion.shape.ball.radius = 0.001\n[[colliders]]"),
            "this pin holds no particle of `cube`",
        ),
    ];
    for (text, said) in cases {
        let error = match Scene::from_text(&text, folder.path(), &[]) {
            Ok(scene) => scene.build().expect_err(&text),
            Err(error) => error,
        };
        assert_eq!(error.problems.len(), 1, "{error}");
        assert!(error.problems[0].message.contains(said), "expected {said}, got: {error}");
    }
}

#[test]
fn what_may_be_meant_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("crossing.obj"), mesh(true)).unwrap();
    assert_eq!(warnings(GOOD, folder.path()), Vec::<String>::new());
    let object = &GOOD[GOOD.find("[[objects]]").unwrap()..GOOD.find("[[colliders]]").unwrap()];
    assert_eq!(
        warnings(&changed(object, ""), folder.path()),
        ["there is nothing to simulate: add an object"]
    );
    let thin = changed("shape.box.size = [0.3, 0.3, 0.3]", "shape.box.size = [0.3, 0.001, 0.3]");
    let notes = warnings(&thin, folder.path());
    assert!(notes.iter().any(|note| note.contains("`cube` have flat neighbourhoods")), "{notes:?}");
    let crossing = changed("shape.box.size = [0.3, 0.3, 0.3]", "shape.mesh.path = \"crossing.obj\"");
    let notes = warnings(&crossing, folder.path());
    assert!(notes.iter().any(|note| note.contains("triangles that cut through each other")), "{notes:?}");
    // Half a spacing off along every axis, the particles of the water come no nearer than 0.87 spacings.
    let other = "[materials.water]\npreset = \"water\"\n[[objects]]\nname = \"sea\"\nmaterial = \"water\"\n\
                 shape.box.size = [0.3, 0.3, 0.3]\n";
    let inside = format!("{GOOD}{other}position = [0.025, 0.175, 0.025]\n");
    let notes = warnings(&inside, folder.path());
    assert!(notes.iter().any(|note| note.contains("`cube` and `sea` overlap")), "{notes:?}");
    let beside = format!("{GOOD}{other}position = [0.3, 0.15, 0.025]\n");
    assert_eq!(warnings(&beside, folder.path()), Vec::<String>::new());
}
