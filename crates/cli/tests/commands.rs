//! The other commands, on one small run.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use common::{elastic, folder, pliant, write_scene};
use serde_json::Value;
use tempfile::TempDir;

const COMMANDS: [&str; 19] = [
    "run",
    "check",
    "resume",
    "info",
    "export",
    "render",
    "surface",
    "skin",
    "sample",
    "materials",
    "bench",
    "stable-dt",
    "repro",
    "validate",
    "new",
    "schema",
    "completions",
    "man",
    "studio",
];

/// A finished run without pictures, made once; the folder is removed by the operating system.
fn finished() -> &'static Path {
    static HOME: OnceLock<TempDir> = OnceLock::new();
    let home = HOME.get_or_init(|| {
        let home = folder();
        write_scene(home.path(), "cube.toml", &elastic());
        pliant(home.path()).args(["run", "cube.toml", "--no-render", "--out", "cube"]).assert().success();
        home
    });
    home.path()
}

fn said(home: &Path, arguments: &[&str]) -> String {
    let output = pliant(home).args(arguments).assert().success().get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

fn json(home: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&said(home, arguments)).unwrap()
}

#[test]
fn every_command_has_help_that_ends_with_an_example() {
    let home = folder();
    for command in COMMANDS {
        let help = said(home.path(), &[command, "--help"]);
        let (_, example) = help.split_once("Example:").unwrap_or_else(|| panic!("{command}: {help}"));
        assert!(example.trim_start().starts_with("pliant "), "{command}: {example}");
        assert!(example.contains(command), "{command}: {example}");
        assert_eq!(example.trim().lines().count(), 1, "{command} ends with it: {example}");
    }
    let all = said(home.path(), &["--help"]);
    assert!(COMMANDS.iter().all(|command| all.contains(&format!("\n  {command}"))), "{all}");
}

#[test]
fn info_tells_what_is_there() {
    let text = said(finished(), &["info", "cube"]);
    for part in ["status", "finished", "216", "kinetic_energy", "state hash"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let facts = json(finished(), &["info", "cube", "--json"]);
    assert_eq!(facts["state_hash"].as_str().unwrap().len(), 64);
    let (min, max) = (&facts["bounds"]["min"], &facts["bounds"]["max"]);
    assert!((0..3).all(|axis| min[axis].as_f64().unwrap() < max[axis].as_f64().unwrap()), "{facts}");
    assert!(facts["quantities"]["total_energy"].is_f64());
}

#[test]
fn frames_are_exported_in_every_format() {
    let formats = ["vtp", "ply", "geo", "bgeo", "csv", "npz"];
    let arguments =
        ["export", "cube", "--format", &formats.join(","), "--frames", "1-2", "--out", "exported"];
    said(finished(), &arguments);
    for format in formats {
        for frame in ["0001", "0002"] {
            let file = finished().join(format!("exported/{format}/particles.{frame}.{format}"));
            assert!(file.metadata().unwrap().len() > 1000, "{}", file.display());
        }
        assert!(!finished().join(format!("exported/{format}/particles.0003.{format}")).exists());
    }
}

#[test]
fn the_up_axis_of_an_export_can_be_chosen() {
    let height = |axis: &str, out: &str| {
        let arguments = ["export", "cube", "-f", "csv", "--frames", "0", "--up-axis", axis, "--out", out];
        said(finished(), &arguments);
        let text = fs::read_to_string(finished().join(out).join("csv/particles.0000.csv")).unwrap();
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        let row: Vec<f64> = lines.next().unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
        row[names.iter().position(|name| name.trim() == axis).unwrap()]
    };
    assert_eq!(height("y", "up_y"), height("z", "up_z"));
}

#[test]
fn pictures_are_drawn_as_asked() {
    let arguments = [
        "render",
        "cube",
        "--size",
        "80x64",
        "--color-by",
        "speed",
        "--frames",
        "2-4",
        "--surface",
        "--orbit",
        "90",
        "--quality",
        "draft",
        "--out",
        "drawn",
    ];
    let text = said(finished(), &arguments);
    assert!(text.contains("movie.mp4"), "{text}");
    let drawn = finished().join("drawn");
    let png = fs::read(drawn.join("pictures/picture.0003.png")).unwrap();
    assert_eq!((&png[16..20], &png[20..24]), (&80_u32.to_be_bytes()[..], &64_u32.to_be_bytes()[..]));
    assert!(!drawn.join("pictures/picture.0001.png").exists());
    assert!(drawn.join("movie.mp4").metadata().unwrap().len() > 500);
    assert!(fs::read_dir(drawn.join("plots")).unwrap().count() > 4);
}

#[test]
fn an_unknown_field_to_colour_by_is_refused_with_the_known_ones() {
    let arguments = ["render", "cube", "--color-by", "sped", "--out", "never"];
    let output = pliant(finished()).args(arguments).assert().code(2).get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("sped") && message.contains("velocity"), "{message}");
}

