//! The error table: every failed reply that the API can give, in one place.
//!
//! A row is a variant, its HTTP status, its code and the template of its message. Fields named in
//! braces fill the template; those listed behind `+` also are in the reply next to `msg` and `code`.
//! Nothing else builds an error reply.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// A row of the table, for documents and tests.
#[derive(Clone, Copy, Debug)]
pub struct ErrorRow {
    /// The variant's name.
    pub name: &'static str,
    /// HTTP status.
    pub status: u16,
    /// Machine-readable code.
    pub code: &'static str,
    /// Message with its placeholders.
    pub message: &'static str,
    /// Fields that the reply carries next to `msg` and `code`.
    pub fields: &'static [&'static str],
}

/// What fills a placeholder or is next to a message: any JSON value, boxed to keep errors small.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorField(Box<Value>);

impl std::ops::Deref for ErrorField {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

macro_rules! fills {
    ($($type:ty),*) => {$(
        impl From<$type> for ErrorField {
            fn from(value: $type) -> Self {
                Self(Box::new(value.into()))
            }
        }
    )*};
}
fills!(&str, String, bool, i64, i32, u64, usize, Value, Vec<&'static str>, Vec<String>, Vec<Value>);

macro_rules! errors {
    ($(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident),* })? : $status:literal $code:ident $message:literal $(+ [$($extra:ident),*])?;
    )*) => {
        /// A refused request: what the client gets. Each variant is a row of the table.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Error {
            $(
                $(#[$doc])*
                #[doc = concat!("`", stringify!($code), "`, HTTP ", $status, ": ", $message)]
                $name $({ $(
                    #[doc = concat!("Fills `{", stringify!($field), "}` or stands beside the message.")]
                    $field: ErrorField
                ),* })?,
            )*
        }

        /// A row of the table by its name: what operations declare that they refuse with.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ErrorKind {
            $(#[doc = concat!("`", stringify!($code), "`, HTTP ", $status, ": ", $message)] $name,)*
        }

        impl ErrorKind {
            /// The row of the table.
            pub fn row(self) -> &'static ErrorRow {
                &Error::TABLE[self as usize]
            }
        }

        impl Error {
            /// Every row, in the order of the table.
            pub const TABLE: &'static [ErrorRow] = &[$(
                ErrorRow {
                    name: stringify!($name),
                    status: $status,
                    code: stringify!($code),
                    message: $message,
                    fields: &[$($(stringify!($extra)),*)?],
                },
            )*];

            /// Which row it is.
            pub fn kind(&self) -> ErrorKind {
                match self { $(Error::$name { .. } => ErrorKind::$name,)* }
            }

            fn fields(&self) -> Vec<(&'static str, &ErrorField)> {
                match self {
                    $(Error::$name $({ $($field),* })? => vec![$($((stringify!($field), $field)),*)?],)*
                }
            }
        }
    };
}

