//! Features of what belongs to a single user: settings, devices and pushes, event queues, commands (the form of a
//! row: `feature.rs`).

macro_rules! personal {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            // "Before", not "below 504": the change was backported.
            /// Where `require_e2ee_push_notifications` is on, legacy tokens get no pushes; before, they got pushes
            /// without the content.
            OnlyEncryptedPushes = 504, ChangeLog,
                on "push notifications", test "legacy_tokens_got_pushes_without_content_before_504";
            /// Every reply has `queue_id`; below 497, only replies to polls that created their queue.
            EveryPollReturnsQueueId = 497, Between(388, 497),
                on "GET /events", test "only_polls_that_created_their_queue_returned_its_id_before_497";
            /// The registration removes the legacy token with the same value; below 483, it stayed.
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
            /// The defaults are 16 and 140; below 274, 14 and 122.
            LargerTextByDefault = 274, Source("2024-07-18"),
                on "user settings: web_font_size_px, web_line_height_percent", test "some_settings_had_other_defaults";
            /// The commands are `/dark` and `/light`; below 266, `/night` and `/day`.
            DarkAndLightCommands = 266, Source("2024-06-30"),
                on "POST /zcommand", test "themes_were_night_and_day_before_266";
        }
    };
}
pub(super) use personal;
