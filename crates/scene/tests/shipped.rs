//! Every scene that comes with the program is right, builds, and promises nothing that will go wrong.

use std::path::{Path, PathBuf};

use pliant_scene::Scene;

fn scenes() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut files = Vec::new();
    let papers = ["zhou2013", "nilles2020", "fumoto", "kugelstadt2021"];
    for folder in [root.clone()].into_iter().chain(papers.map(|paper| root.join(paper))) {
        let entries = std::fs::read_dir(&folder).expect("the scenes are part of the sources");
        files.extend(
            entries.map(|entry| entry.expect("a readable folder").path()).filter(|path| path.is_file()),
        );
    }
    files.sort();
    files
}

#[test]
fn shipped_scenes_build_without_warnings() {
    let mut found = Vec::new();
    for path in scenes() {
        let scene = Scene::load(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
        let forecast = scene.check(2).unwrap_or_else(|error| panic!("{error}"));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name}: {} particles, about {:.0} s", forecast.particle_count, forecast.wall_time);
        // The tips of ears and fingers are thinner than any spacing one would choose.
        let is_creature = ["bunny.toml", "armadillo.toml"].contains(&name.as_str());
        let is_expected = |warning: &&String| is_creature && warning.starts_with("degenerate neighbourhoods");
        let warnings: Vec<&String> =
            forecast.warnings.iter().filter(|warning| !is_expected(warning)).collect();
        assert!(warnings.is_empty(), "{name}: {warnings:#?}");
        assert!((300..20_000).contains(&forecast.particle_count), "{name}: {}", forecast.particle_count);
        found.push(name);
    }
    assert!(found.contains(&"quickstart.toml".to_owned()) && found.len() >= 40, "{found:?}");
}

#[test]
fn scenes_of_kugelstadt_build_at_any_resolution() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/kugelstadt2021");
    let entries = std::fs::read_dir(&folder).expect("the scenes are part of the sources");
    let mut count = 0;
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Factors of the shipped sizes take seconds each.
        let spacing = if name.contains("funnel") { "spacing=40cm" } else { "spacing=10cm" };
        let scene = Scene::load(&path, &[spacing.to_owned()]).unwrap_or_else(|error| panic!("{error}"));
        assert!(scene.build().is_ok(), "{name}");
        count += 1;
    }
    assert_eq!(count, 10);
}
