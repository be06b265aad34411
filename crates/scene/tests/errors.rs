//! Whatever is wrong with a scene is told with the place, the text at fault and what to try.

use std::path::Path;

use pliant_scene::Scene;

const GOOD: &str = r#"pliant = 1
spacing = "5 cm"
[materials.jelly]
preset = "jello"
[[objects]]
name = "cube"
shape.box = { size = [0.2, 0.2, 0.2] }
material = "jelly"
"#;

fn error_of(text: &str) -> String {
    Scene::from_text(text, Path::new("."), &[]).expect_err(text).to_string()
}

/// The good scene with one line replaced (or added before the first table).
fn with(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "{old}");
    GOOD.replace(old, new)
}

#[test]
fn the_scene_the_others_are_made_from_is_good() {
    Scene::from_text(GOOD, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn an_unknown_key_is_underlined_and_the_nearest_suggested() {
    assert_eq!(
        error_of(&with("preset = \"jello\"", "yuong = \"100 kPa\"")),
        "unknown key `yuong`\n --> scene:4:1\n  |\n4 | yuong = \"100 kPa\"\n  | ^^^^^ did you mean `young`?"
    );
}

#[test]
fn several_problems_are_reported_in_the_order_of_the_file() {
    let text = with("spacing = \"5 cm\"", "spcing = 1\ndimesion = 3").replace("material = ", "materail = ");
    let error = error_of(&text);
    let lines: Vec<&str> = error.lines().filter(|line| line.starts_with("unknown")).collect();
    assert_eq!(lines, ["unknown key `spcing`", "unknown key `dimesion`", "unknown key `materail`"]);
}

#[test]
fn a_wrong_type_is_named() {
    assert_eq!(
        error_of(&with("preset = \"jello\"", "preset = 3")),
        "expected a string, got the number 3\n --> scene:4:10\n  |\n4 | preset = 3\n  |          ^"
    );
    let list = error_of(&with("[0.2, 0.2, 0.2]", "0.2"));
    assert!(list.starts_with("expected a list such as [0, 1, 0], got the number 0.2"), "{list}");
    let table = error_of(&with("{ size = [0.2, 0.2, 0.2] }", "7"));
    assert!(table.starts_with("expected a table, got the number 7"), "{table}");
    let number = error_of(&with("\"5 cm\"", "true"));
    assert!(number.starts_with("expected a number, or text such as \"2 cm\", got true"), "{number}");
}

/// What is replaced, by what, the message, and the text that is marked.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        "\"5 cm\"",
        "\"5 cm\"\nmethod.gbb2009 = { nearest = 30, neighbour_radius = 2.5 }",
        "neighbours are chosen by `nearest` or by `neighbour_radius`, not by both",
        "30",
    ),
    (
        "\"5 cm\"",
        "\"5 cm\"\nmethod.gbb2009.nearest = 3",
        "expected a whole number from 6 to 200, got the number 3",
        "3",
    ),
    ("\"5 cm\"", "\"5 cm\"\nmethod.gbb2009.zero_energy = 1", "unknown key `zero_energy`", "zero_energy"),
    (
        "\"5 cm\"",
        "\"5 cm\"\nmethod.gbb2009.viscosity = \"1 Pa\"",
        "expected a viscosity, got a pressure",
        "\"1 Pa\"",
    ),
    (
        "\"5 cm\"",
        "\"5 cm\"\nmethod.gbb2009.substep = 1e-12",
        "a step would take 2.000e9 sub-steps, at most 1e5",
        "1e-12",
    ),
    ("pliant = 1\n", "", "the key `pliant` is missing: the version of the scene format", "s"),
    ("pliant = 1", "pliant = 7", "written for scene format 7, this program reads 1", "7"),
    ("pliant = 1", "pliant = \"x\"", "the version of the scene format must be 1", "\"x\""),
    ("\"5 cm\"", "\"5 kPa\"", "expected a length, got a pressure", "\"5 kPa\""),
    ("\"5 cm\"", "\"5 cmm\"", "unknown unit `cmm`; did you mean `mm`?", "\"5 cmm\""),
    ("\"5 cm\"", "\"five\"", "expected a length, got \"five\"", "\"five\""),
    ("\"5 cm\"", "0", "must be positive, got 0 m", "0"),
    ("\"5 cm\"", "-1", "must be positive, got -1 m", "-1"),
    ("\"5 cm\"", "nan", "this is not a finite number", "nan"),
    ("\"5 cm\"", "1e400", "this is not a finite number", "1e400"),
    ("\"jello\"", "\"jelo\"", "there is no preset `jelo`", "\"jelo\""),
    (
        "preset = \"jello\"",
        "poisson = 0.3",
        "the material `jelly` needs `young` or a `preset`",
        "[materials.jelly]",
    ),
    ("\"jello\"", "\"jello\"\npoisson = 0.5", "must be above -1 and below 0.5, got 0.5", "0.5"),
    ("\"jello\"", "\"jello\"\npoisson = 0.7", "must be above -1 and below 0.5, got 0.7", "0.7"),
    ("\"jello\"", "\"jello\"\nyoung = -1", "must be positive, got -1 Pa", "-1"),
    ("\"jello\"", "\"jello\"\ndensity = 0", "must be positive, got 0 kg/m³", "0"),
    ("\"5 cm\"", "\"5 cm\"\ntime.dt = 0", "must be positive, got 0 s", "0"),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\nrigid = true",
        "only the method `sph` knows rigid objects",
        "true",
    ),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\n[[joints]]\nkind = \"ball\"\nobjects = [\"cube\"]\nposition = [0, 0, 0]",
        "a joint ties rigid objects, and `cube` is not rigid",
        "\"cube\"",
    ),
    ("\"jello\"", "\"jello\"\ndensity = -3", "must be positive, got -3 kg/m³", "-3"),
    (
        "\"jello\"",
        "\"jello\"\nyoung = \"2*w\"",
        "unknown name `w`; known here: x, y, z, pi, tau, e, and functions such as `sin`",
        "w",
    ),
    (
        "\"jello\"",
        "\"jello\"\nyoung = \"1e5*t\"",
        "unknown name `t`; known here: x, y, z, pi, tau, e, and functions such as `sin`",
        "t",
    ),
    ("\"jello\"", "\"water\"", "zhou2013 has no fluids; use [method.mpm]", "[materials.jelly]"),
    ("\"jello\"", "\"water\"\nyoung = 3", "a fluid resists compression only", "3"),
    ("\"jello\"", "\"water\"\nplastic = \"snow\"", "a fluid has no plastic flow", "[materials.jelly]"),
    (
        "\"jello\"",
        "\"sand\"\nlaw = \"neo_hookean\"",
        "`drucker_prager` needs the law \"hencky\"",
        "\"neo_hookean\"",
    ),
    (
        "\"jello\"",
        "\"jello\"\nlaw.fluid = { state = \"linear\", exponent = 7 }",
        "a linear fluid has no exponent",
        "7",
    ),
    (
        "\"jello\"",
        "\"jello\"\nplastic.drucker_prager.friction_angle = 95",
        "must be between 0 and 89 degrees, got 95 degrees",
        "95",
    ),
    (
        "\"jello\"",
        "\"jello\"\nplastic.drucker_prager.friction_hardening = { h0 = 10, h3 = 20 }",
        "the angle would start at or below zero: `h3` must be below `h0`",
        "{ h0 = 10, h3 = 20 }",
    ),
    ("\"jello\"", "\"jello\"\ncolor = \"red\"", "expected a colour", "\"red\""),
    ("\"jello\"", "\"jello\"\ncolor = [1, 2, 3]", "expected a colour", "[1, 2, 3]"),
    ("material = \"jelly\"", "material = \"jely\"", "there is no material `jely`", "\"jely\""),
    ("material = \"jelly\"", "", "the key `material` is missing here", "[[objects]]"),
    (
        "shape.box = { size = [0.2, 0.2, 0.2] }",
        "",
        "the object has neither `shape` nor `points`",
        "[[objects]]",
    ),
    ("shape.box", "shape.bx", "`bx` is not known here", "bx"),
    ("shape.box = { size = [0.2, 0.2, 0.2] }", "shape = {}", "expected exactly one choice, got 0 keys", "{}"),
    ("size = [0.2, 0.2, 0.2]", "", "the key `size` is missing here", "{  }"),
    ("[0.2, 0.2, 0.2]", "[0.2, 0.2]", "expected 3 components, got 2", "[0.2, 0.2]"),
    ("spacing = \"5 cm\"", "", "the distance between particles is missing", "[[objects]]"),
    ("spacing = \"5 cm\"", "spacing = \"5 cm\"\nspacing = 1", "not valid TOML: duplicate key", "spacing"),
    ("[materials.jelly]", "[materials.jelly", "not valid TOML: unclosed table, expected `]`", "\n"),
    ("pliant = 1", "pliant = 1\ndimension = 4", "expected a whole number from 2 to 3, got the number 4", "4"),
    (
        "pliant = 1",
        "pliant = 1\nseed = -1",
        "expected a whole number from 0 to 4294967295, got the number -1",
        "-1",
    ),
    (
        "pliant = 1",
        "pliant = 1\nseed = 99999999999999999999",
        "this whole number is too large",
        "99999999999999999999",
    ),
    ("pliant = 1", "pliant = 1\nup_axis = \"x\"", "`x` is not known here", "\"x\""),
    ("pliant = 1", "pliant = 1\ntitle = 2026-01-01", "scenes have no dates", "2026-01-01"),
    (
        "pliant = 1",
        "pliant = 1\ngravity = [0, \"1/\", 0]",
        "expected a number, a name or `(`, found the end",
        "\"",
    ),
    ("pliant = 1", "pliant = 1\ngravity = [0, \"1/0\", 0]", "must be finite, got inf m/s²", "\"1/0\""),
    ("pliant = 1", "pliant = 1\ntime.dt = \"1 kg\"", "expected a time, got a mass", "\"1 kg\""),
    (
        "pliant = 1",
        "pliant = 1\ntime.duration = 1e9",
        "1000000000 s at 30 frames a second make 3.000e10 frames, at most 1e6",
        "1e9",
    ),
    ("pliant = 1", "pliant = 1\ntime.dt = 1e-12", "a frame would take 3.333e10 steps, at most 1e6", "1e-12"),
    ("pliant = 1", "pliant = 1\nmethod.zhou2013.tolerance = 2", "must be above 0 and below 1, got 2", "2"),
    ("pliant = 1", "pliant = 1\nmethod.mpm.courant = 3", "must be between 0.01 and 1, got 3", "3"),
    (
        "pliant = 1",
        "pliant = 1\nmethod.mpm.kernels = [\"cubic\"]",
        "has 1 splines; give one for each of 3 axes",
        "[\"cubic\"]",
    ),
    ("pliant = 1", "pliant = 1\nmethod.mpm.transfer.blend = 2", "must be between 0 and 1, got 2", "2"),
    ("pliant = 1", "pliant = 1\nmethod.mpm.drag.physical = nan", "this is not a finite number", "nan"),
    (
        "pliant = 1",
        "pliant = 1\nmethod.mpm.domain = { min = [0, 0, 0], max = [0, 1, 1] }",
        "`min` must be below `max` along every axis",
        "{ min = [0, 0, 0], max = [0, 1, 1] }",
    ),
    (
        "pliant = 1",
        "pliant = 1\nmethod.mpm.interactions = [{ material = \"jelly\", parameter = \"young\", value = \"1/(1-phi)\" }]",
        "is inf at a saturation of 1; it must be finite everywhere",
        "\"1/(1-phi)\"",
    ),
    (
        "pliant = 1",
        "pliant = 1\nmethod.mpm.interactions = [{ material = \"jelly\", parameter = \"yung\", value = \"1\" }]",
        "there is no parameter `yung`",
        "\"yung\"",
    ),
    ("name = \"cube\"", "name = \"cube\"\nspecies = \"water\"", "there is no species `water`", "\"water\""),
    (
        "pliant = 1",
        "pliant = 1\nmethod.zhou2013.max_relinearisations = 1",
        "must be at least `relinearisations`, which is 2, got 1",
        "1",
    ),
    ("pliant = 1", "pliant = 1\nrender.width = 101", "must be even, got 101", "101"),
    (
        "pliant = 1",
        "pliant = 1\nrender.color_by = \"sped\"",
        "there is no field `sped` to colour by",
        "\"sped\"",
    ),
    ("pliant = 1", "pliant = 1\nrender.range = [2, 1]", "expected [low, high] with low below high", "[2, 1]"),
    ("pliant = 1", "pliant = 1\noutput.formats = [\"vtpp\"]", "`vtpp` is not known here", "\"vtpp\""),
    ("material = \"jelly\"", "material = \"jelly\"\nrotation = [1, 2]", "expected 3 angles, got 2", "[1, 2]"),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\nrotation = { axis = [0, 0, 0], angle = 3 }",
        "a direction must not be zero",
        "[0, 0, 0]",
    ),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\nrotation = { axs = [0, 1, 0], angle = 3 }",
        "unknown key `axs`",
        "axs",
    ),
    ("material = \"jelly\"", "material = \"jelly\"\nspin = 3", "expected 3 components", "3"),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\ncopies = { count = [1000, 1000, 1], step = [1, 1, 1] }",
        "1000000 copies, at most 10000 are allowed",
        "[1000, 1000, 1]",
    ),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\nsampler = \"latice\"",
        "`latice` is not known here",
        "\"latice\"",
    ),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\nsampler.jittered.amount = 1.5",
        "must be between 0 and 1, got 1.5",
        "1.5",
    ),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\n[[objects]]\nname = \"cube\"\nmaterial = \"jelly\"\nshape.ball.radius = 1",
        "a second object is called `cube`",
        "\"cube\"",
    ),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\n[[forces]]\nacceleration = [0,0,0]\nobjects = [\"cub\"]",
        "there is no object `cub`",
        "\"cub\"",
    ),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\n[[colliders]]\nshape = \"half_space\"\nmotion.keyframes = [{ time = 1 }, { time = 0 }]",
        "key frame 1 at 0 s does not come after the one before it; sort key frames by time",
        "0",
    ),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\n[[colliders]]\nshape = \"ball\"",
        "the key `radius` is missing here",
        "\"ball\"",
    ),
    (
        "material = \"jelly\"",
        "material = \"jelly\"\n[[colliders]]\nshape.union.shapes = []",
        "a union needs at least one shape, got none; add a shape or drop the operation",
        "shape",
    ),
];