errors! {
    // Routing and reading of the request.
    /// Bytes that are no HTTP request.
    MalformedHttp: 400 BAD_REQUEST "Malformed HTTP request";
    /// A path with a query that is longer than a request's first line may be.
    AddressTooLong: 414 BAD_REQUEST "Request address is too long";
    /// More headers than a request may have.
    HeadTooLarge: 431 BAD_REQUEST "Request headers are too large";
    /// No operation has this path.
    UnknownPath: 404 BAD_REQUEST "Unknown path";
    /// The path exists, the method does not.
    MethodNotAllowed { allowed_methods }: 405 BAD_REQUEST "Method Not Allowed" + [allowed_methods];
    /// The host or path names no world.
    UnknownWorld: 404 NONEXISTENT_SUBDOMAIN "Invalid subdomain";
    /// A body over the limit.
    BodyTooLarge { limit_mib }: 413 BAD_REQUEST "Request body is larger than the allowed limit of {limit_mib} MiB";
    /// The body did not arrive in time.
    BodyTooSlow: 408 BAD_REQUEST "Request body was not received in time";
    /// A body that can't be read as what it says it is.
    MalformedBody { reason }: 400 BAD_REQUEST "Malformed request body: {reason}";
    /// A file is larger than the organization allows.
    UploadTooLarge { limit_mib }: 413 BAD_REQUEST "File is larger than this server's configured maximum upload size ({limit_mib} MiB).";

    // Parameters.
    /// A required parameter is absent.
    MissingParameter { var_name }: 400 REQUEST_VARIABLE_MISSING "Missing '{var_name}' argument" + [var_name];
    /// Two names of one parameter are given at once.
    ConfusingParameter { var_name1, var_name2 }: 400 REQUEST_CONFUSING_VAR "Can't decide between '{var_name1}' and '{var_name2}' arguments" + [var_name1, var_name2];
    /// A value of the wrong kind: `is not an integer`, `is not valid JSON`, `cannot be blank`, …
    BadValue { parameter, problem }: 400 BAD_REQUEST "{parameter} {problem}";
    /// A value outside the allowed ones.
    InvalidValue { parameter }: 400 BAD_REQUEST "Invalid {parameter}";
    /// A value that a validator refused, with its reason.
    InvalidValueBecause { parameter, reason }: 400 BAD_REQUEST "Invalid {parameter}: Value error, {reason}";
    /// A key that a closed object does not have.
    UnexpectedKey { key, parameter }: 400 BAD_REQUEST "Argument \"{key}\" at {parameter} is unexpected";
    /// Parameters that exclude each other.
    UnsupportedCombination { parameters }: 400 BAD_REQUEST "Unsupported parameter combination: {parameters}" + [parameters];

    // Credentials.
    /// No credentials on an operation that needs them.
    NotLoggedIn: 401 UNAUTHORIZED "Not logged in: API authentication or user session required";
    /// A session's request that changes something and does not prove that a page of this server made it.
    CsrfFailed { reason }: 403 CSRF_FAILED "CSRF error: {reason}" + [reason];
    /// A one-time pad that is not 64 hexadecimal digits.
    InvalidOtp: 400 BAD_REQUEST "Invalid OTP";
    /// Another scheme than Basic.
    BasicAuthenticationRequired: 400 BAD_REQUEST "This endpoint requires HTTP basic authentication.";
    /// A header that can't be read.
    InvalidAuthorizationHeader: 401 UNAUTHORIZED "Invalid authorization header for basic auth";
    /// A key that has not the form of one.
    MalformedApiKey: 401 INVALID_API_KEY "Malformed API key";
    /// A key that nobody has, or that is another's.
    InvalidApiKey: 401 INVALID_API_KEY "Invalid API key";
    /// The account was deactivated.
    UserDeactivated: 401 USER_DEACTIVATED "Account is deactivated";
    /// The organization was deactivated, and with it all accounts.
    RealmDeactivated: 401 REALM_DEACTIVATED "This organization has been deactivated";
    /// A webhook bot outside message sending.
    WebhookBotNotAllowed: 401 UNAUTHORIZED "This API is not available to incoming webhook bots.";
    /// Wrong address or password.
    AuthenticationFailed: 401 AUTHENTICATION_FAILED "Your username or password is incorrect";
    /// An empty token.
    TokenMissing: 400 BAD_REQUEST "No JSON web token passed in request";
    /// A token that is malformed, over, or signed by somebody else.
    TokenInvalid: 400 BAD_REQUEST "Bad JSON web token";
    /// A token of nobody.
    TokenWithoutEmail: 400 BAD_REQUEST "No email specified in JSON web token claims";
    /// Not an address.
    InvalidEmailSyntax: 400 BAD_REQUEST "Enter a valid email address.";
    /// The organization takes no passwords.
    PasswordAuthDisabled: 401 PASSWORD_AUTH_DISABLED "Password authentication is disabled in this organization";
    /// The organization gives no keys away as development servers do.
    DevAuthDisabled: 400 BAD_REQUEST "DevAuthBackend not enabled.";
    /// A parameter that an anonymous visitor may not pass.
    NotForAnonymous { key }: 400 BAD_REQUEST "Invalid '{key}' parameter for anonymous request";

    // Roles.
    /// The caller lacks the right.
    InsufficientPermission: 400 BAD_REQUEST "Insufficient permission";
    /// Administrators only.
    AdministratorRequired: 400 UNAUTHORIZED_PRINCIPAL "Must be an organization administrator";
    /// Owners only.
    OwnerRequired: 400 UNAUTHORIZED_PRINCIPAL "Must be an organization owner";
    /// An invitation that makes an owner, by somebody who is none.
    OwnerInvitesOwners: 400 BAD_REQUEST "Must be an organization owner";
    /// An invitation to a role above the inviter's own.
    RoleAboveInviter: 400 BAD_REQUEST "Must be an organization administrator";
    /// Not for guests.
    GuestsNotAllowed: 400 BAD_REQUEST "Not allowed for guest users";
    /// Not for bots.
    BotsNotAllowed: 400 BAD_REQUEST "This endpoint does not accept bot requests.";
    /// Bots only.
    BotsOnly: 403 PERMISSION_DENIED "This endpoint is only available to bots.";
    /// A guest asked for everything public.
    NotAuthorizedForQuery: 400 BAD_REQUEST "User not authorized for this query";

    // The organization.
    /// Nobody could log in any more.
    AuthenticationMethodRequired: 400 BAD_REQUEST "At least one authentication method must be enabled.";
    /// None of the providers and ratings that there are.
    NotOffered { setting, value }: 400 BAD_REQUEST "Invalid {setting} {value}";
    /// Data that go before they could be asked back for.
    DeletionTooSoon { min_allowed_days }: 400 BAD_REQUEST "Data deletion time must be at least {min_allowed_days} days in the future.";
    /// Organizations keep their place, those on trial apart.
    DemoOrganizationRequired: 400 BAD_REQUEST "Must be a demo organization.";
    /// No file, or several.
    OneIconExpected: 400 BAD_REQUEST "You must upload exactly one icon.";
    /// No file, or several.
    OneLogoExpected: 400 BAD_REQUEST "You must upload exactly one logo.";
    /// A text that is no domain.
    InvalidDomain { error }: 400 BAD_REQUEST "Invalid domain: {error}";
    /// Added already.
    DomainExists { domain }: 400 BAD_REQUEST "The domain {domain} is already a part of your organization.";
    /// No such domain.
    NoSuchDomain { domain }: 400 BAD_REQUEST "No entry found for domain {domain}.";
    /// Languages' names are plain.
    PlaygroundLanguage: 400 BAD_REQUEST "Invalid characters in pygments language";
    /// What is wrong with it: the first thing, and all by field.
    PlaygroundRefused { errors, message }: 400 BAD_REQUEST "{message}" + [errors];
    /// No such playground.
    NoSuchPlayground: 400 BAD_REQUEST "Invalid playground";
    /// An organization that is too large to be exported at once.
    ExportByHand { support_email }: 400 BAD_REQUEST "Please request a manual export from {support_email}.";
    /// No such export.
    InvalidExport: 400 BAD_REQUEST "Invalid data export ID";
    /// It is gone already.
    ExportDeleted: 400 BAD_REQUEST "Export already deleted";
    /// It never was there.
    ExportFailed: 400 BAD_REQUEST "Export failed, nothing to delete";
    /// It is not there yet.
    ExportPending: 400 BAD_REQUEST "Export still in progress";

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
    UsernameInUse: 400 BAD_REQUEST "Username already in use";
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

    // Groups.
    /// Unknown group.
    InvalidGroup: 400 BAD_REQUEST "Invalid user group";
    /// A deactivated group.
    GroupDeactivated: 400 BAD_REQUEST "User group is deactivated.";
    /// Unknown group in a list.
    InvalidGroupId { group_id }: 400 BAD_REQUEST "Invalid user group ID: {group_id}";
    /// Unknown or deactivated user in a list.
    InvalidUserId { user_id }: 400 BAD_REQUEST "Invalid user ID: {user_id}";
    /// A system group that this permission can't be given to.
    DisallowedGroup { setting, group }: 400 BAD_REQUEST "'{setting}' setting cannot be set to '{group}' group.";
    /// Another than a system group where only these may hold the permission.
    SystemGroupRequired { setting_name }: 400 SYSTEM_GROUP_REQUIRED "'{setting_name}' must be a system user group." + [setting_name];
    /// An empty name.
    GroupNameEmpty: 400 BAD_REQUEST "User group name can't be empty!";
    /// Over the limit.
    GroupNameTooLong { limit }: 400 BAD_REQUEST "User group name cannot exceed {limit} characters.";
    /// A name that mentions or searches would read otherwise.
    GroupNamePrefix { prefix }: 400 BAD_REQUEST "User group name cannot start with '{prefix}'.";
    /// The name is taken, perhaps by a deactivated group.
    GroupNameTaken { name }: 400 BAD_REQUEST "User group '{name}' already exists.";
    /// Nothing given.
    NoNewData: 400 BAD_REQUEST "No new data supplied";
    /// All four lists are empty.
    NoMembersToChange: 400 BAD_REQUEST "Nothing to do. Specify at least one of \"add\", \"delete\", \"add_subgroups\" or \"delete_subgroups\".";
    /// Both lists are empty.
    NoSubgroupsToChange: 400 BAD_REQUEST "Nothing to do. Specify at least one of \"add\" or \"delete\".";
    /// In the group already.
    AlreadyMember { user_id }: 400 BAD_REQUEST "User {user_id} is already a member of this group";
    /// Not in the group.
    NotMember { user_id }: 400 BAD_REQUEST "There is no member '{user_id}' in this user group";
    /// Directly below the group already.
    AlreadySubgroup { group_id }: 400 BAD_REQUEST "User group {group_id} is already a subgroup of this group.";
    /// Groups can't contain each other.
    SubgroupCycle { group_id }: 400 BAD_REQUEST "User group {group_id} is already a subgroup of one of the passed subgroups.";
    /// Not directly below the group.
    NotSubgroup { group_id }: 400 BAD_REQUEST "User group {group_id} is not a subgroup of this group.";
    /// Something still refers to the group.
    GroupInUse { objections }: 400 CANNOT_DEACTIVATE_GROUP_IN_USE "Cannot deactivate user group in use." + [objections];
    /// The expected value is not the current one.
    ExpectationMismatch { field_name }: 400 EXPECTATION_MISMATCH "'{field_name}' value does not match the expected value." + [field_name];

    // Channels.
    /// Unknown or inaccessible channel.
    InvalidChannelId: 400 BAD_REQUEST "Invalid channel ID";
    /// Unknown or inaccessible channel, by name.
    InvalidChannelName { channel_name }: 400 BAD_REQUEST "Invalid channel name '{channel_name}'";
    /// No channel has this name.
    UnknownChannel { stream }: 400 STREAM_DOES_NOT_EXIST "Channel '{stream}' does not exist" + [stream];
    /// No channel has this number.
    UnknownChannelId { stream_id }: 400 STREAM_DOES_NOT_EXIST "Channel with ID '{stream_id}' does not exist" + [stream_id];
    /// The name is taken.
    ChannelAlreadyExists { channel_name }: 409 CHANNEL_ALREADY_EXISTS "Channel '{channel_name}' already exists" + [channel_name];
    /// Seen, but not the caller's to change.
    CannotAdministerChannel: 400 CANNOT_ADMINISTER_CHANNEL "You do not have permission to administer this channel.";
    /// Archived already.
    ChannelArchived: 400 BAD_REQUEST "Channel is already deactivated";
    /// Not archived, so it can't come back.
    ChannelNotArchived: 400 BAD_REQUEST "Channel is not currently deactivated";
    /// A private channel that nobody could read comes back.
    ChannelWithoutSubscribers: 400 BAD_REQUEST "Channel is private and have no subscribers";
    /// A rename to the same name.
    ChannelHasName: 400 BAD_REQUEST "Channel already has that name.";
    /// The channel for reported messages stays private.
    ModerationChannelPublished: 400 BAD_REQUEST "A moderation request channel cannot be public.";
    /// Reported messages don't go to a public channel.
    ModerationChannelPublic: 400 BAD_REQUEST "Moderation request channel must be private.";
    /// Seeing a channel's settings is not enough.
    ContentAccessRequired: 400 BAD_REQUEST "Channel content access is required.";
    /// Administrators choose what new users get.
    MayNotChangeDefaults: 400 BAD_REQUEST "You do not have permission to change default channels.";
    /// Only the empty topic is wanted, but there are others.
    OtherTopicsExist { topic }: 400 BAD_REQUEST "To enable this configuration, all messages in this channel must be in the {topic} topic. Consider renaming or deleting other topics.";
    /// Neither a number that is possible nor one of the words.
    RefusedValue { var_name, bad_value }: 400 REQUEST_VARIABLE_INVALID "Bad value for '{var_name}': {bad_value}" + [var_name, bad_value];
    /// Empty name.
    ChannelNameEmpty: 400 BAD_REQUEST "Channel name can't be empty.";
    /// Over the limit.
    ChannelNameTooLong { limit }: 400 BAD_REQUEST "Channel name too long (limit: {limit} characters).";
    /// A control character.
    ChannelNameInvalidCharacter { position }: 400 BAD_REQUEST "Invalid character in channel name, at position {position}.";
    /// The channels may not be subscribed to.
    UnableToAccessChannels { names }: 400 BAD_REQUEST "Unable to access channel ({names}).";
    /// Not on this server.
    WebPublicDisabled: 400 BAD_REQUEST "Web-public channels are not enabled.";
    /// A private channel as a default.
    DefaultChannelPrivate: 400 BAD_REQUEST "A default channel cannot be private.";
    /// Impossible combination of privacy settings.
    InvalidParameters: 400 BAD_REQUEST "Invalid parameters";
    /// Unknown folder.
    InvalidFolder: 400 BAD_REQUEST "Invalid channel folder ID";
    /// Blank.
    FolderNameEmpty: 400 BAD_REQUEST "Channel folder name can't be empty.";
    /// A control character.
    FolderNameInvalidCharacter { position }: 400 BAD_REQUEST "Invalid character in channel folder name, at position {position}.";
    /// Another folder's name, archived ones aside.
    FolderNameTaken: 400 BAD_REQUEST "Channel folder name already in use";
    /// Channels are in it.
    FolderNotEmpty: 400 BAD_REQUEST "You need to remove all the channels from this folder to archive it.";
    /// A folder is missing.
    InvalidFolderOrder: 400 BAD_REQUEST "Invalid order mapping.";
    /// Everybody gets the defaults, so they are open.
    PrivateMadeDefault: 400 BAD_REQUEST "Private channels cannot be made default.";
    /// No such property of a subscription.
    UnknownSubscriptionProperty { property }: 400 BAD_REQUEST "Unknown subscription property: {property}";
    /// A property of a subscription that is true or false.
    PropertyNotBoolean { property }: 400 BAD_REQUEST "{property} is not a boolean";
    /// The caller is not subscribed.
    NotSubscribed { channel_id }: 400 BAD_REQUEST "Not subscribed to channel ID {channel_id}";
    /// Both lists are empty.
    NothingToSubscribe: 400 BAD_REQUEST "Nothing to do. Specify at least one of \"add\" or \"delete\".";
    /// The caller has muted the topic already (below level 169).
    TopicAlreadyMuted: 400 BAD_REQUEST "Topic already muted";
    /// The caller has not muted the topic.
    TopicNotMuted: 400 BAD_REQUEST "Topic is not muted";

    // Groups of default channels.
    /// Nothing of a group of default channels changes.
    NothingForDefaultGroup: 400 BAD_REQUEST "You must pass \"new_description\" or \"new_group_name\".";
    /// No such group of default channels.
    NoSuchDefaultGroup { group_id }: 400 BAD_REQUEST "Default channel group with id '{group_id}' does not exist.";
    /// The group's own name.
    DefaultGroupHasName { group_name }: 400 BAD_REQUEST "This default channel group is already named '{group_name}'";
    /// Empty, or with characters that names can't have.
    InvalidDefaultGroupName { group_name }: 400 BAD_REQUEST "Invalid default channel group name '{group_name}'";
    /// A longer one.
    DefaultGroupNameTooLong { limit }: 400 BAD_REQUEST "Default channel group name too long (limit: {limit} characters)";
    /// One with a null in it.
    DefaultGroupNameNull { group_name }: 400 BAD_REQUEST "Default channel group name '{group_name}' contains NULL (0x00) characters.";
    /// Another group's name.
    DefaultGroupExists { group_name }: 400 BAD_REQUEST "Default channel group '{group_name}' already exists";
    /// Everybody gets the channel anyway.
    ChannelIsDefault { channel_name, group_name }: 400 BAD_REQUEST "'{channel_name}' is a default channel and cannot be added to '{group_name}'";
    /// In it already.
    InDefaultGroup { channel_name, group_name }: 400 BAD_REQUEST "Channel '{channel_name}' is already present in default channel group '{group_name}'";
    /// Not in it.
    NotInDefaultGroup { channel_name, group_name }: 400 BAD_REQUEST "Channel '{channel_name}' is not present in default channel group '{group_name}'";

    // Messages.
    /// Unknown or inaccessible message.
    InvalidMessage: 400 BAD_REQUEST "Invalid message(s)";
    /// No topic given.
    MissingTopic: 400 BAD_REQUEST "Missing topic";
    /// No recipients.
    NoRecipients: 400 BAD_REQUEST "Message must have recipients";
    /// Several channels.
    OneChannelExpected: 400 BAD_REQUEST "Expected exactly one channel";
    /// Neither a name nor an id.
    InvalidChannelType: 400 BAD_REQUEST "Invalid data type for channel";
    /// Neither addresses nor ids.
    InvalidRecipientsType: 400 BAD_REQUEST "Invalid data type for recipients";
    /// Addresses and ids mixed.
    MixedRecipients: 400 BAD_REQUEST "Recipient lists may contain emails or user IDs, but not both.";
    /// Nobody has this address.
    InvalidRecipientEmail { email }: 400 BAD_REQUEST "Invalid email '{email}'";
    /// Nobody has this id.
    InvalidRecipientId { user_id }: 400 BAD_REQUEST "Invalid user ID {user_id}";
    /// The recipient left.
    RecipientDeactivated { email }: 400 BAD_REQUEST "'{email}' is no longer using the service.";
    /// Nothing to say.
    MessageEmpty: 400 BAD_REQUEST "Message must not be empty";
    /// A NUL character in a text that is to be kept.
    ParameterNullBytes { var_name }: 400 BAD_REQUEST "{var_name} must not contain null bytes";
    /// A NUL character.
    MessageNullBytes: 400 BAD_REQUEST "Message must not contain null bytes";
    /// A character that a topic can't hold.
    TopicInvalidCharacter { position }: 400 BAD_REQUEST "Invalid character in topic, at position {position}!";
    /// Posting is limited.
    MayNotPost { policy }: 400 BAD_REQUEST "You do not have permission to post in this channel.";
    /// A private channel of others.
    NotAuthorizedToSend { channel_name }: 400 BAD_REQUEST "Not authorized to send to channel '{channel_name}'";
    /// New topics are limited.
    MayNotCreateTopic: 400 BAD_REQUEST "You do not have permission to create new topics in this channel.";
    /// The empty topic is not wanted here.
    TopicEmpty: 400 BAD_REQUEST "Topic can't be empty!";
    /// The empty topic where the organization or channel has switched it off.
    EmptyTopicNotAllowed { topic }: 400 BAD_REQUEST "Sending messages to the {topic} is not allowed in this channel.";
    /// Only the empty topic is wanted here.
    OnlyEmptyTopicAllowed { topic }: 400 BAD_REQUEST "Only the {topic} topic is allowed in this channel.";
    /// Nobody may send direct messages.
    DirectMessagesDisabled: 400 BAD_REQUEST "Direct messages are disabled in this organization.";
    /// May answer, not begin.
    MayNotInitiateDirect: 400 BAD_REQUEST "You do not have permission to initiate direct message conversations.";
    /// Nobody in it may allow it.
    DirectNotAuthorized: 400 BAD_REQUEST "This conversation does not include any users who can authorize it.";
    /// A guest who may not see the recipient.
    RecipientsInaccessible: 400 BAD_REQUEST "You do not have permission to access some of the recipients.";
    /// Many people at once.
    ChannelWildcardNotAllowed: 400 STREAM_WILDCARD_MENTION_NOT_ALLOWED "You do not have permission to use channel wildcard mentions in this channel.";
    /// Many people at once.
    TopicWildcardNotAllowed: 400 TOPIC_WILDCARD_MENTION_NOT_ALLOWED "You do not have permission to use topic wildcard mentions in this topic.";
    /// The group is not for everyone to mention.
    MayNotMentionGroup { group }: 400 BAD_REQUEST "You are not allowed to mention user group '{group}'.";
    /// The rendered message is over its limit.
    UnableToRender: 400 BAD_REQUEST "Unable to render message";
    /// Editing is off.
    EditingDisabled: 400 BAD_REQUEST "Your organization has turned off message editing";
    /// Someone else's message.
    MayNotEdit: 400 BAD_REQUEST "You don't have permission to edit this message";
    /// Too late to edit.
    EditTimePassed: 400 BAD_REQUEST "The time limit for editing this message has passed";
    /// Nothing given.
    NothingToChange: 400 BAD_REQUEST "Nothing to change";
    /// A direct message into a channel.
    DirectToChannel: 400 BAD_REQUEST "Direct messages cannot be moved to channels.";
    /// A topic for a direct message.
    DirectWithTopic: 400 BAD_REQUEST "Direct messages cannot have topics.";
    /// How far, but not where to.
    PropagateWithoutTopic: 400 BAD_REQUEST "Invalid propagate_mode without topic edit";
    /// The empty topic can't be resolved.
    ResolveEmptyTopic: 400 BAD_REQUEST "General chat cannot be marked as resolved";
    /// Two changes that exclude each other.
    ContentWhileMoving: 400 BAD_REQUEST "Cannot change message content while changing channel";
    /// Resolving is limited.
    MayNotResolve: 400 BAD_REQUEST "You don't have permission to resolve topics in this channel.";
    /// Moving is limited.
    MayNotMove: 400 BAD_REQUEST "You don't have permission to move this message";
    /// Too late to move to a topic.
    MoveTopicTimePassed: 400 BAD_REQUEST "The time limit for editing this message's topic has passed.";
    /// Too late to move to a channel.
    MoveChannelTimePassed: 400 BAD_REQUEST "The time limit for editing this message's channel has passed";
    /// Only a part of the topic may be moved.
    MoveTimeLimitExceeded { first_message_id_allowed_to_move, total_messages_in_topic, total_messages_allowed_to_move }: 400 MOVE_MESSAGES_TIME_LIMIT_EXCEEDED "You only have permission to move the {total_messages_allowed_to_move}/{total_messages_in_topic} most recent messages in this topic." + [first_message_id_allowed_to_move, total_messages_in_topic, total_messages_allowed_to_move];
    /// Not one's own, or not allowed to delete.
    MayNotDelete: 400 BAD_REQUEST "You don't have permission to delete this message";
    /// Too late to delete.
    DeleteTimePassed: 400 BAD_REQUEST "The time limit for deleting this message has passed";
    /// History is off.
    HistoryDisabled: 400 BAD_REQUEST "Message edit history is disabled in this organization";
    /// Receipts are off.
    ReceiptsDisabled: 400 BAD_REQUEST "Read receipts are disabled in this organization.";
    /// Fetching without an anchor.
    MissingAnchor: 400 BAD_REQUEST "Missing 'anchor' argument.";
    /// Not an anchor.
    InvalidAnchor: 400 BAD_REQUEST "Invalid anchor";
    /// Over the limit.
    TooManyMessages { max_messages }: 400 BAD_REQUEST "Too many messages requested (maximum {max_messages}).";
    /// The anchor in the middle can't be left out.
    AnchorInTheMiddle: 400 BAD_REQUEST "The anchor can only be excluded at an end of the range";
    /// Over the limit.
    TooManySubscriptions { max_subscriptions }: 400 BAD_REQUEST "Too many subscriptions at once (maximum {max_subscriptions}).";
    /// Over the limit.
    TooManyChannels { max_channels }: 400 BAD_REQUEST "Too many channels at once (maximum {max_channels}).";
    /// A narrow that can't be understood.
    BadNarrow { desc }: 400 BAD_NARROW "Invalid narrow operator: {desc}" + [desc];
    /// A narrow that contradicts itself.
    BadNarrowCombination { desc }: 400 BAD_NARROW "Invalid narrow operator combination: {desc}" + [desc];
    /// An operator that event queues don't filter by.
    OperatorNotSupported { operator }: 400 BAD_REQUEST "Operator {operator} not supported.";
    /// An operand that event queues don't filter by.
    OperandNotSupported { operand }: 400 BAD_REQUEST "Operand {operand} not supported.";
    /// No such topic.
    NoSuchTopic { topic }: 400 BAD_REQUEST "No such topic '{topic}'";
    /// A slash command that is none.
    CommandWithoutSlash: 400 BAD_REQUEST "A command begins with a slash.";
    /// No such slash command.
    NoSuchCommand { command }: 400 BAD_REQUEST "No such command: {command}";
    /// Reports of messages go to a channel that the organization must have for it.
    NoModerationChannel: 400 BAD_REQUEST "Moderation request channel must be specified to enable message reporting.";
    /// `other` says nothing by itself.
    ExplanationRequired: 400 BAD_REQUEST "An explanation is required.";

    // Widgets.
    /// Polls and to-do lists stay what they are.
    WidgetEdited: 400 BAD_REQUEST "Widgets cannot be edited.";
    /// Only polls and to-do lists have parts.
    NotAWidget: 400 BAD_REQUEST "You cannot attach a submessage to this message.";
    /// What a message is to be a widget of is JSON.
    WidgetNotJson: 400 BAD_REQUEST "Widgets: API programmer sent invalid JSON content";
    /// No form that clients know.
    WidgetGivenRefused { problem }: 400 BAD_REQUEST "Widgets: {problem}";
    /// Parts are JSON.
    InvalidSubmessage: 400 BAD_REQUEST "Invalid json for submessage";
    /// What this poll or list does not take.
    WidgetRefused { problem }: 400 BAD_REQUEST "{problem}";

    // Flags.
    /// Not a flag.
    InvalidFlag { flag }: 400 BAD_REQUEST "Invalid flag: '{flag}'";
    /// A flag that the server keeps.
    FlagNotEditable { flag }: 400 BAD_REQUEST "Flag not editable: '{flag}'";
    /// Neither add nor remove.
    InvalidFlagOperation { op }: 400 BAD_REQUEST "Invalid message flag operation: '{op}'";

    // Reactions and emoji.
    /// The caller has it on the message already.
    ReactionAlreadyExists: 400 REACTION_ALREADY_EXISTS "Reaction already exists.";
    /// The caller has it not.
    ReactionDoesNotExist: 400 REACTION_DOES_NOT_EXIST "Reaction doesn't exist.";
    /// Neither a name nor a code.
    ReactionUnnamed: 400 BAD_REQUEST "At least one of the following arguments must be present: emoji_name, emoji_code";
    /// No emoji has this name.
    UnknownEmoji { emoji_name }: 400 BAD_REQUEST "Emoji '{emoji_name}' does not exist";
    /// Not a namespace.
    InvalidEmojiType: 400 BAD_REQUEST "Invalid emoji type.";
    /// Not a code of its namespace.
    InvalidEmojiCode: 400 BAD_REQUEST "Invalid emoji code";
    /// Code and name belong to different emoji.
    InvalidEmojiName: 400 BAD_REQUEST "Invalid emoji name.";
    /// No such custom emoji.
    InvalidCustomEmoji: 400 BAD_REQUEST "Invalid custom emoji.";
    /// Another custom emoji's name.
    InvalidCustomEmojiName: 400 BAD_REQUEST "Invalid custom emoji name.";
    /// Removed by an administrator.
    CustomEmojiDeactivated: 400 BAD_REQUEST "This custom emoji has been deactivated.";
    /// Nothing left after trimming.
    EmojiNameMissing: 400 BAD_REQUEST "Emoji name is missing";
    /// A character that can't be between colons.
    EmojiNameCharacters: 400 BAD_REQUEST "Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.";
    /// Ends in a dash or an underscore.
    EmojiNameEnding: 400 BAD_REQUEST "Emoji names must end with either a letter or digit.";
    /// An active one has the name.
    CustomEmojiExists: 400 BAD_REQUEST "A custom emoji with this name already exists.";
    /// None, or several.
    OneFileExpected: 400 BAD_REQUEST "You must upload exactly one file.";
    /// The name of an emoji that everybody knows.
    MayNotOverrideEmoji: 400 BAD_REQUEST "Only administrators can override default emoji.";
    /// No active custom emoji has the name.
    NoSuchCustomEmoji { emoji_name }: 404 BAD_REQUEST "Emoji '{emoji_name}' does not exist";
    /// Another's emoji.
    NotEmojiAuthor: 400 BAD_REQUEST "Must be an organization administrator or emoji author";

    // Linkifiers.
    /// Unknown linkifier.
    NoSuchLinkifier: 400 BAD_REQUEST "Linkifier not found.";
    /// What is wrong with it: the first thing, and all by field.
    LinkifierRefused { errors, message }: 400 BAD_REQUEST "{message}" + [errors];
    /// Twice in the list.
    LinkifierRepeated: 400 BAD_REQUEST "The ordered list must not contain duplicated linkifiers";
    /// One is missing, or does not exist.
    LinkifierOrderIncomplete: 400 BAD_REQUEST "The ordered list must enumerate all existing linkifiers exactly once";

    // Invitations.
    /// Unknown invitation.
    NoSuchInvitation: 400 BAD_REQUEST "No such invitation";
    /// Taken back.
    InvitationRevoked: 400 BAD_REQUEST "Invitation has already been revoked";
    /// Over.
    InvitationExpired: 400 BAD_REQUEST "Invitation has expired";
    /// Unknown, archived, or not the caller's to read.
    InvalidInviteChannel { channel_id }: 400 BAD_REQUEST "Invalid channel ID {channel_id}. No invites were sent.";
    /// Neither a default channel nor one to which the caller may add subscribers.
    MayNotSubscribeOthers: 400 BAD_REQUEST "You do not have permission to subscribe other users to channels.";
    /// Nobody to invite.
    NoInvitees: 400 BAD_REQUEST "You must specify at least one email address.";
    /// Some are not addresses.
    InvitesNotValid { errors, sent_invitations, license_limit_reached, daily_limit_reached }: 400 INVITATION_FAILED "Some emails did not validate, so we didn't send any invitations." + [errors, sent_invitations, license_limit_reached, daily_limit_reached];
    /// All have accounts.
    NobodyInvited { errors, sent_invitations, license_limit_reached, daily_limit_reached }: 400 INVITATION_FAILED "We weren't able to invite anyone." + [errors, sent_invitations, license_limit_reached, daily_limit_reached];
    /// Some have accounts; the others are invited.
    SomeNotInvited { errors, sent_invitations, license_limit_reached, daily_limit_reached }: 400 INVITATION_FAILED "Some of those addresses are already using the service, so we didn't send them an invitation. We did send invitations to everyone else!" + [errors, sent_invitations, license_limit_reached, daily_limit_reached];

    // Typing.
    /// No recipients given.
    MissingTo: 400 BAD_REQUEST "Missing 'to' argument";
    /// An empty list.
    EmptyTo: 400 BAD_REQUEST "Empty 'to' list";
    /// No channel given.
    MissingStreamId: 400 BAD_REQUEST "Missing 'stream_id' argument";
    /// The caller switched it off.
    TypingDisabledDirect: 400 BAD_REQUEST "User has disabled typing notifications for direct messages";
    /// The caller switched it off.
    TypingDisabledChannel: 400 BAD_REQUEST "User has disabled typing notifications for channel messages";

    // Uploads.
    /// No file part.
    NoFile: 400 BAD_REQUEST "You must specify a file to upload";
    /// Several file parts.
    SeveralFiles: 400 BAD_REQUEST "You may only upload one file at a time";
    /// Over the organization's quota.
    UploadQuota: 400 REALM_UPLOAD_QUOTA "Upload would exceed your organization's upload quota.";
    /// A temporary address that is wrong or over.
    InvalidToken: 400 BAD_REQUEST "Invalid token";
    /// A temporary address with another file's name.
    InvalidFilename: 400 BAD_REQUEST "Invalid filename";
    /// No such file.
    FileNotFound: 404 BAD_REQUEST "This file does not exist or has been deleted.";
    /// No such upload, or another's.
    InvalidAttachment: 400 BAD_REQUEST "Invalid attachment";
    /// Someone else's file.
    FileForbidden: 403 BAD_REQUEST "You are not authorized to view this file.";
    /// A picture over the limit.
    PictureTooLarge { limit_mib }: 400 BAD_REQUEST "Uploaded file is larger than the allowed limit of {limit_mib} MiB";
    /// Not a picture that can be read.
    BadImage: 400 BAD_IMAGE "Invalid image format";

    // The user's own lists.
    /// A view of the client's own with a name.
    BuiltInViewNamed: 400 BAD_REQUEST "Built-in views cannot have a custom name.";
    /// A view of the user's own without one.
    CustomViewUnnamed: 400 BAD_REQUEST "Custom views must have a valid name.";
    /// The fragment or the name is taken.
    NavigationViewExists: 400 BAD_REQUEST "Navigation view already exists.";
    /// Unknown view.
    NoSuchNavigationView: 404 BAD_REQUEST "Navigation view does not exist.";
    /// Unknown snippet, or another's.
    NoSuchSnippet: 404 BAD_REQUEST "Saved snippet does not exist.";
    /// The caller switched them off.
    DraftsDisabled: 400 BAD_REQUEST "User has disabled synchronizing drafts.";
    /// Unknown draft, or another's.
    NoSuchDraft: 404 BAD_REQUEST "Draft does not exist";
    /// Before 1970.
    NegativeTimestamp: 400 BAD_REQUEST "Timestamp must not be negative.";
    /// A draft to several channels, or none.
    OneDraftChannel: 400 BAD_REQUEST "Must specify exactly 1 channel ID for channel messages";
    /// A NUL character.
    DraftTopicNullBytes: 400 BAD_REQUEST "Topic must not contain null bytes";
    /// Now, or earlier.
    DeliveryNotInFuture: 400 BAD_REQUEST "Scheduled delivery time must be in the future.";
    /// Unknown scheduled message, or another's.
    NoSuchScheduledMessage: 404 BAD_REQUEST "Scheduled message does not exist";
    /// Its time has come before the change.
    ScheduledMessageSent: 400 BAD_REQUEST "Scheduled message was already sent";
    /// A list where one channel is wanted.
    InvalidChannelIdType: 400 BAD_REQUEST "Invalid data type for channel ID";
    /// Another type, but to whom?
    RecipientNeeded: 400 BAD_REQUEST "Recipient required when updating type of scheduled message.";
    /// To a channel, but under which topic?
    TopicNeeded: 400 BAD_REQUEST "Topic required when updating scheduled message type to channel.";
    /// Unknown reminder, or another's.
    NoSuchReminder: 404 BAD_REQUEST "Reminder does not exist";
    /// Over the limit.
    NoteTooLong { limit }: 400 BAD_REQUEST "Maximum reminder note length: {limit} characters";

    // Resumable uploads.
    /// No credentials, or wrong ones.
    UnauthenticatedUpload: 401 UNAUTHORIZED "Unauthenticated upload";
    /// Another version of the protocol, or none.
    TusVersion: 412 BAD_REQUEST "Tus-Resumable must be 1.0.0";
    /// A file whose size is not said.
    DeferredLength: 411 BAD_REQUEST "SizeIsDeferred is not supported";
    /// A header that is missing or no number.
    TusHeader { header }: 400 BAD_REQUEST "Missing or invalid header: {header}";
    /// A piece of another type than the protocol's.
    TusContentType: 415 BAD_REQUEST "Content-Type must be application/offset+octet-stream";
    /// Unknown upload, or another's.
    NoSuchUpload: 404 BAD_REQUEST "Upload not found";
    /// Not where the upload is.
    UploadOffset: 409 BAD_REQUEST "Upload-Offset does not match the upload's offset";
    /// More bytes than were announced.
    UploadTooLong: 413 BAD_REQUEST "The upload is longer than announced";
    /// The file is there; DELETE /attachments/{attachment_id} removes it.
    UploadFinished: 403 BAD_REQUEST "Finished uploads can't be terminated";

    // Devices and push notifications.
    /// Empty, or over 4,096 characters.
    TokenLength: 400 BAD_REQUEST "Empty or invalid length token";
    /// Not hexadecimal.
    InvalidPlatformToken: 400 BAD_REQUEST "Invalid APNS token";
    /// Unknown token, or another's.
    NoSuchToken: 400 BAD_REQUEST "Token does not exist";
    /// The organization has no push notifications.
    PushNotConfigured: 400 PUSH_SERVICE_NOT_CONFIGURED "Server is not configured to use push notification service.";
    /// Neither a key nor a token, or not all of one.
    PushDataMissing: 400 BAD_REQUEST "Missing parameters: must provide either all push key fields, all token fields, or both.";
    /// A device that has no key yet gets one with its token.
    NoKeyToRotate: 400 BAD_REQUEST "No push registration exists to rotate key for.";
    /// A device that has no key yet gets one with its token.
    NoTokenToRotate: 400 BAD_REQUEST "No push registration exists to rotate token for.";
    /// Not a key of the form that devices make.
    InvalidPushKey: 400 BAD_REQUEST "Invalid `push_key`";
    /// Unknown token, or another's, where a test was asked for.
    PushTokenUnknown: 400 INVALID_PUSH_DEVICE_TOKEN "Device not recognized";
    /// Nothing to push to.
    NoActivePushDevice: 400 NO_ACTIVE_PUSH_DEVICE "No active registered push device";
    /// Another server's organization that the relay does not know.
    RemoteRealmMissing: 403 MISSING_REMOTE_REALM "Organization not registered";
    /// Not a key of the relay's.
    InvalidRelayKey: 400 INVALID_BOUNCER_PUBLIC_KEY "Invalid bouncer_public_key";
    /// Nothing that a device sealed for the relay.
    InvalidSealedRegistration: 400 BAD_REQUEST "Invalid encrypted_push_registration";
    /// A registration that took too long.
    RegistrationExpired: 400 REQUEST_EXPIRED "Request expired";
    /// The relay fails by itself.
    RelayServerError: 502 INTERNAL_SERVER_ERROR_ON_BOUNCER "Internal server error on push notification service, retry later.";
    /// The relay can't be reached.
    RelayUnreachable: 502 FAILED_TO_CONNECT_BOUNCER "Network error while connecting to push notification service.";
    /// The relay refuses this server.
    RelayRefuses: 403 ADMIN_ACTION_REQUIRED "Push notification configuration issue on server, contact the server administrator or retry later.";

    // Video calls.
    /// No account at the service for video calls.
    InvalidZoomToken: 400 INVALID_ZOOM_TOKEN "Invalid Zoom access token";

    // Event queues.
    /// A queue that is gone, or another's.
    BadEventQueue { queue_id }: 400 BAD_EVENT_QUEUE_ID "Bad event queue ID: {queue_id}" + [queue_id];
    /// No queue given to the long poll.
    MissingQueueId: 400 BAD_REQUEST "Missing 'queue_id' argument";
    /// No event given to the long poll.
    MissingLastEventId: 400 BAD_REQUEST "Missing 'last_event_id' argument";
    /// Events before this were acknowledged.
    EventPruned { event_id }: 400 BAD_REQUEST "An event newer than {event_id} has already been pruned!";
    /// An id that the queue never had.
    EventNotInQueue { event_id }: 400 BAD_REQUEST "Event {event_id} was not in this queue";

    // Faults and control.
    /// What a control request asked for is not understood; nothing was changed.
    ControlRefused { reason }: 400 BAD_REQUEST "{reason}";
    /// A world's name is taken.
    WorldExists { name }: 409 BAD_REQUEST "There is a world called '{name}' already";
    /// No such snapshot, fault, queue or control path.
    ControlNotFound { what }: 404 BAD_REQUEST "{what}";
    /// A foreign page or host name asks for control.
    ControlForbidden { what }: 403 BAD_REQUEST "Access denied: control is not for {what}";
    /// A foreign page or host name asks for what gives keys.
    KeysForbidden { what }: 403 BAD_REQUEST "Access denied: keys are not given to {what}";
    /// The control token is missing or wrong.
    ControlToken: 401 UNAUTHORIZED "Control needs the token that the server was started with";
    /// The journal does not hold what was asked of it.
    VerificationFailed { reason, count, nearest }: 400 VERIFICATION_FAILED "{reason}" + [count, nearest];
    /// The journal did not come to hold it in time.
    VerificationTimedOut { reason, count, nearest }: 408 VERIFICATION_FAILED "{reason}" + [count, nearest];
    /// A fault of the rule `rate_limit`: there are no limits otherwise.
    RateLimitHit { retry_after }: 429 RATE_LIMIT_HIT "API usage exceeded rate limit" + [retry_after];

    // The program itself.
    /// A fault of our own; the request changed nothing.
    Internal: 500 INTERNAL_ERROR "Internal server error";
}

