//! Places in a scene: `objects`, 2, `shape`, `ball`, `radius`.

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A key of a table.
    Name(String),
    /// An entry of a list, from 0.
    Index(usize),
}

/// A place in a scene.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScenePath(pub Vec<Key>);

impl ScenePath {
    /// The place that keys and numbers separated by dots name, such as `objects.0.material`.
    pub fn parse(text: &str) -> Self {
        let key = |part: &str| part.parse().map_or_else(|_| Key::Name(part.to_owned()), Key::Index);
        Self(text.split('.').filter(|part| !part.is_empty()).map(key).collect())
    }

    /// The key of that name below.
    #[must_use]
    pub fn key(&self, name: &str) -> Self {
        self.joined(Key::Name(name.to_owned()))
    }

    /// The entry of that number below.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.joined(Key::Index(index))
    }

    /// The place above, and the last step; none at the root.
    pub fn split(&self) -> Option<(Self, &Key)> {
        let (last, above) = self.0.split_last()?;
        Some((Self(above.to_vec()), last))
    }

    fn joined(&self, key: Key) -> Self {
        let mut keys = self.0.clone();
        keys.push(key);
        Self(keys)
    }
}

impl std::fmt::Display for ScenePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (place, key) in self.0.iter().enumerate() {
            let dot = if place > 0 { "." } else { "" };
            match key {
                Key::Name(name) => write!(f, "{dot}{name}")?,
                Key::Index(index) => write!(f, "{dot}{index}")?,
            }
        }
        Ok(())
    }
}
