//! Vectors, rotations, colours and other values of several numbers.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

use super::quantity::{Angle, Any, Limit, Measure, Number};
use super::value::{At, Raw, Value};
use crate::error::Fault;
use crate::source::Span;

/// A list of values, one for each axis.
pub(crate) struct Vector<M, L = Any> {
    pub(crate) items: Vec<Value<M, L>>,
    pub(crate) span: Span,
}

impl<M: Measure, L: Limit> Vector<M, L> {
    pub(crate) fn numbers(values: &[f64]) -> Self {
        Self { items: values.iter().map(|&value| Value::number(value)).collect(), span: 0..0 }
    }

    /// Checks the number of components: three in space; two in the plane, where a third must be 0.
    pub(crate) fn components(&self, dimension: usize) -> Result<&[Value<M, L>], Fault> {
        let count = self.items.len();
        if count == 3 && dimension == 2 && !matches!(self.items[2].raw, Raw::Number(0.0)) {
            return Err(Fault::new(
                self.items[2].span.clone(),
                "a scene of dimension 2 has no third component",
            )
            .help("leave it out"));
        }
        if count == 3 || (count == 2 && dimension == 2) {
            return Ok(&self.items);
        }
        Err(Fault::new(self.span.clone(), format!("expected {dimension} components, got {count}")))
    }
}

impl<M, L> Clone for Vector<M, L> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), span: self.span.clone() }
    }
}

impl<M, L> std::fmt::Debug for Vector<M, L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.items.fmt(f)
    }
}

impl<'de, M: Measure, L: Limit> Deserialize<'de> for Vector<M, L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let items = At::<List<Value<M, L>>>::deserialize(deserializer)?;
        Ok(Self { items: items.value.0, span: items.span })
    }
}

impl<M, L> Serialize for Vector<M, L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

impl<M: Measure, L: Limit> JsonSchema for Vector<M, L> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("vector of {}", M::NAME).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let item = Value::<M, L>::json_schema(generator);
        let kind = item.get("x-kind").cloned().unwrap_or_default();
        let kind = format!("list, each {}", kind.as_str().unwrap_or_default());
        json_schema!({ "type": "array", "items": item, "minItems": 2, "maxItems": 3, "x-kind": kind })
    }
}

/// A list whose error says that a list was expected.
struct List<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list such as [0, 1, 0]")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<List<T>, A::Error> {
                collect(items).map(List)
            }
        }
        deserializer.deserialize_any(ListVisitor(std::marker::PhantomData))
    }
}

fn collect<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(mut items: A) -> Result<Vec<T>, A::Error> {
    let mut values = Vec::new();
    while let Some(value) = items.next_element()? {
        values.push(value);
    }
    Ok(values)
}

/// One value, a list, or a table: what `rotation` and `color` accept.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged, bound(serialize = "T: Serialize"))]
pub(crate) enum Form<M, T> {
    One(Raw),
    List(Vec<Value<M, Any>>),
    Table(T),
}

impl<'de, M: Measure, T: Deserialize<'de>> Deserialize<'de> for Form<M, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FormVisitor<M, T>(std::marker::PhantomData<(M, T)>);
        impl<'de, M: Measure, T: Deserialize<'de>> Visitor<'de> for FormVisitor<M, T> {
            type Value = Form<M, T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, text, a list or a table")
            }

            fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
                Ok(Form::One(Raw::Number(value)))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
                Ok(Form::One(Raw::Number(value as f64)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Form::One(Raw::Text(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
                collect(items).map(Form::List)
            }

            fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(entries)).map(Form::Table)
            }
        }
        deserializer.deserialize_any(FormVisitor(std::marker::PhantomData))
    }
}

/// A turn about the object's own origin.
#[derive(Clone, Debug, serde::Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct RotationFile(pub(crate) At<Form<Angle, AxisAngle>>);

/// A turn about an axis.
#[derive(Clone, Debug, serde::Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisAngle {
    /// Direction of the axis.
    pub(crate) axis: Vector<Number>,
    /// Angle, counter-clockwise when the axis points at the viewer.
    pub(crate) angle: Value<Angle, Any>,
}

impl JsonSchema for RotationFile {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "rotation".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let angles = Vector::<Angle>::json_schema(generator);
        let axis = generator.subschema_for::<AxisAngle>();
        json_schema!({
            "anyOf": [{ "type": ["number", "string"] }, angles, axis],
            "x-kind": "angles in degrees about x, then y, then z; or { axis, angle }; or one angle about z",
        })
    }
}

/// A colour.
#[derive(Clone, Debug, serde::Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct ColorFile(pub(crate) At<Form<Number, Nothing>>);

/// A form that is never a table.
#[derive(Clone, Debug, Serialize)]
pub(crate) enum Nothing {}

impl<'de> Deserialize<'de> for Nothing {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(de::Error::custom("expected a colour such as \"#e0533d\" or [0.8, 0.3, 0.2], got a table"))
    }
}

impl JsonSchema for ColorFile {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "color".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "array"],
            "items": { "type": "number", "minimum": 0, "maximum": 1 },
            "x-kind": "colour: \"#rrggbb\" or [red, green, blue] from 0 to 1",
        })
    }
}
