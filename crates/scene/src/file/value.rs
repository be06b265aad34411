//! Values of a scene file: numbers and text with units, in the ranges their keys allow.

use std::marker::PhantomData;

use pliant_expression::Expression;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};
use serde_spanned::Spanned;

use super::quantity::{Limit, Measure, shown};
use crate::error::Fault;
use crate::field::{Check, PLACE, ScalarField};
use crate::source::Span;
use crate::units::{self, UnitError};

/// A number or text as written.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Raw {
    Number(f64),
    Text(String),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawVisitor;
        impl Visitor<'_> for RawVisitor {
            type Value = Raw;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, or text such as \"2 cm\"")
            }

            fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
                Ok(Raw::Number(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
                Ok(Raw::Number(value as f64))
            }

            fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
                Ok(Raw::Text(text.to_owned()))
            }
        }
        deserializer.deserialize_any(RawVisitor)
    }
}

/// A value whose place is known.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

impl<T> At<T> {
    /// A value that was not written anywhere.
    pub(crate) fn nowhere(value: T) -> Self {
        Self { value, span: 0..0 }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self { span: spanned.span(), value: spanned.into_inner() })
    }
}

impl<T: Serialize> Serialize for At<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A number of a known dimension and range: bare in SI units, or text with a unit.
pub(crate) struct Value<M, L> {
    pub(crate) raw: Raw,
    pub(crate) span: Span,
    kind: PhantomData<(M, L)>,
}

impl<M: Measure, L: Limit> Value<M, L> {
    pub(crate) fn new(raw: Raw, span: Span) -> Self {
        Self { raw, span, kind: PhantomData }
    }

    /// A default, written as a user would.
    pub(crate) fn text(text: &str) -> Self {
        Self::new(Raw::Text(text.to_owned()), 0..0)
    }

    /// A default number.
    pub(crate) fn number(value: f64) -> Self {
        Self::new(Raw::Number(value), 0..0)
    }

    /// The value in SI units, checked.
    pub(crate) fn get(&self) -> Result<f64, Fault> {
        match &self.raw {
            Raw::Number(value) => self.within(value * M::BARE),
            Raw::Text(text) => match self.quantity(text)? {
                Some(value) => self.within(value),
                None => Err(Fault::new(self.span.clone(), format!("expected {}, got {text:?}", M::NAME))
                    .help(format!("write {}", M::example()))),
            },
        }
    }

    /// A quantity in SI units; none if the text is something else, perhaps an expression.
    fn quantity(&self, text: &str) -> Result<Option<f64>, Fault> {
        match units::parse(text) {
            Ok(quantity) => match quantity.dimension {
                None => Ok(Some(quantity.value * M::BARE)),
                Some(found) if found == M::DIMENSION => Ok(Some(quantity.value)),
                Some(found) => {
                    let message = format!("expected {}, got {}", M::NAME, found.describe());
                    Err(Fault::new(self.span.clone(), message).help(format!("write {}", M::example())))
                }
            },
            Err(UnitError::NotAQuantity) => Ok(None),
            Err(error) => Err(Fault::new(self.span.clone(), error.to_string())),
        }
    }

    /// The value, if it lies in the range of the key.
    pub(crate) fn within(&self, value: f64) -> Result<f64, Fault> {
        if Self::accepts(value) {
            return Ok(value);
        }
        let unit = if M::UNIT.is_empty() { String::new() } else { format!(" {}", M::UNIT) };
        let message = format!("must be {}, got {}{unit}", Self::words(value), shown(value / M::BARE));
        Err(Fault::new(self.span.clone(), message))
    }

    /// What a value that is not accepted must be.
    fn words(value: f64) -> String {
        match (value.is_finite(), L::contains(value)) {
            (false, _) => "finite".to_owned(),
            (true, false) => L::WORDS.to_owned(),
            (true, true) => Self::range(),
        }
    }

    /// Whether the value [SI] lies in the range of the key and of its kind of quantity.
    fn accepts(value: f64) -> bool {
        let [least, largest] = M::SIZES.map(|size| size * M::BARE);
        // A hair more, so that a unit's rounding does not refuse the bound itself.
        let is_too_small = !L::contains(0.0) && value.abs() < least * (1.0 - 1e-12);
        value.abs() <= largest * (1.0 + 1e-12) && !is_too_small && L::contains(value)
    }

