//! The kinds of events, by name: what operations declare that they emit.

macro_rules! event_kinds {
    ($($name:ident = $type_name:literal $($op:literal)?;)*) => {
        /// A type of event, with its `op` where it has one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum EventKind {
            $(#[doc = concat!("`", $type_name, $(" ", $op,)? "`")] $name,)*
        }

        impl EventKind {
            /// Every kind, sorted by name.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The type and, after a space, the `op`: `saved_snippets add`.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => concat!($type_name $(, " ", $op)?),)* }
            }

            /// `type` on the wire.
            pub const fn type_name(self) -> &'static str {
                match self { $(Self::$name => $type_name,)* }
            }

            /// `op` on the wire.
            pub const fn op(self) -> Option<&'static str> {
                match self { $(Self::$name => event_kinds!(@op $($op)?),)* }
            }
        }
    };
    (@op) => { None };
    (@op $op:literal) => { Some($op) };
}

event_kinds! {
    AlertWords = "alert_words";
    AttachmentAdd = "attachment" "add";
    AttachmentRemove = "attachment" "remove";
    AttachmentUpdate = "attachment" "update";
    ChannelFolderAdd = "channel_folder" "add";
    ChannelFolderReorder = "channel_folder" "reorder";
    ChannelFolderUpdate = "channel_folder" "update";
    CustomProfileFields = "custom_profile_fields";
    DefaultStreamGroups = "default_stream_groups";
    DefaultStreams = "default_streams";
    DeleteMessage = "delete_message";
    DeviceAdd = "device" "add";
    DeviceRemove = "device" "remove";
    DeviceUpdate = "device" "update";
    DraftsAdd = "drafts" "add";
    DraftsRemove = "drafts" "remove";
    DraftsUpdate = "drafts" "update";
    EventOfALaterLevel = "event_of_a_later_level";
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
    PushDevice = "push_device";
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
    RealmEmojiAdd = "realm_emoji" "add";
    RealmEmojiUpdate = "realm_emoji" "update";
    RealmEmojiUpdateOne = "realm_emoji" "update_one";
    RealmExport = "realm_export";
    RealmExportConsent = "realm_export_consent";
    RealmFilters = "realm_filters";
    RealmLinkifiers = "realm_linkifiers";
    RealmPlaygrounds = "realm_playgrounds";
    RealmUserAdd = "realm_user" "add";
    RealmUserRemove = "realm_user" "remove";
    RealmUserUpdate = "realm_user" "update";
    RealmUserSettingsDefaultsUpdate = "realm_user_settings_defaults" "update";
    RemindersAdd = "reminders" "add";
    RemindersRemove = "reminders" "remove";
    SavedSnippetsAdd = "saved_snippets" "add";
    SavedSnippetsRemove = "saved_snippets" "remove";
    SavedSnippetsUpdate = "saved_snippets" "update";
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
    TypingEditMessageStart = "typing_edit_message" "start";
    TypingEditMessageStop = "typing_edit_message" "stop";
    UpdateDisplaySettings = "update_display_settings";
    UpdateGlobalNotifications = "update_global_notifications";
    UpdateMessage = "update_message";
    UpdateMessageFlagsAdd = "update_message_flags" "add";
    UpdateMessageFlagsRemove = "update_message_flags" "remove";
    UserGroupAdd = "user_group" "add";
    UserGroupAddMembers = "user_group" "add_members";
    UserGroupAddSubgroups = "user_group" "add_subgroups";
    UserGroupRemove = "user_group" "remove";
    UserGroupRemoveMembers = "user_group" "remove_members";
    UserGroupRemoveSubgroups = "user_group" "remove_subgroups";
    UserGroupUpdate = "user_group" "update";
    UserSettingsUpdate = "user_settings" "update";
    UserStatus = "user_status";
    UserTopic = "user_topic";
}
