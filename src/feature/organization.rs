//! Features of the organization: settings, permissions, exports, linkifiers, devices and pushes, queues.

macro_rules! organization {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            /// Refuses exports of a prior server as if they were deleted; before, they could be deleted.
            ExportsOfPriorServers = 506, ChangeLog,
                on "DELETE /export/realm/{export_id}", test "exports_of_prior_servers_were_like_others_before_506";
            /// Where `require_e2ee_push_notifications` is on, legacy tokens get none; before, they got them without the
            /// content.
            OnlyEncryptedPushes = 504, ChangeLog,
                on "push notifications", test "legacy_tokens_got_pushes_without_content_before_504";
            /// An unknown group that alone holds a permission, in a list, is refused by its number.
            ErrorNamesUnknownSubgroup = 497, Between(388, 497);
            /// Every reply has `queue_id`; before, only replies to polls that created their queue.
            QueueIdSent = 497, Between(388, 497),
                on "GET /events", test "polls_named_their_queue_where_they_made_it_before_497";
            /// Removes the same legacy token; before, it stayed.
            RegistrationRemovesLegacyToken = 483, ChangeLog,
                on "POST /mobile_push/register", test "older_tokens_stayed_before_483";
            /// The server assigns device IDs; before, the client chose them, all parameters were required, and a
            /// registered device stayed as it was.
            DevicesNumberedByServer = 468, ChangeLog,
                on "POST /mobile_push/register", test "clients_chose_the_numbers_of_devices_before_468",
                /// No longer sent; before, it reported the progress of a device's registration.
                on "event push_device", test "clients_chose_the_numbers_of_devices_before_468";
            /// Encrypted ones name their key, `push_key_id`; before, the device, `push_account_id`.
            PushesNameKeys = 468, ChangeLog,
                on "push notifications", test "pushes_listed_recipients_and_named_devices_otherwise";
            /// `update_display_settings` and `update_global_notifications` are no longer sent; before, clients without
            /// `user_settings_object` got them as well as `user_settings`, and the register reply had the settings at
            /// its top level.
            OnlyNewSettingsEvents = 439, ChangeLog,
                on "POST /register and events", test "legacy_settings_events_were_sent_before_439";
            /// Keys for pushes have a form.
            PushKeysValidated = 432, ChangeLog;
            /// Those for direct messages have `recipient_user_ids`; before, those for group direct messages had
            /// `pm_users`, a text.
            PushesListRecipients = 429, Documentation,
                on "push notifications", test "pushes_listed_recipients_and_named_devices_otherwise";
            /// A name that is taken `is already in use`; before, the words had no verb.
            NamesAreInUse = 361, Source("2025-03-04"),
                on "GET /realm/subdomain/{subdomain}", test "subdomains_are_in_use_with_a_verb_from_361_on";
            /// `message_edit_history_visibility_policy` is a number, and returned even if it is as before; before, only
            /// a change was returned.
            HistoryPolicyNumbered = 358, ChangeLog,
                on "reply of PATCH /realm", test "the_policy_on_histories_is_returned_as_a_number_from_358_on";
            /// May be held by `role:owners`; before, only the permission to create web-public channels.
            OwnersHoldAny = 326, ChangeLog,
                on "permissions of the organization, channels and groups",
                test "owners_alone_held_no_permission_but_one_before_326";
            /// Sent to all administrators; before, to who asked for the export or deleted it.
            ExportsSentToAdministrators = 295, Source("2024-09-23"),
                on "event realm_export", test "all_administrators_learn_of_exports_from_295_on";
            /// Uploads can be resumed.
            ResumableUploads = 295, ChangeLog;
            /// By default 16 and 140; before, 14 and 122.
            LargerTextByDefault = 274, Source("2024-07-18"),
                on "user settings: web_font_size_px, web_line_height_percent", test "some_settings_had_other_defaults";
            /// A picture is refused if its `Content-Type` is no picture's.
            PictureContentTypeRequired = 270, Source("2024-07-11"),
                on "POST /realm/emoji/{emoji_name}, POST /realm/icon, POST /realm/logo",
                test "emoji_are_named_as_pictures_from_270_on";
            /// `/dark` and `/light`; before, `/night` and `/day`.
            DarkAndLight = 266, Source("2024-06-30"),
                on "POST /zcommand", test "themes_were_night_and_day_before_266";
            /// Linkifiers are templates, and events about them are for clients that know these.
            LinkifierTemplates = 176, ChangeLog;
            /// Only for owners; before, for administrators.
            OwnersDecideOnSignUp = 143, ChangeLog,
                on "PATCH /realm: settings of sign-up, `waiting_period_threshold`",
                test "administrators_decided_on_sign_up_before_143";
        }
    };
}
pub(super) use organization;
