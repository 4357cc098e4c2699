//! Boolean settings of channels, declared in one table.
//!
//! A row of the table adds the setting to the channel's JSON, to the parameters of the operations that create and
//! update channels, to the events of changes, to fixtures and to the table of levels. Only the setting's effect is
//! implemented elsewhere.

use crate::realm::model::user::{Role, User};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Calls the macro `$make` with the rows of the table.
macro_rules! with_channel_boolean_settings {
    ($make:ident) => {
        $make! {
            /// Whether mobile push notifications are on for users who subscribe for the first time, whatever their own
            /// setting for channels. Only administrators may turn it on or off.
            default_push_notifications since 507, for Administrator;
        }
    };
}
pub(crate) use with_channel_boolean_settings;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelBooleanSetting {
    /// The name on the wire.
    pub name: &'static str,
    /// The first feature level with the setting.
    pub since: i64,
    /// The lowest role that may set it, in addition to the permission to change the channel.
    pub lowest_role: Role,
}

impl ChannelBooleanSetting {
    /// Whether the user's role suffices. The permission to change the channel is checked elsewhere.
    pub fn is_open_to(&self, user: &User) -> bool {
        user.role <= self.lowest_role
    }
}

macro_rules! define_channel_boolean_settings {
    ($($(#[doc = $meaning:literal])+ $name:ident since $since:literal, for $role:ident;)+) => {
        /// The Boolean settings of a channel. A setting that a document leaves out is off.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct ChannelBooleanSettings {
            $($(#[doc = $meaning])+ pub $name: bool,)+
        }

        /// The rows of the table.
        pub const CHANNEL_BOOLEAN_SETTINGS: &[ChannelBooleanSetting] = &[$(
            ChannelBooleanSetting { name: stringify!($name), since: $since, lowest_role: Role::$role },
        )+];

        /// The first feature level and the name of each setting.
        pub const CHANNEL_BOOLEAN_SETTINGS_SINCE: &[(i64, &str)] = &[$(($since, stringify!($name)),)+];

        impl ChannelBooleanSettings {
            /// The setting with this name on the wire; None if no setting has it.
            pub fn get_mut(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)+
                    _ => None,
                }
            }
        }
    };
}
with_channel_boolean_settings!(define_channel_boolean_settings);

impl ChannelBooleanSettings {
    pub fn are_off(&self) -> bool {
        *self == Self::default()
    }
}
