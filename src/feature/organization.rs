//! Features of the organization: settings, permissions, exports, linkifiers, uploads and pictures.

macro_rules! organization {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            // "Before", not "below 506": the change was backported.
            /// Exports of a prior server are refused as if they were deleted; before, they could be deleted.
            PriorServerExportsUndeletable = 506, ChangeLog,
                on "DELETE /export/realm/{export_id}", test "exports_of_prior_servers_were_like_others_before_506";
            /// If the list of groups that hold a permission has only an unknown group, the error names its ID.
            ErrorNamesUnknownSubgroup = 497, Between(388, 497);
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
            /// A picture is refused if its `Content-Type` is not that of a picture.
            PictureContentTypeRequired = 270, Source("2024-07-11"),
                on "POST /realm/emoji/{emoji_name}, POST /realm/icon, POST /realm/logo",
                test "emoji_are_named_as_pictures_from_270_on";
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
