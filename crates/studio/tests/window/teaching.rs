//! Steps taken stage by stage, with their formulas and numbers.

use crate::common::{SCENE, open_tab, press, studio, studio_with, until};
use pliant_studio::document::Document;
use pliant_studio::panels::Tab;

#[test]
fn teaching_goes_through_the_ten_stages_of_one_step() {
    let mut harness = studio();
    open_tab(&mut harness, Tab::Teaching);
    let scene = harness.state().shown.scene.clone().unwrap();
    let free = |values: &[(String, String)]| values.last().unwrap().1.clone();
    let mut seen = Vec::new();
    for stage in 0..10 {
        press(&mut harness, "Next stage");
        until(&mut harness, "the stage is explained", |studio| {
            studio.teaching.stage == stage && studio.shown.stage.is_some()
        });
        seen.push((
            harness.state().shown.stage.as_ref().unwrap().name,
            harness.state().stage_values(&scene, stage),
        ));
    }
    let names: Vec<&str> = seen.iter().map(|(name, _)| *name).collect();
    assert_eq!(names[..5], ["particles to grid"; 5]);
    assert_eq!(names[5..7], ["grid"; 2]);
    assert_eq!(names[7..], ["grid to particles"; 3]);
    assert_eq!(harness.state().shown.snapshot.step, 1);
    // The node as worked out by hand, and as the method has it.
    assert_eq!(seen[1].1[1].1, seen[1].1[2].1, "{:?}", seen[1].1);
    assert_eq!(free(&seen[4].1), "(0.0000, 0.0000, 0.0000)", "at rest and without stress nothing moves");
    assert!(free(&seen[6].1).starts_with("(0.0000, -0.0"), "gravity has reached the node: {:?}", seen[6].1);
    let position = harness.state().shown.snapshot.positions()[0];
    assert!(seen[9].1[1].1.contains(&format!("{:.4}", position[1])), "{:?}", seen[9].1);
}

#[test]
fn the_stage_button_shows_the_state_after_each_stage_of_zhou() {
    let text = SCENE.replace("[method.mpm]", "[method.zhou2013]").replace("jello", "rubber");
    let mut harness = studio_with(Document::new(&text));
    let scene = harness.state().shown.scene.clone().unwrap();
    for (stage, name) in ["predict", "rotations", "system", "solve"].into_iter().enumerate() {
        press(&mut harness, "Stage");
        until(&mut harness, name, |studio| {
            studio.shown.stage.as_ref().is_some_and(|stage| stage.name == name)
        });
        assert_eq!(harness.state().tab, Tab::Teaching);
        harness.step();
        assert_eq!(harness.state().teaching.stage, stage);
        let values = harness.state().stage_values(&scene, stage);
        let shows = |what: &str| values.iter().any(|(name, _)| name == what);
        assert_eq!(shows("R"), name == "rotations", "{values:?}");
        assert_eq!(shows("right-hand side b"), name == "system", "{values:?}");
        assert_eq!(harness.state().shown.snapshot.step, 0);
    }
    press(&mut harness, "Leave step");
    until(&mut harness, "the step is over", |studio| studio.shown.snapshot.step == 1);
}
