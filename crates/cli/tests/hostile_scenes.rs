//! Scenes, meshes and points that mean harm: each is answered with one clear error, quickly and in little memory.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use std::fs;
use std::process::Command;
use std::time::Duration;

use common::answer::{ask, complaint, report};
use common::{elastic, folder, write_scene};

/// A case: what it is, a text of the good scene, what it becomes, and what the message must name besides the file.
type Change = (&'static str, &'static str, &'static str, &'static str);

const CHANGES: [Change; 35] = [
    ("duplicate key", "fps = 50", "fps = 50\nfps = 60", "fps"),
    ("newer format", "pliant = 1", "pliant = 99", "99"),
    ("gravity without a value", "pliant = 1", "pliant = 1\ngravity = [0, \"1/(x-x)\", 0]", "gravity"),
    ("unknown key one edit away", "duration", "durattion", "duration"),
    ("wrong type", "fps = 50", "fps = [1, 2]", "fps"),
    ("wrong unit", "\"5 cm\"", "\"5 kg\"", "kg"),
    ("spacing of a nanometre", "\"5 cm\"", "\"1 nm\"", "particles"),
    ("spacing of zero", "\"5 cm\"", "0", "spacing"),
    ("negative spacing", "\"5 cm\"", "-0.1", "spacing"),
    ("spacing not a number", "\"5 cm\"", "nan", "spacing"),
    ("infinite size", "[0.3, 0.3, 0.3]", "[inf, 0.3, 0.3]", "size"),
    ("overflowing size", "[0.3, 0.3, 0.3]", "[1e300, 1e300, 1e300]", "size"),
    ("number beyond all", "[0.3, 0.3, 0.3]", "[\"1e400 m\", 0.3, 0.3]", "size"),
    ("negative density", "[materials.soft]", "[materials.soft]\ndensity = -1", "density"),
    ("density not a number", "[materials.soft]", "[materials.soft]\ndensity = nan", "density"),
    ("modulus of zero", "\"50 kPa\"", "0", "young"),
    ("negative modulus", "\"50 kPa\"", "\"-50 kPa\"", "young"),
    ("modulus that turns negative", "\"50 kPa\"", "\"x * 1e6\"", "young"),
    ("Poisson's ratio 0.5", "[materials.soft]", "[materials.soft]\npoisson = 0.5", "poisson"),
    ("time step of zero", "\"4 ms\"", "0", "dt"),
    ("time step not a number", "\"4 ms\"", "nan", "dt"),
    ("tiny time step", "\"4 ms\"", "1e-300", "dt"),
    ("endless run", "\"0.1 s\"", "\"1e30 s\"", "duration"),
    ("huge frame rate", "fps = 50", "fps = 1e300", "fps"),
    ("include of itself", "pliant = 1", "pliant = 1\ninclude = [\"scene.toml\"]", "includes itself"),
    ("include outside", "pliant = 1", "pliant = 1\ninclude = [\"../../etc/passwd\"]", "passwd"),
    (
        "a billion copies",
        "velocity",
        "copies = { count = [1000, 1000, 1000], step = [1, 1, 1] }\nvelocity",
        "",
    ),
    ("unknown material", "material = \"soft\"", "material = \"sotf\"", "soft"),
    (
        "pin that holds nothing",
        "velocity",
        "pins = [{ region = { shape.ball.radius = 1, position = [9, 9, 9] } }]\nvelocity",
        "pin",
    ),
    ("picture of a billion pixels", "width = 64", "width = 1000000000", "width"),
    ("direction of zero", "half_space = {}", "half_space.normal = [0, 0, 0]", "direction"),
    (
        "key frames out of order",
        "half_space = {}",
        "half_space = {}\nmotion.keyframes = [{ time = 1 }, { time = 0 }]",
        "key frame",
    ),
    (
        "heightfield of ragged rows",
        "half_space = {}",
        "heightfield = { heights = [[1, 2], [3]], size = [1, 1] }",
        "row",
    ),
    ("mesh that is a folder", "box.size = [0.3, 0.3, 0.3]", "mesh.path = \".\"", "mesh"),
    ("half-space as an object", "box.size = [0.3, 0.3, 0.3]", "half_space.normal = [0, 1, 0]", ""),
];

