//! Identifiers: a newtype per kind of record, so that they can't be mixed up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        #[schemars(transparent, inline)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// A user, human or bot.
    UserId;
    /// A user group, system groups included.
    GroupId;
    /// A channel (`stream_id` on the wire).
    ChannelId;
    /// A channel folder.
    FolderId;
    /// A message; grows with time over the whole realm.
    MessageId;
    /// The set of people that a message is addressed to (`recipient_id` on the wire).
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
    /// A saved snippet.
    SnippetId;
    /// A draft.
    DraftId;
    /// A multi-use invitation link.
    InviteLinkId;
    /// An invitation by email.
    InviteId;
    /// An uploaded file's row.
    AttachmentId;
    /// An export of the organization's data.
    ExportId;
    /// A device registered for encrypted push notifications.
    DeviceId;
}

/// Names a queue: a UUID.
pub type QueueId = Arc<str>;
