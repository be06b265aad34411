//! R15: every key of the schema with a slip of one letter is refused, and the right one suggested.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use pliant_scene::Scene;
use serde_json::Value;

use crate::Report;

/// The path from the root of a scene to each table of the schema, as TOML with a hole for one more key.
const TABLES: [(&str, &str); 55] = [
    ("", "KEY = 1\nREST"),
    ("Time", "REST\n[time]\nKEY = 1"),
    ("Zhou2013", "REST\n[method.zhou2013]\nKEY = 1"),
    ("Gbb2009", "REST\n[method.gbb2009]\nKEY = 1"),
    ("Mpm", "REST\n[method.mpm]\nKEY = 1"),
    ("Domain", "REST\n[method.mpm.domain]\nKEY = 1"),
    ("Interaction", "REST\n[[method.mpm.interactions]]\nKEY = 1"),
    ("Supply", "REST\n[[method.mpm.supplies]]\nKEY = 1"),
    ("Surface", "REST\n[[method.mpm.surfaces]]\nKEY = 1"),
    ("Sph", "REST\n[method.sph]\nKEY = 1"),
    ("Material", "REST\n[materials.b]\nKEY = 1"),
    ("Bargteil2007", "REST\n[materials.b.plastic.bargteil2007]\nKEY = 1"),
    ("Fluid", "REST\n[materials.b.law.fluid]\nKEY = 1"),
    ("Snow", "REST\n[materials.b.plastic.snow]\nKEY = 1"),
    ("DruckerPrager", "REST\n[materials.b.plastic.drucker_prager]\nKEY = 1"),
    ("FrictionHardening", "REST\n[materials.b.plastic.drucker_prager.friction_hardening]\nKEY = 1"),
    ("VonMises", "REST\n[materials.b.plastic.von_mises]\nKEY = 1"),
    ("CamClay", "REST\n[materials.b.plastic.cam_clay]\nKEY = 1"),
    ("HerschelBulkley", "REST\n[materials.b.plastic.herschel_bulkley]\nKEY = 1"),
    ("Object", "REST\n[[objects]]\nKEY = 1"),
    ("Jittered", "REST\n[[objects]]\nsampler.jittered.KEY = 1"),
    ("Relaxed", "REST\n[[objects]]\nsampler.relaxed.KEY = 1"),
    ("ColorImage", "REST\n[[objects]]\ncolor_image.KEY = 1"),
    ("DrawnColor", "REST\n[[objects]]\ncolors = [{ KEY = 1 }]"),
    ("Copies", "REST\n[[objects]]\ncopies.KEY = 1"),
    ("Bursts", "REST\n[[objects]]\nemit.bursts.KEY = 1"),
    ("Stream", "REST\n[[objects]]\nemit.stream.KEY = 1"),
    ("Pin", "REST\n[[objects]]\npins = [{ KEY = 1 }]"),
    ("Placed", "REST\n[[objects]]\npins = [{ region.KEY = 1 }]"),
    ("AxisAngle", "REST\n[[objects]]\nrotation.KEY = 1"),
    ("Joint", "REST\n[[joints]]\nKEY = 1"),
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
    ("KeyShape", "REST\n[[colliders]]\nshape.morph = [{ KEY = 1 }]"),
    ("Parts", "REST\n[[colliders]]\nshape.union.KEY = 1"),
    ("SmoothUnion", "REST\n[[colliders]]\nshape.smooth_union.KEY = 1"),
    ("Parts", "REST\n[[colliders]]\nshape.difference.KEY = 1"),
    ("Parts", "REST\n[[colliders]]\nshape.intersection.KEY = 1"),
];

const REST: &str = "pliant = 1\n[materials.a]\npreset = \"jello\"";

/// Letters that are put in and exchanged when all slips are tried.
pub const ALPHABET: &str = "abcdefghijklmnopqrstuvwxyz_";

/// All words one slip away from a key: a letter of the alphabet put in or exchanged, one doubled, dropped, or
/// swapped with the next, at every place.
fn slips(key: &str, alphabet: &str) -> BTreeSet<String> {
    let letters: Vec<char> = key.chars().collect();
    let mut slips = BTreeSet::new();
    for i in 0..letters.len() {
        let (before, after) = (&letters[..i], &letters[i + 1..]);
        let mut keep =
            |middle: &[char]| slips.insert([before, middle, after].concat().into_iter().collect::<String>());
        keep(&[letters[i], letters[i]]);
        keep(&[]);
        for letter in alphabet.chars() {
            keep(&[letter]);
            keep(&[letter, letters[i]]);
            keep(&[letters[i], letter]);
        }
        if let Some(next) = after.first() {
            slips.insert([before, &[*next, letters[i]], &after[1..]].concat().into_iter().collect());
        }
    }
    slips.retain(|slip| !slip.is_empty() && slip != key);
    slips
}

/// Tries the slips with an alphabet in every key of every table, on the library that the program reads scenes with.
///
/// # Errors
/// When the schema has a table that is not tried.
pub fn measure(alphabet: &str) -> io::Result<Report> {
    let mut report = Report::new("R15", "typos");
    let schema = pliant_scene::schema();
    check_tables(&schema)?;
    let (mut tried, mut suggested, mut listed) = (0, 0, 0);
    for (table, template) in TABLES {
        let definition = if table.is_empty() { &schema } else { &schema["$defs"][table] };
        let keys: Vec<String> =
            definition["properties"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
        for slip in keys.iter().flat_map(|key| slips(key, alphabet)).filter(|slip| !keys.contains(slip)) {
            tried += 1;
            match answer_to(&template.replace("REST", REST).replace("KEY", &slip), &slip) {
                Some(help) if help.starts_with("did you mean") => suggested += 1,
                // Two or three letters leave too little to guess from; then all keys are listed.
                Some(help) if help.starts_with("known:") && slip.len() < 4 => listed += 1,
                other => report.failures.push(format!("{slip} in {table}: {other:?}")),
            }
        }
    }
    report.summary = format!(
        "{tried} slips in every key of {} tables: {suggested} refused with the nearest key, {listed} with all keys, \
         {} accepted or without help",
        TABLES.len(),
        report.failures.len()
    );
    report.figure("slips", tried);
    report.figure("suggested", suggested);
    report.figure("listed", listed);
    Ok(report)
}

/// The help that comes with the refusal of a key; none if the key is not refused.
fn answer_to(text: &str, slip: &str) -> Option<String> {
    let error = Scene::from_text(text, Path::new("."), &[]).err()?;
    let message = format!("unknown key `{slip}`");
    let problem = error.problems.iter().find(|problem| problem.message == message)?;
    Some(problem.help.clone().unwrap_or_default())
}

/// A table of the schema that is not in `TABLES` would go untested.
fn check_tables(schema: &Value) -> io::Result<()> {
    let definitions = schema["$defs"].as_object().into_iter().flatten();
    let mut tables = definitions.filter(|(_, definition)| definition.get("properties").is_some());
    match tables.find(|(name, _)| TABLES.iter().all(|(table, _)| table != name)) {
        None => Ok(()),
        Some((name, _)) => {
            Err(io::Error::other(format!("{name} is missing from the tables of this measurement")))
        }
    }
}
