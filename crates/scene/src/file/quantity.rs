//! What keys measure and the ranges they allow, as types, so that checks, schema and reference cannot disagree.

use crate::units::Dimension;

/// What a key measures.
pub(crate) trait Measure {
    /// In words: `a pressure`.
    const NAME: &'static str;
    const DIMENSION: Dimension;
    /// Unit of a bare number.
    const UNIT: &'static str;
    /// How to write one.
    const EXAMPLE: &'static str;
    /// SI value of a bare 1.
    const BARE: f64 = 1.0;
    /// Least size of a value that must not be zero, and largest size of any, in `UNIT`.
    const SIZES: [f64; 2];
    /// Whether expressions of these variables are accepted.
    const VARIABLES: Option<&'static str> = None;

    /// `a number or text such as "140 kPa"`.
    fn example() -> String {
        let text = if Self::DIMENSION == Dimension::NUMBER {
            Self::EXAMPLE.into()
        } else {
            format!("{:?}", Self::EXAMPLE)
        };
        let number = if Self::DIMENSION == Dimension::NUMBER { "a number such as" } else { "it as" };
        let unit =
            if Self::UNIT.is_empty() { String::new() } else { format!(", or a number in {}", Self::UNIT) };
        format!("{number} {text}{unit}")
    }

    /// For the reference: `pressure [Pa], e.g. "140 kPa"`.
    fn described() -> String {
        let name = Self::NAME.split_once(' ').map_or(Self::NAME, |(_, rest)| rest);
        let unit = if Self::UNIT.is_empty() { String::new() } else { format!(" in {}", Self::UNIT) };
        let expression = Self::VARIABLES.map(|v| format!(", or an expression of {v}")).unwrap_or_default();
        format!("{name}{unit}{expression}")
    }
}

/// Name, unit, least and largest size of a kind of quantity.
type Range = (&'static str, &'static str, [f64; 2]);

macro_rules! measures {
    ($($name:ident $words:literal $dimension:ident $unit:literal $example:literal $bare:expr, $sizes:expr;)*) => {
        /// Every kind of quantity, for the reference.
        pub(crate) const RANGES: &[Range] = &[$(($words, $unit, $sizes)),*];
        $(
        #[doc = $words]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl Measure for $name {
            const NAME: &'static str = $words;
            const DIMENSION: Dimension = Dimension::$dimension;
            const UNIT: &'static str = $unit;
            const EXAMPLE: &'static str = $example;
            const BARE: f64 = $bare;
            const SIZES: [f64; 2] = $sizes;
        }
        )*
    };
}

// The sizes reach beyond all matter there is, and stay far from where squares and products of numbers overflow:
// from an atom to the Earth, the speed of light, a thousand diamonds, the surface of a neutron star.
measures! {
    Number "a number" NUMBER "" "0.5" 1.0, [1e-15, 1e15];
    Length "a length" LENGTH "m" "2 cm" 1.0, [1e-10, 1e7];
    Time "a time" TIME "s" "2 ms" 1.0, [1e-15, 1e9];
    Density "a density" DENSITY "kg/m³" "1 g/cm3" 1.0, [1e-6, 1e9];
    Pressure "a pressure" PRESSURE "Pa" "140 kPa" 1.0, [1e-6, 1e15];
    DragDensity "a drag" DRAG "kg/(m³ s)" "1e6 kg/m3/s" 1.0, [1e-9, 1e18];
    Viscosity "a viscosity" VISCOSITY "Pa s" "10 Pa*s" 1.0, [1e-9, 1e12];
    Diffusivity "a diffusivity" DIFFUSIVITY "m²/s" "1 cm2/s" 1.0, [1e-15, 1e6];
    Speed "a speed" VELOCITY "m/s" "2 m/s" 1.0, [1e-15, 3e8];
    Acceleration "an acceleration" ACCELERATION "m/s²" "9.81 m/s2" 1.0, [1e-15, 1e12];
    Angle "an angle" ANGLE "degrees" "45 deg" std::f64::consts::PI / 180.0, [1e-15, 1e9];
    Turning "a rate of turning" ANGULAR_VELOCITY "rad/s" "60 rpm" 1.0, [1e-15, 1e9];
    Frequency "a frequency" FREQUENCY "1/s" "30 fps" 1.0, [1e-9, 1e9];
}