impl Error {
    /// The row of the table that this error is of.
    pub fn row(&self) -> &'static ErrorRow {
        self.kind().row()
    }

    /// HTTP status of the reply.
    pub fn status(&self) -> u16 {
        self.row().status
    }

    /// The message with its placeholders filled.
    pub fn message(&self) -> String {
        self.filled(self.row().message)
    }

    /// Any text with the error's placeholders filled.
    pub fn filled(&self, template: &str) -> String {
        let mut message = String::new();
        let mut rest = template;
        // Each once: what is filled in may have braces of its own.
        while let Some((before, behind)) = rest.split_once('{') {
            message.push_str(before);
            let placeholder = behind.split_once('}').and_then(|(name, after)| Some((self.in_words(name)?, after)));
            let (text, after) = placeholder.unwrap_or_else(|| ("{".to_owned(), behind));
            message.push_str(&text);
            rest = after;
        }
        message.push_str(rest);
        message
    }

    /// The field of this name as it is in the message.
    fn in_words(&self, name: &str) -> Option<String> {
        let (_, value) = self.fields().into_iter().find(|(field, _)| *field == name)?;
        Some(match &**value {
            Value::String(text) => text.clone(),
            Value::Array(items) => items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                .collect::<Vec<_>>()
                .join(", "),
            other => other.to_string(),
        })
    }

    /// The reply's JSON: `result`, `msg`, the row's further fields, `code` (specification, Errors).
    pub fn body(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(body)) => body,
            _ => Map::new(),
        }
    }

    /// A parameter's value is of the wrong kind; `problem` follows its name: `is not an integer`.
    pub fn bad_value(parameter: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::BadValue { parameter: parameter.into().into(), problem: problem.into().into() }
    }

    /// A parameter's value is of the right kind and none of those that there are.
    pub fn not_possible(parameter: &str) -> Self {
        Error::InvalidValueBecause { parameter: parameter.into(), reason: "Not in the list of possible values".into() }
    }
}

