//! Skins follow bodies in every method, while a run goes on and afterwards, and samplers report what they did.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its stage must fail")]

mod common;

use std::fs;
use std::path::Path;

use common::{folder, pliant, write_scene};
use serde_json::Value;

/// A spinning cube without gravity: its motion is rigid, so that corners must turn with it.
const SCENE: &str = r#"
pliant = 1
spacing = "5 cm"
gravity = [0, 0, 0]
METHOD
[time]
duration = "0.2 s"
dt = "2 ms"
fps = 50
[output]
skins = ["obj", "vtp", "ply"]
[render]
enabled = false
[materials.stiff]
young = "1 MPa"
poisson = 0.3
[[objects]]
name = "cube"
material = "stiff"
shape.box.size = [0.3, 0.3, 0.3]
position = [0, 1, 0]
velocity = [1, 0, 0]
spin = [0, 0, 2]
skin.mesh = "cube.obj"
"#;

const CUBE: &str = "v -0.15 -0.15 -0.15\nv 0.15 -0.15 -0.15\nv 0.15 0.15 -0.15\nv -0.15 0.15 -0.15\n\
                    v -0.15 -0.15 0.15\nv 0.15 -0.15 0.15\nv 0.15 0.15 0.15\nv -0.15 0.15 0.15\n\
                    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n";

fn vertices(path: &Path) -> Vec<[f64; 3]> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("v "));
    lines
        .map(|line| {
            let numbers: Vec<f64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
            [numbers[0], numbers[1], numbers[2]]
        })
        .collect()
}

#[test]
fn a_skin_turns_with_its_body_in_every_method() {
    for method in ["[method.zhou2013]", "[method.mpm]\ntransfer = \"apic\"", "[method.sph]"] {
        let home = folder();
        fs::write(home.path().join("cube.obj"), CUBE).unwrap();
        write_scene(home.path(), "spin.toml", &SCENE.replace("METHOD", method));
        pliant(home.path()).args(["run", "spin.toml", "--out", "spin", "-q"]).assert().success();
        let skin = home.path().join("spin/skin");
        let start = vertices(&skin.join("skin.0000.obj"));
        for (corner, x) in start.iter().enumerate() {
            let sign = |bit: bool| if bit { 0.15 } else { -0.15 };
            let there = [sign([1, 2, 5, 6].contains(&corner)), 1.0 + sign(corner % 4 > 1), sign(corner > 3)];
            assert!((0..3).all(|axis| (x[axis] - there[axis]).abs() < 1e-5), "{method}: {x:?} {there:?}");
        }
        let end = vertices(&skin.join("skin.0010.obj"));
        let (sine, cosine) = 0.4_f64.sin_cos();
        for (x, now) in start.iter().zip(&end) {
            let (dx, dy) = (x[0], x[1] - 1.0);
            let there = [0.2 + cosine * dx - sine * dy, 1.0 + sine * dx + cosine * dy, x[2]];
            // Methods damp spin a little and bodies stretch by it: a hundredth of the edge.
            assert!(
                (0..3).all(|axis| (now[axis] - there[axis]).abs() < 0.003),
                "{method}: {now:?} {there:?}"
            );
        }
        assert!(skin.join("skin.0010.vtp").is_file() && skin.join("skin.0010.ply").is_file());
    }
}

#[test]
fn a_mesh_can_be_put_on_afterwards_and_mistakes_are_told() {
    let home = folder();
    fs::write(home.path().join("cube.obj"), CUBE).unwrap();
    let scene = SCENE.replace("METHOD", "[method.mpm]").replace("skin.mesh = \"cube.obj\"", "");
    write_scene(home.path(), "spin.toml", &scene);
    pliant(home.path()).args(["run", "spin.toml", "--out", "spin", "-q", "--frames", "2"]).assert().success();
    let refused = pliant(home.path()).args(["skin", "spin"]).assert().failure().code(2);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("--mesh"));
    let raised: String = CUBE
        .lines()
        .map(|line| match line.strip_prefix("v ") {
            Some(rest) => {
                let [x, y, z] = [0, 1, 2].map(|n| rest.split(' ').nth(n).unwrap().parse::<f64>().unwrap());
                format!("v {x} {} {z}\n", y + 1.0)
            }
            None => format!("{line}\n"),
        })
        .collect();
    fs::write(home.path().join("raised.obj"), raised).unwrap();
    let put = ["skin", "spin", "--mesh", "raised.obj", "--format", "obj", "--frames", "2", "--out", "skins"];
    pliant(home.path()).args(put).assert().success();
    let now = vertices(&home.path().join("skins/skin.0002.obj"));
    assert!((now[0][0] - (-0.15 + 0.04)).abs() < 0.02, "{:?}", now[0]);
    let wrong = ["skin", "spin", "--mesh", "raised.obj", "--object", "ball"];
    let refused = pliant(home.path()).args(wrong).assert().failure().code(2);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("it has cube"));
}

#[test]
fn relaxed_fillings_are_reported_with_a_picture_and_open_meshes_refused() {
    let home = folder();
    let scene = SCENE
        .replace("METHOD", "[method.mpm]")
        .replace("skin.mesh = \"cube.obj\"", "sampler = \"relaxed\"")
        .replace("spin = [0, 0, 2]", "");
    write_scene(home.path(), "relaxed.toml", &scene);
    let told = pliant(home.path())
        .args(["sample", "relaxed.toml", "--json", "--picture", "points.png"])
        .assert()
        .success();
    let facts: Value = serde_json::from_slice(&told.get_output().stdout).unwrap();
    let object = &facts["objects"][0];
    assert_eq!(object["outside"], 0, "{object}");
    assert!(object["nearest_deviation"].as_f64().unwrap() > 0.001, "not a lattice: {object}");
    assert_eq!(facts["particles"], 216);
    assert!(fs::read(home.path().join("points.png")).unwrap().starts_with(b"\x89PNG"));
    let open = CUBE.rsplit_once("f 1 5").unwrap().0;
    fs::write(home.path().join("open.obj"), open).unwrap();
    let scene = scene.replace("shape.box.size = [0.3, 0.3, 0.3]", "shape.mesh.path = \"open.obj\"");
    write_scene(home.path(), "open.toml", &scene);
    let refused = pliant(home.path()).args(["check", "open.toml"]).assert().failure().code(2);
    let text = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(text.contains("not closed") && text.contains("open.toml"), "{text}");
}
