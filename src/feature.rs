//! Features: rules of behaviour that a feature level introduced, with the evidence for the level of each.
//!
//! Code asks with `Call::has`, `Tx::has` or `QueueLevel::has` whether the level of the world has a feature. Changes of
//! names and formats alone are rows of the tables in `level/`, not features.

mod change_log;

pub use change_log::{BACKPORTS, NEWEST, has_changes_of, has_entry, read_on};

use serde::{Serialize, Serializer};
use std::fmt;

/// How the level of a change is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The public change log has an entry for the change at this level.
    ChangeLog,
    /// The public change log of this day has an entry for the change at this level.
    ChangeLogOf(&'static str),
    /// The real server's public history: the date of the commit that made the change.
    Source(&'static str),
    /// A real server was recorded at two levels: the lower one had the former rule, the higher one the present rule.
    /// The change's level is above the lower one and not above the higher one.
    Recorded(i64, i64),
    /// The change came after the first of these levels or with it, and not after the second; nothing says when. Its
    /// level is one of them.
    Between(i64, i64),
    /// Only the public documentation of the API names the level.
    Documentation,
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangeLog => write!(f, "change log"),
            Self::ChangeLogOf(date) => write!(f, "change log of {date}"),
            Self::Source(date) => write!(f, "source of {date}"),
            Self::Recorded(before, after) => write!(f, "recorded at {before} and {after}"),
            Self::Between(first, last) => write!(f, "between {first} and {last}"),
            Self::Documentation => write!(f, "documentation"),
        }
    }
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

