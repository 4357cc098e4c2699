//! What the stages of a request pass on: its context, the operation that was found, the caller, and the progress of the
//! operation.

use super::Edge;
use super::address::{Address, SessionUse};
use super::fault::Fault;
use super::request::IncomingRequest;
use super::trace::Trace;
use crate::api::parameter::RawParameters;
use crate::api::{OperationRow, Origin, Outcome, ReplyFormat};
use crate::error::Error;
use crate::level::{Emulation, emulation};
use crate::realm::Realm;
use crate::realm::user::User;
use crate::world::{ParkedPoll, World, WorldSettings};
use http::Method;
use std::borrow::Cow;
use std::sync::Arc;

/// A request whose world was found.
pub(super) struct RequestContext<'a> {
    pub edge: &'a Edge,
    pub incoming: &'a IncomingRequest,
    pub world: &'a Arc<World>,
    /// The settings of the world when the request began, or when its operation was last retried.
    pub settings: Arc<WorldSettings>,
    /// The emulation of the world's feature level; None at the newest level.
    pub emulation: Option<&'static Emulation>,
    pub origin: Origin<'a>,
    /// Whether callers authenticate by the session of a browser instead of a key.
    pub requires_session: bool,
    pub fault: Fault,
    /// Whether the client was offline when its parked poll was answered.
    pub is_reply_lost: bool,
    pub trace: Trace,
}

impl<'a> RequestContext<'a> {
    pub fn new(edge: &'a Edge, incoming: &'a IncomingRequest, world: &'a Arc<World>, address: &Address<'a>) -> Self {
        let settings = world.settings();
        let path = address.operation_path.map_or(address.path, |path| settings.dialect.neutral_path(path));
        Self {
            edge,
            incoming,
            world,
            emulation: emulation(settings.feature_level),
            origin: address.origin,
            requires_session: address.session_use == SessionUse::Always,
            fault: Fault::default(),
            is_reply_lost: false,
            trace: Trace::begin(world, incoming, path.to_owned()),
            settings,
        }
    }

    /// Replies at the newest level are bytes; those at all others are JSON values, because the emulation changes them.
    pub fn reply_format(&self) -> ReplyFormat {
        if self.emulation.is_some() { ReplyFormat::Value } else { ReplyFormat::Bytes }
    }

    /// Reads the world's settings again, before an operation is retried on a newer state.
    pub fn reload_settings(&mut self) {
        self.settings = self.world.settings();
        self.emulation = emulation(self.settings.feature_level);
    }
}

/// A request whose operation was found.
pub(super) struct RoutedRequest {
    pub row: &'static OperationRow,
    /// The parameters as they were sent, with neutral names.
    pub raw: RawParameters,
    /// The method for the CSRF check: resumable uploads count as PATCH, except HEAD.
    pub csrf_method: Method,
    /// The CSRF token, if it was sent as a parameter.
    pub csrf_token: Option<String>,
}

/// A request whose caller may call the operation.
pub(super) struct AuthorizedRequest<'routed> {
    pub row: &'static OperationRow,
    /// None for a spectator, and for operations that need no credentials.
    pub caller: Option<Arc<User>>,
    /// The parameters with their names at the newest level.
    pub raw: Cow<'routed, RawParameters>,
    /// The realm that a read used, or in which the parameters were refused; None for writes and polls that ran.
    pub realm: Option<Arc<Realm>>,
}

impl AuthorizedRequest<'_> {
    /// The realm that the reply describes: for writes and polls, the present one.
    pub fn realm(&self, world: &World) -> Arc<Realm> {
        self.realm.clone().unwrap_or_else(|| world.snapshot())
    }
}

/// Whether an operation is finished or, as a long poll, waits.
pub(super) enum OperationProgress {
    /// The operation was carried out or refused.
    Done(Outcome),
    /// A poll that waits for events.
    Waiting(ParkedPoll),
}

impl OperationProgress {
    pub fn refused(error: Error) -> Self {
        OperationProgress::Done(Outcome::unchanged(Err(error)))
    }
}
