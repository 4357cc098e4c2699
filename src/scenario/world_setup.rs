//! The setup of a scenario's world, from its `world` blocks.

/// The contents of the `world` blocks of a scenario.
#[derive(Clone, Debug, Default)]
pub struct WorldSetup {
    /// Names and values of options, as in `POST /control/worlds`.
    pub options: Vec<(String, String)>,
    /// The lowest feature level at which the scenario is played. None if it is only played at that of the server.
    pub from_level: Option<i64>,
}

impl WorldSetup {
    /// Merges the setups of several blocks. Later options override earlier ones.
    pub fn merge<'block>(blocks: impl Iterator<Item = &'block Self>) -> Self {
        let mut merged = Self::default();
        for setup in blocks {
            merged.options.extend(setup.options.iter().cloned());
            merged.from_level = setup.from_level.or(merged.from_level);
        }
        merged
    }

    /// The levels at which the scenario is played: that of the server, and the lowest one if it is another and no
    /// option sets the level.
    pub fn levels(&self, server_level: i64) -> Vec<i64> {
        let has_level_option = self.options.iter().any(|(name, _)| name == "feature_level");
        let lowest_level = self.from_level.filter(|lowest_level| !has_level_option && *lowest_level != server_level);
        std::iter::once(server_level).chain(lowest_level).collect()
    }
}
