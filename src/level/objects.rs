//! The kinds of object that changes touch, each with all places where it is in replies and events.

/// A kind of object.
#[derive(Debug)]
pub struct Object {
    /// What it is called in the documents.
    pub name: &'static str,
    /// Where it is ([`super::place`] says how a place is written).
    pub places: &'static [&'static str],
}

macro_rules! objects {
    ($($(#[$doc:meta])* $constant:ident = $name:literal [$($place:literal),* $(,)?];)*) => {
        $($(#[$doc])* pub static $constant: Object = Object { name: $name, places: &[$($place),*] };)*

        /// All kinds but [`EVERY_REPLY`].
        pub static ALL: &[&Object] = &[$(&$constant),*];
    };
}

/// Any successful reply.
pub static EVERY_REPLY: Object = Object { name: "every reply", places: &["every reply:"] };

objects! {
    /// Somebody, as others see them.
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
    /// The reply of GET /users/me.
    OWN_USER = "own user" ["GET /users/me:"];
    /// What changed about a user.
    USER_CHANGE = "event realm_user update" ["event realm_user update:"];
    /// The new values in it.
    PERSON = "person in event realm_user update" ["event realm_user update: person"];
    /// What changed about a bot.
    BOT_CHANGE = "event realm_bot update" ["event realm_bot update:"];
    /// The new values in it.
    BOT_NEWS = "bot in event realm_bot update" ["event realm_bot update: bot"];
    /// A bot among the caller's.
    BOT = "bot" ["POST /register: realm_bots[]", "event realm_bot add: bot"];
    /// An integration that bots can be made for.
    INTEGRATION = "incoming webhook option" ["POST /register: realm_incoming_webhook_bots[]"];
    /// An option in an integration's addresses.
    URL_OPTION = "url option" ["POST /register: realm_incoming_webhook_bots[].url_options[]"];
    /// Somebody's status.
    STATUS = "user status" ["GET /users/{user_id}/status: status", "POST /register: user_status[]", "event user_status:"];
    /// The reply of GET /users/{user_id_or_email}/presence.
    PRESENCE_REPLY = "presence reply" ["GET /users/{user_id_or_email}/presence:"];
    /// The presence in it.
    PRESENCE = "presence" ["GET /users/{user_id_or_email}/presence: presence"];
    /// The reply of POST /users/me/presence.
    PRESENCE_UPDATE = "reply of POST /users/me/presence" ["POST /users/me/presence:"];

    /// A channel, subscribed or not.
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
    /// A channel that new users get.
    DEFAULT_CHANNEL = "default channel" [
        "POST /register: realm_default_streams[]",
        "event default_streams: default_streams[]",
        "POST /register: realm_default_stream_groups[].streams[]",
        "event default_stream_groups: default_stream_groups[].streams[]",
    ];
    /// A channel that the caller knows the subscribers of.
    SUBSCRIPTION = "channel with subscribers" [
        "POST /register: subscriptions[]",
        "POST /register: unsubscribed[]",
        "POST /register: never_subscribed[]",
    ];
    /// A channel that the caller is or was subscribed to.
    OWN_SUBSCRIPTION = "subscription" [
        "GET /users/me/subscriptions: subscriptions[]",
        "POST /register: subscriptions[]",
        "POST /register: unsubscribed[]",
        "event subscription add: subscriptions[]",
    ];
    /// An event that tells of the caller's change of a subscription.
    SUBSCRIPTION_UPDATE = "event subscription update" ["event subscription update:"];
    /// The reply of changing subscriptions.
    PROPERTIES_REPLY = "reply of POST /users/me/subscriptions/properties" ["POST /users/me/subscriptions/properties:"];
    /// The reply of an operation that looked at no parameter.
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
    /// Whatever lists a channel's subscribers.
    SUBSCRIBERS = "subscribers" [
        "GET /streams/{stream_id}/members:",
        "GET /users/me/subscriptions: subscriptions[]",
        "POST /register: subscriptions[]",
        "POST /register: unsubscribed[]",
        "POST /register: never_subscribed[]",
        "event subscription add: subscriptions[]",
    ];
    /// An event that tells which channels new users get.
    DEFAULT_CHANNELS = "event default_streams" ["event default_streams:"];
    /// A group of channels among which new users choose.
    DEFAULT_GROUP = "group of default channels" [
        "POST /register: realm_default_stream_groups[]",
        "event default_stream_groups: default_stream_groups[]",
    ];
    /// An event that tells of channels that are gone.
    CHANNEL_DELETE = "event stream delete" ["event stream delete:"];
    /// An event that tells of a channel's change.
    CHANNEL_UPDATE = "event stream update" ["event stream update:"];
    /// An event that tells of others' subscriptions.
    PEERS = "event subscription peer_add, peer_remove" [
        "event subscription peer_add:",
        "event subscription peer_remove:",
    ];
    /// The reply of subscribing.
    SUBSCRIBE_REPLY = "reply of POST and PATCH /users/me/subscriptions" [
        "POST /users/me/subscriptions:",
        "PATCH /users/me/subscriptions:",
    ];
    /// A folder of channels.
    FOLDER = "channel folder" [
        "GET /channel_folders: channel_folders[]",
        "POST /register: channel_folders[]",
        "event channel_folder add: channel_folder",
    ];

    /// A user group.
    GROUP = "user group" [
        "GET /user_groups: user_groups[]",
        "POST /register: realm_user_groups[]",
        "event user_group add: group",
    ];
    /// The reply of making one.
    GROUP_REPLY = "reply of POST /user_groups/create" ["POST /user_groups/create:"];
    /// An event that tells of a group's subgroups.
    SUBGROUPS = "event user_group add_subgroups, remove_subgroups" [
        "event user_group add_subgroups:",
        "event user_group remove_subgroups:",
    ];

    /// A message.
    MESSAGE = "message" [
        "GET /messages: messages[]",
        "GET /messages/{message_id}: message",
        "event message: message",
    ];
    /// What has a user's flags of a message.
    FLAGGED = "flags of a message" [
        "GET /messages: messages[]",
        "GET /messages/{message_id}: message",
        "event message:",
        "event update_message:",
    ];
    /// A message's former state.
    EDIT = "edit history entry" [
        "GET /messages: messages[].edit_history[]",
        "GET /messages/{message_id}: message.edit_history[]",
    ];
    /// A message's former state as its history gives it.
    SNAPSHOT = "message history entry" ["GET /messages/{message_id}/history: message_history[]"];
    /// A reaction.
    REACTION = "reaction" [
        "GET /messages: messages[].reactions[]",
        "GET /messages/{message_id}: message.reactions[]",
        "event message: message.reactions[]",
    ];
    /// What a widget is made of.
    SUBMESSAGE = "submessage" [
        "GET /messages: messages[].submessages[]",
        "GET /messages/{message_id}: message.submessages[]",
        "event message: message.submessages[]",
    ];
    /// An event that tells of a reaction.
    REACTION_EVENT = "event reaction" ["event reaction:"];
    /// The reply of sending.
    SEND_REPLY = "reply of POST /messages" ["POST /messages:"];
    /// The reply of editing.
    EDIT_REPLY = "reply of PATCH /messages/{message_id}" ["PATCH /messages/{message_id}:"];
    /// The reply of getting one message.
    MESSAGE_REPLY = "reply of GET /messages/{message_id}" ["GET /messages/{message_id}:"];
    /// The replies of flagging.
    FLAG_REPLY = "reply of POST /messages/flags and /messages/flags/narrow" [
        "POST /messages/flags:",
        "POST /messages/flags/narrow:",
    ];
    /// The replies of operations that may take long.
    MARK_REPLY = "reply of POST /mark_all_as_read and /streams/{stream_id}/delete_topic" [
        "POST /mark_all_as_read:",
        "POST /streams/{stream_id}/delete_topic:",
    ];
    /// An event that tells of an edited message.
    MESSAGE_UPDATE = "event update_message" ["event update_message:"];
    /// An event that tells of flags.
    FLAGS_UPDATE = "event update_message_flags" ["event update_message_flags:"];
    /// An event that tells of typing.
    TYPING = "event typing" ["event typing:"];
    /// A message to be sent later.
    SCHEDULED = "scheduled message" [
        "GET /scheduled_messages: scheduled_messages[]",
        "POST /register: scheduled_messages[]",
        "event scheduled_messages add: scheduled_messages[]",
        "event scheduled_messages update: scheduled_message",
    ];
    /// An event that tells of messages that are gone.
    DELETE_EVENT = "event delete_message" ["event delete_message:"];
    /// Where messages lie that are unread again.
    MESSAGE_DETAILS = "message details" ["event update_message_flags: message_details[]"];
    /// A topic in its channel's list.
    TOPIC = "topic" ["GET /users/me/{stream_id}/topics: topics[]"];
    /// A user's policy for a topic.
    USER_TOPIC = "user topic" ["POST /register: user_topics[]"];
    /// An event that tells of it.
    USER_TOPIC_EVENT = "event user_topic" ["event user_topic:"];
    /// Whatever has the older list of muted topics.
    MUTED_TOPICS = "muted topics" ["POST /register:", "event muted_topics:"];
    /// A topic in the unread messages.
    UNREAD_TOPIC = "unread messages of a topic" ["POST /register: unread_msgs.streams[]"];
    /// A conversation of two in the unread messages.
    UNREAD_DIRECT = "unread direct messages" ["POST /register: unread_msgs.pms[]"];
    /// The unread messages.
    UNREAD = "unread messages" ["POST /register: unread_msgs"];

    /// An uploaded file.
    ATTACHMENT = "attachment" [
        "PATCH /messages/{message_id}: detached_uploads[]",
        "GET /attachments: attachments[]",
        "event attachment add: attachment",
        "event attachment update: attachment",
    ];
    /// A message that links an uploaded file.
    ATTACHMENT_MESSAGE = "message of an attachment" [
        "GET /attachments: attachments[].messages[]",
        "event attachment add: attachment.messages[]",
        "event attachment update: attachment.messages[]",
    ];
    /// The reply of uploading.
    UPLOAD_REPLY = "reply of POST /user_uploads" ["POST /user_uploads:"];

    /// A linkifier.
    LINKIFIER = "linkifier" [
        "GET /realm/linkifiers: linkifiers[]",
        "POST /register: realm_linkifiers[]",
        "event realm_linkifiers: realm_linkifiers[]",
    ];
    /// An event that tells of linkifiers in the older form.
    FILTERS = "event realm_filters" ["event realm_filters:"];
    /// A custom emoji.
    EMOJI = "custom emoji" [
        "GET /realm/emoji: emoji[]",
        "POST /register: realm_emoji[]",
        "event realm_emoji update: realm_emoji[]",
    ];
    /// A custom profile field.
    PROFILE_FIELD = "custom profile field" [
        "GET /realm/profile_fields: custom_fields[]",
        "POST /register: custom_profile_fields[]",
        "event custom_profile_fields: fields[]",
    ];
    /// The event about the fields.
    PROFILE_FIELDS_EVENT = "event custom_profile_fields" ["event custom_profile_fields:"];
    /// A notice that is shown once.
    NOTICE = "one-time notice" ["POST /register: onboarding_steps[]", "POST /register: hotspots[]"];
    /// What lists them.
    ONBOARDING = "register reply, event onboarding_steps" ["POST /register:", "event onboarding_steps:"];
    /// The reply that lists invitations.
    INVITES_REPLY = "reply of GET /invites" ["GET /invites:"];
    /// The reply of sending an invitation again.
    RESEND_REPLY = "reply of POST /invites/{invite_id}/resend" ["POST /invites/{invite_id}/resend:"];
    /// An invitation.
    INVITE = "invitation" ["GET /invites: invites[]"];

    /// An export of the organization's data.
    EXPORT = "export" ["GET /export/realm: exports[]", "event realm_export: exports[]"];
    /// What lists them.
    EXPORTS = "reply of GET /export/realm, event realm_export" ["GET /export/realm:", "event realm_export:"];
    /// Whether somebody consents to them.
    EXPORT_CONSENT = "export consent" ["GET /export/realm/consents: export_consents[]"];
    /// The reply of beginning one.
    EXPORT_REPLY = "reply of POST /export/realm" ["POST /export/realm:"];

    /// The caller's settings, and those of new users.
    SETTINGS = "user settings" ["POST /register: user_settings", "POST /register: realm_user_settings_defaults"];
    /// An event that tells of one.
    SETTING_UPDATE = "event user_settings update, realm_user_settings_defaults update" [
        "event user_settings update:",
        "event update_display_settings:",
        "event update_global_notifications:",
        "event realm_user_settings_defaults update:",
    ];
    /// The reply of changing settings.
    SETTINGS_REPLY = "reply of PATCH /settings" [
        "PATCH /settings:",
        "PATCH /settings/display:",
        "PATCH /settings/notifications:",
    ];
    /// The reply that gives an API key.
    API_KEY_REPLY = "reply of POST /fetch_api_key and /dev_fetch_api_key" [
        "POST /fetch_api_key:",
        "POST /dev_fetch_api_key:",
    ];
    /// An event that tells how far a device's registration is.
    PUSH_DEVICE = "event push_device" ["event push_device:"];
    /// What anybody may know of the server.
    SERVER_SETTINGS = "server settings" ["GET /server_settings:"];
    /// The ways to log in among them.
    LOGIN_METHODS = "authentication methods" ["GET /server_settings: authentication_methods"];
    /// The register reply.
    REGISTER = "register reply" ["POST /register:"];
    /// What tells of the organization's plain settings.
    ORGANIZATION_NEWS = "event realm update, data in event realm update_dict, reply of PATCH /realm" [
        "event realm update:",
        "event realm update_dict: data",
        "PATCH /realm:",
    ];
    /// The reply of changing them.
    ORGANIZATION_REPLY = "reply of PATCH /realm" ["PATCH /realm:"];
    /// An event that tells of one.
    ORGANIZATION_PLAIN = "event realm update" ["event realm update:"];
    /// An event that tells of several at once.
    ORGANIZATION_UPDATE = "event realm update_dict" ["event realm update_dict:"];
    /// What tells of the rest of them.
    ORGANIZATION_DATA = "data in event realm update_dict" ["event realm update_dict: data"];
    /// A code playground.
    PLAYGROUND = "code playground" [
        "POST /register: realm_playgrounds[]",
        "event realm_playgrounds: realm_playgrounds[]",
    ];
    /// The organization's permissions, as the server describes them.
    REALM_PERMISSIONS = "supported permission settings of the organization" [
        "POST /register: server_supported_permission_settings.realm",
    ];
    /// Channels' permissions, as the server describes them.
    CHANNEL_PERMISSIONS = "supported permission settings of channels" [
        "POST /register: server_supported_permission_settings.stream",
    ];
    /// Groups' permissions, as the server describes them.
    GROUP_PERMISSIONS = "supported permission settings of user groups" [
        "POST /register: server_supported_permission_settings.group",
    ];
    /// What the server says of a permission that can be set.
    PERMISSION = "supported permission setting" ["POST /register: server_supported_permission_settings[][]"];
    /// The replies of making users and bots.
    NEW_USER_REPLY = "reply of POST /users and /bots" ["POST /users:", "POST /bots:"];
}
