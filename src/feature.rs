//! Rules that came with a feature level and are decided where they apply, and how each level is known.
//!
//! A rule is a row here. `Call::has`, `Tx::has` and `QueueLevel::has` say whether the world's level has it. What changes
//! only names and forms is a row of the tables in `level/` and needs none here.

mod change_log;

pub use change_log::{BACKPORTS, NEWEST, has_changes_of, has_entry, read_on};

use serde::{Serialize, Serializer};
use std::fmt;

/// How it is known that a change came with its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The public change log has an entry for it at this level.
    ChangeLog,
    /// Likewise, as it was on this day.
    ChangeLogOf(&'static str),
    /// The real server's public history: the first server of the level, or the last before it, changed on this day.
    Source(&'static str),
    /// A real server was recorded at two levels: the lower one had the former rule, the higher one, which is the row's
    /// level or above it, the present rule.
    Recorded(i64, i64),
    /// It came between these levels, the last of which has it; nothing says when. The row's level is one of them.
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
        /// A rule that holds from a feature level on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature {
            $($(#[doc = $rule])+ $name,)+
        }

        impl Feature {
            /// All of them, the newest first.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The first level that has it.
            pub const fn since(self) -> i64 {
                match self { $(Self::$name => $since,)+ }
            }

            /// How that level is known.
            pub fn evidence(self) -> Evidence {
                use Evidence::{Between, ChangeLog, Documentation, Source};
                match self { $(Self::$name => $evidence,)+ }
            }

            /// Whether worlds of a level have it.
            pub const fn is_at(self, level: i64) -> bool {
                has_changes_of(level, self.since())
            }
        }
    };
}

features! {
    /// A report that cannot be posted is refused; before, it succeeded.
    ReportsMustArrive = 511, ChangeLog;
    /// Users hide the link previews of messages by a flag.
    PreviewsHiddenByFlag = 510, ChangeLog;
    /// Naming the channel in which a message is moves nothing.
    SameChannelNoMove = 509, ChangeLog;
    /// Channels say whether pushes are on for those who subscribe for the first time.
    ChannelsDecideOnPushes = 507, ChangeLog;
    /// Exports of a server that the organization came from are marked as such and can't be deleted.
    ExportsOfPriorServers = 506, ChangeLog;
    /// An old message may be named to move those of its topic that are not; the refusal says how many.
    OldMessagesCountTopic = 505, ChangeLog;
    /// Where encryption is required, nothing goes to legacy tokens; before, pushes without the content.
    EncryptedPushesAlone = 504, ChangeLog;
    /// Times in HTML are those of ISO 8601 alone.
    TimesOfIsoAlone = 503, ChangeLog;
    /// Clients compute the picture of a user whose address they see; before, of one whose address everybody sees.
    PicturesBySight = 497, Documentation;
    /// Members of a group are listed once, even if they are members in several ways.
    ListedOnce = 497, Between(388, 497);
    /// A list of addresses that names nobody is refused as an empty one is.
    InviteesNamed = 497, Between(388, 497);
    /// The new name of a group of default channels may not be blank.
    DefaultGroupsNamed = 497, Between(388, 497);
    /// An unknown group that alone holds a permission, in a list, is refused by its number.
    LoneSubgroupNamed = 497, Between(388, 497);
    /// Every poll returns the ID of its queue.
    QueueIdSent = 497, Between(388, 497);
    /// A new API key ends the user's devices, too.
    NewKeysEndDevices = 492, Documentation;
    /// Registering a device ends the same token of the older kind.
    ReplacesOlderToken = 483, ChangeLog;
    /// The first login of imported users moves `date_joined`.
    JoiningAtFirstLogin = 475, ChangeLog;
    /// Lists of bots and their events leave accounts to those of users.
    BotAccountsApart = 474, ChangeLog;
    /// The server numbers devices; before, the client.
    DevicesNumberedByServer = 468, ChangeLog;
    /// Encrypted pushes name the key that was used; before, the device.
    PushesNameKeys = 468, ChangeLog;
    /// A time that can't be read stays text in HTML.
    FaultyTimesAsText = 451, Documentation;
    /// Only users who may post to a channel read its address.
    ChannelEmailForPosters = 448, Documentation;
    /// Moderators may invite moderators.
    ModeratorsInviteModerators = 443, Documentation;
    /// HTML shows uploaded images and sounds inline.
    ImagesInText = 441, Between(421, 442);
    /// Changed settings are sent as `user_settings` alone.
    NewerSettingsAlone = 439, ChangeLog;
    /// Guests get no placeholders for users that they can't see.
    NoPlaceholders = 437, ChangeLog;
    /// Keys for pushes have a form.
    PushKeysHaveForm = 432, ChangeLog;
    /// Pushes list the recipients of every direct message; before, a text listed those of group direct messages.
    PushesListRecipients = 429, Documentation;
    /// Deactivation sends `peer_remove` for archived channels, too.
    DeactivationLeavesArchived = 428, Documentation;
    /// `delete_message` lists the oldest message first; before, the newest.
    DeletionsOldestFirst = 393, ChangeLog;
    /// The empty topic can be marked as read by itself; before, its name was that of the whole channel.
    EmptyTopicMarked = 388, Between(388, 497);
    /// Guests read web-public channels without being subscribed.
    GuestsReadWebPublic = 388, Between(388, 442);
    /// A mention reaches people who are not subscribed; before, of those only bots.
    MentionsReachReaders = 388, Between(388, 442);
    /// A user who may not rename a topic may not move the message; before, not edit it.
    RenamingIsMoving = 388, Between(388, 442);
    /// A name may be a single character.
    NamesOfOneCharacter = 388, Between(388, 442);
    /// `search` can be negated; before, all searches of a narrow are one that is not.
    SearchNegated = 388, Between(388, 442);
    /// Descriptions of groups are bounded, and names that differ only in case or blanks around them are the same.
    StrictGroups = 388, Between(388, 442);
    /// A setting decides for which users the notice of a resolved topic is read.
    ResolveNoticesReadBySetting = 385, ChangeLog;
    /// Notices of moves link topics whose names would break the usual form by their address.
    BreakingNamesLinked = 384, Source("2025-05-13");
    /// `is_moderator` is true for administrators and owners, too.
    ModeratorsAndAbove = 380, ChangeLog;
    /// Events about subscribers of public channels hold all channels of one kind that the same users join or leave.
    PeersOfSameKindTogether = 378, Source("2025-04-10");
    /// The notice of a subscription mentions silently who made it.
    SubscribedInSilence = 378, Source("2025-04-15");
    /// Clients with `archived_channels` receive archiving as an update.
    ArchivingSent = 378, ChangeLog;
    /// `:smile:` has smiling eyes, and `:)` is `:slight_smile:`.
    SlightSmile = 377, Source("2025-04-07");
    /// Deactivation sends `peer_remove`.
    DeactivationLeaves = 377, ChangeLog;
    /// Typing in `(no topic)` is typing in the empty topic.
    FormerTopicTyped = 372, ChangeLog;
    /// Messages to `(no topic)` go to the empty topic.
    FormerTopicSent = 370, ChangeLog;
    /// A row is not enough to find a message that can't be read.
    NarrowsCheckRows = 368, Source("2025-03-14");
    /// A permission of its own decides who may resolve topics.
    ResolvingAllowedApart = 367, ChangeLog;
    /// Subscriptions to archived channels may change.
    ArchivedSubscriptionsOpen = 362, ChangeLog;
    /// Previews of videos at a video site show a larger still.
    LargeVideoStills = 361, Source("2025-03-05");
    /// Words about a subdomain that is taken have a verb.
    NamesAreInUse = 361, Source("2025-03-04");
    /// Private channels stay when the last subscriber leaves.
    VacantChannelsStay = 361, Source("2025-02-27");
    /// Single messages of archived channels can be read.
    ArchivedMessagesGiven = 360, ChangeLog;
    /// The policy on edit histories is a word in requests and a number in the reply, even if it is as before.
    HistoryPolicyNumbered = 358, ChangeLog;
    /// Nobody has the notice of an archiving unread.
    ArchivingNoticeRead = 347, Source("2025-02-04");
    /// Links to topics name one of their messages.
    TopicLinksNameMessage = 347, ChangeLog;
    /// Groups may make bots; before, a policy decided.
    BotsByGroups = 344, ChangeLog;
    /// Negated terms of channels and direct messages don't exclude others.
    NegatedTermsApart = 343, Source("2025-01-29");
    /// Channels are checked before the users to subscribe.
    ChannelsBeforeSubscribers = 342, Source("2025-01-22");
    /// The subscribers of the channel to which messages move receive the move, with a row or without.
    MovesSentToNewChannel = 340, Source("2025-01-21");
    /// The empty topic exists.
    EmptyTopics = 334, ChangeLog;
    /// Notices name those who may post to a channel; before, a policy.
    PostersNamed = 333, Source("2025-01-07");
    /// What users said of a topic ends with it.
    TopicPoliciesEnd = 333, Source("2025-01-07");
    /// Groups may post to a channel; before, a policy decided.
    PostingByGroups = 333, ChangeLog;
    /// The mention of a group reaches the members of its subgroups.
    SubgroupsMentioned = 332, Source("2025-01-06");
    /// One event reports all purposes that a channel loses; before, one each.
    PurposesTogether = 331, ChangeLog;
    /// `role:owners` may hold any permission.
    OwnersHoldAny = 326, ChangeLog;
    /// Channels have administrators of their own.
    AdministratorsOfChannels = 325, ChangeLog;
    /// `is:followed` finds only messages with a row.
    FollowedByRows = 323, Source("2024-12-02");
    /// HTML names channels; before, streams.
    ChannelsInHtml = 320, ChangeLog;
    /// Any group may hold the permission to unsubscribe others.
    AnyGroupRemoves = 320, ChangeLog;
    /// `in:home` can be negated.
    HomeNegated = 319, Source("2024-11-14");
    /// `#**channel>topic@id**` links a message.
    MessageLinks = 319, ChangeLog;
    /// Archived channels take no messages, even if they were web-public.
    ArchivedChannelsClosed = 315, Source("2024-10-25");
    /// Archived channels are shown, and a notice in them reports the archiving.
    ArchivedChannelsShown = 315, ChangeLog;
    /// Any group may hold the permission to make invitation links.
    AnyGroupMakesLinks = 314, ChangeLog;
    /// The server has pictures of its own for the service's bots.
    SystemPictures = 311, Source("2024-10-17");
    /// Holders of `can_manage_all_groups` need not be members of a group to change it, whatever their role.
    ManagersManageAllGroups = 305, ChangeLog;
    /// Groups list active users alone.
    ActiveMembersAlone = 303, ChangeLog;
    /// Groups lose and regain members with their accounts.
    MembershipSent = 303, ChangeLog;
    /// Of messages in channels, reactions, submessages and deletions are sent to those with a row who have access.
    ActionsSentToHolders = 300, Source("2024-10-07");
    /// Unread messages of topics whose names differ only in case are listed as those of one.
    UnreadTopicsIgnoreCase = 299, Source("2024-10-03");
    /// `can_manage_all_groups` exists; before, users who may create groups could change them.
    ManagersOfAllGroups = 299, ChangeLog;
    /// All administrators learn of exports; before, who asked for one or deleted it.
    ExportsSentToAdministrators = 295, Source("2024-09-23");
    /// Uploads can be resumed.
    ResumableUploads = 295, ChangeLog;
    /// Groups can be deactivated.
    DeactivatedGroups = 290, ChangeLog;
    /// Names of accounts may have invisible characters.
    InvisibleCharactersInNames = 284, Source("2024-09-03");
    /// Groups have managers of their own.
    ManagersOfSingleGroups = 283, ChangeLog;
    /// Whoever deletes messages receives `delete_message`, too.
    DeletionsSentToDeleter = 274, ChangeLog;
    /// Values of subscription properties are checked before channels.
    SubscriptionValuesFirst = 274, Source("2024-07-21");
    /// Pictures in HTML have thumbnails.
    Thumbnails = 273, ChangeLog;
    /// Emoji and pictures of the organization are refused if their `Content-Type` is no picture's.
    PicturesNamedSo = 270, Source("2024-07-11");
    /// A topic whose name changes otherwise too is moved, and not marked.
    RenamedTopicsMoved = 267, Source("2024-07-06");
    /// `/dark` and `/light` are commands; before, `/night` and `/day`.
    DarkAndLight = 266, Source("2024-06-30");
    /// Resolving a topic again within a minute takes the notice back.
    ResolveNoticesTakenBack = 264, Source("2024-06-10");
    /// Changes of a group's members are sent before the messages about them.
    GroupChangesFirst = 261, Source("2024-05-19");
    /// `is:resolved` finds messages without a row.
    ResolvedForAll = 261, Source("2024-05-20");
    /// Notices link the help pages of channels.
    HelpOfChannels = 256, Source("2024-05-03");
    /// `invites_changed` is sent though some of the invitations were refused.
    InvitesSentInPart = 256, Source("2024-05-02");
    /// Deletions change a channel's `first_message_id`.
    FirstMessageChanges = 256, ChangeLog;
    /// Notices speak of channels; before, of streams.
    NoticesOfChannels = 255, ChangeLog;
    /// A bot that is active is not reactivated.
    ActiveBotsStay = 248, Source("2024-04-10");
    /// Events report deactivation; before, users were removed and added.
    DeactivationsSent = 222, ChangeLog;
    /// Unread messages count in unmuted topics of muted channels.
    UnmutedTopicsCounted = 213, ChangeLog;
    /// Users who invited others receive `invites_changed`, too.
    InvitersNotified = 209, ChangeLog;
    /// Outgoing webhooks call direct messages `direct_message`.
    DirectMessagesInWebhooks = 201, ChangeLog;
    /// Linkifiers are templates, and events about them are for clients that know these.
    LinkifierTemplates = 176, ChangeLog;
    /// Muting a muted topic is no error, nor is unmuting another.
    TopicsMutedAgain = 169, ChangeLog;
    /// Events about flags list the messages that changed; before, those that had the flag too.
    ChangedFlagsAlone = 155, ChangeLog;
    /// Read receipts leave out users who muted the caller or are muted by the caller.
    ReceiptsWithoutMuted = 144, ChangeLog;
    /// Only owners decide who may sign up.
    OwnersDecideOnSignUp = 143, ChangeLog;
    /// Events about topics are `user_topic`.
    UserTopics = 134, ChangeLog;
    /// Events say where messages are that become unread again.
    MessageDetails = 121, ChangeLog;
    /// Unread direct messages name the other user; before, only the sender.
    OtherUserNamed = 119, ChangeLog;
    /// Lists of subscribers hold IDs; before, addresses.
    SubscribersById = 79, ChangeLog;
    /// Events about deleted direct messages name no sender.
    DirectDeletionsWithoutSender = 77, ChangeLog;
    /// Creating users needs a permission of its own.
    CreatingUsersIsPermission = 36, ChangeLog;
    /// Events about others' subscriptions list channels and users.
    PeersTogether = 35, ChangeLog;
    /// Events about deleted channel messages name no sender.
    DeletionsWithoutSender = 13, ChangeLog;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_dated_by_evidence() {
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
