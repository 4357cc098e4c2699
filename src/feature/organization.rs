//! Features of the organization: settings, permissions, exports, linkifiers, uploads and pictures, devices and pushes,
//! queues, and commands.

macro_rules! organization {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            /// Exports of a prior server are refused as if they were deleted; before, they could be deleted.
            PriorServerExportsUndeletable = 506, ChangeLog,
                on "DELETE /export/realm/{export_id}", test "exports_of_prior_servers_were_like_others_before_506";
            /// Where `require_e2ee_push_notifications` is on, legacy tokens get no pushes; before, they got pushes
            /// without the content.
            OnlyEncryptedPushes = 504, ChangeLog,
                on "push notifications", test "legacy_tokens_got_pushes_without_content_before_504";
            /// If an unknown group is the only holder in the list of groups of a permission, the error names its ID.
            ErrorNamesUnknownSubgroup = 497, Between(388, 497);
            /// Every reply has `queue_id`; below 497, only replies to polls that created their queue.
            EveryPollReturnsQueueId = 497, Between(388, 497),
                on "GET /events", test "only_polls_that_created_their_queue_returned_its_id_before_497";
            /// The registration removes the legacy token that is the same; below 483, it stayed.
            RegistrationRemovesLegacyToken = 483, ChangeLog,
                on "POST /mobile_push/register", test "legacy_tokens_stayed_after_registration_before_483";
            /// The server assigns device IDs; below 468, the client chose them, all parameters were required, and a
            /// registered device stayed as it was.
            ServerAssignsDeviceIds = 468, ChangeLog,
                on "POST /mobile_push/register", test "clients_chose_device_ids_before_468",
                /// No longer sent; below 468, it reported the progress of a device's registration.
                on "event push_device", test "clients_chose_device_ids_before_468";
            /// Encrypted pushes name their key, `push_key_id`; below 468, the device, `push_account_id`.
            PushesNameKeys = 468, ChangeLog,
                on "push notifications", test "pushes_listed_recipients_and_named_devices_otherwise";
            /// `update_display_settings` and `update_global_notifications` are no longer sent; below 439, clients
            /// without `user_settings_object` got them as well as `user_settings`, and the register reply had the
            /// settings at its top level.
            OnlyNewSettingsEvents = 439, ChangeLog,
                on "POST /register and events", test "legacy_settings_events_were_sent_before_439";
            /// Keys for pushes must have the expected format.
            PushKeysValidated = 432, ChangeLog;
            /// Pushes about direct messages have `recipient_user_ids`; below 429, those about group direct messages had
            /// `pm_users`, a text.
            PushesListRecipients = 429, Documentation,
                on "push notifications", test "pushes_listed_recipients_and_named_devices_otherwise";
            /// A name that is taken `is already in use`; below 361, the message had no verb.
            TakenNameMessageHasVerb = 361, Source("2025-03-04"),
                on "GET /realm/subdomain/{subdomain}", test "taken_subdomains_were_reported_without_a_verb_before_361";
            /// `message_edit_history_visibility_policy` is returned as a number, even if it is unchanged; below 358,
            /// only a change was returned.
            HistoryPolicyNumbered = 358, ChangeLog,
                on "reply of PATCH /realm", test "the_edit_history_policy_is_returned_as_a_number_from_358_on";
            /// `role:owners` may hold any permission; below 326, only the permission to create web-public channels.
            OwnersHoldAnyPermission = 326, ChangeLog,
                on "permissions of the organization, channels and groups",
                test "the_owners_group_held_only_one_permission_before_326";
            /// Sent to all administrators; below 295, to the administrator who requested or deleted the export.
            ExportsSentToAdministrators = 295, Source("2024-09-23"),
                on "event realm_export", test "all_administrators_learn_of_exports_from_295_on";
            /// Uploads can be resumed.
            ResumableUploads = 295, ChangeLog;
            /// The defaults are 16 and 140; below 274, 14 and 122.
            LargerTextByDefault = 274, Source("2024-07-18"),
                on "user settings: web_font_size_px, web_line_height_percent", test "some_settings_had_other_defaults";
            /// A picture is refused if its `Content-Type` is not that of a picture.
            PictureContentTypeRequired = 270, Source("2024-07-11"),
                on "POST /realm/emoji/{emoji_name}, POST /realm/icon, POST /realm/logo",
                test "emoji_are_named_as_pictures_from_270_on";
            /// The commands are `/dark` and `/light`; below 266, `/night` and `/day`.
            DarkAndLightCommands = 266, Source("2024-06-30"),
                on "POST /zcommand", test "themes_were_night_and_day_before_266";
            /// Linkifiers have URL templates, and events about them are for clients that know these.
            LinkifierTemplates = 176, ChangeLog;
            /// Open to owners only; below 143, to administrators.
            OwnersChangeSignUpSettings = 143, ChangeLog,
                on "PATCH /realm: settings of sign-up, `waiting_period_threshold`",
                test "administrators_changed_sign_up_settings_before_143";
        }
    };
}
pub(super) use organization;
