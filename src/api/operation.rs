//! The traits and properties of operations, and the macro `operation!` that declares one.

use super::parameter::Parameters;
use super::{Access, OperationContext, ReplyData, Route};
use crate::error::{Error, ErrorKind};
use crate::realm::Realm;
use crate::realm::event::EventKind;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use schemars::JsonSchema;

/// What the reference and the OpenAPI document say about an operation, besides its parameters and reply.
#[derive(Clone, Copy, Debug)]
pub struct Docs {
    /// The doc comment of the operation.
    pub summary: &'static str,
    /// The first feature level with the operation; 0 if all levels have it.
    pub since: i64,
    /// Set if clients should use another operation instead.
    pub deprecated: Option<Deprecation>,
    /// The errors at the newest level with the operation, in the order in which they are checked.
    pub errors: &'static [ErrorKind],
    /// The events at the newest level with the operation, in the order in which they are sent.
    pub events: &'static [EventKind],
}

/// The replacement of a deprecated operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// The first feature level with the replacement.
    pub since: i64,
    /// Method and path of the replacement.
    pub replacement: &'static str,
}

/// What an operation does or may do that other layers act on: the HTTP layer ends sessions, and the layer of levels
/// translates registrations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The operation deactivates accounts or the organization, which ends sessions.
    EndsSessions,
    /// The operation may change the caller's password, which ends all sessions of the caller except the current one.
    EndsOtherSessions,
    /// The operation registers an event queue with client capabilities and a narrow.
    RegistersQueue,
}

/// The protocol of an operation's requests and replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Parameters in query and form, replies in the API's envelope.
    Api,
    /// tus 1.0.0 for resumable uploads: parameters and replies in headers.
    Resumable,
}

impl Protocol {
    /// Whether parameters are read from the query and the form.
    pub fn reads_query_and_form(self) -> bool {
        self == Protocol::Api
    }
}

/// The declaration of an operation. `operation!` implements it.
pub trait Operation {
    const ROUTE: Route;
    /// Method and path: `GET /messages`.
    const ROUTE_TEXT: &'static str;
    const ACCESS: Access;
    const DOCS: Docs;
    /// The first feature level without the operation.
    const REMOVED_IN: Option<i64> = None;
    /// Returns `msg` of the reply. None if `msg` is always empty.
    const MESSAGE: Option<fn(&Self::Reply) -> &'static str> = None;
    /// Returns the user of the session that begins. None if the operation begins no session.
    const SESSION_USER: Option<fn(&Self::Reply) -> UserId> = None;
    /// A check of the caller besides `ACCESS`, which runs before parameters are read. Its errors are part of `DOCS`.
    const PRECONDITION: Option<Precondition> = None;
    /// Whether the operation takes files: parts of a multipart body, or for resumable uploads the body.
    const TAKES_FILES: bool = false;
    /// Whether the operation returns API keys, or users whose keys can be fetched, without credentials.
    const EXPOSES_API_KEYS: bool = false;
    /// Whether the running time is nearly independent of the size of the organization. In large organizations, other
    /// operations run on a blocking thread.
    const IS_FAST: bool = false;
    /// The effects that other layers act on.
    const EFFECTS: &'static [Effect] = &[];
    /// The parameter with the caller's email address, which requests in a session may omit (A-372).
    const CALLER_PARAMETER: Option<&'static str> = None;
    const PROTOCOL: Protocol = Protocol::Api;
    type Params: Parameters;
    /// The data of the reply, without `result` and `msg`.
    type Reply: ReplyData + JsonSchema;
}

