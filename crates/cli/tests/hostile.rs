//! Input that means harm: each is answered with one clear error, quickly and in little memory.

mod common;

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{elastic, folder, pliant, write_scene};

/// Longest time an answer may take, and the memory it may use [bytes].
const TIME: Duration = Duration::from_secs(1);
const MEMORY: u64 = 200_000_000;

/// What became of a command.
struct Answer {
    code: Option<i32>,
    message: String,
    time: Duration,
    memory: u64,
}

/// Runs a command and watches its memory.
fn ask(home: &Path, arguments: &[&str]) -> Answer {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(arguments)
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut message = String::new();
        stderr.read_to_string(&mut message).unwrap();
        message
    });
    let mut memory = 0;
    let status = loop {
        memory = peak_memory(child.id()).unwrap_or(0).max(memory);
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > Duration::from_secs(20) => child.kill().unwrap(),
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let time = start.elapsed();
    Answer { code: status.code(), message: reader.join().unwrap(), time, memory }
}

fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// What is wrong with an answer, if anything; `named` must be in the message.
fn complaint(what: &str, answer: &Answer, named: &[&str]) -> Option<String> {
    let Answer { code, message, time, memory } = answer;
    let mut faults = Vec::new();
    if !matches!(code, Some(2 | 5)) {
        faults.push(format!("exit code {code:?}"));
    }
    if !message.starts_with("error: ") || message.contains("defect") {
        faults.push("no clear error".to_owned());
    }
    faults.extend(
        named.iter().filter(|name| !message.contains(**name)).map(|name| format!("does not name {name}")),
    );
    if *time > TIME {
        faults.push(format!("took {time:?}"));
    }
    if *memory > MEMORY {
        faults.push(format!("used {} MB", memory / 1_000_000));
    }
    (!faults.is_empty()).then(|| format!("{what}: {}\n{message}", faults.join(", ")))
}

fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} failed\n\n{}", complaints.len(), complaints.join("\n\n"));
}

