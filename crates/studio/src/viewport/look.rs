//! How the viewport shows things: all that the View tab sets, and what saved looks remember.

use pliant_render::ColourMap;
use serde::{Deserialize, Serialize};

/// What a particle looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Grain {
    /// A shaded ball.
    #[default]
    Balls,
    /// A square of a few pixels, lit by the slope of the mass around it (Nilles 2020, Eq. 120).
    Points,
    /// An icosahedron that turns with the material (Nilles 2020, Fig. 16).
    Icosahedra,
    /// A surface around all particles.
    Surface,
    /// Nothing.
    Hidden,
}

impl Grain {
    /// All kinds with their names.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Balls, "Balls"),
        (Self::Points, "Points"),
        (Self::Icosahedra, "Icosahedra"),
        (Self::Surface, "Surface"),
        (Self::Hidden, "Hidden"),
    ];
}

/// Which colour map is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MapChoice {
    /// Diverging where values have both signs, else viridis.
    #[default]
    Automatic,
    /// Violet, green, yellow.
    Viridis,
    /// Black, red, yellow.
    Inferno,
    /// Blue, grey, red.
    Diverging,
}

impl MapChoice {
    /// All maps with their names.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Automatic, "Automatic"),
        (Self::Viridis, "Viridis"),
        (Self::Inferno, "Inferno"),
        (Self::Diverging, "Diverging"),
    ];

    /// The map; none leaves the choice to the values.
    pub fn map(self) -> Option<ColourMap> {
        match self {
            Self::Automatic => None,
            Self::Viridis => Some(ColourMap::Viridis),
            Self::Inferno => Some(ColourMap::Inferno),
            Self::Diverging => Some(ColourMap::Diverging),
        }
    }
}

/// When obstacles are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Obstacles {
    /// Not at all.
    Hidden,
    /// Where they are: particles in front of them hide them.
    #[default]
    InPlace,
    /// Before the particles: these hide them everywhere.
    Before,
    /// After the particles, over everything.
    After,
}

impl Obstacles {
    /// All choices with their names.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::InPlace, "In place"),
        (Self::Before, "Before"),
        (Self::After, "After"),
        (Self::Hidden, "None"),
    ];
}

/// The geometry in which particles throw shadows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShadowGrain {
    /// Round.
    #[default]
    Balls,
    /// Squares that face the light: closed shadows of loose matter.
    Squares,
    /// Icosahedra, turned as those of the picture.
    Icosahedra,
}

impl ShadowGrain {
    /// All choices with their names.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Balls, "Balls"), (Self::Squares, "Squares"), (Self::Icosahedra, "Icosahedra")];
}

/// What a layer of the grid shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LayerProperty {
    /// Mass of the nodes [kg].
    #[default]
    Mass,
    /// Velocity of the nodes [m/s].
    Velocity,
    /// Slope of the pressure at the nodes [Pa/m].
    PressureGradient,
}

impl LayerProperty {
    /// All properties with their names.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Mass, "Mass"), (Self::Velocity, "Velocity"), (Self::PressureGradient, "Pressure gradient")];
}

/// Which number of a vector a layer shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LayerPart {
    /// Its length.
    #[default]
    Length,
    /// Its components as red, green and blue, without their signs.
    Absolute,
}

/// A layer of the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Largest value; that of the layer if none.
    pub limit: Option<f32>,
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
            limit: None,
            marks_obstacles: true,
        }
    }
}

/// How one body is shown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyLook {
    /// Opacity, 0 to 1.
    pub opacity: f32,
    /// Bodies with a lower number are drawn first.
    pub order: i32,
    /// Whether it throws shadows.
    pub casts: bool,
    /// Whether shadows fall on it.
    pub receives: bool,
}

impl Default for BodyLook {
    fn default() -> Self {
        Self { opacity: 1.0, order: 0, casts: true, receives: true }
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
        self.bodies.get(number).copied().unwrap_or_default()
    }

    /// How a body is shown, to change.
    pub fn body_mut(&mut self, number: usize) -> &mut BodyLook {
        if self.bodies.len() <= number {
            self.bodies.resize(number + 1, BodyLook::default());
        }
        &mut self.bodies[number]
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
