//! What an operation is, and how one is declared.

use super::parameter::Parameters;
use super::{Access, Call, ReplyData, Route};
use crate::error::{Error, ErrorKind};
use crate::realm::Realm;
use crate::realm::event::EventKind;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use schemars::JsonSchema;

/// What the documents say of an operation besides what its types say.
#[derive(Clone, Copy, Debug)]
pub struct Docs {
    /// One sentence.
    pub summary: &'static str,
    /// The first feature level that has it; 0 when it was always there.
    pub since: i64,
    /// What replaces it, if clients should no longer use it.
    pub deprecated: Option<Deprecation>,
    /// Refusals, in the order in which they are checked.
    pub errors: &'static [ErrorKind],
    /// Types and ops of the events that it sends, in their order.
    pub events: &'static [EventKind],
}

/// What replaces an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// The first feature level that has what replaces it.
    pub since: i64,
    /// Another operation.
    pub instead: &'static str,
}

/// What an operation does, or may do, besides its change of the realm: whoever calls it has to see to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It deactivates accounts, whose sessions end.
    EndsSessions,
    /// It may change the caller's password, which ends all sessions of the caller but the one in which it is called.
    KeepsSession,
    /// It registers an event queue with capabilities and a narrow of its own.
    RegistersQueue,
}

/// How requests for an operation are read, and how it is replied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Parameters in query and form, replies in the API's envelope.
    Api,
    /// The protocol tus 1.0.0 for resumable uploads: parameters and replies in headers.
    Resumable,
}

impl Protocol {
    /// Whether parameters are sent in a query or a form.
    pub fn takes_forms(self) -> bool {
        self == Protocol::Api
    }
}

/// What every operation says of itself. Made by `operation!`.
pub trait Operation {
    /// Its method and path.
    const ROUTE: Route;
    /// Who may call it.
    const ACCESS: Access;
    /// What the documents say.
    const DOCS: Docs;
    /// The first feature level that does not have it any more.
    const REMOVED_IN: Option<i64> = None;
    /// `msg` of its reply, where it says something.
    const MESSAGE: Option<fn(&Self::Reply) -> &'static str> = None;
    /// Whose session it opens, where it does.
    const SESSION: Option<fn(&Self::Reply) -> UserId> = None;
    /// Whether the caller may use it as things are, where more than `ACCESS` decides; asked before the parameters are
    /// looked at. Its errors are those of `DOCS` that don't depend on them.
    const PRECONDITION: Option<Precondition> = None;
    /// Whether it takes files, as parts of a multipart body.
    const TAKES_FILES: bool = false;
    /// Whether it gives keys, or accounts to get keys of, to whoever asks.
    const GIVES_KEYS: bool = false;
    /// Whether it takes hardly longer in a large organization than in a small one; others run aside there.
    const IS_SHORT: bool = false;
    /// What follows from it outside of the realm.
    const EFFECTS: &'static [Effect] = &[];
    /// The parameter with the caller's address, which callers in a session may leave out (A-372).
    const CALLER_IN: Option<&'static str> = None;
    /// How it is called.
    const PROTOCOL: Protocol = Protocol::Api;
    /// What it takes.
    type Params: Parameters;
    /// What it gives besides `result` and `msg`.
    type Reply: ReplyData + JsonSchema;
}

