//! The operations: one type each beside its kin, one row each in [`OPERATIONS`].
//!
//! An operation reads from top to bottom: checks first, then a blank line, then the change. It knows nothing of HTTP,
//! feature levels or dialects, and takes no locks: a [`Read`] gets the realm as it is, a [`Write`] a private copy.
//!
//! To add an operation: write its parameters with `parameters!`, a reply struct, an `impl Read` or `impl Write`, and
//! add its row below. Routing, the OpenAPI document and the reference follow from these.

pub mod alert_words;
pub mod avatars;
pub mod bot_storage;
pub mod bots;
pub mod calls;
pub mod channel_folders;
pub mod channels;
pub mod credentials;
pub mod custom_emoji;
pub mod devices;
pub mod drafts;
pub mod emoji;
pub mod events;
pub mod exports;
pub mod flags;
pub mod group_settings;
pub mod groups;
pub mod invites;
pub mod linkifiers;
pub mod messages;
pub mod muted_users;
pub mod navigation_views;
pub mod onboarding;
pub mod organization;
pub mod parameter;
pub mod presence;
pub mod profile;
pub mod profile_fields;
pub mod push;
pub mod reactions;
pub mod register;
pub mod reminders;
pub mod scheduled_messages;
pub mod server;
pub mod settings;
pub mod snippets;
pub mod statuses;
pub mod subscribing;
pub mod subscriptions;
mod table;
pub mod text;
pub mod topics;
pub mod typing;
pub mod uploads;
pub mod users;

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::queue::QueueLevel;
use crate::realm::render::Site;
use crate::realm::user::{Role, User};
use crate::time::Timestamp;
use crate::world::{Caused, World};
use parameter::{ParameterInfo, Parameters, RawParameters, UploadedFile};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
pub use table::OPERATIONS;

/// The newest feature level that this build knows.
pub const NEWEST_FEATURE_LEVEL: i64 = 497;
/// `service_version` at the newest level. See A-2 in docs/assumptions.md.
pub const SERVICE_VERSION: &str = "12.0";

/// The way of an HTTP method and a path with placeholders in braces, without `/api/v1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// GET, POST, …
    pub method: &'static str,
    /// `/messages/{message_id}/reactions`
    pub path: &'static str,
}

impl Route {
    /// GET
    pub const fn get(path: &'static str) -> Self {
        Self { method: "GET", path }
    }
    /// POST
    pub const fn post(path: &'static str) -> Self {
        Self { method: "POST", path }
    }
    /// PATCH
    pub const fn patch(path: &'static str) -> Self {
        Self { method: "PATCH", path }
    }
    /// PUT
    pub const fn put(path: &'static str) -> Self {
        Self { method: "PUT", path }
    }
    /// DELETE
    pub const fn delete(path: &'static str) -> Self {
        Self { method: "DELETE", path }
    }
}

/// Who may call an operation, as far as it does not depend on its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No credentials are asked for, and wrong ones don't matter.
    Anyone,
    /// Users, and anonymous visitors where the organization has public access.
    UserOrVisitor,
    /// Any account, webhook bots included.
    AnyAccount,
    /// Any account but webhook bots.
    User,
    /// People, not bots.
    Human,
    /// Accounts that are not guests.
    NotGuest,
    /// Accounts that may create user groups.
    GroupCreator,
    /// People that are not guests.
    HumanNotGuest,
    /// Administrators and owners, bots of that role included.
    Administrator,
    /// Owners, bots of that role included.
    Owner,
    /// Bots.
    Bot,
}

impl Access {
    /// Whether the caller may call the operation.
    ///
    /// # Errors
    ///
    /// `WebhookBotNotAllowed`, `AdministratorRequired`, `OwnerRequired`, `GuestsNotAllowed`, `BotsNotAllowed`,
    /// `BotsOnly`, `InsufficientPermission`.
    pub fn check(self, realm: &Realm, caller: &User) -> Result<(), Error> {
        use crate::realm::user::BotKind;
        let is_webhook = caller.bot.as_ref().is_some_and(|bot| bot.kind == BotKind::IncomingWebhook);
        if is_webhook && !matches!(self, Access::Anyone | Access::AnyAccount) {
            return Err(Error::WebhookBotNotAllowed);
        }
        match self {
            Access::Anyone | Access::UserOrVisitor | Access::AnyAccount | Access::User => Ok(()),
            Access::Administrator if !caller.is_admin() => Err(Error::AdministratorRequired),
            Access::Owner if caller.role != Role::Owner => Err(Error::OwnerRequired),
            Access::NotGuest | Access::GroupCreator | Access::HumanNotGuest if caller.is_guest() => {
                Err(Error::GuestsNotAllowed)
            }
            Access::GroupCreator if !realm.may(caller.id, "can_create_groups") => Err(Error::InsufficientPermission),
            Access::Human | Access::HumanNotGuest if caller.is_bot() => Err(Error::BotsNotAllowed),
            Access::Bot if !caller.is_bot() => Err(Error::BotsOnly),
            Access::Administrator
            | Access::Owner
            | Access::NotGuest
            | Access::GroupCreator
            | Access::HumanNotGuest
            | Access::Human
            | Access::Bot => Ok(()),
        }
    }

