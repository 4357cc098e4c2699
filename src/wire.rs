//! Names on the wire that several layers share: the kinds of events, and the lists of the register reply that events
//! keep up to date.

macro_rules! declare_event_kinds {
    ($($name:ident = $type_name:literal $($op:literal)? $([$not_at_newest:ident])? $(since $since:literal)?;)*) => {
        /// A type of events, with its `op` if it has one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum EventKind {
            $(#[doc = concat!("`", $type_name, $(" ", $op,)? "`")] $name,)*
        }

        impl EventKind {
            /// Every kind, sorted by type and `op`.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The type and, after a space, the `op`: `saved_snippets add`.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => concat!($type_name $(, " ", $op)?),)* }
            }

            /// `type` on the wire.
            pub const fn type_name(self) -> &'static str {
                match self { $(Self::$name => $type_name,)* }
            }

            /// The first feature level with the kind; 0 if all levels have it, or if the level is that of its list.
            pub const fn since(self) -> i64 {
                match self { $(Self::$name => 0 $(+ $since)?,)* }
            }

            /// `op` on the wire. None if events of the type have none.
            pub const fn op(self) -> Option<&'static str> {
                match self { $(Self::$name => declare_event_kinds!(@op $($op)?),)* }
            }
        }
    };
    (@op) => { None };
    (@op $op:literal) => { Some($op) };
}

/// Passes all kinds of events to a macro, in rows of name, type, `op`, a mark for kinds that the newest level does not
/// have, and the first feature level, unless all levels have the kind or its list has a level of its own.
macro_rules! with_event_kinds {
    ($macro_name:ident) => {
        $macro_name! {
            AlertWords = "alert_words";
            AttachmentAdd = "attachment" "add";
            AttachmentRemove = "attachment" "remove";
            AttachmentUpdate = "attachment" "update";
            ChannelFolderAdd = "channel_folder" "add";
            ChannelFolderReorder = "channel_folder" "reorder" since 418;
            ChannelFolderUpdate = "channel_folder" "update";
            CustomProfileFields = "custom_profile_fields";
            DefaultStreamGroups = "default_stream_groups";
            DefaultStreams = "default_streams";
            DeleteMessage = "delete_message";
            DeviceAdd = "device" "add" since 468;
            DeviceRemove = "device" "remove" since 468;
            DeviceUpdate = "device" "update" since 468;
            DraftsAdd = "drafts" "add";
            DraftsRemove = "drafts" "remove";
            DraftsUpdate = "drafts" "update";
            // No real server sends it: it tests that clients ignore unknown types. See `LaterLevelEvent` in
            // `realm/log/event/data.rs`.
            LaterLevelEvent = "event_of_a_later_level" [not_at_newest];
            Heartbeat = "heartbeat";
            InvitesChanged = "invites_changed";
            Message = "message";
            MutedTopics = "muted_topics";
            MutedUsers = "muted_users";
            NavigationViewAdd = "navigation_view" "add";
            NavigationViewRemove = "navigation_view" "remove";
            NavigationViewUpdate = "navigation_view" "update";
            OnboardingSteps = "onboarding_steps";
            Presence = "presence";
            PushDevice = "push_device" [not_at_newest];
            ReactionAdd = "reaction" "add";
            ReactionRemove = "reaction" "remove";
            RealmDeactivated = "realm" "deactivated";
            RealmUpdate = "realm" "update";
            RealmUpdateDict = "realm" "update_dict";
            RealmBotAdd = "realm_bot" "add";
            RealmBotDelete = "realm_bot" "delete";
            RealmBotUpdate = "realm_bot" "update";
            RealmDomainsAdd = "realm_domains" "add";
            RealmDomainsChange = "realm_domains" "change";
            RealmDomainsRemove = "realm_domains" "remove";
            RealmEmojiAdd = "realm_emoji" "add" since 491;
            RealmEmojiUpdate = "realm_emoji" "update";
            RealmEmojiUpdateOne = "realm_emoji" "update_one" since 491;
            RealmExport = "realm_export";
            RealmExportConsent = "realm_export_consent" since 312;
            RealmFilters = "realm_filters" [not_at_newest];
            RealmLinkifiers = "realm_linkifiers";
            RealmPlaygrounds = "realm_playgrounds";
            RealmUserAdd = "realm_user" "add";
            RealmUserRemove = "realm_user" "remove";
            RealmUserUpdate = "realm_user" "update";
            RealmUserSettingsDefaultsUpdate = "realm_user_settings_defaults" "update" since 95;
            RemindersAdd = "reminders" "add";
            RemindersRemove = "reminders" "remove";
            SavedSnippetsAdd = "saved_snippets" "add";
            SavedSnippetsRemove = "saved_snippets" "remove";
            SavedSnippetsUpdate = "saved_snippets" "update" since 368;
            ScheduledMessagesAdd = "scheduled_messages" "add";
            ScheduledMessagesRemove = "scheduled_messages" "remove";
            ScheduledMessagesUpdate = "scheduled_messages" "update";
            StreamCreate = "stream" "create";
            StreamDelete = "stream" "delete";
            StreamUpdate = "stream" "update";
            Submessage = "submessage";
            SubscriptionAdd = "subscription" "add";
            SubscriptionPeerAdd = "subscription" "peer_add";
            SubscriptionPeerRemove = "subscription" "peer_remove";
            SubscriptionRemove = "subscription" "remove";
            SubscriptionUpdate = "subscription" "update";
            TypingStart = "typing" "start";
            TypingStop = "typing" "stop";
            TypingEditMessageStart = "typing_edit_message" "start" since 351;
            TypingEditMessageStop = "typing_edit_message" "stop" since 351;
            UpdateDisplaySettings = "update_display_settings" [not_at_newest];
            UpdateGlobalNotifications = "update_global_notifications" [not_at_newest];
            UpdateMessage = "update_message";
            UpdateMessageFlagsAdd = "update_message_flags" "add";
            UpdateMessageFlagsRemove = "update_message_flags" "remove";
            UserGroupAdd = "user_group" "add";
            UserGroupAddMembers = "user_group" "add_members";
            UserGroupAddSubgroups = "user_group" "add_subgroups" since 127;
            UserGroupRemove = "user_group" "remove";
            UserGroupRemoveMembers = "user_group" "remove_members";
            UserGroupRemoveSubgroups = "user_group" "remove_subgroups" since 127;
            UserGroupUpdate = "user_group" "update";
            UserSettingsUpdate = "user_settings" "update" since 89;
            UserStatus = "user_status";
            UserTopic = "user_topic" since 134;
        }
    };
}
pub(crate) use with_event_kinds;

