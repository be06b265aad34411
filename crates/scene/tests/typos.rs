//! Every key with a slip is refused, and the right one suggested.

use std::collections::BTreeSet;
use std::path::Path;

use pliant_scene::Scene;
use serde_json::Value;

/// The path from the root of a scene to each table of the schema, as TOML with a hole for one more key.
const TABLES: [(&str, &str); 35] = [
    ("", "KEY = 1\nREST"),
    ("Time", "REST\n[time]\nKEY = 1"),
    ("Zhou2013", "REST\n[method.zhou2013]\nKEY = 1"),
    ("Gbb2009", "REST\n[method.gbb2009]\nKEY = 1"),
    ("Material", "REST\n[materials.b]\nKEY = 1"),
    ("Bargteil2007", "REST\n[materials.b.plastic.bargteil2007]\nKEY = 1"),
    ("Object", "REST\n[[objects]]\nKEY = 1"),
    ("Jittered", "REST\n[[objects]]\nsampler.jittered.KEY = 1"),
    ("Copies", "REST\n[[objects]]\ncopies.KEY = 1"),
    ("Pin", "REST\n[[objects]]\npins = [{ KEY = 1 }]"),
    ("Placed", "REST\n[[objects]]\npins = [{ region.KEY = 1 }]"),
    ("AxisAngle", "REST\n[[objects]]\nrotation.KEY = 1"),
    ("Collider", "REST\n[[colliders]]\nKEY = 1"),
    ("Linear", "REST\n[[colliders]]\nmotion.linear.KEY = 1"),
    ("Rotating", "REST\n[[colliders]]\nmotion.rotating.KEY = 1"),
    ("Keyframe", "REST\n[[colliders]]\nmotion.keyframes = [{ KEY = 1 }]"),
    ("Force", "REST\n[[forces]]\nKEY = 1"),
    ("Output", "REST\n[output]\nKEY = 1"),
    ("Render", "REST\n[render]\nKEY = 1"),
    ("Camera", "REST\n[render.camera]\nKEY = 1"),
    ("Box", "REST\n[[colliders]]\nshape.box.KEY = 1"),
    ("Ball", "REST\n[[colliders]]\nshape.ball.KEY = 1"),
    ("Ellipsoid", "REST\n[[colliders]]\nshape.ellipsoid.KEY = 1"),
    ("Cylinder", "REST\n[[colliders]]\nshape.capsule.KEY = 1"),
    ("Cone", "REST\n[[colliders]]\nshape.cone.KEY = 1"),
    ("Torus", "REST\n[[colliders]]\nshape.torus.KEY = 1"),
    ("HalfSpace", "REST\n[[colliders]]\nshape.half_space.KEY = 1"),
    ("Heightfield", "REST\n[[colliders]]\nshape.heightfield.KEY = 1"),
    ("Mesh", "REST\n[[colliders]]\nshape.mesh.KEY = 1"),
    ("Image", "REST\n[[colliders]]\nshape.image.KEY = 1"),
    ("Model", "REST\n[[colliders]]\nshape.model.KEY = 1"),
    ("Parts", "REST\n[[colliders]]\nshape.union.KEY = 1"),
    ("SmoothUnion", "REST\n[[colliders]]\nshape.smooth_union.KEY = 1"),
    ("Parts", "REST\n[[colliders]]\nshape.difference.KEY = 1"),
    ("Parts", "REST\n[[colliders]]\nshape.intersection.KEY = 1"),
];

const REST: &str = "pliant = 1\n[materials.a]\npreset = \"jello\"";

/// A letter doubled, dropped, exchanged with the next, or replaced, at every place.
fn slips(key: &str) -> BTreeSet<String> {
    let letters: Vec<char> = key.chars().collect();
    let mut slips = BTreeSet::new();
    for i in 0..letters.len() {
        let (before, after) = (&letters[..i], &letters[i + 1..]);
        let join = |middle: &[char]| [before, middle, after].concat().into_iter().collect::<String>();
        slips.insert(join(&[letters[i], letters[i]]));
        slips.insert(join(&[]));
        slips.insert(join(&['q']));
        if let Some(next) = after.first() {
            slips.insert([before, &[*next, letters[i]], &after[1..]].concat().into_iter().collect());
        }
    }
    slips.retain(|slip| !slip.is_empty() && slip != key);
    slips
}

#[test]
fn every_slip_in_every_key_is_refused_with_a_suggestion() {
    let schema = pliant_scene::schema();
    let mut count = 0;
    for (table, template) in TABLES {
        let definition = if table.is_empty() { &schema } else { &schema["$defs"][table] };
        let keys: Vec<&String> = definition["properties"].as_object().expect(table).keys().collect();
        for slip in keys.iter().flat_map(|key| slips(key)) {
            if keys.iter().any(|key| **key == slip) {
                continue;
            }
            let text = template.replace("REST", REST).replace("KEY", &slip);
            let error = Scene::from_text(&text, Path::new("."), &[]).expect_err(&text);
            let problem =
                error.problems.iter().find(|problem| problem.message == format!("unknown key `{slip}`"));
            let problem = problem.unwrap_or_else(|| panic!("{slip} in {table}: {error}"));
            // Two letters leave too little to guess from; then all keys are listed.
            let help = problem.help.as_deref().unwrap_or_default();
            assert!(help.starts_with("did you mean") || help.starts_with("known:"), "{error}");
            assert!(slip.len() < 4 || help.starts_with("did you mean"), "{error}");
            count += 1;
        }
    }
    assert!(count > 1500, "only {count} slips were tried");
}

#[test]
fn every_table_of_the_schema_is_tried() {
    let schema = pliant_scene::schema();
    let is_table = |(_, definition): &(&String, &Value)| definition.get("properties").is_some();
    for (name, _) in schema["$defs"].as_object().unwrap().iter().filter(is_table) {
        assert!(TABLES.iter().any(|(table, _)| table == name), "{name} is missing from TABLES");
    }
}