    /// In words, for the documents.
    pub fn words(self) -> &'static str {
        match self {
            Access::Anyone => "anyone, without credentials",
            Access::UserOrVisitor => "any account; anonymous visitors where the organization has public access",
            Access::AnyAccount => "any account, incoming webhook bots included",
            Access::User => "any account",
            Access::Human => "people, not bots",
            Access::NotGuest => "any account but guests",
            Access::GroupCreator => "those who may create user groups (`can_create_groups`), not guests",
            Access::HumanNotGuest => "people, not bots or guests",
            Access::Administrator => "organization administrators",
            Access::Owner => "organization owners",
            Access::Bot => "bots",
        }
    }
}

/// What the documents say of an operation besides what its types say.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// One sentence.
    pub summary: &'static str,
    /// The first feature level that has it; 0 when it was always there.
    pub since: i64,
    /// Whether the specification names it; the others are its neighbours.
    pub is_specified: bool,
    /// Rows of the error table, in the order in which they are checked.
    pub errors: &'static [&'static str],
    /// Types and ops of the events that it sends, in their order.
    pub events: &'static [&'static str],
}

/// What every operation says of itself.
pub trait Operation {
    /// Its way.
    const ROUTE: Route;
    /// Who may call it.
    const ACCESS: Access;
    /// What the documents say.
    const ABOUT: About;
    /// The first feature level that does not have it any more.
    const UNTIL: Option<i64> = None;
    /// `msg` of its reply, where it says something.
    const MESSAGE: Option<fn(&Self::Reply) -> &'static str> = None;
    /// Whether the caller may use it as things are, where more than `ACCESS` decides; asked before the parameters are
    /// looked at. Its errors are those of `ABOUT` that don't depend on them.
    const ADMISSION: Option<Admission> = None;
    /// Whether it takes files, as parts of a multipart body.
    const TAKES_FILES: bool = false;
    /// What it takes.
    type Params: Parameters;
    /// What it gives besides `result` and `msg`.
    type Reply: ReplyData + JsonSchema;
}

/// Says whether a caller may use an operation as things are.
pub type Admission = fn(&Realm, &Call<'_>) -> Result<(), Error>;

/// The data of a reply, an object.
pub trait ReplyData {
    /// Appends it as JSON.
    fn write(&self, bytes: &mut Vec<u8>);
}

impl<T: Serialize> ReplyData for T {
    fn write(&self, bytes: &mut Vec<u8>) {
        let written = serde_json::to_writer(bytes, self);
        debug_assert!(written.is_ok(), "texts can be written");
    }
}

/// An operation that looks at the realm.
pub trait Read: Operation {
    /// Does it.
    ///
    /// # Errors
    ///
    /// Those of `ABOUT`.
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<Self::Reply, Error>;
}

/// An operation that changes the realm, as one step.
pub trait Write: Operation {
    /// Does it on a private copy.
    ///
    /// # Errors
    ///
    /// Those of `ABOUT`; the copy is dropped then.
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Self::Reply, Error>;
}

/// An operation that is done in part where it can't be done whole, and still tells of what was not.
pub trait PartialWrite: Operation {
    /// Does it on a private copy. An inner error is the reply, and what was done stays.
    ///
    /// # Errors
    ///
    /// Those of `ABOUT`; the copy is dropped then.
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Result<Self::Reply, Error>, Error>;
}

/// The reply of operations that have nothing to say but success.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Success {}

/// Who calls, from where, and when.
pub struct Call<'a> {
    /// The caller; None without credentials.
    pub caller: Option<Arc<User>>,
    /// The address that the request came to.
    pub origin: Origin<'a>,
    /// What the caller calls the built-in extra emoji beside its own name.
    pub extra_emoji: Option<&'a str>,
    /// What the client calls itself.
    pub client: &'a str,
    /// All that it says of itself.
    pub user_agent: &'a str,
    /// The world's time.
    pub now: Timestamp,
    /// The feature level that the world emulates; the core asks only where the edge can't do it.
    pub feature_level: i64,
    /// What that level means for queues.
    pub queue_level: QueueLevel,
    /// Parameters that the level knows and the newest does not, as they were sent.
    pub former: &'a BTreeMap<&'static str, String>,
    /// Files of a multipart body.
    pub files: &'a [UploadedFile],
    /// How a fault lets the push relay fail.
    pub bouncer: Option<crate::fault::Bouncer>,
    /// What the request caused, once it was carried out.
    pub caused: OnceLock<Caused>,
}

