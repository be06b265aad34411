//! Serde over the tree: unknown keys are all reported, each with the nearest known one, before anything else
//! can fail, and every error has a place.

use std::cell::RefCell;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};
use serde_spanned::de::{SpannedDeserializer, is_spanned};

use crate::error::{Fault, suggestion};
use crate::read_error::ReadError;
use crate::source::Span;
use crate::tree::{Node, Table, Value};

/// Reads a document into `T`, or says everything that is wrong with its form.
pub(crate) fn read<T: DeserializeOwned>(document: &Node) -> Result<T, Vec<Fault>> {
    let unknown = RefCell::new(Vec::new());
    let result = T::deserialize(Reader { node: document, unknown: &unknown });
    let mut faults = unknown.into_inner();
    match result {
        Ok(value) if faults.is_empty() => Ok(value),
        Ok(_) => Err(faults),
        // A key missing because it was misspelt is one mistake, not two.
        Err(ReadError { missing: true, .. }) if !faults.is_empty() => Err(faults),
        Err(error) => {
            let span = error.span.unwrap_or_else(|| document.span.clone());
            faults.push(Fault { message: error.message, help: error.help, span });
            Err(faults)
        }
    }
}

/// One node being read.
#[derive(Clone, Copy)]
struct Reader<'de> {
    node: &'de Node,
    unknown: &'de RefCell<Vec<Fault>>,
}

impl<'de> Reader<'de> {
    fn placed<T>(self, result: Result<T, ReadError>) -> Result<T, ReadError> {
        result.map_err(|error| error.at(&self.node.span))
    }

    /// Reports all keys of a table that are not among its fields, before a value can stop the reading.
    fn report_unknown(self, table: &Table, fields: &'static [&'static str]) {
        for (key, (span, _)) in table.iter().filter(|(key, _)| !fields.contains(&key.as_str())) {
            let fault = Fault::new(span.clone(), format!("unknown key `{key}`"));
            self.unknown.borrow_mut().push(fault.help(suggestion(key, fields.iter().copied())));
        }
    }

    fn map<'t>(self, table: &'t Table) -> Entries<'de, 't> {
        Entries { entries: table.iter(), value: None, unknown: self.unknown, fields: None }
    }
}

impl<'de> IntoDeserializer<'de, ReadError> for Reader<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> de::Deserializer<'de> for Reader<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let result = match &self.node.value {
            Value::Text(text) => visitor.visit_str(text),
            Value::Integer(value) => visitor.visit_i64(*value),
            Value::Number(value) => visitor.visit_f64(*value),
            Value::Switch(value) => visitor.visit_bool(*value),
            Value::List(items) => visitor.visit_seq(Items { items: items.iter(), unknown: self.unknown }),
            Value::Table(table) => visitor.visit_map(self.map(table)),
        };
        self.placed(result)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.placed(visitor.visit_newtype_struct(self))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if is_spanned(name) {
            return visitor.visit_map(SpannedDeserializer::new(self, self.node.span.clone()));
        }
        match &self.node.value {
            Value::Table(table) => {
                self.report_unknown(table, fields);
                self.placed(visitor.visit_map(Entries { fields: Some(fields), ..self.map(table) }))
            }
            other => {
                Err(ReadError::new(format!("expected a table, got {}", other.describe())).at(&self.node.span))
            }
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let choice = match &self.node.value {
            Value::Text(text) => {
                Choice { name: text, span: &self.node.span, content: None, unknown: self.unknown }
            }
            Value::Table(table) if table.len() == 1 => {
                let (name, (span, content)) = table.first_key_value().expect("it has one entry");
                Choice { name, span, content: Some(content), unknown: self.unknown }
            }
            other => {
                let found = match other {
                    Value::Table(table) => format!("{} keys", table.len()),
                    other => other.describe(),
                };
                let error = ReadError::new(format!("expected exactly one choice, got {found}"));
                let help = format!("choose one of {}", variants.join(", "));
                return Err(ReadError { help: Some(help), ..error }.at(&self.node.span));
            }
        };
        self.placed(visitor.visit_enum(choice))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map identifier ignored_any
    }
}

/// The items of a list.
struct Items<'de> {
    items: std::slice::Iter<'de, Node>,
    unknown: &'de RefCell<Vec<Fault>>,
}

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = ReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, ReadError> {
        self.items.next().map(|node| seed.deserialize(Reader { node, unknown: self.unknown })).transpose()
    }
}

/// The entries of a table; with known `fields`, others were reported and are skipped.
struct Entries<'de, 't> {
    entries: std::collections::btree_map::Iter<'t, String, (Span, Node)>,
    value: Option<&'t Node>,
    unknown: &'de RefCell<Vec<Fault>>,
    fields: Option<&'static [&'static str]>,
}

impl<'de> de::MapAccess<'de> for Entries<'de, 'de> {
    type Error = ReadError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, ReadError> {
        for (key, (span, node)) in self.entries.by_ref() {
            if self.fields.is_some_and(|fields| !fields.contains(&key.as_str())) {
                continue;
            }
            self.value = Some(node);
            return seed.deserialize(StrDeserializer::new(key)).map_err(|e: ReadError| e.at(span)).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        let node = self.value.take().expect("serde asks for the key first");
        seed.deserialize(Reader { node, unknown: self.unknown })
    }
}

/// A choice of an enum: `name = { … }` or just `"name"`, which chooses it with nothing set.
struct Choice<'de> {
    name: &'de str,
    span: &'de Span,
    content: Option<&'de Node>,
    unknown: &'de RefCell<Vec<Fault>>,
}

impl<'de> de::EnumAccess<'de> for Choice<'de> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), ReadError> {
        let name =
            seed.deserialize(StrDeserializer::new(self.name)).map_err(|e: ReadError| e.at(self.span))?;
        Ok((name, self))
    }
}

impl<'de> de::VariantAccess<'de> for Choice<'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.content.map(|node| &node.value) {
            None => Ok(()),
            Some(Value::Table(table)) if table.is_empty() => Ok(()),
            Some(_) => {
                Err(ReadError::new(format!("`{0}` has no settings: write \"{0}\"", self.name)).at(self.span))
            }
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, ReadError> {
        match self.content {
            Some(node) => seed.deserialize(Reader { node, unknown: self.unknown }),
            None => {
                let nothing =
                    de::value::MapDeserializer::<_, ReadError>::new(std::iter::empty::<(&str, &str)>());
                seed.deserialize(nothing).map_err(|error| error.at(self.span))
            }
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, ReadError> {
        Err(ReadError::new("expected a table").at(self.span))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, ReadError> {
        Err(ReadError::new("expected a table").at(self.span))
    }
}