#[test]
fn first_lines_say_what_is_wrong() {
    let mut wrong = Vec::new();
    for &(old, new, message, marked) in CASES {
        let text = with(old, new);
        let error = Scene::from_text(&text, Path::new("."), &[]).expect_err(&text);
        let problem = &error.problems[0];
        let found = problem.location.as_ref().map_or(String::new(), |place| {
            place.text.chars().skip(place.column - 1).take(place.width).collect()
        });
        if problem.message != message || (found != marked && marked != "\n") {
            wrong.push(format!("expected: {message}, marked {marked:?}\ngot: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn emitters_that_cannot_work_are_refused() {
    let with_mpm = |line: &str| {
        let text = with("spacing = ", "method = \"mpm\"\nspacing = ");
        error_of(&(text + line + "\n"))
    };
    let error = error_of(&(GOOD.to_owned() + "emit.bursts = { every = 1, count = 2 }\n"));
    assert!(error.starts_with("this method needs all particles from the start"), "{error}");
    assert!(error.contains("use `method.mpm = {}`"), "{error}");
    let error = with_mpm("emit.stream.duration = 1");
    assert!(error.starts_with("a stream needs a `velocity` of the object that is not zero"), "{error}");
    let error = with_mpm("velocity = [\"x\", 1, 0]\nemit.stream.duration = 1");
    assert!(error.starts_with("a stream needs a `velocity` of the object that is not zero"), "{error}");
    let error = with_mpm("velocity = [0, 1, 0]\nspin = [0, 1, 0]\nemit.stream.duration = 1");
    assert!(error.starts_with("a stream cannot spin"), "{error}");
    let error = with_mpm("emit.bursts = { every = 1, count = 2 }\npins = [{ region.shape.ball.radius = 1 }]");
    assert!(error.starts_with("particles that appear later cannot be pinned"), "{error}");
    let text = with("spacing = ", "max_particles = 100\nmethod = \"mpm\"\nspacing = ");
    let scene =
        Scene::from_text(&(text + "emit.bursts = { every = \"1 ms\", count = 900 }\n"), Path::new("."), &[]);
    let error = scene.unwrap_or_else(|error| panic!("{error}")).build().expect_err("too many").to_string();
    assert!(error.contains("64 particles in 900 copies, more than `max_particles` = 100"), "{error}");
}

/// What a user of the Material Point Method may get wrong: one error each, with the place of the fault.
#[test]
fn each_bad_input_of_the_point_method_gets_one_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("words.png"), "not a picture").unwrap();
    let head = "pliant = 1\nspacing = \"5 cm\"\n[time]\nduration = 1\n[method.mpm]\n";
    let matter = "[materials.m]\npreset = \"sand\"\n";
    let object = "[[objects]]\nmaterial = \"m\"\nshape.box.size = [0.5, 0.5, 0.5]\n";
    let cases = [
        (format!("{head}{matter}density = -1\n{object}"), "must be positive, got -1"),
        (format!("{head}{matter}plastic.drucker_prager.friction_angle = 90\n{object}"), "must be"),
        (format!("{head}drag.physical = nan\n{matter}{object}"), "this is not a finite number"),
        (format!("{head}{matter}density = \"1000 / floor(x * 20 + 5)\"\n{object}"), "inf"),
        (
            format!(
                "{head}{matter}[[objects]]\nmaterial = \"m\"\nshape.image = {{ path = \"words.png\", width = 1 }}\n"
            ),
            "words.png",
        ),
        (
            format!("{head}domain = {{ min = [5, 0, 0], max = [6, 1, 1] }}\n{matter}{object}"),
            "no particle is inside `method.mpm.domain`",
        ),
    ];
    for (text, said) in cases {
        let error = match Scene::from_text(&text, folder.path(), &[]) {
            Ok(scene) => scene.build().expect_err(&text),
            Err(error) => error,
        };
        assert_eq!(error.problems.len(), 1, "{error}");
        assert!(error.problems[0].message.contains(said), "expected {said}, got: {error}");
        assert!(error.problems[0].location.is_some(), "{error}");
    }
}
