//! Features of users, bots, groups and invitations (the form of a row: `feature.rs`).

macro_rules! users {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            /// Clients compute the picture of a user whose address they see; below 497, of one whose address everybody
            /// sees.
            AvatarsByEmailVisibility = 497, Documentation;
            /// Lists each user once; below 497, once for each group that makes the user a member.
            DistinctGroupMembers = 497, Between(388, 497),
                on "GET /user_groups/{user_group_id}/members",
                test "members_of_several_groups_were_listed_repeatedly_before_497";
            /// The list of addresses may not be blank; below 497, it could be.
            BlankInviteesRefused = 497, Between(388, 497),
                on "POST /invites", test "blank_texts_were_accepted_before_497";
            /// `avatar_url` is null where a client with `client_gravatar` can compute it; below 497, it was always a
            /// URL.
            NewUsersWithoutAvatarUrl = 497, Between(248, 497),
                on "event realm_user add", test "new_users_always_had_an_avatar_url";
            /// Removes the user's devices too; below 492, only legacy push tokens.
            NewApiKeysRemoveDevices = 492, Documentation,
                on "POST /users/me/api_key/regenerate", test "new_api_keys_kept_devices_before_492";
            /// The first login of imported users and those made through the API moves `date_joined`; below 475, it
            /// stayed.
            FirstLoginSetsDateJoined = 475, ChangeLog,
                on "POST /fetch_api_key, POST /dev_fetch_api_key", test "the_first_login_moved_no_date_before_475";
            /// Changes of accounts are in `realm_user` only; below 474, owners and administrators received changes of a
            /// bot's `api_key`, `avatar_url`, `full_name`, `is_active` and `owner_id` in this event too.
            BotUpdatesWithoutAccountFields = 474, ChangeLog,
                on "event realm_bot update", test "bot_records_had_account_fields_before_474";
            /// Moderators may invite moderators; below 443, only administrators could.
            ModeratorsInviteModerators = 443, Documentation,
                on "POST /invites, POST /invites/multiuse", test "moderators_invited_no_moderators_before_443";
            /// Guests with limited access to users get no placeholders for other users: lists omit them, and requests
            /// for them are refused.
            InaccessibleUsersOmitted = 437, ChangeLog,
                on "GET /users, GET /users/{user_id}, GET /users/{email}", test "guests_got_placeholders_before_437";
            // The level is assumed (A-270 in docs/assumptions.md).
            /// A name may have one character; below 388, it had at least two.
            NamesOfOneCharacter = 388, Between(388, 442),
                on "names of users and bots", test "names_had_two_characters_before_388";
            // The level is assumed (A-270 and A-292 in docs/assumptions.md).
            /// Names are unique regardless of case, and descriptions have at most 1,024 characters; below 388, names
            /// could differ by case only, and descriptions had any length.
            StrictGroupNames = 388, Between(388, 442),
                on "POST /user_groups/create, PATCH /user_groups/{user_group_id}",
                test "names_of_groups_differed_by_case_before_388";
            /// `is_moderator` is true for administrators and owners too.
            IsModeratorIncludesHigherRoles = 380, ChangeLog;
            /// Group permissions decide who may create bots, and others are refused for insufficient permission; below
            /// 344, a policy decided, and others were refused because they were not administrators.
            GroupsDecideOnBotCreation = 344, ChangeLog,
                on "POST /bots", test "policies_decided_where_groups_decide_now";
            /// An unknown ID leads to the picture of users that the caller may not see; below 318, to one of the avatar
            /// service.
            UnknownIdsHavePlaceholder = 318, Source("2024-11-05"),
                on "GET /avatar/{user_id}", test "unknown_ids_led_to_the_avatar_service_before_318";
            /// Any group may hold the permission to create invitation links; below 314, only a system group.
            AnyGroupMayCreateInviteLinks = 314, ChangeLog;
            /// Holders of `can_manage_all_groups` may change every group; below 305, those below moderator could change
            /// only groups that they were in.
            GroupManagersNeedNoMembership = 305, ChangeLog,
                on "user groups", test "group_managers_needed_membership_before_305";
            /// Only active users become members; below 303, deactivated users too.
            OnlyActiveMembers = 303, ChangeLog,
                on "POST /user_groups/create, POST /user_groups/{user_group_id}/members",
                test "deactivated_users_could_be_made_members_before_303",
                /// `members` lists only active users; below 303, deactivated users too.
                on "user group", test "groups_listed_deactivated_members_before_303",
                /// Lists only active users; below 303, deactivated users too.
                on "GET /user_groups/{user_group_id}/members", test "groups_listed_deactivated_members_before_303";
            /// Sent when a user is reactivated, and to guests who do not receive a user's deactivation; below 303,
            /// neither.
            MembershipChangesSent = 303, ChangeLog,
                on "event user_group add_members, remove_members", test "groups_listed_deactivated_members_before_303";
            /// Holders of `can_manage_all_groups` may change groups; below 299, users who may create groups could,
            /// those below moderator only groups of which they were direct members.
            ManageAllGroupsPermission = 299, ChangeLog,
                on "user groups", test "group_creators_changed_groups_that_they_were_in_before_299";
            /// Groups can be deactivated.
            DeactivatedGroups = 290, ChangeLog;
            /// Names may have invisible characters, such as joiners; below 284, no characters of Unicode's category C.
            InvisibleCharactersInNames = 284, Source("2024-09-03"),
                on "POST /users, PATCH /users/{user_id}, PATCH /users/{email}, PATCH /settings, POST /bots, PATCH /bots/{bot_id}",
                test "names_had_no_invisible_characters_before_284";
            /// Groups have managers of their own.
            ManageGroupPermission = 283, ChangeLog;
            /// `user_group` add_members and remove_members come before the messages to those who were added or removed.
            GroupChangesSentBeforeMessages = 261, Source("2024-05-19"),
                on "POST /user_groups/{user_group_id}/members",
                test "messages_came_before_changes_of_groups_before_261";
            /// `invites_changed` is sent even if some of the users can't be invited; below 256, only if all were
            /// invited.
            InvitesChangedAfterRefusals = 256, Source("2024-05-02"),
                on "POST /invites", test "partial_invitations_were_not_announced_before_256";
            /// The request is refused for an active bot; below 248, the bot was reactivated.
            ActiveBotReactivationRefused = 248, Source("2024-04-10"),
                on "POST /users/{user_id}/reactivate", test "active_bots_are_not_reactivated_from_248_on";
            /// Events report deactivation; below 222, users were removed and added.
            DeactivationIsUpdateEvent = 222, ChangeLog;
            /// Also sent to the users who invited; below 209, only to administrators.
            InvitersGetInvitesChanged = 209, ChangeLog,
                on "event invites_changed", test "only_administrators_got_invites_changed_before_209";
            /// The `trigger` of direct messages is `direct_message`; below 201, `private_message`.
            DirectMessageTrigger = 201, ChangeLog,
                on "posts to outgoing webhooks", test "direct_messages_to_bots_were_private_before_201";
            /// `invite_expires_in_days` was added; below 96, the expiry could not be chosen.
            ExpiryInDays = 96, ChangeLog,
                on "POST /invites, POST /invites/multiuse", test "nobody_chose_when_invitations_expire_before_96";
            /// Requires the permission to create users; below 36, the role of administrator.
            CreateUsersPermission = 36, ChangeLog,
                on "POST /users", test "administrators_created_users_before_36";
        }
    };
}
pub(super) use users;
