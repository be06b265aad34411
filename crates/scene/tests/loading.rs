//! Files, includes, overrides, and what must never be read.

use std::fs;
use std::path::Path;

use pliant_scene::{Scene, SceneError};

const MAIN: &str = "pliant = 1\nspacing = 0.05\ninclude = [\"parts/materials.toml\"]\n\
    [[objects]]\nname = \"cube\"\nshape.box.size = [0.1, 0.1, 0.1]\nmaterial = \"jelly\"\n";
const MATERIALS: &str =
    "[materials.jelly]\npreset = \"jello\"\n[time]\nfps = 24\n[[colliders]]\nshape = \"half_space\"\n";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.with_file_name("")).expect("it is ours");
        fs::write(path, text).expect("it is ours");
    }
    folder
}

fn load(folder: &Path, set: &[&str]) -> Result<Scene, SceneError> {
    let set: Vec<String> = set.iter().map(|&option| option.to_owned()).collect();
    Scene::load(&folder.join("main.toml"), &set)
}

fn message(folder: &Path, set: &[&str]) -> String {
    load(folder, set).expect_err("it is wrong").to_string().replace(&folder.display().to_string(), "DIR")
}

#[test]
fn includes_are_merged_and_the_including_file_wins() {
    let text = MAIN
        .replace("[[objects]]", "[time]\nduration = 1\n[[colliders]]\nshape.ball.radius = 1\n[[objects]]");
    let folder = folder(&[("main.toml", &text), ("parts/materials.toml", MATERIALS)]);
    let scene = load(folder.path(), &[]).unwrap();
    assert_eq!((scene.time.fps, scene.time.frame_count), (24.0, 24));
    assert_eq!(scene.colliders.len(), 2, "lists are appended");
    assert_eq!(scene.materials[0].material.name, "jelly");
    assert_eq!(scene.sources().len(), 2);
}

#[test]
fn errors_name_the_included_file() {
    let folder = folder(&[("main.toml", MAIN), ("parts/materials.toml", "[materials.jelly]\n\nyuong = 3\n")]);
    let error = message(folder.path(), &[]);
    assert!(error.contains("--> DIR/parts/materials.toml:3:1"), "{error}");
}

#[test]
fn includes_cannot_go_in_circles() {
    let folder = folder(&[("main.toml", MAIN), ("parts/materials.toml", "include = [\"../main.toml\"]")]);
    let error = message(folder.path(), &[]);
    assert!(error.starts_with("`../main.toml` includes itself, directly or through others"), "{error}");
    assert!(error.contains("--> DIR/parts/materials.toml:1:12"), "{error}");
}

#[test]
fn nothing_outside_the_folder_is_read() {
    let outside = folder(&[("secret.toml", "title = \"secret\""), ("secret.obj", "v 0 0 0")]);
    let secret = outside.path().join("secret.toml");
    let folder =
        folder(&[("scene/main.toml", MAIN), ("secret.toml", ""), ("scene/parts/materials.toml", MATERIALS)]);
    let scene = folder.path().join("scene");
    std::os::unix::fs::symlink(&secret, scene.join("link.toml")).unwrap();
    for name in ["../secret.toml", "parts/../../secret.toml", secret.to_str().unwrap(), "link.toml"] {
        fs::write(scene.join("main.toml"), MAIN.replace("parts/materials.toml", name)).unwrap();
        let error = message(&scene, &[]);
        assert!(error.contains("lies outside the scene's folder"), "{name}: {error}");
    }
    fs::write(scene.join("main.toml"), MAIN).unwrap();
    let error = message(&scene, &["objects.cube.shape={ mesh = { path = \"../../secret.obj\" } }"]);
    assert!(error.contains("there is no file") || error.contains("lies outside"), "{error}");
}

#[test]
fn missing_files_are_named() {
    let folder = folder(&[("main.toml", MAIN)]);
    assert_eq!(
        message(folder.path(), &[]),
        "there is no file `parts/materials.toml`; paths are relative to the file that names them\n --> \
         DIR/main.toml:3:12\n  |\n3 | include = [\"parts/materials.toml\"]\n  |            ^^^^^^^^^^^^^^^^^^^^^^"
    );
    let missing = Scene::load(&folder.path().join("none.toml"), &[]).unwrap_err().to_string();
    assert!(missing.starts_with("cannot read ") && missing.contains("No such file"), "{missing}");
    let directory = Scene::load(folder.path(), &[]).unwrap_err().to_string();
    assert!(directory.contains("it is a folder, not a scene file"), "{directory}");
}