/// A number for messages: in powers of ten where it would have many digits.
pub(crate) fn shown(value: f64) -> String {
    let is_handy = value == 0.0 || (1e-3..1e5).contains(&value.abs());
    if is_handy { value.to_string() } else { format!("{value:e}") }
}

/// The largest length, and so the furthest coordinate [m].
pub(crate) const LARGEST_LENGTH: f64 = Length::SIZES[1];
/// The largest speed [m/s].
pub(crate) const LARGEST_SPEED: f64 = Speed::SIZES[1];
/// The largest acceleration [m/s²].
pub(crate) const LARGEST_ACCELERATION: f64 = Acceleration::SIZES[1];

/// A quantity that may also be an expression of the initial position.
pub(crate) struct OfPlace<M>(M);

/// A quantity that may also be an expression of position and time.
pub(crate) struct OfPlaceAndTime<M>(M);

impl<M: Measure> Measure for OfPlace<M> {
    const SIZES: [f64; 2] = M::SIZES;
    const NAME: &'static str = M::NAME;
    const DIMENSION: Dimension = M::DIMENSION;
    const UNIT: &'static str = M::UNIT;
    const EXAMPLE: &'static str = M::EXAMPLE;
    const BARE: f64 = M::BARE;
    const VARIABLES: Option<&'static str> = Some("x y z");
}

impl<M: Measure> Measure for OfPlaceAndTime<M> {
    const SIZES: [f64; 2] = M::SIZES;
    const NAME: &'static str = M::NAME;
    const DIMENSION: Dimension = M::DIMENSION;
    const UNIT: &'static str = M::UNIT;
    const EXAMPLE: &'static str = M::EXAMPLE;
    const BARE: f64 = M::BARE;
    const VARIABLES: Option<&'static str> = Some("x y z t");
}

/// The range a key allows.
pub(crate) trait Limit {
    /// After `must be`.
    const WORDS: &'static str;
    fn contains(value: f64) -> bool;
}

macro_rules! limits {
    ($($name:ident $words:literal $test:expr;)*) => {$(
        #[doc = $words]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl Limit for $name {
            const WORDS: &'static str = $words;
            fn contains(value: f64) -> bool {
                let test: fn(f64) -> bool = $test;
                test(value)
            }
        }
    )*};
}

limits! {
    Any "finite" |_| true;
    Positive "positive" |value| value > 0.0;
    AboveOne "above 1" |value| value > 1.0;
    NotNegative "zero or positive" |value| value >= 0.0;
    Fraction "between 0 and 1" |value| (0.0..=1.0).contains(&value);
    PoissonRange "above -1 and below 0.5" |value| value > -1.0 && value < 0.5;
    RadiusRange "between 1.2 and 6" |value| (1.2..=6.0).contains(&value);
    ToleranceRange "above 0 and below 1" |value| value > 0.0 && value < 1.0;
    FrameRate "above 0 and at most 10000" |value| value > 0.0 && value <= 1e4;
    ViewAngle "between 1 and 170 degrees" |value| (1_f64.to_radians()..=170_f64.to_radians()).contains(&value);
    AtLeastOne "1 or more" |value| value >= 1.0;
    AtMostOne "above 0 and at most 1" |value| value > 0.0 && value <= 1.0;
    PowerRange "above 0 and at most 2" |value| value > 0.0 && value <= 2.0;
    TaitRange "between 1 and 20" |value| (1.0..=20.0).contains(&value);
    FrictionRange "between 0 and 89 degrees" |value| (0.0..=89_f64.to_radians()).contains(&value);
    JitterRange "between 0 and 1" |value| (0.0..=1.0).contains(&value);
}
