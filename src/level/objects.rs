//! The kinds of objects that changes of levels refer to, each with all its places in replies and events.
//!
//! A constant that ends in `_REPLY` is for whole replies, one that ends in `_EVENT` or `_EVENTS` for whole events. Some
//! others are for whole replies too, such as `OWN_USER`.

/// A kind of object that changes of levels affect as a whole, wherever it occurs.
#[derive(Debug, PartialEq, Eq)]
pub struct ObjectKind {
    /// The name in the generated table of levels.
    pub name: &'static str,
    /// The places of such objects, in the notation of [`super::place`].
    pub places: &'static [&'static str],
}

macro_rules! objects {
    ($($constant:ident = $name:literal [$($place:literal),* $(,)?];)*) => {
        $(pub static $constant: ObjectKind = ObjectKind { name: $name, places: &[$($place),*] };)*

        /// All kinds but [`EVERY_REPLY`].
        pub static ALL: &[&ObjectKind] = &[$(&$constant),*];
    };
}

pub static EVERY_REPLY: ObjectKind = ObjectKind { name: "every reply", places: &["every reply:"] };

objects! {
    USER = "user" [
        "GET /users: members[]",
        "GET /users/{user_id}: user",
        "GET /users/{email}: user",
        "GET /users/me:",
        "POST /jwt/fetch_api_key: user",
        "POST /register: realm_users[]",
        "POST /register: realm_non_active_users[]",
        "POST /register: cross_realm_bots[]",
        "event realm_user add: person",
    ];
    OWN_USER = "own user" ["GET /users/me:"];
    USER_UPDATE_EVENT = "event realm_user update" ["event realm_user update:"];
    USER_UPDATE_VALUES = "person in event realm_user update" ["event realm_user update: person"];
    BOT_UPDATE_EVENT = "event realm_bot update" ["event realm_bot update:"];
    BOT_UPDATE_VALUES = "bot in event realm_bot update" ["event realm_bot update: bot"];
    BOT = "bot" ["POST /register: realm_bots[]", "event realm_bot add: bot"];
    INCOMING_WEBHOOK_OPTION = "incoming webhook option" ["POST /register: realm_incoming_webhook_bots[]"];
    URL_OPTION = "url option" ["POST /register: realm_incoming_webhook_bots[].url_options[]"];
    STATUS = "user status" ["GET /users/{user_id}/status: status", "POST /register: user_status[]", "event user_status:"];
    PRESENCE_REPLY = "presence reply" ["GET /users/{user_id_or_email}/presence:"];
    PRESENCE = "presence" ["GET /users/{user_id_or_email}/presence: presence"];
    PRESENCE_UPDATE_REPLY = "reply of POST /users/me/presence" ["POST /users/me/presence:"];

    CHANNEL = "channel" [
        "GET /streams: streams[]",
        "GET /streams/{stream_id}: stream",
        "GET /users/me/subscriptions: subscriptions[]",
        "POST /register: streams[]",
        "POST /register: subscriptions[]",
        "POST /register: unsubscribed[]",
        "POST /register: never_subscribed[]",
        "POST /register: realm_default_streams[]",
        "event default_streams: default_streams[]",
        "POST /register: realm_default_stream_groups[].streams[]",
        "event default_stream_groups: default_stream_groups[].streams[]",
        "event stream create: streams[]",
        "event stream delete: streams[]",
        "event subscription add: subscriptions[]",
    ];
    CHANNEL_WITH_SUBSCRIBERS = "channel with subscribers" [
        "POST /register: subscriptions[]",
        "POST /register: unsubscribed[]",
        "POST /register: never_subscribed[]",
    ];
    SUBSCRIPTION = "subscription" [
        "GET /users/me/subscriptions: subscriptions[]",
        "POST /register: subscriptions[]",
        "POST /register: unsubscribed[]",
        "event subscription add: subscriptions[]",
    ];
    SUBSCRIPTION_UPDATE_EVENT = "event subscription update" ["event subscription update:"];
    PROPERTIES_REPLY = "reply of POST /users/me/subscriptions/properties" ["POST /users/me/subscriptions/properties:"];
    PARAMETERLESS_REPLY = "reply of operations without parameters" [
        "GET /realm/domains:",
        "GET /realm/emoji:",
        "DELETE /realm/emoji/{emoji_name}:",
        "POST /realm/icon:",
        "DELETE /realm/icon:",
        "GET /realm/linkifiers:",
        "DELETE /realm/filters/{filter_id}:",
        "GET /realm/profile_fields:",
        "DELETE /realm/profile_fields/{field_id}:",
        "GET /users/me:",
        "DELETE /users/me:",
        "POST /users/{user_id}/reactivate:",
        "GET /bots:",
        "DELETE /bots/{bot_id}:",
        "GET /invites:",
        "GET /drafts:",
        "DELETE /drafts/{draft_id}:",
        "GET /attachments:",
        "DELETE /attachments/{attachment_id}:",
        "POST /user_uploads:",
        "GET /user_uploads/{realm_id_str}/{*filename}:",
        "GET /users/{user_id_or_email}/presence:",
        "GET /realm/presence:",
        "POST /users/me/avatar:",
        "DELETE /users/me/avatar:",
        "GET /users/me/alert_words:",
        "DELETE /streams/{stream_id}:",
        "POST /users/me/muted_users/{muted_user_id}:",
        "DELETE /users/me/muted_users/{muted_user_id}:",
        "POST /export/realm:",
        "GET /export/realm:",
        "DELETE /export/realm/{export_id}:",
    ];
    SUBSCRIBERS = "subscribers" [
        "GET /streams/{stream_id}/members:",
        "GET /users/me/subscriptions: subscriptions[]",
        "POST /register: subscriptions[]",
        "POST /register: unsubscribed[]",
        "POST /register: never_subscribed[]",
        "event subscription add: subscriptions[]",
    ];
    DEFAULT_CHANNELS_EVENT = "event default_streams" ["event default_streams:"];
    DEFAULT_CHANNEL_GROUP = "group of default channels" [
        "POST /register: realm_default_stream_groups[]",
        "event default_stream_groups: default_stream_groups[]",
    ];
    CHANNEL_DELETE_EVENT = "event stream delete" ["event stream delete:"];
    CHANNEL_UPDATE_EVENT = "event stream update" ["event stream update:"];
    PEER_EVENTS = "event subscription peer_add, peer_remove" [
        "event subscription peer_add:",
        "event subscription peer_remove:",
    ];
    SUBSCRIBE_REPLY = "reply of POST and PATCH /users/me/subscriptions" [
        "POST /users/me/subscriptions:",
        "PATCH /users/me/subscriptions:",
    ];
    FOLDER = "channel folder" [
        "GET /channel_folders: channel_folders[]",
        "POST /register: channel_folders[]",
        "event channel_folder add: channel_folder",
    ];

    GROUP = "user group" [
        "GET /user_groups: user_groups[]",
        "POST /register: realm_user_groups[]",
        "event user_group add: group",
    ];
    GROUP_REPLY = "reply of POST /user_groups/create" ["POST /user_groups/create:"];
    SUBGROUP_EVENTS = "event user_group add_subgroups, remove_subgroups" [
        "event user_group add_subgroups:",
        "event user_group remove_subgroups:",
    ];

    MESSAGE = "message" [
        "GET /messages: messages[]",
        "GET /messages/{message_id}: message",
        "event message: message",
    ];
    MESSAGE_FLAGS = "flags of a message" [
        "GET /messages: messages[]",
        "GET /messages/{message_id}: message",
        "event message:",
        "event update_message:",
    ];
    EDIT_HISTORY_ENTRY = "edit history entry" [
        "GET /messages: messages[].edit_history[]",
        "GET /messages/{message_id}: message.edit_history[]",
    ];
    MESSAGE_HISTORY_ENTRY = "message history entry" ["GET /messages/{message_id}/history: message_history[]"];
    REACTION = "reaction" [
        "GET /messages: messages[].reactions[]",
        "GET /messages/{message_id}: message.reactions[]",
        "event message: message.reactions[]",
    ];
    SUBMESSAGE = "submessage" [
        "GET /messages: messages[].submessages[]",
        "GET /messages/{message_id}: message.submessages[]",
        "event message: message.submessages[]",
    ];
    REACTION_EVENT = "event reaction" ["event reaction:"];
    SEND_REPLY = "reply of POST /messages" ["POST /messages:"];
    EDIT_REPLY = "reply of PATCH /messages/{message_id}" ["PATCH /messages/{message_id}:"];
    MESSAGE_REPLY = "reply of GET /messages/{message_id}" ["GET /messages/{message_id}:"];
    FLAG_REPLY = "reply of POST /messages/flags and /messages/flags/narrow" [
        "POST /messages/flags:",
        "POST /messages/flags/narrow:",
    ];
    BATCHED_OPERATION_REPLY = "reply of POST /mark_all_as_read and /streams/{stream_id}/delete_topic" [
        "POST /mark_all_as_read:",
        "POST /streams/{stream_id}/delete_topic:",
    ];
    MESSAGE_UPDATE_EVENT = "event update_message" ["event update_message:"];
    FLAGS_UPDATE_EVENT = "event update_message_flags" ["event update_message_flags:"];
    TYPING_EVENT = "event typing" ["event typing:"];
    SCHEDULED_MESSAGE = "scheduled message" [
        "GET /scheduled_messages: scheduled_messages[]",
        "POST /register: scheduled_messages[]",
        "event scheduled_messages add: scheduled_messages[]",
        "event scheduled_messages update: scheduled_message",
    ];
    MESSAGE_DELETE_EVENT = "event delete_message" ["event delete_message:"];
    MESSAGE_DETAILS = "message details" ["event update_message_flags: message_details[]"];
    TOPIC = "topic" ["GET /users/me/{stream_id}/topics: topics[]"];
    USER_TOPIC = "user topic" ["POST /register: user_topics[]"];
    USER_TOPIC_EVENT = "event user_topic" ["event user_topic:"];
    MUTED_TOPICS = "muted topics" ["POST /register:", "event muted_topics:"];
    UNREAD_TOPIC = "unread messages of a topic" ["POST /register: unread_msgs.streams[]"];
    UNREAD_DIRECT_MESSAGES = "unread direct messages" ["POST /register: unread_msgs.pms[]"];
    UNREAD_MESSAGES = "unread messages" ["POST /register: unread_msgs"];

    ATTACHMENT = "attachment" [
        "PATCH /messages/{message_id}: detached_uploads[]",
        "GET /attachments: attachments[]",
        "event attachment add: attachment",
        "event attachment update: attachment",
    ];
    ATTACHMENT_MESSAGE = "message of an attachment" [
        "GET /attachments: attachments[].messages[]",
        "event attachment add: attachment.messages[]",
        "event attachment update: attachment.messages[]",
    ];
    UPLOAD_REPLY = "reply of POST /user_uploads" ["POST /user_uploads:"];

    LINKIFIER = "linkifier" [
        "GET /realm/linkifiers: linkifiers[]",
        "POST /register: realm_linkifiers[]",
        "event realm_linkifiers: realm_linkifiers[]",
    ];
    REALM_FILTERS_EVENT = "event realm_filters" ["event realm_filters:"];
    EMOJI = "custom emoji" [
        "GET /realm/emoji: emoji[]",
        "POST /register: realm_emoji[]",
        "event realm_emoji update: realm_emoji[]",
    ];
    PROFILE_FIELD = "custom profile field" [
        "GET /realm/profile_fields: custom_fields[]",
        "POST /register: custom_profile_fields[]",
        "event custom_profile_fields: fields[]",
    ];
    PROFILE_FIELDS_EVENT = "event custom_profile_fields" ["event custom_profile_fields:"];
    ONE_TIME_NOTICE = "one-time notice" ["POST /register: onboarding_steps[]", "POST /register: hotspots[]"];
    ONBOARDING = "register reply, event onboarding_steps" ["POST /register:", "event onboarding_steps:"];
    INVITES_REPLY = "reply of GET /invites" ["GET /invites:"];
    RESEND_REPLY = "reply of POST /invites/{invite_id}/resend" ["POST /invites/{invite_id}/resend:"];
    INVITE = "invitation" ["GET /invites: invites[]"];

    EXPORT = "export" ["GET /export/realm: exports[]", "event realm_export: exports[]"];
    EXPORT_LIST = "reply of GET /export/realm, event realm_export" ["GET /export/realm:", "event realm_export:"];
    EXPORT_CONSENT = "export consent" ["GET /export/realm/consents: export_consents[]"];
    EXPORT_REPLY = "reply of POST /export/realm" ["POST /export/realm:"];

    SETTINGS = "user settings" ["POST /register: user_settings", "POST /register: realm_user_settings_defaults"];
    SETTING_UPDATE_EVENT = "event user_settings update, realm_user_settings_defaults update" [
        "event user_settings update:",
        "event update_display_settings:",
        "event update_global_notifications:",
        "event realm_user_settings_defaults update:",
    ];
    SETTINGS_REPLY = "reply of PATCH /settings" [
        "PATCH /settings:",
        "PATCH /settings/display:",
        "PATCH /settings/notifications:",
    ];
    API_KEY_REPLY = "reply of POST /fetch_api_key and /dev_fetch_api_key" [
        "POST /fetch_api_key:",
        "POST /dev_fetch_api_key:",
    ];
    PUSH_DEVICE_EVENT = "event push_device" ["event push_device:"];
    SERVER_SETTINGS = "server settings" ["GET /server_settings:"];
    LOGIN_METHODS = "authentication methods" ["GET /server_settings: authentication_methods"];
    REGISTER_REPLY = "register reply" ["POST /register:"];
    ORGANIZATION_CHANGES = "event realm update, data in event realm update_dict, reply of PATCH /realm" [
        "event realm update:",
        "event realm update_dict: data",
        "PATCH /realm:",
    ];
    ORGANIZATION_REPLY = "reply of PATCH /realm" ["PATCH /realm:"];
    ORGANIZATION_SETTING_UPDATE_EVENT = "event realm update" ["event realm update:"];
    ORGANIZATION_DICT_UPDATE_EVENT = "event realm update_dict" ["event realm update_dict:"];
    ORGANIZATION_DATA = "data in event realm update_dict" ["event realm update_dict: data"];
    PLAYGROUND = "code playground" [
        "POST /register: realm_playgrounds[]",
        "event realm_playgrounds: realm_playgrounds[]",
    ];
    REALM_PERMISSIONS = "supported permission settings of the organization" [
        "POST /register: server_supported_permission_settings.realm",
    ];
    CHANNEL_PERMISSIONS = "supported permission settings of channels" [
        "POST /register: server_supported_permission_settings.stream",
    ];
    GROUP_PERMISSIONS = "supported permission settings of user groups" [
        "POST /register: server_supported_permission_settings.group",
    ];
    PERMISSION = "supported permission setting" ["POST /register: server_supported_permission_settings[][]"];
    NEW_USER_REPLY = "reply of POST /users and /bots" ["POST /users:", "POST /bots:"];
}
