//! What is known of a request on its way through its world.

use super::Edge;
use super::address::{Address, TakesSession};
use super::fault::Fault;
use super::request::ApiRequest;
use super::trace::Trace;
use crate::api::parameter::RawParameters;
use crate::api::{Origin, Outcome, ReplyForm, Row};
use crate::error::Error;
use crate::level::{Emulation, emulation};
use crate::realm::Realm;
use crate::realm::user::User;
use crate::world::{ParkedPoll, World, WorldSettings};
use http::Method;
use std::borrow::Cow;
use std::sync::Arc;

/// A request that found its world.
pub(super) struct RequestContext<'a> {
    pub edge: &'a Edge,
    pub incoming: &'a ApiRequest,
    pub world: &'a Arc<World>,
    /// What the world emulated when the caller was checked.
    pub settings: Arc<WorldSettings>,
    /// How its level differs from the newest; None at the newest.
    pub emulation: Option<&'static Emulation>,
    pub origin: Origin<'a>,
    /// Whether callers log in by a session rather than by a key.
    pub takes_sessions: bool,
    /// The fault that fired for it.
    pub fault: Fault,
    /// The notes for the journal.
    pub trace: Trace,
}

impl<'a> RequestContext<'a> {
    /// The context of a request for something at this address.
    pub fn new(edge: &'a Edge, incoming: &'a ApiRequest, world: &'a Arc<World>, address: &Address<'a>) -> Self {
        let settings = world.settings();
        let path = address.operation.map_or(address.path, |path| settings.dialect.neutral_path(path));
        Self {
            edge,
            incoming,
            world,
            emulation: emulation(settings.feature_level),
            origin: address.origin,
            takes_sessions: address.takes_session == TakesSession::Alone,
            fault: Fault::default(),
            trace: Trace::begin(world, incoming, path.to_owned()),
            settings,
        }
    }

    /// The form in which a reply is made: older levels change it.
    pub fn reply_form(&self) -> ReplyForm {
        if self.emulation.is_some() { ReplyForm::Value } else { ReplyForm::Bytes }
    }

    /// Reads the world's settings again, to start over.
    pub fn begin_again(&mut self) {
        self.settings = self.world.settings();
        self.emulation = emulation(self.settings.feature_level);
    }
}

/// A request that found its operation.
pub(super) struct Routed {
    pub row: &'static Row,
    /// The parameters as they were sent, by their neutral names.
    pub raw: RawParameters,
    /// The method for the check of sessions: PATCH for uploads, except HEAD.
    pub method: Method,
    /// The token that proves that a page of this server made the request, if it came as a parameter.
    pub csrf: Option<String>,
}

/// A request whose caller was let in.
pub(super) struct Admitted<'routed> {
    pub row: &'static Row,
    /// Who called; None for a visitor, and where no credentials are asked for.
    pub caller: Option<Arc<User>>,
    /// The parameters as the newest level names them.
    pub raw: Cow<'routed, RawParameters>,
    /// The realm that was read; None where the present one was changed or is waited for.
    pub realm: Option<Arc<Realm>>,
}

impl Admitted<'_> {
    /// The realm in which the reply is true.
    pub fn realm(&self, world: &World) -> Arc<Realm> {
        self.realm.clone().unwrap_or_else(|| world.snapshot())
    }
}

/// The state of an operation.
pub(super) enum Progress {
    /// It was carried out, or refused.
    Done(Outcome),
    /// The poll waits for its reply.
    Waiting(ParkedPoll),
}

impl Progress {
    /// It was refused.
    pub fn refused(error: Error) -> Self {
        Progress::Done(Outcome::unchanged(Err(error)))
    }
}