impl Call<'_> {
    /// What the client knows things by.
    pub fn site(&self) -> Site {
        Site { own_url: Some(self.origin.base_url()), extra_emoji: self.extra_emoji.map(str::to_owned) }
    }

    /// The caller of an operation that needs credentials.
    ///
    /// # Panics
    ///
    /// Where the operation's `ACCESS` lets visitors in: those ask `caller` itself.
    pub fn caller(&self) -> &User {
        self.caller.as_deref().expect("the operation needs credentials, which were checked")
    }

    /// As [`Call::caller`], shared.
    ///
    /// # Panics
    ///
    /// As that does.
    pub fn caller_shared(&self) -> &Arc<User> {
        self.caller.as_ref().expect("the operation needs credentials, which were checked")
    }

    fn note_activity(&self, tx: &mut Tx) {
        if let Some(caller) = &self.caller {
            tx.note_activity(caller.id);
        }
    }

    /// Whether the caller's credentials still hold: another request may have come in between since they were checked.
    fn check_credentials_hold(&self, realm: &Realm) -> Result<(), Error> {
        let Some(caller) = &self.caller else { return Ok(()) };
        let user = realm.user(caller.id).filter(|user| user.api_key == caller.api_key).ok_or(Error::InvalidApiKey)?;
        realm.check_is_open_to(user)
    }
}

/// The address that a request came to: what URLs in its reply begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// `http` or `https`.
    pub scheme: &'static str,
    /// Host and port.
    pub host: &'a str,
    /// `/w/NAME`, or "" when the world has the whole address.
    pub prefix: &'a str,
}

impl Origin<'_> {
    /// `http://127.0.0.1:9991/w/NAME`, without a slash at the end.
    pub fn base_url(&self) -> String {
        [self.scheme, "://", self.host, self.prefix].concat()
    }

    /// A text whose links to uploads lead there without the address and prefix that this caller knows: what is stored
    /// must lead anywhere. An address that stands for itself stays, since without its beginning it would be none; it
    /// becomes relative when it is rendered.
    pub fn strip(&self, text: String) -> String {
        if memchr::memmem::find(text.as_bytes(), b"/user_uploads/").is_none() {
            return text;
        }
        let mut text = text.replace(&format!("]({}/user_uploads/", self.base_url()), "](/user_uploads/");
        if !self.prefix.is_empty() {
            text = text.replace(&format!("]({}/user_uploads/", self.prefix), "](/user_uploads/");
        }
        text
    }
}

/// A successful reply as bytes of JSON.
pub type ReplyBytes = Vec<u8>;

/// How a row's operation is carried out.
#[derive(Clone, Copy)]
pub enum Run {
    /// At once.
    Now(fn(&World, &Call<'_>, &RawParameters) -> Result<ReplyBytes, Error>),
    /// The long poll, which the edge carries out.
    Poll,
}

/// An operation as the table has it.
pub struct Row {
    /// Its way.
    pub route: Route,
    /// Who may call it.
    pub access: Access,
    /// What the documents say.
    pub about: About,
    /// The first feature level that does not have it any more.
    pub until: Option<i64>,
    /// Whether `msg` of its reply says something.
    pub says_something: bool,
    /// Whether it takes files; others take no larger bodies than parameters need.
    pub takes_files: bool,
    /// What it takes.
    pub parameters: &'static [ParameterInfo],
    /// What it gives besides `result` and `msg`.
    pub reply: fn(&mut SchemaGenerator) -> Schema,
    /// How it is carried out.
    pub run: Run,
}

impl Row {
    /// Whether a feature level has the operation.
    pub fn is_at(&self, level: i64) -> bool {
        self.about.since <= level && self.until.is_none_or(|until| level < until)
    }
}

/// The path in the table that is documented as this one, where the part that may hold slashes has no mark.
pub fn route_named(path: &str) -> Option<&'static str> {
    if path == RESUMABLE_UPLOADS {
        return Some(RESUMABLE_UPLOADS);
    }
    let is_named = |route: &str| route == path || (route.contains("{*") && route.replace("{*", "{") == path);
    OPERATIONS.iter().map(|row| row.route.path).find(|route| is_named(route))
}

/// Resumable uploads have a protocol of their own and stand in no table.
pub const RESUMABLE_UPLOADS: &str = "/tus";

/// Room for most replies, so that few are moved while they are written.
const REPLY_BYTES: usize = 512;

/// A successful reply's bytes: `result`, an empty `msg`, what was ignored, then the operation's data, which is an object.
pub fn envelope<P: Parameters>(data: &impl ReplyData, raw: &RawParameters) -> ReplyBytes {
    envelope_saying::<P>("", data, raw)
}

/// As [`envelope`], with a `msg`.
fn envelope_saying<P: Parameters>(message: &'static str, data: &impl ReplyData, raw: &RawParameters) -> ReplyBytes {
    let mut bytes = Vec::with_capacity(REPLY_BYTES);
    bytes.extend_from_slice(br#"{"result":"success","msg":"#);
    message.write(&mut bytes);
    let ignored = raw.unsupported(P::LIST);
    if !ignored.is_empty() {
        bytes.extend_from_slice(br#","ignored_parameters_unsupported":"#);
        ignored.write(&mut bytes);
    }
    // The envelope's object goes on in the data's: a comma takes the place of its beginning.
    let seam = bytes.len();
    data.write(&mut bytes);
    debug_assert!(bytes[seam] == b'{', "replies are objects");
    if bytes[seam..] == *b"{}" {
        bytes.remove(seam);
    } else {
        bytes[seam] = b',';
    }
    bytes.push(b'\n');
    bytes
}
