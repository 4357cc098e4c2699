//! The operations: one type each beside its kin, one row each in [`OPERATIONS`].
//!
//! An operation reads from top to bottom: checks first, then a blank line, then the change. It knows nothing of HTTP,
//! feature levels or dialects, and takes no locks: a [`Read`] gets the realm as it is, a [`Write`] a private copy.
//!
//! To add an operation: write its parameters with `parameters!`, a reply struct, an `impl Read` or `impl Write`, and
//! add its row below. Routing, the OpenAPI document and the reference follow from these.

mod access;
pub mod alert_words;
pub mod avatars;
pub mod bot_storage;
pub mod bots;
mod call;
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
mod null;
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
mod reply;
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
use crate::world::World;
use parameter::{ParameterInfo, Parameters, RawParameters};
use schemars::{JsonSchema, Schema, SchemaGenerator};

pub use access::Access;
pub use call::{Call, Origin, commit_for};
pub use reply::{ReplyBytes, ReplyData, Success, envelope};
pub use table::OPERATIONS;

/// The newest feature level that this build knows.
pub const NEWEST_FEATURE_LEVEL: i64 = 497;
/// `service_version` at the newest level. in docs/assumptions.md.
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
    /// Whether it gives keys, or accounts to get keys of, to whoever asks.
    const GIVES_KEYS: bool = false;
    /// Whether it takes hardly longer in a large organization than in a small one; others run aside there.
    const IS_SHORT: bool = false;
    /// What it takes.
    type Params: Parameters;
    /// What it gives besides `result` and `msg`.
    type Reply: ReplyData + JsonSchema;
}

/// Says whether a caller may use an operation as things are.
pub type Admission = fn(&Realm, &Call<'_>) -> Result<(), Error>;

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
    /// The full name of its type.
    pub name: fn() -> &'static str,
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
    /// Whether it gives keys, or accounts to get keys of, to whoever asks.
    pub gives_keys: bool,
    /// Whether it takes hardly longer in a large organization than in a small one.
    pub is_short: bool,
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