#[test]
fn overrides_change_what_they_name() {
    let folder = folder(&[("main.toml", MAIN), ("parts/materials.toml", MATERIALS)]);
    let set = [
        "materials.jelly.young=200kPa",
        "objects.0.spacing=0.02",
        "objects.cube.velocity=[0, -1, 0]",
        "time.duration=0.5 s",
        "title=Hello world",
        "method.zhou2013.self_contact=false",
        "output.formats=[\"vtp\"]",
    ];
    let scene = load(folder.path(), &set).unwrap_or_else(|error| panic!("{error}"));
    assert!((scene.materials[0].material.lame.young() - 2e5).abs() < 1e-6);
    assert_eq!((scene.objects[0].spacing, scene.time.frame_count), (0.02, 12));
    assert_eq!(scene.title, "Hello world");
    assert!(scene.objects[0].velocity.is_some());
}

#[test]
fn wrong_overrides_are_shown_as_written() {
    let folder = folder(&[("main.toml", MAIN), ("parts/materials.toml", MATERIALS)]);
    for (option, expected) in [
        (
            "materials.jelly.yuong=1",
            "unknown key `yuong`\n --> --set:1:17\n  |\n1 | materials.jelly.yuong=1\n  |                 ^^^^^ did you mean `young`?",
        ),
        (
            "time.duration=1kg",
            "expected a time, got a mass\n --> --set:1:15\n  |\n1 | time.duration=1kg\n  |               ^^^ write it as \"2 ms\", or a number in s",
        ),
        (
            "time.duration",
            "expected key=value\n --> --set:1:1\n  |\n1 | time.duration\n  | ^^^^^^^^^^^^^ such as time.duration=1s",
        ),
        (
            "include=[]",
            "includes are read before options: change the scene file\n --> --set:1:1\n  |\n1 | include=[]\n  | ^^^^^^^",
        ),
        (
            "objects.7.spacing=1",
            "there is no item `7` among 1, numbered from 0\n --> --set:1:9\n  |\n1 | objects.7.spacing=1\n  |         ^ known: `cube`",
        ),
    ] {
        assert_eq!(message(folder.path(), &[option]), expected);
    }
}

#[test]
fn hostile_files_are_refused_quickly() {
    let deep = format!("pliant = 1\nx = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    let dotted = format!("pliant = 1\n{}x = 1", "a.".repeat(100_000));
    let tables = format!("pliant = 1\nx = {}", "{ a = ".repeat(50_000));
    let large = "# comment\n".repeat(1 << 20);
    let many = format!("pliant = 1\n{}", "[[objects]]\n".repeat(100_000));
    let nested = format!("pliant = 1\ngravity = [0, \"{}1{}\", 0]", "(".repeat(1500), ")".repeat(1500));
    for (text, expected) in [
        (deep.as_str(), "not valid TOML"),
        (dotted.as_str(), "not valid TOML"),
        (tables.as_str(), "not valid TOML"),
        (large.as_str(), "scene files may have at most 4 MiB"),
        (many.as_str(), "the key `material` is missing"),
        (nested.as_str(), "nested too deeply"),
        ("\u{0}", "not valid TOML"),
    ] {
        let folder = folder(&[("main.toml", text)]);
        let start = std::time::Instant::now();
        let error = message(folder.path(), &[]);
        assert!(error.contains(expected), "{expected}: {}", &error[..error.len().min(300)]);
        assert!(
            error.len() < 10_000 && start.elapsed().as_secs_f64() < 1.0,
            "{expected}: {:?}",
            start.elapsed()
        );
    }
    let folder = folder(&[]);
    fs::write(folder.path().join("main.toml"), [0xff, 0xfe, 0x00]).unwrap();
    assert!(message(folder.path(), &[]).contains("it is not text: byte 0 is not UTF-8"));
}