/// As [`Error::body`] has it.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = self.row();
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("result", "error")?;
        body.serialize_entry("msg", &self.message())?;
        for (name, value) in self.fields() {
            if row.fields.contains(&name) {
                // The one name on the wire that no identifier can have.
                let name = if name == "retry_after" { "retry-after" } else { name };
                body.serialize_entry(name, &**value)?;
            }
        }
        body.serialize_entry("code", row.code)?;
        body.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_fill_the_message_and_stand_beside_it() {
        let error = Error::UnknownChannel { stream: "nowhere".into() };

        assert_eq!(
            Value::Object(error.body()),
            json!({"result": "error", "msg": "Channel 'nowhere' does not exist", "stream": "nowhere", "code": "STREAM_DOES_NOT_EXIST"})
        );
    }

    #[test]
    fn what_looks_like_a_placeholder_in_a_field_is_left_alone() {
        let error = Error::InDefaultGroup { channel_name: "{group_name}".into(), group_name: "news".into() };

        let message = "Channel '{group_name}' is already present in default channel group 'news'";
        assert_eq!(error.message(), message);
    }

    #[test]
    fn a_field_that_only_fills_the_message_is_not_in_the_reply() {
        let body = Error::InvalidUserId { user_id: 7.into() }.body();

        assert_eq!(body["msg"], "Invalid user ID: 7");
        assert!(!body.contains_key("user_id"));
    }

    #[test]
    fn every_row_has_a_failing_status_and_names_fields_that_it_has() {
        for row in Error::TABLE {
            assert!((400..=599).contains(&row.status), "{}", row.name);
            assert!(!row.message.is_empty(), "{}", row.name);
        }
    }
}
