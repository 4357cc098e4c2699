//! Lists of facts of a bounded length: the oldest give way.

/// So many facts of a kind, the newest last.
#[derive(Debug)]
pub struct Latest<T, const N: usize> {
    all: Vec<T>,
}

impl<T, const N: usize> Default for Latest<T, N> {
    fn default() -> Self {
        Self { all: Vec::new() }
    }
}

impl<T, const N: usize> Latest<T, N> {
    /// Adds one; the oldest gives way.
    pub fn push(&mut self, fact: T) {
        if self.all.len() == N {
            self.all.remove(0);
        }
        self.all.push(fact);
    }

    /// All of them, the oldest first.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.all.iter()
    }

    /// All of them, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.all.iter_mut()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Forgets those that do not fit.
    pub fn retain(&mut self, is_kept: impl FnMut(&T) -> bool) {
        self.all.retain(is_kept);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.all.clear();
    }

    /// The first that fits, taken out.
    pub fn take(&mut self, fits: impl FnMut(&T) -> bool) -> Option<T> {
        let place = self.all.iter().position(fits)?;
        Some(self.all.remove(place))
    }
}
