//! Scenes to start from: those of `pliant new`.

/// A scene to start from.
pub struct Template {
    /// Its name.
    pub title: &'static str,
    /// What it shows.
    pub meaning: &'static str,
    /// The scene.
    pub text: &'static str,
}

macro_rules! template {
    ($title:literal, $meaning:literal, $file:literal) => {
        Template {
            title: $title,
            meaning: $meaning,
            text: include_str!(concat!("../../cli/templates/", $file)),
        }
    };
}

/// All of them.
pub const TEMPLATES: [Template; 10] = [
    template!("Drop", "A lump of clay falls and keeps its dent.", "drop.toml"),
    template!("Jelly", "A cube of jelly wobbles.", "jelly.toml"),
    template!("Twist", "A bar is held at one end and twisted at the other.", "twist.toml"),
    template!("Two bodies", "A rubber ball hits a block of clay.", "two-bodies.toml"),
    template!("Plane", "A disc in the plane rolls down a slope.", "2d.toml"),
    template!("Snow", "A snowball breaks on the floor.", "snow.toml"),
    template!("Sand", "A column of sand collapses.", "sand.toml"),
    template!("Water", "A column of water breaks in a tank.", "water.toml"),
    template!("Float", "A cube of jelly falls into water.", "float.toml"),
    template!("Soaked", "Water soaks a wall of sand.", "soaked.toml"),
];

#[cfg(test)]
mod tests {
    use super::TEMPLATES;

    #[test]
    fn every_template_is_a_scene() {
        for template in &TEMPLATES {
            let scene = pliant_scene::Scene::from_text(template.text, std::path::Path::new("."), &[]);
            assert!(scene.is_ok(), "{}: {:?}", template.title, scene.err());
        }
    }
}