/// Shapes of the object, and what the message must name besides the file.
const SHAPES: [(&str, &str); 5] = [
    ("mesh.path = \"../../../etc/passwd\"", "etc/passwd"),
    ("mesh.path = \"/etc/passwd\"", "/etc/passwd"),
    ("mesh.path = \"none.obj\"", "none.obj"),
    ("mesh.path = \"/dev/zero\"", "/dev/zero"),
    ("torus = { radius = 1000, tube_radius = 0.06 }", "spacing"),
];

/// Values that are numbers but none of this world: a text of the good scene, what it becomes, the key and the bound
/// that the message must name.
const BEYOND: [(&str, &str, &str, &str); 20] = [
    ("[0, 0.16, 0]", "[0, 1e300, 0]", "position", "1e7 m"),
    ("[0, 0.16, 0]", "[0, -1e8, 0]", "position", "1e7 m"),
    ("[0.3, 0.3, 0.3]", "[1e8, 0.3, 0.3]", "size", "1e7 m"),
    ("[0.3, 0.3, 0.3]", "[1e-300, 0.3, 0.3]", "size", "1e-10"),
    ("[0.5, -2, 0]", "[1e300, -2, 0]", "velocity", "3e8 m/s"),
    ("[0.5, -2, 0]", "[\"1e300 * (1 + x)\", 0, 0]", "velocity", "3e8 m/s"),
    ("\"50 kPa\"", "1e300", "young", "1e15 Pa"),
    ("\"50 kPa\"", "1e-300", "young", "1e-6"),
    ("\"50 kPa\"", "\"1e20 + x\"", "young", "1e15 Pa"),
    ("[materials.soft]", "[materials.soft]\ndensity = 1e300", "density", "1e9"),
    ("[materials.soft]", "[materials.soft]\nfriction = 1e300", "friction", "1e15"),
    ("[materials.soft]", "[materials.soft]\nstickiness = 1e300", "stickiness", "1e15"),
    ("pliant = 1", "pliant = 1\ngravity = [0, -1e300, 0]", "gravity", "1e12"),
    ("pliant = 1", "pliant = 1\ngravity = [0, \"-1e300 * (2 + x)\", 0]", "gravity", "1e12"),
    ("velocity", "spin = [0, 1e300, 0]\nvelocity", "spin", "rad/s"),
    ("velocity", "scale = 1e300\nvelocity", "scale", "1e15"),
    ("velocity", "scale = 1e12\nvelocity", "shape", "1e7"),
    ("velocity", "copies = { count = [99, 1, 1], step = [1e6, 1, 1] }\nvelocity", "objects", "1e7"),
    ("half_space = {}", "half_space = {}\nposition = [0, 1e300, 0]", "position", "1e7"),
    ("half_space = {}", "heightfield = { heights = [[1, 2], [3, 1e300]], size = [1, 1] }", "height", "1e7"),
];

/// Velocities that are no expressions, or none that can be used.
const EXPRESSIONS: [&str; 5] = ["sin(", "sni(x)", "open('/etc/passwd')", "1/0", "log(x)"];

/// Every scene: what it is, its text, and what the message must name besides the file.
fn scenes() -> Vec<(String, String, &'static str)> {
    let good = elastic();
    let change = |old: &str, new: &str| {
        assert!(good.contains(old), "{old}");
        good.replace(old, new)
    };
    let velocity = |text: &str| change("velocity = [0.5, -2, 0]", &format!("velocity = [0, \"{text}\", 0]"));
    let shape = |text: &str| change("box.size = [0.3, 0.3, 0.3]", text);
    let around = |open: &str, inner: &str, close: &str, depth: usize| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let unions = around("{ union = { shapes = [{ shape = ", "{ ball.radius = 1 }", " }] } }", 60);
    let parts = "{ shape.ball.radius = 0.01 }, ".repeat(10_001);
    let made = [
        ("empty file", String::new(), "pliant"),
        ("not TOML", "pliant = = 1\n".to_owned(), ":1:"),
        ("zero bytes", "\0\0\0\0".to_owned(), ":1:"),
        ("100,000 nested lists", format!("pliant = 1\na = {}", around("[", "1", "]", 100_000)), ":2:"),
        ("20,000 nested tables", format!("pliant = 1\n[{}a]\n", "a.".repeat(20_000)), "recursion"),
        ("a key of 100,000 letters", format!("pliant = 1\n{} = 1\n", "k".repeat(100_000)), ":2:"),
        (
            "60 nested unions",
            good.replace("shape.box.size = [0.3, 0.3, 0.3]", &format!("shape = {unions}")),
            "recurs",
        ),
        ("10,001 parts of a union", shape(&format!("union.shapes = [{parts}]")), "parts"),
        ("5,000 nested parentheses", velocity(&around("(", "1", ")", 5000)), "velocity"),
        ("costly expression", velocity(&format!("x{}", "+sin(x)*cos(y)".repeat(280))), "velocity"),
    ];
    let made = made.into_iter().map(|(what, text, named)| (what.to_owned(), text, named));
    let changed =
        CHANGES.iter().map(|(what, old, new, named)| ((*what).to_owned(), change(old, new), *named));
    let shapes = SHAPES.iter().map(|(text, named)| ((*text).to_owned(), shape(text), *named));
    let expressions = EXPRESSIONS.iter().map(|text| ((*text).to_owned(), velocity(text), "velocity"));
    made.chain(changed).chain(shapes).chain(expressions).collect()
}