/// Says whether a caller may use an operation as things are.
pub type Precondition = fn(&Realm, &Call<'_>) -> Result<(), Error>;

/// An operation that looks at the realm.
pub trait Read: Operation {
    /// Does it.
    ///
    /// # Errors
    ///
    /// Those of `DOCS`.
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<Self::Reply, Error>;
}

/// An operation that changes the realm, as one step.
pub trait Write: Operation {
    /// Does it on a private copy.
    ///
    /// # Errors
    ///
    /// Those of `DOCS`; the copy is dropped then.
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Self::Reply, Error>;
}

/// An operation that is done in part where it can't be done whole, and still tells of what was not.
pub trait PartialWrite: Operation {
    /// Does it on a private copy. An inner error is the reply, and what was done stays.
    ///
    /// # Errors
    ///
    /// Those of `DOCS`; the copy is dropped then.
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Result<Self::Reply, Error>, Error>;
}

/// Declares an operation: its type, whose fields are its parameters, and what it says of itself.
///
/// ```text
/// operation! {
///     /// Saves a snippet for the caller.
///     pub CreateSnippet = POST "/saved_snippets", for User, since 297;
///     params {
///         /// Markdown.
///         content: Content,
///     }
///     reply SnippetIdReply;
///     errors [BadValue];
///     events [SavedSnippetsAdd];
/// }
/// ```
///
/// The first line is its summary in the documents. `removed_in` gives the first level without it, `deprecated` the first level
/// that has what replaces it, and what that is. Parameters that several
/// operations share are a type of their own, made by [`parameters!`](super::parameter::parameters): `params from Type;`.
/// Lists that several share follow `in`: `errors in ERRORS;`. What is left out is nothing; the reply is [`Success`] then.
/// `precondition`, `message`, `session`, `takes files`, `gives keys`, `is short`, `effects [...]`, `caller in` and `protocol`
/// are the constants of [`Operation`].
macro_rules! operation {
    (
        $(#[doc = $summary:literal])+
        pub $name:ident = $method:ident $path:literal, for $access:ident
            $(, since $since:expr)? $(, removed_in $removed_in:expr)? $(, deprecated $deprecated:literal => $instead:literal)?;
        $(params { $($params:tt)* })?
        $(params from $shared:ty;)?
        $(reply $reply:ty;)?
        $(errors [$($error:ident),* $(,)?];)?
        $(errors in $errors:expr;)?
        $(events [$($event:ident),* $(,)?];)?
        $(events in $events:expr;)?
        $(precondition $precondition:expr;)?
        $(message $message:expr;)?
        $(session $session:expr;)?
        $(takes $files:ident;)?
        $(gives $keys:ident;)?
        $(is $short:ident;)?
        $(effects [$($effect:ident),* $(,)?];)?
        $(caller in $caller_in:literal;)?
        $(protocol $protocol:ident;)?
    ) => {
        $crate::api::operation::operation_type! {
            { $(#[doc = $summary])+ }
            $name
            $({ $($params)* })?
            $(from $shared)?
        }

        impl $crate::api::Operation for $name {
            const ROUTE: $crate::api::Route = $crate::api::Route::new(stringify!($method), $path);
            const ACCESS: $crate::api::Access = $crate::api::Access::$access;
            const DOCS: $crate::api::Docs = $crate::api::Docs {
                summary: concat!($($summary),+).trim_ascii(),
                since: $crate::api::operation::first_of!($($since,)? 0),
                deprecated: $crate::api::operation::first_of!(
                    $(Some($crate::api::Deprecation { since: $deprecated, instead: $instead }),)? None
                ),
                errors: $crate::api::operation::first_of!(
                    $(&[$($crate::error::ErrorKind::$error),*],)? $($errors,)? &[]
                ),
                events: $crate::api::operation::first_of!(
                    $(&[$($crate::realm::event::EventKind::$event),*],)? $($events,)? &[]
                ),
            };
            $(const REMOVED_IN: Option<i64> = Some($removed_in);)?
            $(const PRECONDITION: Option<$crate::api::Precondition> = Some($precondition);)?
            $(const MESSAGE: Option<fn(&Self::Reply) -> &'static str> = Some($message);)?
            $(const SESSION: Option<fn(&Self::Reply) -> $crate::realm::id::UserId> = Some($session);)?
            $(const TAKES_FILES: bool = $crate::api::operation::named!($files files);)?
            $(const GIVES_KEYS: bool = $crate::api::operation::named!($keys keys);)?
            $(const IS_SHORT: bool = $crate::api::operation::named!($short short);)?
            $(const EFFECTS: &'static [$crate::api::Effect] = &[$($crate::api::Effect::$effect),*];)?
            $(const CALLER_IN: Option<&'static str> = Some($caller_in);)?
            $(const PROTOCOL: $crate::api::Protocol = $crate::api::Protocol::$protocol;)?
            type Params = $crate::api::operation::first_type!($($shared,)? Self);
            type Reply = $crate::api::operation::first_type!($($reply,)? $crate::api::Success);
        }
    };
}

/// The type of an operation: its parameters, or a mark where several operations share them.
macro_rules! operation_type {
    ({ $($doc:tt)* } $name:ident $({ $($params:tt)* })?) => {
        $crate::api::parameter::parameters! {
            $($doc)*
            pub struct $name { $($($params)*)? }
        }
    };
    ({ $($doc:tt)* } $name:ident from $shared:ty) => {
        $($doc)*
        pub struct $name;
    };
}

macro_rules! first_of {
    ($first:expr $(, $other:expr)*) => {
        $first
    };
}
macro_rules! first_type {
    ($first:ty $(, $other:ty)*) => {
        $first
    };
}
macro_rules! named {
    (files files) => {
        true
    };
    (keys keys) => {
        true
    };
    (short short) => {
        true
    };
}

pub(crate) use {first_of, first_type, named, operation, operation_type};
