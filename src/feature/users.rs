//! Features of users, bots, groups and invitations.

macro_rules! users {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            /// Clients compute the picture of a user whose address they see; before, of one whose address everybody
            /// sees.
            AvatarsByEmailVisibility = 497, Documentation;
            /// Lists each user once; before, once for each group that makes them a member.
            DistinctGroupMembers = 497, Between(388, 497),
                on "GET /user_groups/{user_group_id}/members",
                test "who_was_in_several_groups_was_listed_several_times_before_497";
            /// The list of addresses may not be blank; before, it could be.
            BlankInviteesRefused = 497, Between(388, 497),
                on "POST /invites", test "blank_texts_were_taken_before_497";
            /// `avatar_url` is null where a client with `client_gravatar` can compute it; before, it was always a URL.
            NewUsersWithoutPictures = 497, Between(248, 497),
                on "event realm_user add", test "new_users_came_with_their_pictures";
            /// Removes the user's devices too; before, only legacy push tokens.
            NewKeysEndDevices = 492, Documentation,
                on "POST /users/me/api_key/regenerate", test "devices_outlived_their_keys_before_492";
            /// The first login of imported users and those made through the API moves `date_joined`; before, it stayed.
            FirstLoginSetsDateJoined = 475, ChangeLog,
                on "POST /fetch_api_key, POST /dev_fetch_api_key", test "the_first_login_moved_no_date_before_475";
            /// Changes of accounts are in `realm_user` only; before, owners and administrators received changes of a
            /// bot's `api_key`, `avatar_url`, `full_name`, `is_active` and `owner_id` here too.
            BotsWithoutUserFields = 474, ChangeLog,
                on "event realm_bot update", test "lists_of_bots_had_their_accounts_before_474";
            /// Moderators may invite moderators; before, only administrators could.
            ModeratorsInviteModerators = 443, Documentation,
                on "POST /invites, POST /invites/multiuse", test "moderators_invited_no_moderators_before_443";
            /// Guests with limited access to users get no placeholders for other users, which are left out or refused.
            NoPlaceholders = 437, ChangeLog,
                on "GET /users, GET /users/{user_id}, GET /users/{email}", test "guests_got_placeholders_before_437";
            /// A name may have one character; before, two at least.
            NamesOfOneCharacter = 388, Between(388, 442),
                on "names of users and bots", test "names_had_two_characters_before_388";
            // The level is assumed (A-292 in docs/assumptions.md).
            /// Names are unique regardless of case, and descriptions have at most 1,024 characters; before, names could
            /// differ by case only, and descriptions had any length.
            StrictGroups = 388, Between(388, 442),
                on "POST /user_groups/create, PATCH /user_groups/{user_group_id}",
                test "names_of_groups_differed_by_case_before_388";
            /// `is_moderator` is true for administrators and owners, too.
            ModeratorsAndAbove = 380, ChangeLog;
            /// Group permissions decide who may create bots, and other users have insufficient permission; before, a
            /// policy decided, and other users had to be administrators.
            BotsByGroups = 344, ChangeLog,
                on "POST /bots", test "policies_allowed_what_permissions_allow_since";
            /// Any group may hold the permission to make invitation links.
            AnyGroupMakesLinks = 314, ChangeLog;
            /// Holders of `can_manage_all_groups` may change every group; before, users below moderator could change
            /// only groups that they were in.
            ManagersManageAllGroups = 305, ChangeLog,
                on "user groups", test "members_managed_groups_that_they_were_in_before_305";
            /// Only active users become members; before, deactivated users too.
            OnlyActiveMembers = 303, ChangeLog,
                on "POST /user_groups/create, POST /user_groups/{user_group_id}/members",
                test "deactivated_users_could_be_made_members_before_303",
                /// `members` lists only active users; before, groups that users made listed deactivated users too.
                on "user group", test "groups_listed_deactivated_members_before_303",
                /// Lists only active users; before, deactivated users too, except for system groups.
                on "GET /user_groups/{user_group_id}/members", test "groups_listed_deactivated_members_before_303";
            /// Sent when a user is reactivated, and to guests who do not receive a user's deactivation; before, for
            /// system groups only.
            MembershipSent = 303, ChangeLog,
                on "event user_group add_members, remove_members", test "groups_listed_deactivated_members_before_303";
            /// Holders of `can_manage_all_groups` may change groups; before, users who may create groups, and those
            /// below moderator could change only groups of which they were direct members.
            ManagersOfAllGroups = 299, ChangeLog,
                on "user groups", test "who_made_groups_changed_those_that_they_were_in_before_299";
            /// Groups can be deactivated.
            DeactivatedGroups = 290, ChangeLog;
            /// Names may have invisible characters, such as joiners; before, no character of Unicode's category C.
            InvisibleCharactersInNames = 284, Source("2024-09-03"),
                on "POST /users, PATCH /users/{user_id}, PATCH /users/{email}, PATCH /settings, POST /bots, PATCH /bots/{bot_id}",
                test "names_had_no_invisible_characters_before_284";
            /// Groups have managers of their own.
            ManagersOfSingleGroups = 283, ChangeLog;
            /// `user_group` add_members and remove_members come before the messages to those who were added or removed.
            GroupChangesFirst = 261, Source("2024-05-19"),
                on "POST /user_groups/{user_group_id}/members",
                test "messages_came_before_changes_of_groups_before_261";
            /// `invites_changed` is sent though some of the users can't be invited; before, only if all were.
            InvitesChangedAfterRefusals = 256, Source("2024-05-02"),
                on "POST /invites", test "invitations_in_part_were_not_sent_before_256";
            /// A bot that is active is refused; before, it was reactivated.
            ActiveBotsStay = 248, Source("2024-04-10"),
                on "POST /users/{user_id}/reactivate", test "active_bots_are_not_reactivated_from_248_on";
            /// Events report deactivation; before, users were removed and added.
            DeactivationsSent = 222, ChangeLog;
            /// Sent to the inviting users too; before, only to administrators.
            InvitersNotified = 209, ChangeLog,
                on "event invites_changed", test "administrators_alone_heard_of_invitations_before_209";
            /// The `trigger` of direct messages is `direct_message`; before, `private_message`.
            DirectMessagesInWebhooks = 201, ChangeLog,
                on "posts to outgoing webhooks", test "direct_messages_to_bots_were_private_before_201";
            /// `invite_expires_in_days` was added; before, the expiry could not be chosen.
            ExpiryInDays = 96, ChangeLog,
                on "POST /invites, POST /invites/multiuse", test "nobody_chose_when_invitations_expire_before_96";
            /// Requires the permission to create users; before, the role of administrator.
            CreatingUsersIsPermission = 36, ChangeLog,
                on "POST /users", test "administrators_made_users_before_36";
        }
    };
}
pub(super) use users;