#[test]
fn hostile_scenes_are_refused() {
    let cases = scenes();
    assert!(cases.len() >= 40);
    let mut complaints = Vec::new();
    for (what, text, named) in &cases {
        let home = folder();
        write_scene(home.path(), "scene.toml", text);
        let answer = ask(home.path(), &["check", "scene.toml"]);
        // A scene that is too large has no single line to blame.
        let file = if answer.code == Some(5) { "" } else { "scene.toml:" };
        complaints.extend(complaint(what, &answer, &[named, file]));
    }
    report(&complaints);
}

/// Mesh and point files, by name, and what the message must say.
fn meshes() -> Vec<(&'static str, Vec<u8>)> {
    let header = |count: &str| {
        format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
        )
    };
    let with_bytes = |text: String| [text.into_bytes(), vec![0; 20]].concat();
    let cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let stl = |count: u32, facets: usize| {
        let mut bytes = b"solid but binary".to_vec();
        bytes.resize(80, b' ');
        bytes.extend(count.to_le_bytes());
        bytes.resize(84 + facets * 50, 0);
        bytes
    };
    vec![
        ("many.ply", with_bytes(header("9223372036854775808"))),
        ("negative.ply", with_bytes(header("-1"))),
        ("short.ply", with_bytes(header("1000000000"))),
        ("headless.ply", b"ply\nformat ascii 1.0\nelement vertex 3\n".to_vec()),
        ("zero.obj", format!("{cube}f 0 1 2\n").into_bytes()),
        ("beyond.obj", format!("{cube}f 1 2 99\n").into_bytes()),
        ("backward.obj", format!("{cube}f -1 -2 -99\n").into_bytes()),
        ("overflow.obj", format!("{cube}f 1 2 99999999999999999999\n").into_bytes()),
        ("nan.obj", format!("{cube}v nan 0 0\nf 1 2 5\n").into_bytes()),
        ("infinite.obj", format!("{cube}v 1e400 0 0\nf 1 2 5\n").into_bytes()),
        (
            "far.obj",
            "v 0 0 0\nv 1e300 0 0\nv 0 1e300 0\nv 0 0 1e300\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n".into(),
        ),
        ("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n".as_bytes().to_vec()),
        ("empty.obj", Vec::new()),
        ("random.obj", (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()),
        ("cut.stl", stl(4_000_000_000, 2)),
        ("nothing.stl", stl(0, 0)),
        ("words.stl", b"solid x\nfacet normal 0 0 z\n".to_vec()),
        (
            "wrong.gltf",
            b"{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":99999999999}]}".to_vec(),
        ),
        ("cut.glb", b"glTF\x02\x00\x00\x00\xff\xff\xff\xff".to_vec()),
        ("mesh.exe", b"MZ".to_vec()),
    ]
}

#[test]
fn values_beyond_all_matter_are_refused_with_their_range() {
    let good = elastic();
    let mut complaints = Vec::new();
    for (old, new, key, bound) in BEYOND {
        assert!(good.contains(old), "{old}");
        let home = folder();
        write_scene(home.path(), "scene.toml", &good.replacen(old, new, 1));
        let answer = ask(home.path(), &["run", "scene.toml"]);
        if answer.code != Some(2) {
            complaints.push(format!("{new}: exit code {:?}", answer.code));
        }
        complaints.extend(complaint(new, &answer, &["scene.toml:", key, bound]));
    }
    report(&complaints);
}

