//! Units of measurement: `"140 kPa"`, `"1 g/cm3"`, `"60 rpm"`, checked against the dimension a key expects.

use std::f64::consts::PI;

/// Exponents of metre, kilogram, second and radian. Angles count as a dimension of their own, so that a rate of
/// turning is not mistaken for a frequency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension([i8; 4]);

impl Dimension {
    /// A plain number.
    pub const NUMBER: Self = Self([0; 4]);
    /// Metres.
    pub const LENGTH: Self = Self([1, 0, 0, 0]);
    /// Seconds.
    pub const TIME: Self = Self([0, 0, 1, 0]);
    /// Kilograms.
    pub const MASS: Self = Self([0, 1, 0, 0]);
    /// Kilograms a cubic metre.
    pub const DENSITY: Self = Self([-3, 1, 0, 0]);
    /// Pascals.
    pub const PRESSURE: Self = Self([-1, 1, -2, 0]);
    /// Kilograms a cubic metre and second: force a volume and speed.
    pub const DRAG: Self = Self([-3, 1, -1, 0]);
    /// Pascal seconds.
    pub const VISCOSITY: Self = Self([-1, 1, -1, 0]);
    /// Square metre per second.
    pub const DIFFUSIVITY: Self = Self([2, 0, -1, 0]);
    /// Metres a second.
    pub const VELOCITY: Self = Self([1, 0, -1, 0]);
    /// Metres a second squared.
    pub const ACCELERATION: Self = Self([1, 0, -2, 0]);
    /// Radians.
    pub const ANGLE: Self = Self([0, 0, 0, 1]);
    /// Radians a second.
    pub const ANGULAR_VELOCITY: Self = Self([0, 0, -1, 1]);
    /// Hertz.
    pub const FREQUENCY: Self = Self([0, 0, -1, 0]);

    const NAMES: [(Self, &'static str); 14] = [
        (Self::NUMBER, "a plain number"),
        (Self::LENGTH, "a length"),
        (Self::TIME, "a time"),
        (Self::MASS, "a mass"),
        (Self::DENSITY, "a density"),
        (Self::PRESSURE, "a pressure"),
        (Self::DRAG, "a drag"),
        (Self::VISCOSITY, "a viscosity"),
        (Self::DIFFUSIVITY, "a diffusivity"),
        (Self::VELOCITY, "a speed"),
        (Self::ACCELERATION, "an acceleration"),
        (Self::ANGLE, "an angle"),
        (Self::ANGULAR_VELOCITY, "a rate of turning"),
        (Self::FREQUENCY, "a frequency"),
    ];

    /// What it measures, in words; its base units where there is no word.
    pub fn describe(self) -> String {
        if let Some((_, name)) = Self::NAMES.iter().find(|(dimension, _)| *dimension == self) {
            return (*name).to_owned();
        }
        let bases = ["m", "kg", "s", "rad"].iter().zip(self.0).filter(|(_, power)| *power != 0);
        let factors: Vec<String> = bases.map(|(base, power)| format!("{base}^{power}")).collect();
        format!("a value in {}", factors.join(" "))
    }

    fn times(self, other: Self, power: i8) -> Option<Self> {
        let mut result = self.0;
        for (sum, exponent) in result.iter_mut().zip(other.0) {
            *sum = sum.checked_add(exponent.checked_mul(power)?)?;
        }
        Some(Self(result))
    }
}

/// A number with its unit resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Value in SI units (radians for angles); for a bare number, the number.
    pub value: f64,
    /// What it measures; none for a bare number.
    pub dimension: Option<Dimension>,
}

/// Text that is no quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnitError {
    /// The text does not have the form of a number and a unit; it may be an expression.
    #[error("expected a number with a unit, such as \"2.5 cm\"")]
    NotAQuantity,
    /// A unit nobody knows.
    #[error("unknown unit `{name}`{}", .nearest.as_ref().map(|unit| format!("; did you mean `{unit}`?")).unwrap_or_default())]
    UnknownUnit {
        /// As written.
        name: String,
        /// The nearest known unit.
        nearest: Option<String>,
    },
}