#[test]
fn surfaces_are_made() {
    for format in ["ply", "obj"] {
        said(finished(), &["surface", "cube", "--format", format, "--frames", "5", "--out", "skin"]);
        let file = finished().join(format!("skin/surface.0005.{format}"));
        assert!(file.metadata().unwrap().len() > 1000);
    }
}

#[test]
fn a_sample_counts_particles_and_neighbours() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let facts = json(home.path(), &["sample", "cube.toml", "--out", "points.ply", "--json"]);
    assert_eq!(facts["particles"], 216);
    assert_eq!(facts["particles_of_bodies"][0], 216);
    assert!(facts["neighbours"]["mean"].as_f64().unwrap() > 20.0);
    assert!((facts["nearest_over_spacing"]["mean"].as_f64().unwrap() - 1.0).abs() < 1e-3);
    assert!(fs::read(home.path().join("points.ply")).unwrap().starts_with(b"ply"));
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 2, "nothing else is left behind");
    let text = said(home.path(), &["sample", "cube.toml", "--out", "points.csv"]);
    assert!(text.contains("216 particles"), "{text}");
    assert_eq!(fs::read_to_string(home.path().join("points.csv")).unwrap().lines().count(), 217);
}

#[test]
fn a_sheet_of_particles_is_told_to_be_degenerate() {
    let home = folder();
    let text = elastic().replace("size = [0.3, 0.3, 0.3]", "size = [0.3, 0.3, 0.05]");
    write_scene(home.path(), "sheet.toml", &text);
    let facts = json(home.path(), &["check", "sheet.toml", "--json"]);
    assert!(facts["warnings"].to_string().contains("co-planar"), "{facts}");
}

#[test]
fn check_predicts_what_a_run_will_take() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let facts = json(home.path(), &["check", "cube.toml", "--json"]);
    assert_eq!((&facts["particles"], &facts["frames"]), (&216.into(), &5.into()));
    assert!(facts["memory_bytes"].as_f64().unwrap() > 1e5);
    let text = said(home.path(), &["check", "cube.toml"]);
    assert!(text.contains("216 particles"), "{text}");
}

#[test]
fn materials_are_listed() {
    let home = folder();
    let facts = json(home.path(), &["materials", "--json"]);
    let clay = facts.as_array().unwrap().iter().find(|preset| preset["name"] == "clay").unwrap();
    assert!(clay["plastic"]["bargteil2007"]["yield_stress"].as_f64().unwrap() > 0.0);
    assert!(said(home.path(), &["materials"]).contains("clay"));
}

#[test]
fn every_template_is_a_scene_without_warnings() {
    let home = folder();
    for template in ["drop", "jelly", "twist", "two-bodies", "2d", "snow", "sand", "water", "soaked", "float"]
    {
        said(home.path(), &["new", template, "--template", template]);
        let facts = json(home.path(), &["check", &format!("{template}.toml"), "--json"]);
        assert_eq!(facts["warnings"], Value::Array(Vec::new()), "{template}");
        let arguments = ["run", &format!("{template}.toml"), "--frames", "1", "--set", "render.width=64"];
        pliant(home.path()).args(arguments).args(["--set", "render.height=48"]).assert().success();
    }
    let output = pliant(home.path()).args(["new", "drop"]).assert().code(2).get_output().clone();
    assert!(String::from_utf8(output.stderr).unwrap().contains("drop.toml exists already"));
}

