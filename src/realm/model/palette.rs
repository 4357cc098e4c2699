//! The colours that subscriptions get when nobody chooses one.

use super::id::UserId;
use crate::realm::Realm;
use std::collections::BTreeMap;

/// How often users' active subscriptions have each colour, counted once for several new subscriptions.
#[derive(Debug, Default)]
pub struct Palette {
    counted: BTreeMap<UserId, Counts>,
}

/// How often the active subscriptions of one user have each colour.
#[derive(Debug)]
pub struct Counts([usize; COLORS.len()]);

impl Palette {
    /// The counts of a user, from what the realm has when the user is first asked for.
    pub fn of(&mut self, realm: &Realm, user: UserId) -> &mut Counts {
        self.counted.entry(user).or_insert_with(|| {
            let mut counts = Counts([0; COLORS.len()]);
            for subscription in realm.user_state(user).subscriptions.values().filter(|one| one.is_active) {
                counts.count(&subscription.color);
            }
            counts
        })
    }
}

impl Counts {
    /// Counts a new subscription.
    pub fn count(&mut self, color: &str) {
        if let Some(at) = COLORS.iter().position(|one| *one == color) {
            self.0[at] += 1;
        }
    }

    /// The colour that the user's subscriptions use least, in the palette's order.
    pub fn next(&self) -> String {
        let least = (0..COLORS.len()).min_by_key(|at| self.0[*at]).unwrap_or_default();
        COLORS[least].to_owned()
    }
}

/// Colours of channels, given in the order of least use.
pub const COLORS: [&str; 24] = [
    "#76ce90", "#fae589", "#a6c7e5", "#e79ab5", "#bfd56f", "#f4ae55", "#b0a5fd", "#addfe5", "#f5ce6e", "#c2726a",
    "#94c849", "#bd86e5", "#ee7e4a", "#a6dcbf", "#95a5fd", "#53a063", "#9987e1", "#e4523d", "#c2c2c2", "#4f8de4",
    "#c6a8ad", "#e7cc4d", "#c8bebf", "#a47462",
];

/// Whether a text is `#rgb` or `#rrggbb`.
pub fn is_color(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|digits| matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