macro_rules! features {
    ($($(#[doc = $rule:literal])+ $name:ident = $since:literal, $evidence:expr;)+) => {
        /// A rule that holds from a feature level on. "Before" says what held below that level.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature {
            $($(#[doc = $rule])+ $name,)+
        }

        impl Feature {
            /// All features, the newest first.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The first level that has the feature.
            pub const fn since(self) -> i64 {
                match self { $(Self::$name => $since,)+ }
            }

            pub fn evidence(self) -> Evidence {
                use Evidence::{Between, ChangeLog, Documentation, Source};
                match self { $(Self::$name => $evidence,)+ }
            }

            /// Whether a level has the feature, by its number or by a backport.
            pub const fn is_at(self, level: i64) -> bool {
                has_changes_of(level, self.since())
            }
        }
    };
}

features! {
    /// A report that cannot be posted is refused; before, it succeeded.
    ReportsMustArrive = 511, ChangeLog;
    /// A flag lets users hide the link previews of messages.
    PreviewsHiddenByFlag = 510, ChangeLog;
    /// An edit with the channel in which the message already is does not count as a move.
    SameChannelNoMove = 509, ChangeLog;
    /// A setting of the channel decides whether new subscriptions have push notifications.
    ChannelsDecideOnPushes = 507, ChangeLog;
    /// Exports from the organization's previous server are marked as such and can't be deleted.
    ExportsOfPriorServers = 506, ChangeLog;
    /// A move of a topic may start at a message that is too old to be moved itself; the refusal says how many messages
    /// may be moved.
    OldMessagesCountTopic = 505, ChangeLog;
    /// If encryption is required, legacy tokens get no pushes; before, pushes without content.
    OnlyEncryptedPushes = 504, ChangeLog;
    /// Only times in ISO 8601 become `<time>` elements in HTML.
    OnlyIsoTimes = 503, ChangeLog;
    /// Clients compute the avatar of a user whose email address they can see; before, only if everyone can see it.
    AvatarsByEmailVisibility = 497, Documentation;
    /// Lists of group members have no duplicates, even if a user is a member through several subgroups.
    DistinctGroupMembers = 497, Between(388, 497);
    /// A list of invitees with blanks and separators only is refused like an empty one.
    BlankInviteesRefused = 497, Between(388, 497);
    /// The new name of a group of default channels may not be blank.
    BlankDefaultGroupNamesRefused = 497, Between(388, 497);
    /// A permission value whose only entry is an unknown subgroup is refused with the ID of that group.
    ErrorNamesUnknownSubgroup = 497, Between(388, 497);
    /// Every poll returns the ID of its queue.
    QueueIdSent = 497, Between(388, 497);
    /// A new API key also removes the user's devices.
    NewKeysEndDevices = 492, Documentation;
    /// Registering a device removes the same token from the legacy tokens.
    RegistrationRemovesLegacyToken = 483, ChangeLog;
    /// The first login of imported users moves `date_joined`.
    FirstLoginSetsDateJoined = 475, ChangeLog;
    /// Lists of bots and bot events leave out the fields that user records have.
    BotsWithoutUserFields = 474, ChangeLog;
    /// The server chooses the IDs of devices; before, the client.
    DevicesNumberedByServer = 468, ChangeLog;
    /// Encrypted pushes carry the ID of the key; before, the ID of the device.
    PushesNameKeys = 468, ChangeLog;
    /// A time that can't be parsed stays text in HTML.
    FaultyTimesAsText = 451, Documentation;
    /// Only users who may post to a channel can get its email address.
    ChannelEmailForPosters = 448, Documentation;
    /// Moderators may invite moderators.
    ModeratorsInviteModerators = 443, Documentation;
    /// HTML shows uploaded images and sounds inline.
    ImagesInText = 441, Between(421, 442);
    /// Only `user_settings` events report changed settings; before, events of the older types too.
    OnlyNewSettingsEvents = 439, ChangeLog;
    /// Guests get no placeholder records for users that they can't access.
    NoPlaceholders = 437, ChangeLog;
    /// Push keys of the wrong form are refused.
    PushKeysValidated = 432, ChangeLog;
    /// Pushes about direct messages have a list of recipients; before, only those about group direct messages, as text.
    PushesListRecipients = 429, Documentation;
    /// Deactivation sends `peer_remove` for archived channels, too.
    DeactivationLeavesArchived = 428, Documentation;
    /// `delete_message` lists the oldest message first; before, the newest.
    DeletionsOldestFirst = 393, ChangeLog;
    /// The empty topic can be marked as read; before, an empty topic name meant the whole channel.
    EmptyTopicMarked = 388, Between(388, 497);
    /// Guests read web-public channels without being subscribed.
    GuestsReadWebPublic = 388, Between(388, 442);
    /// A mention reaches people who are not subscribed to the channel; before, only bots.
    MentionsReachReaders = 388, Between(388, 442);
    /// Renaming a topic without permission is refused as a move; before, as an edit.
    RenamingIsMoving = 388, Between(388, 442);
    /// The name of an account may be a single character.
    NamesOfOneCharacter = 388, Between(388, 442);
    /// `search` can be negated; before, all searches of a narrow are joined and none is negated.
    SearchNegated = 388, Between(388, 442);
    /// Descriptions of groups have a maximum length, and names that differ only in case or surrounding white space are
    /// equal.
    StrictGroups = 388, Between(388, 442);
    /// A user setting decides whether the notice of a resolved topic is marked as read.
    ResolveNoticesReadBySetting = 385, ChangeLog;
    /// Notices of moves link a topic by URL if its name would break the usual link syntax.
    TopicsLinkedByUrl = 384, Source("2025-05-13");
    /// `is_moderator` is true for administrators and owners, too.
    ModeratorsAndAbove = 380, ChangeLog;
    /// One event reports all public channels of the same kind that the same users join or leave.
    OneEventPerChannelKind = 378, Source("2025-04-10");
    /// The notice of a subscription mentions the user who made it silently.
    SubscriptionNoticesSilent = 378, Source("2025-04-15");
    /// Clients with the capability `archived_channels` receive `stream` update when a channel is archived.
    ArchivingSent = 378, ChangeLog;
    /// `:smile:` is the emoji with smiling eyes, and `:)` becomes `:slight_smile:`.
    SlightSmile = 377, Source("2025-04-07");
    /// Deactivation sends `peer_remove`.
    DeactivationLeaves = 377, ChangeLog;
    /// A typing notification for `(no topic)` is one for the empty topic.
    NoTopicConvertedInTyping = 372, ChangeLog;
    /// Messages to `(no topic)` go to the empty topic.
    NoTopicConvertedInMessages = 370, ChangeLog;
    /// A narrow finds a message only if the user can still access it; before, a user message row sufficed.
    NarrowsCheckRows = 368, Source("2025-03-14");
    /// A separate permission decides who may resolve topics.
    ResolvePermission = 367, ChangeLog;
    /// Subscriptions to archived channels may change.
    ArchivedSubscriptionsOpen = 362, ChangeLog;
    /// Previews of YouTube videos show a larger thumbnail.
    LargeVideoThumbnails = 361, Source("2025-03-05");
    /// The message about a taken subdomain is a full sentence.
    NamesAreInUse = 361, Source("2025-03-04");
    /// Private channels stay when the last subscriber leaves.
    VacantChannelsStay = 361, Source("2025-02-27");
    /// Single messages of archived channels can be read.
    ArchivedMessagesReadable = 360, ChangeLog;
    /// The edit history policy is a word in requests and a number in replies, even if the request does not change it.
    HistoryPolicyNumbered = 358, ChangeLog;
    /// The notice that a channel was archived is marked as read for everyone.
    ArchivingNoticeMarkedRead = 347, Source("2025-02-04");
    /// Links to topics contain the ID of one of their messages.
    TopicLinksNameMessage = 347, ChangeLog;
    /// Permissions that groups hold decide who may create bots; before, a policy.
    BotsByGroups = 344, ChangeLog;
    /// A negated `channel` or `dm` term may be combined with other such terms.
    NegatedTermsCombined = 343, Source("2025-01-29");
    /// Channels are checked before the users to subscribe.
    ChannelsBeforeSubscribers = 342, Source("2025-01-22");
    /// Subscribers of the target channel receive the event of a move, even without a user message row.
    MovesSentToNewChannel = 340, Source("2025-01-21");
    /// The empty topic exists.
    EmptyTopics = 334, ChangeLog;
    /// Notices name the groups and users who may post to a channel; before, the policy.
    PostersNamed = 333, Source("2025-01-07");
    /// Deleting a topic also deletes the users' visibility policies for it.
    TopicPoliciesEnd = 333, Source("2025-01-07");
    /// Groups hold the permission to post to a channel; before, a policy decided.
    PostingByGroups = 333, ChangeLog;
    /// A group mention also reaches the members of its subgroups.
    SubgroupsMentioned = 332, Source("2025-01-06");
    /// When a channel is archived, one event reports all settings of the organization that referred to it; before, one
    /// event for each setting.
    ArchivingSettingsInOneEvent = 331, ChangeLog;
    /// `role:owners` may hold any permission.
    OwnersHoldAny = 326, ChangeLog;
    /// Channels have a permission to administer them.
    AdministratorsOfChannels = 325, ChangeLog;
    /// `is:followed` finds only messages with a user message row.
    FollowedByRows = 323, Source("2024-12-02");
    /// HTML says "channel"; before, "stream".
    ChannelsInHtml = 320, ChangeLog;
    /// Any group may hold the permission to unsubscribe others.
    AnyGroupRemoves = 320, ChangeLog;
    /// `in:home` can be negated.
    HomeNegated = 319, Source("2024-11-14");
    /// `#**channel>topic@id**` links a message.
    MessageLinks = 319, ChangeLog;
    /// Archived channels take no messages, even if they were web-public.
    ArchivedChannelsClosed = 315, Source("2024-10-25");
    /// Archived channels stay visible, and a notice in them reports the archiving.
    ArchivedChannelsVisible = 315, ChangeLog;
    /// Any group may hold the permission to make invitation links.
    AnyGroupMakesLinks = 314, ChangeLog;
    /// The server serves its own avatars for system bots.
    SystemPictures = 311, Source("2024-10-17");
    /// Holders of `can_manage_all_groups` need not be members of a group to change it, whatever their role.
    ManagersManageAllGroups = 305, ChangeLog;
    /// Groups list only active users.
    OnlyActiveMembers = 303, ChangeLog;
    /// Deactivating or reactivating an account sends events about its group memberships.
    MembershipSent = 303, ChangeLog;
    /// Reactions, submessages and deletions of channel messages are sent to users with a user message row and access.
    ActionsSentToHolders = 300, Source("2024-10-07");
    /// Unread counts treat topics whose names differ only in case as one topic.
    UnreadTopicsIgnoreCase = 299, Source("2024-10-03");
    /// `can_manage_all_groups` exists; before, users who may create groups could change any group.
    ManagersOfAllGroups = 299, ChangeLog;
    /// All administrators receive events about exports; before, only the one who requested or deleted the export.
    ExportsSentToAdministrators = 295, Source("2024-09-23");
    /// Uploads can be resumed.
    ResumableUploads = 295, ChangeLog;
    /// Groups can be deactivated.
    DeactivatedGroups = 290, ChangeLog;
    /// Names of accounts may contain invisible characters.
    InvisibleCharactersInNames = 284, Source("2024-09-03");
    /// `can_manage_group` exists: each group can have its own managers.
    ManagersOfSingleGroups = 283, ChangeLog;
    /// The user who deletes messages receives `delete_message`, too.
    DeletionsSentToDeleter = 274, ChangeLog;
    /// The values of subscription properties are checked before the channels.
    SubscriptionValuesFirst = 274, Source("2024-07-21");
    /// Pictures in HTML have thumbnails.
    Thumbnails = 273, ChangeLog;
    /// Emoji and pictures of the organization are refused if their `Content-Type` is not that of a picture.
    PictureContentTypeRequired = 270, Source("2024-07-11");
    /// A change of a topic that adds the check mark and also renames it counts as a move, not as resolving.
    RenamedTopicsMoved = 267, Source("2024-07-06");
    /// `/dark` and `/light` are commands; before, `/night` and `/day`.
    DarkAndLight = 266, Source("2024-06-30");
    /// Undoing the resolution of a topic within a minute deletes the notice.
    ResolveNoticesDeleted = 264, Source("2024-06-10");
    /// Events about changed group members are sent before the notices to those users.
    GroupChangesFirst = 261, Source("2024-05-19");
    /// `is:resolved` also finds messages without a user message row.
    ResolvedForAll = 261, Source("2024-05-20");
    /// Links to help pages in notices say "channel"; before, "stream".
    HelpLinksSayChannel = 256, Source("2024-05-03");
    /// `invites_changed` is sent even if some of the invitations were refused.
    InvitesChangedAfterRefusals = 256, Source("2024-05-02");
    /// Deleting a channel's first message changes its `first_message_id`.
    FirstMessageChanges = 256, ChangeLog;
    /// Notices say "channel"; before, "stream".
    NoticesSayChannel = 255, ChangeLog;
    /// Reactivating an active bot changes nothing.
    ActiveBotsStay = 248, Source("2024-04-10");
    /// `realm_user` update events report deactivation and reactivation; before, `remove` and `add` events.
    DeactivationsSent = 222, ChangeLog;
    /// Unread messages in unmuted topics of muted channels are counted.
    UnmutedTopicsCounted = 213, ChangeLog;
    /// Users who invited others receive `invites_changed`, too.
    InvitersNotified = 209, ChangeLog;
    /// The trigger of outgoing webhooks for direct messages is `direct_message`; before, `private_message`.
    DirectMessagesInWebhooks = 201, ChangeLog;
    /// Linkifiers have URL templates, and only clients with the capability `linkifier_url_template` get events about
    /// them.
    LinkifierTemplates = 176, ChangeLog;
    /// Muting a muted topic, or unmuting one that is not muted, is not an error.
    MutingIsIdempotent = 169, ChangeLog;
    /// Events about flags list only messages whose flag changed; before, also those that already had it.
    OnlyChangedFlags = 155, ChangeLog;
    /// Read receipts leave out users who muted the caller or are muted by the caller.
    ReceiptsWithoutMuted = 144, ChangeLog;
    /// Only owners decide who may sign up.
    OwnersDecideOnSignUp = 143, ChangeLog;
    /// `user_topic` events report muted topics; before, `muted_topics`.
    UserTopics = 134, ChangeLog;
    /// Events about messages marked as unread have the details of these messages.
    MessageDetails = 121, ChangeLog;
    /// Unread direct messages name the other user; before, only the sender.
    OtherUserNamed = 119, ChangeLog;
    /// Lists of subscribers hold user IDs; before, email addresses.
    SubscribersById = 79, ChangeLog;
    /// Events about deleted direct messages have no `sender_id`.
    DirectDeletionsWithoutSender = 77, ChangeLog;
    /// Creating users requires a separate permission.
    CreatingUsersIsPermission = 36, ChangeLog;
    /// `subscription` peer_add and peer_remove list several channels and users; before, one of each.
    PeerEventsWithLists = 35, ChangeLog;
    /// Events about deleted channel messages have no `sender_id`.
    DeletionsWithoutSender = 13, ChangeLog;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_the_levels_that_their_evidence_allows() {
        for feature in Feature::ALL {
            let since = feature.since();
            match feature.evidence() {
                Evidence::ChangeLog | Evidence::ChangeLogOf(_) => {
                    assert!(has_entry(since), "{feature:?}: the change log has no level {since}")
                }
                Evidence::Between(first, last) => assert!((first..=last).contains(&since), "{feature:?}"),
                Evidence::Recorded(before, after) => assert!((before + 1..=after).contains(&since), "{feature:?}"),
                Evidence::Source(_) | Evidence::Documentation => {}
            }
        }
        assert!(Feature::ALL.is_sorted_by_key(|feature| -feature.since()));
    }
}