/// Units that stand alone, with their size and dimension.
const UNITS: [(&str, f64, Dimension); 24] = [
    ("m", 1.0, Dimension::LENGTH),
    ("in", 0.0254, Dimension::LENGTH),
    ("ft", 0.3048, Dimension::LENGTH),
    ("s", 1.0, Dimension::TIME),
    ("min", 60.0, Dimension::TIME),
    ("h", 3600.0, Dimension::TIME),
    ("g", 1e-3, Dimension::MASS),
    ("t", 1e3, Dimension::MASS),
    ("Pa", 1.0, Dimension::PRESSURE),
    ("bar", 1e5, Dimension::PRESSURE),
    ("psi", 6_894.757_293_168, Dimension::PRESSURE),
    ("N", 1.0, Dimension([1, 1, -2, 0])),
    ("J", 1.0, Dimension([2, 1, -2, 0])),
    ("l", 1e-3, Dimension([3, 0, 0, 0])),
    ("L", 1e-3, Dimension([3, 0, 0, 0])),
    ("Hz", 1.0, Dimension::FREQUENCY),
    ("fps", 1.0, Dimension::FREQUENCY),
    ("deg", PI / 180.0, Dimension::ANGLE),
    ("°", PI / 180.0, Dimension::ANGLE),
    ("rad", 1.0, Dimension::ANGLE),
    ("turn", 2.0 * PI, Dimension::ANGLE),
    ("rev", 2.0 * PI, Dimension::ANGLE),
    ("rpm", PI / 30.0, Dimension::ANGULAR_VELOCITY),
    ("%", 0.01, Dimension::NUMBER),
];

/// Units that take a prefix.
const PREFIXABLE: [&str; 8] = ["m", "s", "g", "Pa", "N", "J", "Hz", "l"];

const PREFIXES: [(&str, f64); 8] =
    [("n", 1e-9), ("u", 1e-6), ("µ", 1e-6), ("m", 1e-3), ("c", 1e-2), ("k", 1e3), ("M", 1e6), ("G", 1e9)];

/// Reads a number, or a number and its unit.
///
/// # Errors
/// When the text has another form, or the unit is unknown.
pub fn parse(text: &str) -> Result<Quantity, UnitError> {
    let text = text.trim();
    let (number, unit) = split(text).ok_or(UnitError::NotAQuantity)?;
    let value: f64 = number.parse().map_err(|_| UnitError::NotAQuantity)?;
    if unit.is_empty() {
        return Ok(Quantity { value, dimension: None });
    }
    let (size, dimension) = parse_unit(unit)?;
    Ok(Quantity { value: value * size, dimension: Some(dimension) })
}

/// The number at the front and the unit behind it; none if anything but a unit follows.
fn split(text: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    let bytes = text.as_bytes();
    while end < bytes.len() {
        let in_exponent = end > 0 && matches!(bytes[end - 1], b'e' | b'E');
        let exponent = matches!(bytes[end], b'e' | b'E')
            && bytes.get(end + 1).is_some_and(|next| next.is_ascii_digit() || matches!(next, b'-' | b'+'));
        match bytes[end] {
            b'0'..=b'9' | b'.' => {}
            b'+' | b'-' if end == 0 || in_exponent => {}
            b'e' | b'E' if exponent && end > 0 => {}
            _ => break,
        }
        end += 1;
    }
    let (number, unit) = text.split_at(end);
    let unit = unit.trim();
    let starts = unit.chars().next().is_none_or(|c| c.is_alphabetic() || matches!(c, '%' | '°'));
    let only =
        unit.chars().all(|c| c.is_alphanumeric() || matches!(c, '%' | '°' | '/' | '^' | '-' | '*' | '·'));
    (number.bytes().any(|b| b.is_ascii_digit()) && starts && only).then_some((number, unit))
}

/// Size and dimension of a product of units such as `kg/m3` or `N*m`.
fn parse_unit(text: &str) -> Result<(f64, Dimension), UnitError> {
    let unknown = || UnitError::UnknownUnit { name: text.to_owned(), nearest: nearest(text) };
    let (mut size, mut dimension) = (1.0, Dimension::NUMBER);
    let mut sign = 1;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(['/', '*', '·']).unwrap_or(rest.len());
        let (factor_size, factor, power) = parse_factor(&rest[..end]).ok_or_else(unknown)?;
        let power: i8 = sign * power;
        size *= f64::powi(factor_size, i32::from(power));
        dimension = dimension.times(factor, power).ok_or_else(unknown)?;
        let separator = rest[end..].chars().next();
        sign = if separator == Some('/') { -1 } else { 1 };
        rest = &rest[end + separator.map_or(0, char::len_utf8)..];
        if rest.is_empty() && separator.is_some() {
            return Err(unknown());
        }
    }
    Ok((size, dimension))
}

/// One unit and its power: `m`, `cm3`, `s^2`.
fn parse_factor(text: &str) -> Option<(f64, Dimension, i8)> {
    let end = text.find(|c: char| c.is_ascii_digit() || c == '^' || c == '-').unwrap_or(text.len());
    let (symbol, power) = text.split_at(end);
    let power = match power.trim_start_matches('^') {
        "" => 1,
        digits => digits.parse().ok().filter(|power: &i8| (-9..=9).contains(power))?,
    };
    let (size, dimension) = lookup(symbol)?;
    Some((size, dimension, power))
}

