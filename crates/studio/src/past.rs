//! A way back: values as they were before each change, and as they were before it was taken back.

/// Values kept; beyond it the oldest is forgotten.
const LIMIT: usize = 200;

/// The past and the future of a value that anyone may change at any time.
#[derive(Clone, Debug)]
pub struct Past<T> {
    known: Option<T>,
    before: Vec<T>,
    after: Vec<T>,
    changes: u64,
}

impl<T> Default for Past<T> {
    fn default() -> Self {
        Self { known: None, before: Vec::new(), after: Vec::new(), changes: 0 }
    }
}

impl<T: Clone + PartialEq> Past<T> {
    /// Takes up the value as it is now; returns whether it has changed since the last time.
    pub fn observe(&mut self, now: &T) -> bool {
        match &self.known {
            Some(known) if known == now => return false,
            Some(known) => self.before.push(known.clone()),
            // What is there at first has no past.
            None => {
                self.known = Some(now.clone());
                return false;
            }
        }
        if self.before.len() > LIMIT {
            self.before.remove(0);
        }
        self.amend(now);
        self.changes += 1;
        true
    }

    /// Takes up the value as it is now as part of the last change.
    pub fn amend(&mut self, now: &T) {
        self.known = Some(now.clone());
        self.after.clear();
    }

    /// Counts the changes there were; going back and forward is none.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether there is a way back.
    pub fn can_go_back(&self) -> bool {
        !self.before.is_empty()
    }

    /// Whether there is a way forward again.
    pub fn can_go_forward(&self) -> bool {
        !self.after.is_empty()
    }

    /// The value before the last change.
    pub fn back(&mut self) -> Option<T> {
        let value = self.before.pop()?;
        self.after.extend(self.known.replace(value.clone()));
        Some(value)
    }

    /// The value after the change that was taken back last.
    pub fn forward(&mut self) -> Option<T> {
        let value = self.after.pop()?;
        self.before.extend(self.known.replace(value.clone()));
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, Past};

    #[test]
    fn values_are_found_again_in_both_directions() {
        let mut past = Past::default();
        let changed: Vec<bool> = [1, 1, 2, 3].iter().map(|value| past.observe(value)).collect();
        assert_eq!(changed, [false, false, true, true]);
        assert_eq!((past.back(), past.back(), past.back()), (Some(2), Some(1), None));
        assert_eq!(past.forward(), Some(2));
        assert!(!past.observe(&2), "what was brought back is no change");
        assert!(past.observe(&9) && !past.can_go_forward(), "a change of another kind ends the way forward");
        past.amend(&10);
        assert_eq!((past.back(), past.changes()), (Some(2), 3));
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let mut past = Past::default();
        for value in 0..=2 * LIMIT {
            past.observe(&value);
        }
        let mut last = None;
        while let Some(value) = past.back() {
            last = Some(value);
        }
        assert_eq!(last, Some(LIMIT));
    }
}