    /// The smallest and the largest value of the kind of quantity, in its unit.
    fn bounds() -> [f64; 2] {
        let [least, largest] = M::SIZES;
        let smallest = match (L::contains(-largest * M::BARE), L::contains(0.0)) {
            (true, _) => -largest,
            (false, true) => 0.0,
            (false, false) => least,
        };
        [smallest, largest]
    }

    /// After `must be`: `between 1e-10 and 1e7 m`.
    fn range() -> String {
        let [smallest, largest] = Self::bounds();
        format!("between {} and {} {}", shown(smallest), shown(largest), M::UNIT).trim_end().to_owned()
    }

    /// A constant in SI units or an expression of the initial position.
    pub(crate) fn field(&self) -> Result<ScalarField, Fault> {
        let unit = if M::BARE == 1.0 { M::UNIT } else { "" };
        let check = Check { span: self.span.clone(), accepts: Self::accepts, words: Self::words, unit };
        Ok(match self.expression(&PLACE)? {
            None => ScalarField::constant_of(self.get()?, check),
            Some(expression) if expression.is_constant() => {
                ScalarField::constant_of(self.within(expression.evaluate(&[0.0; PLACE.len()]))?, check)
            }
            Some(expression) => ScalarField::varying(expression, check),
        })
    }

    /// The expression, if it is one and not a quantity.
    pub(crate) fn expression(&self, variables: &[&str]) -> Result<Option<Expression>, Fault> {
        let Raw::Text(text) = &self.raw else { return Ok(None) };
        if self.quantity(text)?.is_some() {
            return Ok(None);
        }
        Expression::compile(text, variables)
            .map(Some)
            .map_err(|error| Fault::new(self.inside(text, error.span.clone()), error.to_string()))
    }

    /// Bytes inside the text, as a place in the file. Exact unless the text was written with escapes.
    fn inside(&self, text: &str, part: Span) -> Span {
        let quotes = (self.span.len().saturating_sub(text.len())) / 2;
        if self.span.len() != text.len() + 2 * quotes || quotes == 0 {
            return self.span.clone();
        }
        let start = self.span.start + quotes;
        start + part.start..start + part.end.max(part.start + 1)
    }
}

impl<M, L> Clone for Value<M, L> {
    fn clone(&self) -> Self {
        Self { raw: self.raw.clone(), span: self.span.clone(), kind: PhantomData }
    }
}

impl<M, L> std::fmt::Debug for Value<M, L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.raw.fmt(f)
    }
}

impl<'de, M: Measure, L: Limit> Deserialize<'de> for Value<M, L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = At::<Raw>::deserialize(deserializer)?;
        Ok(Self::new(raw.value, raw.span))
    }
}

impl<M, L> Serialize for Value<M, L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}

impl<M: Measure, L: Limit> JsonSchema for Value<M, L> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        M::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let range = if L::WORDS == "finite" { String::new() } else { format!(", {}", L::WORDS) };
        let kind = format!("{}{range}", M::described());
        let [smallest, largest] = Self::bounds();
        if L::contains(largest * M::BARE) {
            json_schema!({
                "type": ["number", "string"], "x-kind": kind, "minimum": smallest, "maximum": largest
            })
        } else {
            json_schema!({ "type": ["number", "string"], "x-kind": kind })
        }
    }
}

/// A whole number between two bounds.
#[derive(Clone, Debug)]
pub(crate) struct Count<const LEAST: u32, const MOST: u32>(pub(crate) u32);

impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for Count<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor<const LEAST: u32, const MOST: u32>;
        impl<const LEAST: u32, const MOST: u32> Visitor<'_> for CountVisitor<LEAST, MOST> {
            type Value = Count<LEAST, MOST>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "a whole number from {LEAST} to {MOST}")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
                match u32::try_from(value) {
                    Ok(count) if (LEAST..=MOST).contains(&count) => Ok(Count(count)),
                    _ => Err(E::invalid_value(de::Unexpected::Signed(value), &self)),
                }
            }
        }
        deserializer.deserialize_any(CountVisitor)
    }
}

impl<const LEAST: u32, const MOST: u32> Serialize for Count<LEAST, MOST> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<const LEAST: u32, const MOST: u32> JsonSchema for Count<LEAST, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "count".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}
