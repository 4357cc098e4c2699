//! The operations: one type each next to its kin, one row each in [`OPERATIONS`].
//!
//! An operation reads from top to bottom: checks first, then a blank line, then the change. It knows nothing of HTTP,
//! feature levels or dialects, and takes no locks: a [`Read`] gets the realm as it is, a [`Write`] a private copy.
//!
//! A file or folder with operations is a family, which names no other one; what several need is in [`shared`].
//!
//! To add an operation: declare it with `operation!`, write its reply struct and an `impl Read` or `impl Write`, and add
//! its row to the table. Routing, the OpenAPI document and the reference follow from these.

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
pub mod events;
pub mod exports;
pub mod flags;
pub mod groups;
pub mod invites;
pub mod linkifiers;
pub mod messages;
pub mod muted_users;
pub mod navigation_views;
mod null;
pub mod onboarding;
pub mod operation;
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
pub mod shared;
pub mod snippets;
pub mod statuses;
pub mod subscriptions;
mod table;
pub mod topics;
pub mod typing;
pub mod uploads;
pub mod users;

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::world::{NewEvents, ParkedPoll, World};
use parameter::{ParameterInfo, Parameters, RawParameters};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::sync::Arc;

pub use access::Access;
pub use call::{Call, Origin, commit_for};
pub(crate) use operation::operation;
pub use operation::{Docs, Operation, PartialWrite, Precondition, Read, Write};
pub use reply::{ReplyBytes, ReplyData, Success, envelope};
pub use table::{OPERATIONS, RESUMABLE_UPLOADS};

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
    /// The route of a method, in capitals, and a path.
    pub const fn new(method: &'static str, path: &'static str) -> Self {
        Self { method, path }
    }
}

/// How a row's operation is carried out: with the realm in which the caller was checked, the call and its parameters.
#[derive(Clone, Copy)]
pub enum Run {
    /// Looks at that realm.
    Read(fn(&Realm, &Call<'_>, &RawParameters) -> Result<ReplyBytes, Error>),
    /// Changes the world's present realm.
    Write(fn(&World, &Realm, &Call<'_>, &RawParameters) -> Result<Outcome, NotDone>),
    /// Waits for events: the long poll.
    Poll(fn(&Arc<World>, &Call<'_>, &RawParameters) -> Result<Reply, Error>),
}

/// A reply, or what gives it later.
pub enum Reply {
    /// It is there.
    Ready(ReplyBytes),
    /// The poll waits for it.
    Pending(ParkedPoll),
}

/// What came of an operation that was carried out.
pub struct Outcome {
    /// The reply. An operation that was done in part refuses the rest.
    pub reply: Result<Reply, Error>,
    /// What it added to the event log.
    pub events: NewEvents,
    /// Whose session it opens.
    pub session: Option<UserId>,
}

impl Outcome {
    /// Of an operation that changed nothing.
    pub fn unchanged(reply: Result<Reply, Error>) -> Self {
        Self { reply, events: NewEvents::default(), session: None }
    }
}

/// Why a write changed nothing.
pub enum NotDone {
    /// It is refused.
    Refused(Error),
    /// Another request changed the caller or the world's level since the caller was checked: it has to begin again.
    Outdated,
}

impl From<Error> for NotDone {
    fn from(error: Error) -> Self {
        NotDone::Refused(error)
    }
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
    pub about: Docs,
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
    let is_named = |route: &str| route == path || (route.contains("{*") && route.replace("{*", "{") == path);
    rows().map(|row| row.route.path).find(|route| is_named(route))
}

/// All rows: those of [`OPERATIONS`] and of [`RESUMABLE_UPLOADS`].
pub fn rows() -> impl Iterator<Item = &'static Row> {
    OPERATIONS.iter().chain(RESUMABLE_UPLOADS)
}
