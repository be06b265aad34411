//! What a look can choose between.

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
