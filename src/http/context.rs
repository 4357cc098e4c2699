//! What is known of a request on its way through its world.

use super::Edge;
use super::origin::{Addressed, TakesSession};
use super::request::ApiRequest;
use crate::api::parameter::RawParameters;
use crate::api::{Origin, Outcome};
use crate::level::{Emulation, emulation};
use crate::realm::Realm;
use crate::realm::user::User;
use crate::world::{ParkedPoll, World, WorldSettings};
use std::sync::Arc;

/// A request that found its world.
pub struct RequestContext<'a> {
    /// What all requests share.
    pub edge: &'a Edge,
    /// The request.
    pub incoming: &'a ApiRequest,
    /// Its world.
    pub world: &'a Arc<World>,
    /// What the world emulated when the caller was checked.
    pub settings: Arc<WorldSettings>,
    /// What its level does otherwise than the newest; None at the newest.
    pub emulation: Option<&'static Emulation>,
    /// The address that the request came to.
    pub origin: Origin<'a>,
    /// Whether callers log in by a session rather than by a key.
    pub takes_sessions: bool,
}

impl<'a> RequestContext<'a> {
    /// The context of a request for something at this address.
    pub fn new(edge: &'a Edge, incoming: &'a ApiRequest, world: &'a Arc<World>, addressed: &Addressed<'a>) -> Self {
        let takes_sessions = addressed.takes_session() == TakesSession::Alone;
        let settings = world.settings();
        let emulation = emulation(settings.feature_level);
        Self { edge, incoming, world, settings, emulation, origin: addressed.origin, takes_sessions }
    }

    /// Begins again with what the world emulates now.
    pub fn begin_again(&mut self) {
        self.settings = self.world.settings();
        self.emulation = emulation(self.settings.feature_level);
    }
}

/// A request whose caller was let in.
pub struct Admitted {
    /// Who called; None for a visitor, and where nobody is asked who they are.
    pub caller: Option<Arc<User>>,
    /// The parameters as the newest level names them.
    pub raw: RawParameters,
    /// The realm that was read; None where the present one was changed or is waited for.
    pub realm: Option<Arc<Realm>>,
}

/// How far an operation is.
pub enum Progress {
    /// It was carried out.
    Done(Outcome),
    /// The poll waits for its reply.
    Waiting(ParkedPoll),
}