/// Changes to the good scene, one each, and what the message must name besides the file.
fn scenes() -> Vec<(&'static str, String, &'static str)> {
    let good = elastic();
    let change = |old: &str, new: &str| {
        assert!(good.contains(old), "{old}");
        good.replace(old, new)
    };
    let objects = |new: &str| format!("{good}\n[[objects]]\nmaterial = \"soft\"\n{new}\n");
    let velocity = |text: &str| change("velocity = [0.5, -2, 0]", &format!("velocity = [0, \"{text}\", 0]"));
    let nested = format!("{}1{}", "(".repeat(5000), ")".repeat(5000));
    let costly = format!("x{}", "+sin(x)*cos(y)".repeat(280));
    let toml_bomb = format!("pliant = 1\na = {}1{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let tables = format!("pliant = 1\n[{}]\nb = 1\n", vec!["a"; 20_000].join("."));
    let long_key = format!("pliant = 1\n{} = 1\n", "k".repeat(100_000));
    vec![
        ("empty file", String::new(), "pliant"),
        ("not TOML", "pliant = = 1\n".to_owned(), ":1:"),
        ("zero bytes", "\0\0\0\0".to_owned(), ":1:"),
        ("100,000 nested lists", toml_bomb, ":2:"),
        ("20,000 nested tables", tables, ":2:"),
        ("a key of 100,000 letters", long_key, ":2:"),
        ("duplicate key", change("fps = 50", "fps = 50\nfps = 60"), "fps"),
        ("newer format", change("pliant = 1", "pliant = 99"), "99"),
        ("unknown key one edit away", change("duration", "durattion"), "duration"),
        ("wrong type", change("fps = 50", "fps = [1, 2]"), "fps"),
        ("wrong unit", change("\"5 cm\"", "\"5 kg\""), "kg"),
        ("spacing of a nanometre", change("\"5 cm\"", "\"1 nm\""), "particles"),
        ("spacing of zero", change("\"5 cm\"", "0"), "spacing"),
        ("negative spacing", change("\"5 cm\"", "-0.1"), "spacing"),
        ("spacing not a number", change("\"5 cm\"", "nan"), "spacing"),
        ("infinite size", change("[0.3, 0.3, 0.3]", "[inf, 0.3, 0.3]"), "size"),
        ("overflowing size", change("[0.3, 0.3, 0.3]", "[1e300, 1e300, 1e300]"), ""),
        ("number beyond all", change("[0.3, 0.3, 0.3]", "[\"1e400 m\", 0.3, 0.3]"), "size"),
        ("negative density", change("young = \"50 kPa\"", "young = \"50 kPa\"\ndensity = -1"), "density"),
        (
            "density not a number",
            change("young = \"50 kPa\"", "young = \"50 kPa\"\ndensity = nan"),
            "density",
        ),
        ("modulus of zero", change("\"50 kPa\"", "0"), "young"),
        ("negative modulus", change("\"50 kPa\"", "\"-50 kPa\""), "young"),
        ("Poisson's ratio 0.5", change("young = \"50 kPa\"", "young = \"50 kPa\"\npoisson = 0.5"), "poisson"),
        ("time step of zero", change("dt = \"4 ms\"", "dt = 0"), "dt"),
        ("time step not a number", change("dt = \"4 ms\"", "dt = nan"), "dt"),
        ("tiny time step", change("dt = \"4 ms\"", "dt = 1e-300"), "dt"),
        ("endless run", change("\"0.1 s\"", "\"1e30 s\""), "duration"),
        ("huge frame rate", change("fps = 50", "fps = 1e300"), "fps"),
        ("5,000 nested parentheses", velocity(&nested), "velocity"),
        ("costly expression", velocity(&costly), "velocity"),
        ("expression without end", velocity("sin("), "velocity"),
        ("expression with an unknown name", velocity("sni(x)"), "sin"),
        ("expression that reads files", velocity("open('/etc/passwd')"), "velocity"),
        ("expression that is nowhere finite", velocity("1/0"), "velocity"),
        ("expression that is not finite somewhere", velocity("log(x)"), "velocity"),
        ("mesh outside the folder", objects("shape.mesh.path = \"../../../etc/passwd\""), "etc/passwd"),
        ("mesh by absolute path", objects("shape.mesh.path = \"/etc/passwd\""), "/etc/passwd"),
        ("mesh that is a folder", objects("shape.mesh.path = \".\""), "mesh"),
        ("mesh that is missing", objects("shape.mesh.path = \"none.obj\""), "none.obj"),
        ("mesh that never ends", objects("shape.mesh.path = \"/dev/zero\""), "/dev/zero"),
        (
            "include of itself",
            change("pliant = 1", "pliant = 1\ninclude = [\"scene.toml\"]"),
            "includes itself",
        ),
        ("include outside", change("pliant = 1", "pliant = 1\ninclude = [\"../../etc/passwd\"]"), "passwd"),
        (
            "a billion copies",
            change("velocity", "copies = { count = [1000, 1000, 1000], step = [1, 1, 1] }\nvelocity"),
            "",
        ),
        ("unknown material", change("material = \"soft\"", "material = \"sotf\""), "soft"),
        ("half-space as an object", objects("shape.half_space = {}"), ""),
        (
            "pin that holds nothing",
            format!(
                "{good}\n[[objects.pins]]\nregion = {{ shape.ball.radius = 0.1, position = [9, 9, 9] }}\n"
            )
            .replace("[[colliders]]\nshape.half_space = {}\n", ""),
            "pin",
        ),
        ("picture of a billion pixels", change("width = 64", "width = 1000000000"), "width"),
        (
            "direction of zero",
            change("shape.half_space = {}", "shape.half_space.normal = [0, 0, 0]"),
            "direction",
        ),
    ]
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
        let file = if answer.code == Some(5) { "" } else { "scene.toml" };
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
fn hostile_points_are_refused() {
    let mut complaints = Vec::new();
    let cases = [
        ("words.csv", "x,y,z\n1,2,three\n"),
        ("nan.csv", "x,y,z\n1,2,nan\n"),
        ("short.csv", "x,y,z\n1,2\n"),
        ("empty.csv", ""),
        ("endless.csv", "x,y,z\n1e400,0,0\n"),
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

/// A run stopped at frame 2, copied for each attack.
struct Stopped {
    home: tempfile::TempDir,
}

impl Stopped {
    fn new() -> Self {
        let home = folder();
        write_scene(home.path(), "cube.toml", &elastic());
        let arguments = ["run", "cube.toml", "--out", "run", "--no-render", "--frames", "2"];
        pliant(home.path()).args(arguments).assert().success();
        Self { home }
    }

    /// Changes every checkpoint.
    fn attack(&self, change: impl Fn(&Path)) {
        for entry in fs::read_dir(self.home.path().join("run/checkpoints")).unwrap() {
            change(&entry.unwrap().path());
        }
    }

    fn resume(&self) -> Answer {
        ask(self.home.path(), &["resume", "run", "--no-render"])
    }
}

fn overwrite(path: &Path, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

#[test]
fn hostile_checkpoints_are_refused() {
    type Attack = fn(&mut Vec<u8>);
    let attacks: [(&str, Attack); 6] = [
        ("truncated", |bytes| bytes.truncate(bytes.len() / 2)),
        ("empty", Vec::clear),
        ("flipped bit", |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 4;
        }),
        ("flipped first byte", |bytes| bytes[0] ^= 1),
        ("longer", |bytes| bytes.extend([0; 100])),
        ("zeros", |bytes| bytes.fill(0)),
    ];
    let mut complaints = Vec::new();
    for (what, attack) in attacks {
        let stopped = Stopped::new();
        stopped.attack(|path| overwrite(path, attack));
        complaints.extend(complaint(what, &stopped.resume(), &["run", "checkpoint"]));
    }
    report(&complaints);
}

#[test]
fn a_damaged_newest_checkpoint_is_passed_over() {
    let stopped = Stopped::new();
    let mut files: Vec<_> = fs::read_dir(stopped.home.path().join("run/checkpoints"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 3);
    overwrite(files.last().unwrap(), |bytes| bytes.truncate(100));
    let answer = stopped.resume();
    assert_eq!(answer.code, Some(0), "{}", answer.message);
    assert!(answer.message.starts_with("warning: ") && answer.message.contains("passed over"));
    write_scene(stopped.home.path(), "cube.toml", &elastic());
    pliant(stopped.home.path())
        .args(["run", "cube.toml", "--no-render", "--out", "whole"])
        .assert()
        .success();
    let hash = |run: &str| common::state_hash(stopped.home.path(), run);
    assert_eq!(hash("run"), hash("whole"));
}

#[test]
fn state_of_another_scene_or_a_newer_program_is_refused() {
    let mut complaints = Vec::new();

    let (stopped, other) = (Stopped::new(), folder());
    let text = elastic().replace("50 kPa", "60 kPa");
    write_scene(other.path(), "cube.toml", &text);
    let arguments = ["run", "cube.toml", "--out", "run", "--no-render", "--frames", "2"];
    pliant(other.path()).args(arguments).assert().success();
    for entry in fs::read_dir(other.path().join("run/checkpoints")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), stopped.home.path().join("run/checkpoints").join(entry.file_name())).unwrap();
    }
    complaints.extend(complaint("checkpoints of another scene", &stopped.resume(), &["another scene"]));

    let stopped = Stopped::new();
    overwrite(&stopped.home.path().join("run/scene.toml"), |bytes| bytes.extend(b"\n# changed\n"));
    complaints.extend(complaint("edited scene", &stopped.resume(), &["scene.toml", "another scene"]));

    let stopped = Stopped::new();
    overwrite(&stopped.home.path().join("run/manifest.json"), |bytes| {
        *bytes = String::from_utf8_lossy(bytes).replace("\"format\": 1", "\"format\": 99").into_bytes();
    });
    complaints.extend(complaint("newer program", &stopped.resume(), &["manifest.json", "99"]));

    let stopped = Stopped::new();
    fs::write(stopped.home.path().join("run/manifest.json"), "{").unwrap();
    complaints.extend(complaint("damaged manifest", &stopped.resume(), &["manifest.json"]));

    let stopped = Stopped::new();
    fs::remove_file(stopped.home.path().join("run/scene.toml")).unwrap();
    let answer = stopped.resume();
    assert_eq!(answer.code, Some(4), "{}", answer.message);
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
