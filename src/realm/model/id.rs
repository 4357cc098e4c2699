//! IDs: a type per kind of object, so that they cannot be mixed up.

use std::sync::Arc;

/// An ID that a parameter may take, as a JSON number.
pub trait Id: Copy + Ord {
    fn from_number(number: i64) -> Self;
    fn number(self) -> i64;
}

/// Defines types of IDs that are numbers.
macro_rules! id_types {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(transparent)]
        #[schemars(transparent, inline)]
        pub struct $name(pub i64);

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(formatter)
            }
        }
    )*};
}
pub(crate) use id_types;

/// Defines types of IDs that are numbers and that parameters may take ([`Id`]).
macro_rules! parameter_id_types {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $crate::realm::model::id::id_types! { $($(#[$doc])* $name;)* }

        $(impl $crate::realm::model::id::Id for $name {
            fn from_number(number: i64) -> Self {
                Self(number)
            }

            fn number(self) -> i64 {
                self.0
            }
        })*
    };
}
pub(crate) use parameter_id_types;

id_types! {
    /// A message; IDs grow over time across the organization.
    MessageId;
}

parameter_id_types! {
    /// A user, human or bot.
    UserId;
    /// A user group, system groups included.
    GroupId;
    /// A channel (`stream_id` on the wire).
    ChannelId;
    /// A channel folder.
    FolderId;
    /// A channel or direct message conversation, as the recipient of messages (`recipient_id` on the wire).
    RecipientId;
    /// A custom emoji of the realm.
    EmojiId;
    /// A linkifier (`filter_id` in the specification).
    LinkifierId;
    /// A custom profile field.
    ProfileFieldId;
    /// A message reminder; shares its sequence with scheduled messages.
    ReminderId;
    /// A message to be sent later.
    ScheduledMessageId;
    /// A multi-use invitation link.
    InviteLinkId;
    /// An invitation by email.
    InviteId;
    /// An uploaded file (`id` of an attachment on the wire).
    AttachmentId;
    /// An export of the organization's data.
    ExportId;
    /// A device registered for encrypted push notifications.
    DeviceId;
}

/// The ID of an event queue: a UUID as text. An alias, so the compiler does not tell it from other texts.
pub type QueueId = Arc<str>;