/// Checks that the caller may use an operation in the current state of the realm.
pub type Precondition = fn(&Realm, &OperationContext<'_>) -> Result<(), Error>;

/// An operation that only reads the realm.
pub trait Read: Operation {
    /// # Errors
    ///
    /// Those of `DOCS`; at older levels also others.
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<Self::Reply, Error>;
}

/// An operation that changes the realm in one transaction.
pub trait Write: Operation {
    /// # Errors
    ///
    /// Those of `DOCS`; at older levels also others. The transaction is then discarded.
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Self::Reply, Error>;
}

/// An operation that may be carried out in part, with an error reply about the remainder.
pub trait PartialWrite: Operation {
    /// An inner error is the reply, and the transaction is committed.
    ///
    /// # Errors
    ///
    /// Those of `DOCS`; at older levels also others. The transaction is then discarded.
    fn run(
        tx: &mut Tx,
        context: &OperationContext<'_>,
        params: Self::Params,
    ) -> Result<Result<Self::Reply, Error>, Error>;
}

/// Declares an operation: its type, whose fields are its parameters, and its `impl Operation`.
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
/// The doc comment is the summary in the reference. `removed_in 400` names the first level without the operation;
/// `deprecated 400 => "PATCH /settings"` the first level with the replacement, and the replacement. Operations that
/// share parameters, or read them in a way of their own, name a type that implements [`Parameters`]: `params from
/// Type;`. Operations that share a list of errors or events name a constant: `errors in ERRORS;`. All parts after the
/// first line are optional; the default reply is [`Success`](super::Success). `precondition`, `message`, `session`,
/// `takes files`, `gives keys`, `is fast`, `effects [...]`, `caller in "parameter"` and `protocol` set the constants of
/// [`Operation`].
macro_rules! operation {
    (
        $(#[doc = $summary:literal])+
        pub $name:ident = $method:ident $path:literal, for $access:ident
            $(, since $since:expr)? $(, removed_in $removed_in:expr)? $(, deprecated $deprecated:literal => $replacement:literal)?;
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
        $(is $fast:ident;)?
        $(effects [$($effect:ident),* $(,)?];)?
        $(caller in $caller_parameter:literal;)?
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
            const ROUTE_TEXT: &'static str = concat!(stringify!($method), " ", $path);
            const ACCESS: $crate::api::Access = $crate::api::Access::$access;
            const DOCS: $crate::api::Docs = $crate::api::Docs {
                summary: concat!($($summary),+).trim_ascii(),
                since: $crate::api::operation::first_expr!($($since,)? 0),
                deprecated: $crate::api::operation::first_expr!(
                    $(Some($crate::api::Deprecation { since: $deprecated, replacement: $replacement }),)? None
                ),
                errors: $crate::api::operation::first_expr!(
                    $(&[$($crate::error::ErrorKind::$error),*],)? $($errors,)? &[]
                ),
                events: $crate::api::operation::first_expr!(
                    $(&[$($crate::realm::event::EventKind::$event),*],)? $($events,)? &[]
                ),
            };
            $(const REMOVED_IN: Option<i64> = Some($removed_in);)?
            $(const PRECONDITION: Option<$crate::api::Precondition> = Some($precondition);)?
            $(const MESSAGE: Option<fn(&Self::Reply) -> &'static str> = Some($message);)?
            $(const SESSION_USER: Option<fn(&Self::Reply) -> $crate::realm::id::UserId> = Some($session);)?
            $(const TAKES_FILES: bool = $crate::api::operation::flag!($files files);)?
            $(const EXPOSES_API_KEYS: bool = $crate::api::operation::flag!($keys keys);)?
            $(const IS_FAST: bool = $crate::api::operation::flag!($fast fast);)?
            $(const EFFECTS: &'static [$crate::api::Effect] = &[$($crate::api::Effect::$effect),*];)?
            $(const CALLER_PARAMETER: Option<&'static str> = Some($caller_parameter);)?
            $(const PROTOCOL: $crate::api::Protocol = $crate::api::Protocol::$protocol;)?
            type Params = $crate::api::operation::first_type!($($shared,)? Self);
            type Reply = $crate::api::operation::first_type!($($reply,)? $crate::api::Success);
        }
    };
}

/// The type of an operation: the struct of its parameters, or a unit struct if it shares them with other operations.
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

/// Expands to its first argument: the expression of the declaration if it has one, otherwise the default after it.
macro_rules! first_expr {
    ($first:expr $(, $other:expr)*) => {
        $first
    };
}

/// Expands to its first argument, like `first_expr`, but the arguments are types.
macro_rules! first_type {
    ($first:ty $(, $other:ty)*) => {
        $first
    };
}

/// Expands to true, and checks the words of a flag: the first is from the declaration, the second is the expected one.
macro_rules! flag {
    (files files) => {
        true
    };
    (keys keys) => {
        true
    };
    (fast fast) => {
        true
    };
}

pub(crate) use {first_expr, first_type, flag, operation, operation_type};
