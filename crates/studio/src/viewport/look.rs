//! How the viewport shows things: all that the Look tab sets, and what kept looks remember.

use serde::{Deserialize, Serialize};

pub use super::choices::{Grain, LayerPart, LayerProperty, MapChoice, Obstacles, ShadowGrain};

/// A layer of the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layer {
    /// Whether it is shown.
    pub is_shown: bool,
    /// What it shows.
    pub property: LayerProperty,
    /// Which number of a vector.
    pub part: LayerPart,
    /// Axis across it, 0 to 2; z in scenes in the plane.
    pub axis: usize,
    /// Where it lies between the lowest and the highest particle, 0 to 1.
    pub place: f32,
    /// Values at the ends of the colours; from nothing to the largest of the layer if none.
    pub range: Option<[f32; 2]>,
    /// Whether cells inside obstacles are marked.
    pub marks_obstacles: bool,
}

impl Default for Layer {
    fn default() -> Self {
        Self {
            is_shown: false,
            property: LayerProperty::Mass,
            part: LayerPart::Length,
            axis: 2,
            place: 0.5,
            range: None,
            marks_obstacles: true,
        }
    }
}

/// How one body is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BodyLook {
    /// Opacity, 0 to 1.
    pub opacity: f32,
    /// Bodies with a lower number are drawn first.
    pub order: i32,
    /// Whether it throws shadows.
    pub casts: bool,
    /// Whether shadows fall on it.
    pub receives: bool,
    /// Name of the kept look its particles have; that of the picture if none.
    pub look: Option<String>,
    /// That look, once it is found among the kept ones.
    #[serde(skip)]
    pub worn: Option<Box<Look>>,
}

impl Default for BodyLook {
    fn default() -> Self {
        Self { opacity: 1.0, order: 0, casts: true, receives: true, look: None, worn: None }
    }
}

/// Everything about how the viewport shows a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    /// Name in the list of looks.
    pub name: String,
    /// What particles look like.
    pub grain: Grain,
    /// Size of points [pixels].
    pub point_size: f32,
    /// Factor on the radius of particles.
    pub size: f32,
    /// Whether sizes follow the present volume.
    pub size_by_volume: bool,
    /// `material` or the name of a field.
    pub colour_by: String,
    /// Which colour map.
    pub map: MapChoice,
    /// Values at the ends of the map; from the data if none.
    pub range: Option<[f32; 2]>,
    /// Whether the colour bar is shown.
    pub shows_legend: bool,
    /// Whether matter is shaded.
    pub is_lit: bool,
    /// Background, sRGB; that of the theme if none.
    pub background: Option<[u8; 3]>,
    /// Opacity of the background in screenshots, 0 to 1.
    pub background_opacity: f32,
    /// Direction to the light: around the vertical axis and up [degrees].
    pub light: [f32; 2],
    /// Strength of the light.
    pub light_strength: f32,
    /// Colour of the light, linear red, green, blue.
    pub light_colour: [f32; 3],
    /// Light from everywhere, linear red, green, blue.
    pub ambient: [f32; 3],
    /// Whether shadows are drawn.
    pub shadows: bool,
    /// The geometry in which particles throw them.
    pub shadow_grain: ShadowGrain,
    /// Side of the shadow map [pixels].
    pub shadow_resolution: u32,
    /// Whether obstacles throw shadows.
    pub obstacle_shadows: bool,
    /// When obstacles are drawn.
    pub obstacles: Obstacles,
    /// Colour of obstacles, sRGB; their own if none.
    pub obstacle_colour: Option<[u8; 3]>,
    /// Opacity of obstacles, 0 to 1.
    pub obstacle_opacity: f32,
    /// Red lines from particles along their velocity.
    pub particle_lines: bool,
    /// Red lines from nodes of the grid along their velocity.
    pub grid_lines: bool,
    /// Length of lines [s]: the way in that time; chosen if none.
    pub line_time: Option<f32>,
    /// A layer of the grid.
    pub layer: Layer,
    /// Bodies by their number.
    pub bodies: Vec<BodyLook>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            name: "standard".to_owned(),
            grain: Grain::Balls,
            point_size: 3.0,
            size: 1.0,
            size_by_volume: false,
            colour_by: "material".to_owned(),
            map: MapChoice::Automatic,
            range: None,
            shows_legend: true,
            is_lit: true,
            background: None,
            background_opacity: 1.0,
            light: [35.0, 55.0],
            light_strength: 0.85,
            light_colour: [1.0; 3],
            ambient: [0.38, 0.40, 0.44],
            shadows: true,
            shadow_grain: ShadowGrain::Balls,
            shadow_resolution: 1024,
            obstacle_shadows: true,
            obstacles: Obstacles::InPlace,
            obstacle_colour: None,
            obstacle_opacity: 1.0,
            particle_lines: false,
            grid_lines: false,
            line_time: None,
            layer: Layer::default(),
            bodies: Vec::new(),
        }
    }
}

impl Look {
    /// How a body is shown.
    pub fn body(&self, number: usize) -> BodyLook {
        self.bodies.get(number).cloned().unwrap_or_default()
    }

    /// How a body is shown, to change.
    pub fn body_mut(&mut self, number: usize) -> &mut BodyLook {
        if self.bodies.len() <= number {
            self.bodies.resize(number + 1, BodyLook::default());
        }
        &mut self.bodies[number]
    }

    /// The look the particles of a body have.
    pub fn worn_by(&self, number: usize) -> &Self {
        self.bodies.get(number).and_then(|body| body.worn.as_deref()).unwrap_or(self)
    }

    /// This look with those that its bodies name, found among the kept ones.
    #[must_use]
    pub fn dressed(&self, kept: &[Self]) -> Self {
        let mut look = self.clone();
        for body in &mut look.bodies {
            let found = body.look.as_ref().and_then(|name| kept.iter().find(|look| look.name == *name));
            body.worn = found.map(|look| Box::new(Self { bodies: Vec::new(), ..look.clone() }));
        }
        look
    }

    /// Whether particles are drawn, or throw shadows, as icosahedra.
    pub fn needs_turns(&self) -> bool {
        let has_shadows = self.shadows && self.shadow_grain == ShadowGrain::Icosahedra;
        self.grain == Grain::Icosahedra || has_shadows
    }

    /// Unit vector to the light.
    pub fn to_light(&self) -> [f32; 3] {
        let [around, up] = self.light.map(f32::to_radians);
        [around.sin() * up.cos(), up.sin(), around.cos() * up.cos()]
    }
}

#[cfg(test)]
mod tests {
    use super::{Grain, Look};

    #[test]
    fn a_body_wears_the_look_it_names() {
        let kept = Look { name: "dots".to_owned(), grain: Grain::Points, ..Look::default() };
        let mut look = Look::default();
        look.body_mut(1).look = Some("dots".to_owned());
        let look = look.dressed(&[kept]);
        assert_eq!((look.worn_by(0).grain, look.worn_by(1).grain), (Grain::Balls, Grain::Points));
        assert_eq!(look.dressed(&[]).worn_by(1).grain, Grain::Balls);
    }
}
