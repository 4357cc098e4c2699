//! What a scenario's `world` blocks say: how its world is made, and from which feature level it holds.

/// What the `world` blocks of a scenario say.
#[derive(Clone, Debug, Default)]
pub struct Founding {
    /// Options of the world that is made for the scenario, as `POST /control/worlds` takes them.
    pub options: Vec<(String, String)>,
    /// The first feature level at which the scenario holds.
    pub from_level: Option<i64>,
}

impl Founding {
    /// What several blocks say together; what a later one says of an option counts.
    pub fn together<'block>(blocks: impl Iterator<Item = &'block Self>) -> Self {
        let mut all = Self::default();
        for founding in blocks {
            all.options.extend(founding.options.iter().cloned());
            all.from_level = founding.from_level.or(all.from_level);
        }
        all
    }

    /// The levels of the worlds that the scenario is played in: the newest, and the first at which it holds.
    pub fn levels(&self, newest: i64) -> Vec<i64> {
        let is_given = self.options.iter().any(|(name, _)| name == "feature_level");
        let first = self.from_level.filter(|first| !is_given && *first != newest);
        std::iter::once(newest).chain(first).collect()
    }
}