fn lookup(symbol: &str) -> Option<(f64, Dimension)> {
    let find = |name: &str| UNITS.iter().find(|(unit, ..)| *unit == name).map(|&(_, size, dim)| (size, dim));
    find(symbol).or_else(|| {
        PREFIXES.iter().find_map(|(prefix, factor)| {
            let base = symbol.strip_prefix(prefix).filter(|base| PREFIXABLE.contains(base))?;
            find(base).map(|(size, dimension)| (factor * size, dimension))
        })
    })
}

/// A known unit that differs by case or one slip.
fn nearest(text: &str) -> Option<String> {
    let prefixed = PREFIXES.iter().flat_map(|(p, _)| PREFIXABLE.iter().map(move |base| format!("{p}{base}")));
    let all = UNITS.iter().map(|(unit, ..)| (*unit).to_owned()).chain(prefixed);
    all.map(|unit| {
        let same_letters = unit.eq_ignore_ascii_case(text);
        (if same_letters { 0 } else { strsim::damerau_levenshtein(text, &unit) }, unit)
    })
    .filter(|(distance, _)| *distance == 0 || (*distance == 1 && text.len() > 2))
    .min_by_key(|(distance, _)| *distance)
    .map(|(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn si(text: &str) -> (f64, Option<Dimension>) {
        let quantity = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        (quantity.value, quantity.dimension)
    }

    #[test]
    fn units_are_converted_to_si() {
        for (text, value, dimension) in [
            ("140 kPa", 140e3, Dimension::PRESSURE),
            ("140kPa", 140e3, Dimension::PRESSURE),
            ("1.5e-3 GPa", 1.5e6, Dimension::PRESSURE),
            ("2 N/mm2", 2e6, Dimension::PRESSURE),
            ("2 ms", 2e-3, Dimension::TIME),
            ("5 min", 300.0, Dimension::TIME),
            ("-3 cm", -0.03, Dimension::LENGTH),
            ("1 g/cm3", 1e3, Dimension::DENSITY),
            ("1000 kg/m^3", 1e3, Dimension::DENSITY),
            ("1 kg*m^-3", 1.0, Dimension::DENSITY),
            ("36 km/h", 10.0, Dimension::VELOCITY),
            ("9.81 m/s2", 9.81, Dimension::ACCELERATION),
            ("9.81 m/s/s", 9.81, Dimension::ACCELERATION),
            ("45 deg", PI / 4.0, Dimension::ANGLE),
            ("90°", PI / 2.0, Dimension::ANGLE),
            ("60 rpm", 2.0 * PI, Dimension::ANGULAR_VELOCITY),
            ("1 rev/s", 2.0 * PI, Dimension::ANGULAR_VELOCITY),
            ("50 %", 0.5, Dimension::NUMBER),
            ("24 fps", 24.0, Dimension::FREQUENCY),
        ] {
            let (found, measured) = si(text);
            assert!((found - value).abs() <= 1e-12 * value.abs(), "{text}: {found}");
            assert_eq!(measured, Some(dimension), "{text}");
        }
        assert_eq!(si(" 2.5 "), (2.5, None));
    }

    #[test]
    fn expressions_are_not_quantities() {
        for text in ["2*x", "x", "", "sin(x)", "-x", "1 + 2", "- 5 cm", "1.2.3 m", "3 - 2 cm", "(2)", "e3"] {
            assert_eq!(parse(text), Err(UnitError::NotAQuantity), "{text}");
        }
    }

    #[test]
    fn unknown_units_suggest_known_ones() {
        for (text, message) in [
            ("3 kpa", "unknown unit `kpa`; did you mean `kPa`?"),
            ("3 kPaa", "unknown unit `kPaa`; did you mean `kPa`?"),
            ("3 parsec", "unknown unit `parsec`"),
            ("3 kg/", "unknown unit `kg/`"),
            ("3 m^99", "unknown unit `m^99`"),
            ("3 m9/m-9/m-9/m-9/m-9/m-9/m-9/m-9/m-9/m-9/m-9/m-9/m-9/m-9/m-9", "unknown unit"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }

    #[test]
    fn dimensions_have_words() {
        assert_eq!(Dimension::PRESSURE.describe(), "a pressure");
        assert_eq!(si("1 m4/s").1.unwrap().describe(), "a value in m^4 s^-1");
    }
}
