//! Rows of the error table for users: accounts, settings, profiles, bots, statuses, presence.

macro_rules! users {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            // Users.
            NoSuchUser: 400 BAD_REQUEST "No such user";
            /// The operation requires an active user.
            TargetDeactivated: 400 BAD_REQUEST "User is deactivated";
            /// The caller's `can_create_users` is false.
            MayNotCreateUsers: 400 BAD_REQUEST "User not authorized to create users";
            /// The address of an account, or the one that follows from a bot's `short_name`, is not valid.
            BadNameOrUsername: 400 BAD_REQUEST "Bad name or username";
            EmailInUse: 400 BAD_REQUEST "Email is already in use.";
            /// The organization restricts addresses to its domains.
            EmailNotAllowed { email }: 400 BAD_REQUEST "Email '{email}' not allowed in this organization";
            /// Organizations that restrict addresses to their domains refuse addresses with a `+` suffix.
            EmailContainsPlus: 400 BAD_REQUEST "Email addresses containing + are not allowed.";
            EmailDisposable: 400 BAD_REQUEST "Disposable email addresses are not allowed in this organization";
            PasswordTooWeak: 400 BAD_REQUEST "The password is too weak.";
            /// The name is longer than 100 characters.
            NameTooLong: 400 BAD_REQUEST "Name too long!";
            /// The name is empty after trimming.
            NameEmpty: 400 BAD_REQUEST "Name must not be empty!";
            /// The name has a character that mentions cannot contain.
            NameInvalidCharacters: 400 BAD_REQUEST "Invalid characters in name!";
            /// The name ends in a bar and digits, as mentions by ID do.
            NameInvalidFormat: 400 BAD_REQUEST "Invalid format!";
            NameTaken: 400 BAD_REQUEST "Unique names required in this organization.";
            CannotDeactivateOnlyOwner: 400 BAD_REQUEST "Cannot deactivate the only organization owner";
            /// The caller deactivates their own account, which is the only one or that of the only owner.
            CannotDeactivateLastUser { entity, is_last_owner }: 400 CANNOT_DEACTIVATE_LAST_USER "Cannot deactivate the only {entity}." + [is_last_owner, entity];
            CannotDemoteOnlyOwner: 400 BAD_REQUEST "The owner permission cannot be removed from the only organization owner.";
            /// The account's data were deleted.
            PlaceholderAccount: 400 BAD_REQUEST "Cannot activate a placeholder account; ask the user to sign up, instead.";
            /// The caller is not an administrator who may create users.
            MayNotChangeEmails: 400 BAD_REQUEST "User not authorized to change user emails";
            /// An administrator sets a text that is not an address.
            InvalidNewEmail: 400 BAD_REQUEST "Invalid new email address.";
            /// The caller's new address does not have the form of an email address.
            AddressInvalid: 400 BAD_REQUEST "Invalid address.";
            /// The caller's new address belongs to another active user, or is a dummy address.
            AddressTaken: 400 BAD_REQUEST "Already has an account.";
            /// The caller's new address belongs to a deactivated user.
            AddressDeactivated: 400 BAD_REQUEST "Account has been deactivated.";
            /// The organization restricts addresses to its domains.
            AddressOutsideDomains: 400 BAD_REQUEST "Outside your domain.";
            /// The caller's new address has a disposable domain.
            AddressDisposable: 400 BAD_REQUEST "Please use your real email address.";
            NewEmailRefused { detail }: 400 BAD_REQUEST "New email value error: {detail}";
            EmailChangesDisabled: 400 BAD_REQUEST "Email address changes are disabled in this organization.";
            WrongPassword: 400 BAD_REQUEST "Wrong password!";
            NewPasswordTooWeak: 400 BAD_REQUEST "New password is too weak!";
            NoTargetUsers: 400 BAD_REQUEST "Either user_ids or group_ids must be provided.";
            /// Administrators may not set it for other users.
            SettingIsPersonal: 400 BAD_REQUEST "Cannot change this setting for other users.";
            InvalidNotificationSound { sound }: 400 BAD_REQUEST "Invalid notification sound '{sound}'";
            /// The period is shorter than a second or longer than a week.
            InvalidBatchingPeriod { seconds }: 400 BAD_REQUEST "Invalid email batching period: {seconds} seconds";
            OneAvatarExpected: 400 BAD_REQUEST "You must upload exactly one avatar.";
            AvatarChangesDisabled: 400 BAD_REQUEST "Avatar changes are disabled in this organization.";
            UnknownOnboardingStep { onboarding_step }: 400 BAD_REQUEST "Unknown onboarding_step: {onboarding_step}";
            InvalidLanguage { language }: 400 BAD_REQUEST "Invalid language '{language}'";
            CannotMuteSelf: 400 BAD_REQUEST "Cannot mute self";
            UserAlreadyMuted: 400 BAD_REQUEST "User already muted";
            UserNotMuted: 400 BAD_REQUEST "User is not muted";

            // Custom profile fields.
            FieldNotFound { field_id }: 400 BAD_REQUEST "Field id {field_id} not found.";
            /// Only administrators may fill in the field.
            FieldLocked: 400 BAD_REQUEST "You are not allowed to change this field. Contact an administrator to update it.";
            NotAChoice { value, field }: 400 BAD_REQUEST "'{value}' is not a valid choice for '{field}'.";
            /// The value has the IDs of users that do not exist or that the caller cannot access.
            InvalidUserIds { user_ids }: 400 BAD_REQUEST "Invalid user IDs: {user_ids}";
            FieldUserDeactivated { user_id }: 400 BAD_REQUEST "User with ID {user_id} is deactivated";
            FieldUserIsBot { user_id }: 400 BAD_REQUEST "User with ID {user_id} is a bot";
            FieldLabelBlank: 400 BAD_REQUEST "Label cannot be blank.";
            FieldLabelTaken: 400 BAD_REQUEST "A field with that label already exists.";
            InvalidFieldType: 400 BAD_REQUEST "Invalid field type.";
            FieldWithoutChoices: 400 BAD_REQUEST "Field must have at least one choice.";
            BlankValue { item }: 400 BAD_REQUEST "{item} cannot be blank.";
            MissingKey { key_name, var_name }: 400 BAD_REQUEST "{key_name} key is missing from {var_name}";
            UnexpectedKeys { keys }: 400 BAD_REQUEST "Unexpected arguments: {keys}";
            DuplicateChoices: 400 BAD_REQUEST "Field must not have duplicate choices.";
            /// The placeholder is missing or occurs more than once.
            UrlPatternWithoutName: 400 BAD_REQUEST "URL pattern must contain '%(username)s'.";
            /// A custom external account has no URL pattern.
            UrlPatternMissing: 400 BAD_REQUEST "Custom external account must define URL pattern";
            /// The site is neither one that the server knows nor `custom`.
            UnknownExternalAccount: 400 BAD_REQUEST "Invalid external account type";
            /// The known site of the field determines its label and hint.
            KnownSiteFieldNotEditable: 400 BAD_REQUEST "Default custom field cannot be updated.";
            FieldNotForSummary: 400 BAD_REQUEST "Field type not supported for display in profile summary.";
            ProfileSummaryFull { limit }: 400 BAD_REQUEST "Only {limit} custom profile fields can be displayed in the profile summary.";
            /// The order does not list each field once.
            InvalidFieldOrder: 400 BAD_REQUEST "Invalid order mapping.";

            // Bots.
            /// The user is unknown, not a bot, or a system bot.
            NoSuchBot: 400 BAD_REQUEST "No such bot";
            InvalidBotType: 400 BAD_REQUEST "Invalid bot type";
            InvalidInterfaceType: 400 BAD_REQUEST "Invalid interface type";
            /// The server has no embedded bot of this name.
            InvalidEmbeddedBot: 400 BAD_REQUEST "Invalid embedded bot name.";
            /// The address that follows from `short_name` is taken.
            UsernameInUse: 400 BAD_REQUEST "Email is already in use.";
            /// Another active bot has the name.
            BotNameTaken: 400 BAD_REQUEST "Name is already in use!";
            /// An active bot has the name of the bot to be reactivated: another one or, from 248 on, that bot itself.
            BotNameActive { name }: 400 BAD_REQUEST "There is already an active bot named \"{name}\" in this organization. To reactivate this bot, you must rename or deactivate the other one first.";
            BotOwnerUnknown: 400 BAD_REQUEST "Failed to change owner, no such user";
            BotOwnerDeactivated: 400 BAD_REQUEST "Failed to change owner, user is deactivated";
            BotOwnerIsBot: 400 BAD_REQUEST "Failed to change owner, bots can't own other bots";
            StorageFull { excess, limit }: 400 BAD_REQUEST "Request exceeds storage limit by {excess} characters. The limit is {limit} characters.";
            StorageKeyNotFound: 400 BAD_REQUEST "Key does not exist.";

            // Status and presence.
            NoStatusChanges: 400 BAD_REQUEST "Client did not pass any new values.";
            EmojiNameRequired: 400 BAD_REQUEST "Client must pass emoji_name if they pass either emoji_code or reaction_type.";
            /// The status is neither `active` nor `idle`.
            InvalidPresenceStatus { status }: 400 BAD_REQUEST "Invalid status: {status}";
            PresenceNotForBots: 400 BAD_REQUEST "Presence is not supported for bot users.";
            /// The user was never active.
            NoPresenceData { user }: 400 BAD_REQUEST "No presence data for {user}";
        }
    };
}
pub(super) use users;
