//! Errors of users, their profiles, bots, statuses and presence.

macro_rules! users {
    ([$next:ident $($rest:ident)*] $($above:tt)*) => {
        $next! { [$($rest)*] $($above)*
            // Users.
            /// Unknown user.
            NoSuchUser: 400 BAD_REQUEST "No such user";
            /// A deactivated user where an active one is needed.
            TargetDeactivated: 400 BAD_REQUEST "User is deactivated";
            /// Lacks the flag that allows making users.
            MayNotCreateUsers: 400 BAD_REQUEST "User not authorized to create users";
            /// Not a usable address.
            BadNameOrUsername: 400 BAD_REQUEST "Bad name or username";
            /// The address is taken.
            EmailInUse: 400 BAD_REQUEST "Email is already in use.";
            /// The organization restricts addresses to its domains.
            EmailNotAllowed { email }: 400 BAD_REQUEST "Email '{email}' not allowed in this organization";
            /// An address with a suffix could get around the domains.
            EmailContainsPlus: 400 BAD_REQUEST "Email addresses containing + are not allowed.";
            /// Nobody reads what is sent there.
            EmailDisposable: 400 BAD_REQUEST "Disposable email addresses are not allowed in this organization";
            /// Too easy to guess.
            PasswordTooWeak: 400 BAD_REQUEST "The password is too weak.";
            /// Over 100 characters.
            NameTooLong: 400 BAD_REQUEST "Name too long!";
            /// Nothing left after trimming.
            NameEmpty: 400 BAD_REQUEST "Name must not be empty!";
            /// A character that mentions can't hold.
            NameInvalidCharacters: 400 BAD_REQUEST "Invalid characters in name!";
            /// Ends in a bar and digits, as mentions do.
            NameInvalidFormat: 400 BAD_REQUEST "Invalid format!";
            /// Names are unique here.
            NameTaken: 400 BAD_REQUEST "Unique names required in this organization.";
            /// An organization keeps an owner.
            OnlyOwner: 400 BAD_REQUEST "Cannot deactivate the only organization owner";
            /// Somebody who can't leave: the only account or the only owner.
            LastUser { entity, is_last_owner }: 400 CANNOT_DEACTIVATE_LAST_USER "Cannot deactivate the only {entity}." + [is_last_owner, entity];
            /// An organization keeps an owner.
            OnlyOwnerRole: 400 BAD_REQUEST "The owner permission cannot be removed from the only organization owner.";
            /// The account's data are gone.
            PlaceholderAccount: 400 BAD_REQUEST "Cannot activate a placeholder account; ask the user to sign up, instead.";
            /// Lacks the flag that allows changing addresses.
            MayNotChangeEmails: 400 BAD_REQUEST "User not authorized to change user emails";
            /// Not an address.
            InvalidNewEmail: 400 BAD_REQUEST "Invalid new email address.";
            /// Not an address, for oneself.
            AddressInvalid: 400 BAD_REQUEST "Invalid address.";
            /// Somebody else's address, for oneself.
            AddressTaken: 400 BAD_REQUEST "Already has an account.";
            /// The address of somebody who left, for oneself.
            AddressDeactivated: 400 BAD_REQUEST "Account has been deactivated.";
            /// The organization restricts addresses to its domains, one's own too.
            AddressOutside: 400 BAD_REQUEST "Outside your domain.";
            /// Nobody reads what is sent there.
            AddressDisposable: 400 BAD_REQUEST "Please use your real email address.";
            /// An address that can't be had.
            NewEmailRefused { detail }: 400 BAD_REQUEST "New email value error: {detail}";
            /// The organization keeps addresses.
            EmailChangesDisabled: 400 BAD_REQUEST "Email address changes are disabled in this organization.";
            /// Not the current password.
            WrongPassword: 400 BAD_REQUEST "Wrong password!";
            /// Too easy to guess.
            NewPasswordTooWeak: 400 BAD_REQUEST "New password is too weak!";
            /// Nobody whose settings an administrator could change.
            NoTargetUsers: 400 BAD_REQUEST "Either user_ids or group_ids must be provided.";
            /// What people decide for themselves alone.
            SettingIsPersonal: 400 BAD_REQUEST "Cannot change this setting for other users.";
            /// Not a sound of the service.
            InvalidNotificationSound { sound }: 400 BAD_REQUEST "Invalid notification sound '{sound}'";
            /// Less than a second or more than a week.
            InvalidBatchingPeriod { seconds }: 400 BAD_REQUEST "Invalid email batching period: {seconds} seconds";
            /// No file, or several.
            OneAvatarExpected: 400 BAD_REQUEST "You must upload exactly one avatar.";
            /// The organization keeps pictures.
            AvatarChangesDisabled: 400 BAD_REQUEST "Avatar changes are disabled in this organization.";
            /// No such notice.
            UnknownOnboardingStep { onboarding_step }: 400 BAD_REQUEST "Unknown onboarding_step: {onboarding_step}";
            /// Not a language of the service.
            InvalidLanguage { language }: 400 BAD_REQUEST "Invalid language '{language}'";
            /// Muting oneself.
            CannotMuteSelf: 400 BAD_REQUEST "Cannot mute self";
            /// Muted already.
            UserAlreadyMuted: 400 BAD_REQUEST "User already muted";
            /// Not muted.
            UserNotMuted: 400 BAD_REQUEST "User is not muted";

            // Custom profile fields.
            /// No such field.
            FieldNotFound { field_id }: 400 BAD_REQUEST "Field id {field_id} not found.";
            /// A field that administrators fill in.
            FieldLocked: 400 BAD_REQUEST "You are not allowed to change this field. Contact an administrator to update it.";
            /// Not among a field's choices.
            NotAChoice { value, field }: 400 BAD_REQUEST "'{value}' is not a valid choice for '{field}'.";
            /// Somebody who left, in a field of users.
            FieldUserDeactivated { user_id }: 400 BAD_REQUEST "User with ID {user_id} is deactivated";
            /// A bot, in a field of users.
            FieldUserIsBot { user_id }: 400 BAD_REQUEST "User with ID {user_id} is a bot";
            /// No label.
            FieldLabelBlank: 400 BAD_REQUEST "Label cannot be blank.";
            /// The label is taken.
            FieldLabelTaken: 400 BAD_REQUEST "A field with that label already exists.";
            /// Not a kind of field.
            InvalidFieldType: 400 BAD_REQUEST "Invalid field type.";
            /// Nothing to choose from.
            FieldWithoutChoices: 400 BAD_REQUEST "Field must have at least one choice.";
            /// A choice, or a text of one, that says nothing.
            BlankValue { item }: 400 BAD_REQUEST "{item} cannot be blank.";
            /// Data that lack something.
            MissingKey { key_name, var_name }: 400 BAD_REQUEST "{key_name} key is missing from {var_name}";
            /// Data that have something that nobody knows.
            UnexpectedKeys { keys }: 400 BAD_REQUEST "Unexpected arguments: {keys}";
            /// The same choice twice.
            DuplicateChoices: 400 BAD_REQUEST "Field must not have duplicate choices.";
            /// An address without a place for the name, or with several.
            UrlPatternWithoutName: 400 BAD_REQUEST "URL pattern must contain '%(username)s'.";
            /// A site that the service does not know, without an address.
            UrlPatternMissing: 400 BAD_REQUEST "Custom external account must define URL pattern";
            /// Neither a site that the service knows nor `custom`.
            UnknownExternalAccount: 400 BAD_REQUEST "Invalid external account type";
            /// What a field for a site that the service knows is called follows from the site.
            KnownSiteField: 400 BAD_REQUEST "Default custom field cannot be updated.";
            /// Too long for the summary.
            FieldNotForSummary: 400 BAD_REQUEST "Field type not supported for display in profile summary.";
            /// The summary holds no more.
            ProfileSummaryFull { limit }: 400 BAD_REQUEST "Only {limit} custom profile fields can be displayed in the profile summary.";
            /// A field is missing in the order.
            InvalidFieldOrder: 400 BAD_REQUEST "Invalid order mapping.";

            // Bots.
            /// Missing, or a person.
            NoSuchBot: 400 BAD_REQUEST "No such bot";
            /// Not a kind of bot.
            InvalidBotType: 400 BAD_REQUEST "Invalid bot type";
            /// Not a form of outgoing calls.
            InvalidInterfaceType: 400 BAD_REQUEST "Invalid interface type";
            /// No bot of this name runs inside the server.
            InvalidEmbeddedBot: 400 BAD_REQUEST "Invalid embedded bot name.";
            /// The bot's address is taken.
            UsernameInUse: 400 BAD_REQUEST "Email is already in use.";
            /// Another active bot has the name.
            BotNameTaken: 400 BAD_REQUEST "Name is already in use!";
            /// Another active bot has the name of the one that comes back.
            BotNameActive { name }: 400 BAD_REQUEST "There is already an active bot named \"{name}\" in this organization. To reactivate this bot, you must rename or deactivate the other one first.";
            /// Unknown.
            BotOwnerUnknown: 400 BAD_REQUEST "Failed to change owner, no such user";
            /// Left.
            BotOwnerDeactivated: 400 BAD_REQUEST "Failed to change owner, user is deactivated";
            /// Not a person.
            BotOwnerIsBot: 400 BAD_REQUEST "Failed to change owner, bots can't own other bots";
            /// The bot's storage would grow over its limit.
            StorageFull { excess, limit }: 400 BAD_REQUEST "Request exceeds storage limit by {excess} characters. The limit is {limit} characters.";
            /// Not in the bot's storage.
            StorageKeyNotFound: 400 BAD_REQUEST "Key does not exist.";

            // Status and presence.
            /// Nothing to change.
            NoNewValues: 400 BAD_REQUEST "Client did not pass any new values.";
            /// A code or type alone.
            EmojiNameRequired: 400 BAD_REQUEST "Client must pass emoji_name if they pass either emoji_code or reaction_type.";
            /// Neither idle nor active.
            InvalidPresenceStatus { status }: 400 BAD_REQUEST "Invalid status: {status}";
            /// Bots have no presence.
            PresenceNotForBots: 400 BAD_REQUEST "Presence is not supported for bot users.";
            /// Never seen.
            NoPresenceData { user }: 400 BAD_REQUEST "No presence data for {user}";
        }
    };
}
pub(super) use users;