#[test]
fn hostile_meshes_are_refused() {
    let mut complaints = Vec::new();
    for (name, bytes) in meshes() {
        let home = folder();
        fs::write(home.path().join(name), bytes).unwrap();
        let text =
            elastic().replace("shape.box.size = [0.3, 0.3, 0.3]", &format!("shape.mesh.path = \"{name}\""));
        write_scene(home.path(), "scene.toml", &text);
        let answer = ask(home.path(), &["check", "scene.toml"]);
        complaints.extend(complaint(name, &answer, &[name, "scene.toml:"]));
    }
    report(&complaints);
}

#[test]
fn files_that_are_no_files_are_refused() {
    let home = folder();
    let shape = |shape: &str| elastic().replace("shape.box.size = [0.3, 0.3, 0.3]", shape);
    let made = Command::new("mkfifo").arg("pipe.obj").current_dir(home.path()).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no pipes can be made here");
        return;
    }
    std::os::unix::fs::symlink("/dev/zero", home.path().join("zero.obj")).unwrap();
    fs::write(home.path().join("bomb.png"), huge_picture()).unwrap();
    let cases = [
        ("pipe.obj", shape("shape.mesh.path = \"pipe.obj\"")),
        ("zero.obj", shape("shape.mesh.path = \"zero.obj\"")),
        ("bomb.png", shape("shape.image = { path = \"bomb.png\", width = 1 }")),
        ("pipe.obj", format!("include = [\"pipe.obj\"]\n{}", elastic())),
    ];
    let mut complaints = Vec::new();
    for (name, text) in cases {
        write_scene(home.path(), "scene.toml", &text);
        complaints.extend(complaint(
            name,
            &ask(home.path(), &["check", "scene.toml"]),
            &[name, "scene.toml:"],
        ));
    }
    complaints.extend(complaint("/dev/zero", &ask(home.path(), &["check", "/dev/zero"]), &["/dev/zero"]));
    fs::write(home.path().join("latin.toml"), b"pliant = 1\ntitle = \"\xff\"\n").unwrap();
    complaints.extend(complaint(
        "no UTF-8",
        &ask(home.path(), &["check", "latin.toml"]),
        &["latin.toml", "UTF-8"],
    ));
    report(&complaints);
}

/// The beginning of a PNG file of 60,000 by 60,000 pixels.
fn huge_picture() -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend([60_000_u32.to_be_bytes(), 60_000_u32.to_be_bytes()].concat());
    // Eight bits of grey, and the checksum of this header.
    bytes.extend([8, 0, 0, 0, 0, 0xa5, 0xb9, 0x2a, 0x9e]);
    bytes
}

#[test]
fn hostile_points_are_refused() {
    let mut complaints = Vec::new();
    let cases = [
        ("words.csv", "x,y,z\n1,2,three\n"),
        ("nan.csv", "x,y,z\n1,2,nan\n"),
        ("short.csv", "x,y,z\n1,2\n"),
        ("empty.csv", ""),
        ("endless.csv", "x,y,z\n1e400,0,0\n"),
        ("far.csv", "x,y,z\n1e300,0,0\n"),
    ];
    for (name, text) in cases {
        let home = folder();
        fs::write(home.path().join(name), text).unwrap();
        let text = elastic().replace("shape.box.size = [0.3, 0.3, 0.3]", &format!("points = \"{name}\""));
        write_scene(home.path(), "scene.toml", &text);
        let answer = ask(home.path(), &["check", "scene.toml"]);
        complaints.extend(complaint(name, &answer, &[name, "scene.toml:"]));
    }
    report(&complaints);
}

#[test]
fn a_million_million_particles_are_refused_at_once() {
    let home = folder();
    let text = elastic().replace("\"5 cm\"", "\"30 um\"");
    write_scene(home.path(), "scene.toml", &text);
    let answer = (0..3).map(|_| ask(home.path(), &["run", "scene.toml"])).min_by_key(|a| a.time).unwrap();
    assert_eq!(answer.code, Some(5), "{}", answer.message);
    assert!(answer.message.contains("e12 particles"), "{}", answer.message);
    assert!(answer.time < Duration::from_millis(50), "took {:?}", answer.time);
    assert!(!home.path().join("runs").exists());
}