with_event_kinds!(declare_event_kinds);

/// A list of the register reply that events keep up to date.
#[derive(Clone, Copy, Debug)]
pub struct List {
    /// The key in the reply, which is also its name in `fetch_event_types`.
    pub key: &'static str,
    /// A description in one sentence.
    pub meaning: &'static str,
    /// The first feature level with the list and its events. 0 if all levels have the list, or if the modules of
    /// `level` handle the difference.
    pub since: i64,
    /// Whether the order of the elements is significant.
    pub is_ordered: bool,
    pub updates: ListUpdates,
}

/// How events keep a list up to date.
#[derive(Clone, Copy, Debug)]
pub enum ListUpdates {
    /// An event contains the whole list, under a key.
    Whole(EventKind, &'static str),
    /// Events add, change and remove elements.
    ByElement {
        /// The key that identifies an element.
        id: &'static str,
        /// Contains one new element or a list of them, under a key.
        added: (EventKind, &'static str),
        /// Contains a changed element. None if there is no such event.
        changed: Option<(EventKind, ElementChange)>,
        /// Contains the ID of a removed element, under a key. None if there is no such event.
        removed: Option<(EventKind, &'static str)>,
    },
}

/// How an event describes a changed element.
#[derive(Clone, Copy, Debug)]
pub enum ElementChange {
    /// The whole element in its new state, under a key.
    Element(&'static str),
    /// The ID of the element under the first key, and the changed fields under the second.
    Part(&'static str, &'static str),
}

impl List {
    /// The type of the events that keep the list up to date, which is the same for all of them.
    pub fn event_type(&self) -> &'static str {
        match self.updates {
            ListUpdates::Whole(kind, _) | ListUpdates::ByElement { added: (kind, _), .. } => kind.type_name(),
        }
    }
}

macro_rules! declare_lists {
    ($(
        #[doc = $meaning:literal]
        $name:ident = $key:literal $(since $since:literal)? $([$ordered:ident])?, $updates:expr;
    )*) => {
        $(
            #[doc = $meaning]
            pub const $name: List = List {
                key: $key,
                meaning: $meaning.trim_ascii(),
                since: 0 $(+ $since)?,
                is_ordered: declare_lists!(@ $($ordered)?),
                updates: $updates,
            };
        )*

        /// All lists, in the order of this table.
        pub const LISTS: &[List] = &[$($name),*];
    };
    (@) => { false };
    (@ ordered) => { true };
}

// Short, for the rows below.
use EventKind as Kind;

declare_lists! {
    /// Words that highlight messages for the user.
    ALERT_WORDS = "alert_words" [ordered], ListUpdates::Whole(Kind::AlertWords, "alert_words");
    /// Texts that the user has saved for use in messages.
    SAVED_SNIPPETS = "saved_snippets" since 297, ListUpdates::ByElement {
        id: "id",
        added: (Kind::SavedSnippetsAdd, "saved_snippet"),
        changed: Some((Kind::SavedSnippetsUpdate, ElementChange::Element("saved_snippet"))),
        removed: Some((Kind::SavedSnippetsRemove, "saved_snippet_id")),
    };
    /// The user's choice of views in the navigation.
    NAVIGATION_VIEWS = "navigation_views" since 390 [ordered], ListUpdates::ByElement {
        id: "fragment",
        added: (Kind::NavigationViewAdd, "navigation_view"),
        changed: Some((Kind::NavigationViewUpdate, ElementChange::Part("fragment", "data"))),
        removed: Some((Kind::NavigationViewRemove, "fragment")),
    };
    /// Drafts of the user that are stored on the server.
    DRAFTS = "drafts", ListUpdates::ByElement {
        id: "id",
        added: (Kind::DraftsAdd, "drafts"),
        changed: Some((Kind::DraftsUpdate, ElementChange::Element("draft"))),
        removed: Some((Kind::DraftsRemove, "draft_id")),
    };
    /// Users that the user has muted, with the time of muting.
    MUTED_USERS = "muted_users" since 48, ListUpdates::Whole(Kind::MutedUsers, "muted_users");
    /// One-time notices that the user has not seen yet.
    ONBOARDING_STEPS = "onboarding_steps", ListUpdates::Whole(Kind::OnboardingSteps, "onboarding_steps");
    /// Messages that the user has scheduled and that are not sent yet.
    SCHEDULED_MESSAGES = "scheduled_messages" since 179, ListUpdates::ByElement {
        id: "scheduled_message_id",
        added: (Kind::ScheduledMessagesAdd, "scheduled_messages"),
        changed: Some((Kind::ScheduledMessagesUpdate, ElementChange::Element("scheduled_message"))),
        removed: Some((Kind::ScheduledMessagesRemove, "scheduled_message_id")),
    };
    /// Reminders of the user that are not due yet.
    REMINDERS = "reminders" since 399, ListUpdates::ByElement {
        id: "reminder_id",
        added: (Kind::RemindersAdd, "reminders"),
        changed: None,
        removed: Some((Kind::RemindersRemove, "reminder_id")),
    };
    /// Muted topics, for clients that do not know `user_topics`.
    MUTED_TOPICS = "muted_topics", ListUpdates::Whole(Kind::MutedTopics, "muted_topics");
    /// Channel folders, including archived ones.
    CHANNEL_FOLDERS = "channel_folders" since 389, ListUpdates::ByElement {
        id: "id",
        added: (Kind::ChannelFolderAdd, "channel_folder"),
        changed: Some((Kind::ChannelFolderUpdate, ElementChange::Part("channel_folder_id", "data"))),
        removed: None,
    };
    /// Linkifiers in the order in which they apply.
    LINKIFIERS = "realm_linkifiers" since 54 [ordered], ListUpdates::Whole(Kind::RealmLinkifiers, "realm_linkifiers");
    /// Linkifiers as lists of pattern, URL and ID; empty for clients that know `realm_linkifiers`.
    FILTERS = "realm_filters", ListUpdates::Whole(Kind::RealmFilters, "realm_filters");
    /// Code playgrounds: web pages that open code of a language.
    PLAYGROUNDS = "realm_playgrounds" since 49, ListUpdates::Whole(Kind::RealmPlaygrounds, "realm_playgrounds");
    /// Domains to which the email addresses of new users may be limited.
    DOMAINS = "realm_domains", ListUpdates::ByElement {
        id: "domain",
        added: (Kind::RealmDomainsAdd, "realm_domain"),
        changed: Some((Kind::RealmDomainsChange, ElementChange::Element("realm_domain"))),
        removed: Some((Kind::RealmDomainsRemove, "domain")),
    };
    /// Custom profile fields, in the order in which clients show them.
    PROFILE_FIELDS = "custom_profile_fields" [ordered], ListUpdates::Whole(Kind::CustomProfileFields, "fields");
    /// IDs of the channels that new users are subscribed to.
    DEFAULT_CHANNELS = "realm_default_streams", ListUpdates::Whole(Kind::DefaultStreams, "default_streams");
    /// Groups of default channels, among which new users can choose.
    DEFAULT_CHANNEL_GROUPS = "realm_default_stream_groups", ListUpdates::Whole(Kind::DefaultStreamGroups, "default_stream_groups");
}