#[test]
fn the_schema_completions_and_manual_are_printed() {
    let home = folder();
    let schema = json(home.path(), &["schema"]);
    assert!(schema["properties"]["objects"].is_object());
    for shell in ["bash", "zsh", "fish"] {
        assert!(said(home.path(), &["completions", shell]).contains("resume"), "{shell}");
    }
    assert!(said(home.path(), &["man"]).contains(".TH pliant"));
    said(home.path(), &["man", "--out", "man1"]);
    assert_eq!(fs::read_dir(home.path().join("man1")).unwrap().count(), COMMANDS.len() + 1);
}

#[test]
fn the_benchmark_measures_a_step() {
    let home = folder();
    let facts = json(home.path(), &["bench", "zhou", "--size", "8", "--steps", "3", "--json"]);
    let case = &facts["cases"][0];
    assert_eq!((&case["method"], &case["particles"]), (&"zhou2013".into(), &512.into()));
    for key in ["ms_per_step", "ms_per_iteration", "edges", "times_the_limit"] {
        assert!(case[key].as_f64().unwrap() > 0.0, "{key}: {case}");
    }
    let difference = case["operator"]["difference"].as_f64().unwrap();
    assert!(difference < 1e-6, "the fast operator is {difference:e} from the plain one");
    for rest in ["updated", "kept"] {
        assert!(facts["race"][rest]["explicit_over_implicit"].as_f64().unwrap() > 0.0, "{facts}");
    }
    let refused = pliant(home.path()).args(["bench", "leapfrog"]).assert().code(2);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("no method leapfrog"));
}

#[test]
fn the_largest_stable_step_is_found_by_trying() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let arguments = ["stable-dt", "cube.toml", "--method", "gbb2009", "--time", "0.1", "--precision", "0.3"];
    let facts = json(home.path(), &[&arguments[..], &["--json"]].concat());
    let (found, trials) = (facts["dt"].as_f64().unwrap(), facts["trials"].as_array().unwrap());
    assert_eq!(facts["method"], "gbb2009");
    let share = facts["dt_over_crossing_time"].as_f64().unwrap();
    assert!((0.2..2.0).contains(&share), "{share}: a share of 2/1.47 d/c");
    let lengths = |stable: bool| {
        trials.iter().filter(move |t| t["stable"] == stable).map(|trial| trial["dt"].as_f64().unwrap())
    };
    assert_eq!(lengths(true).fold(0.0, f64::max), found);
    let shortest = lengths(false).fold(f64::INFINITY, f64::min);
    assert!(found < shortest && shortest <= 1.31 * found, "{found} {shortest}");
    let text = said(home.path(), &arguments);
    assert!(text.contains("unstable at t =") && text.contains("largest stable step of gbb2009"), "{text}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn the_implicit_method_bears_longer_steps_than_the_explicit_one() {
    let home = folder();
    write_scene(
        home.path(),
        "cube.toml",
        &elastic().replace("50 kPa", "2 MPa").replace("-2, 0]", "-0.5, 0]"),
    );
    let found = |method: &str| {
        let arguments =
            ["stable-dt", "cube.toml", "--time", "0.1", "--precision", "0.5", "--json", "--method"];
        json(home.path(), &[&arguments[..], &[method]].concat())["dt"].as_f64().unwrap()
    };
    let (implicit, explicit) = (found("zhou2013"), found("gbb2009"));
    assert!(implicit > 4.0 * explicit, "{implicit} {explicit}");
}

#[test]
fn a_search_for_nothing_is_refused() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    for (option, value) in [("--time", "0"), ("--time", "-1"), ("--precision", "1"), ("--precision", "nan")] {
        let arguments = ["stable-dt", "cube.toml", &format!("{option}={value}")];
        let output = pliant(home.path()).args(arguments).assert().code(2).get_output().clone();
        assert!(String::from_utf8(output.stderr).unwrap().contains(option), "{option} {value}");
    }
}

