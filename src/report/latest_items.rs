//! A list of bounded length that drops its oldest items.

/// The latest `N` items, the oldest first.
#[derive(Debug)]
pub struct LatestItems<T, const N: usize> {
    items: Vec<T>,
}

impl<T, const N: usize> Default for LatestItems<T, N> {
    fn default() -> Self {
        Self { items: Vec::new() }
    }
}

impl<T, const N: usize> LatestItems<T, N> {
    /// Adds an item and drops the oldest one if there are `N` already.
    pub fn push(&mut self, item: T) {
        if self.items.len() == N {
            self.items.remove(0);
        }
        self.items.push(item);
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn retain(&mut self, predicate: impl FnMut(&T) -> bool) {
        self.items.retain(predicate);
    }

    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Removes and returns the first matching item.
    pub fn take(&mut self, matches: impl FnMut(&T) -> bool) -> Option<T> {
        let index = self.items.iter().position(matches)?;
        Some(self.items.remove(index))
    }
}
