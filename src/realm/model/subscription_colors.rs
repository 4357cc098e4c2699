//! Colors of subscriptions: which are valid, and which one a new subscription gets.

use super::id::UserId;
use crate::realm::Realm;
use std::collections::BTreeMap;

/// Caches the color counts of users while several subscriptions are added.
#[derive(Debug, Default)]
pub struct ColorCountsByUser {
    by_user: BTreeMap<UserId, ColorCounts>,
}

/// The number of a user's active subscriptions with each color, in the order of [`SUBSCRIPTION_COLORS`].
#[derive(Debug)]
pub struct ColorCounts([usize; SUBSCRIPTION_COLORS.len()]);

impl ColorCountsByUser {
    /// Counts the colors of a user on the first call. Later subscriptions must be added with [`ColorCounts::count`].
    pub fn counts_of(&mut self, realm: &Realm, user: UserId) -> &mut ColorCounts {
        self.by_user.entry(user).or_insert_with(|| {
            let mut counts = ColorCounts([0; SUBSCRIPTION_COLORS.len()]);
            for subscription in
                realm.user_state(user).subscriptions.values().filter(|subscription| subscription.is_active)
            {
                counts.count(&subscription.color);
            }
            counts
        })
    }
}

impl ColorCounts {
    /// Counts a further subscription. A color that is not in [`SUBSCRIPTION_COLORS`] does not count.
    pub fn count(&mut self, color: &str) {
        if let Some(index) = SUBSCRIPTION_COLORS.iter().position(|palette_color| *palette_color == color) {
            self.0[index] += 1;
        }
    }

    /// The least used color; among several, the first in [`SUBSCRIPTION_COLORS`].
    pub fn least_used_color(&self) -> String {
        let least_used = (0..SUBSCRIPTION_COLORS.len()).min_by_key(|index| self.0[*index]).unwrap_or_default();
        SUBSCRIPTION_COLORS[least_used].to_owned()
    }
}

/// The colors that are assigned to subscriptions.
pub const SUBSCRIPTION_COLORS: [&str; 24] = [
    "#76ce90", "#fae589", "#a6c7e5", "#e79ab5", "#bfd56f", "#f4ae55", "#b0a5fd", "#addfe5", "#f5ce6e", "#c2726a",
    "#94c849", "#bd86e5", "#ee7e4a", "#a6dcbf", "#95a5fd", "#53a063", "#9987e1", "#e4523d", "#c2c2c2", "#4f8de4",
    "#c6a8ad", "#e7cc4d", "#c8bebf", "#a47462",
];

/// Whether a text is `#rgb` or `#rrggbb`.
pub fn is_color(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|digits| matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