#[test]
fn the_explicit_method_runs_and_says_how() {
    let home = folder();
    write_scene(home.path(), "cube.toml", &elastic());
    let explicit = ["--set", "method=gbb2009", "--set", "method.gbb2009.substep=1ms"];
    let facts = json(home.path(), &[&["check", "cube.toml", "--json"], &explicit[..]].concat());
    assert_eq!(facts["substeps"], 4.0);
    let text = said(home.path(), &[&["check", "cube.toml"], &explicit[..]].concat());
    assert!(text.contains("steps of 4 explicit sub-steps"), "{text}");
    said(home.path(), &[&["run", "cube.toml", "--no-render", "--out", "cube"], &explicit[..]].concat());
    let facts = json(home.path(), &["info", "cube", "--json"]);
    assert_eq!(facts["status"]["state"], "finished", "{facts}");
}

#[test]
fn known_answers_are_compared_and_written_down() {
    let home = folder();
    let arguments = ["validate", "hanging-bar", "--out", "report", "--figures", "report"];
    let text = said(home.path(), &arguments);
    assert!(text.contains("hanging-bar") && text.contains("ok") && !text.contains("MISSED"), "{text}");
    let document = fs::read_to_string(home.path().join("report/validation.md")).unwrap();
    assert!(document.contains("`pliant validate hanging-bar`") && document.contains("| hanging-bar |"));
    let figure = fs::read_to_string(home.path().join("report/hanging-bar.svg")).unwrap();
    assert!(figure.contains("<svg") && figure.contains("exact"), "{figure}");
    let facts = json(home.path(), &["validate", "hanging-bar", "--json"]);
    let measure = &facts["measures"][0];
    assert_eq!((&measure["accepted"], &measure["resolution"]), (&Value::Bool(true), &Value::from("medium")));
    let refused = pliant(home.path()).args(["validate", "swinging-bar"]).assert().code(2);
    let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(message.contains("no case swinging-bar") && message.contains("hanging-bar"), "{message}");
}

#[test]
fn figures_are_listed_and_unknown_ones_refused() {
    let home = folder();
    let listed = json(home.path(), &["repro", "--json"]);
    let names: Vec<&str> = listed.as_array().unwrap().iter().filter_map(|f| f["name"].as_str()).collect();
    for name in ["zhou-fig2", "zhou-flicker", "zhou-table1"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let failed = pliant(home.path()).args(["repro", "zhou-fig9"]).assert().code(2).get_output().clone();
    let message = String::from_utf8(failed.stderr).unwrap();
    assert!(message.contains("zhou-fig9") && message.contains("zhou-fig2"), "{message}");
}

#[test]
fn a_figure_is_run_drawn_and_measured() {
    let home = folder();
    let changes = ["spacing=5cm", "time.duration=0.2s", "render.width=160", "render.height=90"];
    let set = changes.iter().flat_map(|change| ["--set", *change]);
    pliant(home.path()).args(["repro", "zhou-fig2", "--out", "figures"]).args(set).assert().success();
    let folder = home.path().join("figures/zhou-fig2");
    let report = fs::read_to_string(folder.join("figure.md")).unwrap();
    assert_eq!(report.lines().filter(|line| line.ends_with("to its end |")).count(), 3, "{report}");
    let picture = fs::read(folder.join("figure.png")).unwrap();
    let side = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
    assert_eq!((side(16), side(20)), (4 * 160, 3 * 90), "four pictures of three cubes");
}

#[test]
fn a_hand_in_free_fall_is_followed() {
    let home = folder();
    let changes = ["spacing=4cm", "time.duration=0.04s"];
    let set = changes.iter().flat_map(|change| ["--set", *change]);
    pliant(home.path()).args(["repro", "zhou-flicker", "--out", "figures"]).args(set).assert().success();
    let folder = home.path().join("figures/zhou-flicker");
    let report = fs::read_to_string(folder.join("figure.md")).unwrap();
    assert_eq!(report.lines().filter(|line| line.starts_with("| gbb2009")).count(), 2, "{report}");
    assert!(fs::read_to_string(folder.join("acceleration.svg")).unwrap().contains("zhou2013"));
}
