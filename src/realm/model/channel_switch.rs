//! Settings of channels that are on or off and that nothing but their own rule looks at.
//!
//! A row here makes such a setting: a field of channels wherever they are shown, a parameter of the operations that make
//! and change channels, an event when it changes, a key of fixtures and a row of the table of levels. Only the rule that
//! follows from it is written elsewhere.

use crate::realm::model::user::{Role, User};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes something for each switch: calls a macro with the rows.
macro_rules! with_channel_switches {
    ($make:ident) => {
        $make! {
            /// Whether mobile push notifications are on for users who subscribe for the first time, whatever their own
            /// setting for channels. Only administrators turn it on or change it.
            default_push_notifications since 507, for Administrator;
        }
    };
}
pub(crate) use with_channel_switches;

/// What is known of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelSwitch {
    /// Its name on the wire.
    pub name: &'static str,
    /// The first feature level that has it.
    pub since: i64,
    /// The least role that may turn it on or change it, besides what changing the channel needs.
    pub least_role: Role,
}

impl ChannelSwitch {
    /// Whether a user who may change the channel may change this too.
    pub fn is_open_to(&self, user: &User) -> bool {
        user.role <= self.least_role
    }
}

macro_rules! switches {
    ($($(#[doc = $meaning:literal])+ $name:ident since $since:literal, for $role:ident;)+) => {
        /// The switches of a channel; all are off in a channel of which nothing is said.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct ChannelSwitches {
            $($(#[doc = $meaning])+ pub $name: bool,)+
        }

        /// All switches that channels have.
        pub const CHANNEL_SWITCHES: &[ChannelSwitch] = &[$(
            ChannelSwitch { name: stringify!($name), since: $since, least_role: Role::$role },
        )+];

        /// The levels that have them, and their names.
        pub const CHANNEL_SWITCHES_SINCE: &[(i64, &str)] = &[$(($since, stringify!($name)),)+];

        impl ChannelSwitches {
            /// A switch, by its name.
            pub fn named(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)+
                    _ => None,
                }
            }
        }
    };
}
with_channel_switches!(switches);

impl ChannelSwitches {
    /// Whether all are off.
    pub fn are_off(&self) -> bool {
        *self == Self::default()
    }
}
