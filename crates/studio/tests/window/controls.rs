//! Every control that papers and people ask for is there by its name.

use crate::common::{open_tab, press, studio, type_into, until, until_labelled};
use egui_kittest::kittest::Queryable;
use pliant_studio::document::{Change, ScenePath};
use pliant_studio::panels::Tab;

/// Controls that papers and people ask for, by tab; the forms are made from the schema, this sees that nothing is missing.
const CONTROLS: [(Tab, &[&str]); 12] = [
    (Tab::Scene, &["title", "gravity", "spacing", "dimension", "seed"]),
    (
        Tab::Objects,
        &[
            "name",
            "shape",
            "material",
            "species",
            "position",
            "rotation",
            "scale",
            "spacing",
            "sampler",
            "seed",
            "density",
            "volume ratio",
            "velocity",
            "spin",
            "color",
        ],
    ),
    (Tab::Materials, &["preset", "density", "young", "poisson", "law", "plastic"]),
    (
        Tab::Colliders,
        &["shape", "position", "rotation", "motion", "friction", "stickiness", "color", "visible"],
    ),
    (
        Tab::Simulation,
        &[
            "Limit steps per picture",
            "Limit speed",
            "Changes apply",
            "Play simulation",
            "Reset simulation",
            "duration",
            "fps",
            "dt",
            "method",
            "grid spacing",
            "particle collision",
            "kernel",
            "species",
            "drag",
            "drag mode",
            "buoyancy",
            "volume",
            "transfer",
        ],
    ),
    (
        Tab::View,
        &[
            "Particles as",
            "Size factor",
            "Size from volume",
            "Shaded",
            "Colour by",
            "Colour map",
            "Fixed range",
            "Legend",
            "Own background",
            "Background opacity",
            "Light around [degrees]",
            "Light height [degrees]",
            "Light strength",
            "Light colour",
            "Ambient light",
            "Shadows",
            "Shadow geometry",
            "Shadow resolution",
            "Obstacles throw shadows",
            "Obstacles",
            "One colour for obstacles",
            "Obstacle opacity",
            "Particle velocities",
            "Grid velocities",
            "Grid layer",
            "Layer shows",
            "Of vectors",
            "Layer across",
            "Layer place",
            "Fixed layer range",
            "Mark cells in obstacles",
        ],
    ),
    (
        Tab::Camera,
        &[
            "Reset camera",
            "Lens",
            "Look straight on the plane",
            "Opening angle [degrees]",
            "Sensitivity",
            "Speed of keys",
            "Keep view",
        ],
    ),
    (
        Tab::Charts,
        &["Export charts", "Clear charts", "Energy [J]", "Momentum [kg m/s]", "Mass [kg]", "Time step [s]"],
    ),
    (Tab::Cache, &["Open run", "Add run to compare"]),
    (Tab::Benchmark, &["step", "Scene or folder", "Add scenes", "Steps for each", "Start benchmark"]),
    (Tab::Teaching, &["Next stage", "Leave step"]),
    (
        Tab::Record,
        &[
            "Take screenshot",
            "Movie file",
            "Format",
            "Width [pixels]",
            "Height [pixels]",
            "Frames a second",
            "Bitrate [Mbit/s]",
            "Start time [s]",
            "Stop time [s]",
            "Playback speed of the movie",
            "Start recording",
        ],
    ),
];

#[test]
fn every_control_that_is_asked_for_is_there_by_its_name() {
    let mut harness = studio();
    harness.state_mut().look.layer.is_shown = true;
    for (tab, names) in CONTROLS {
        open_tab(&mut harness, tab);
        for name in names {
            assert!(harness.query_all_by_label(name).count() > 0, "{name} is not in the tab {tab:?}");
        }
    }
    open_tab(&mut harness, Tab::Simulation);
    let titles = ["surfaces (0)", "interactions (0)", "domain"];
    for title in titles {
        assert!(harness.query_all_by_label(title).count() > 0, "{title}");
    }
}

#[test]
fn a_rotation_is_given_about_three_axes_or_about_one() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Objects);
    let path = ScenePath::parse("objects.0.rotation");
    harness.state_mut().change(&Change::Set(path.clone(), serde_json::json!([0, 0, 20])));
    harness.run_steps(2);
    assert!(harness.query_all_by_value("about x, y, z").count() > 0);
    harness.state_mut().change(&Change::Set(path, serde_json::json!({ "axis": [0, 0, 1], "angle": 30 })));
    harness.run_steps(2);
    type_into(&mut harness, "angle", "45");
    assert!(harness.state().document.text().contains("angle = 45"), "{}", harness.state().document.text());
    until(&mut harness, "the scene is checked", |studio| studio.document.is_checked());
    assert!(harness.state().document.scene().is_some(), "{:?}", harness.state().document.problems());
}

#[test]
fn a_body_takes_one_of_the_kept_looks() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::View);
    press(&mut harness, "Keep look");
    press(&mut harness, "Duplicate look");
    assert_eq!(harness.state().looks.len(), 2);
    harness.state_mut().look.body_mut(0).look = Some("standard copy".to_owned());
    harness.get_by_label("Bodies").click();
    until_labelled(&mut harness, "Look of ball");
    assert!(harness.query_all_by_value("standard copy").count() > 0);
}
