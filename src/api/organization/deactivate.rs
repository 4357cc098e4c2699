//! The end of an organization.
//!
//! Choices where the API is silent: A-148 in docs/assumptions.md.

use super::organization_mut;
use crate::api::parameter::parameters;
use crate::api::{About, Access, Call, Operation, Route, Success, Write};
use crate::error::Error;
use crate::realm::change::Tx;
use crate::realm::event::Event;
use crate::realm::queue::QueueId;
use crate::realm::user::Role;
use serde_json::json;

/// POST /realm/deactivate
pub struct DeactivateOrganization;

parameters! {
    /// Takes none.
    pub struct DeactivateOrganizationParams {}
}

impl Operation for DeactivateOrganization {
    const ROUTE: Route = Route::post("/realm/deactivate");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Deactivates the organization; for owners. From then on, every request of its users is refused.",
        since: 0,
        is_specified: false,
        errors: &["OwnerRequired"],
        events: &["realm deactivated"],
    };
    type Params = DeactivateOrganizationParams;
    type Reply = Success;
}

impl Write for DeactivateOrganization {
    fn run(tx: &mut Tx, call: &Call<'_>, _params: Self::Params) -> Result<Success, Error> {
        if call.caller().role != Role::Owner {
            return Err(Error::OwnerRequired);
        }

        organization_mut(tx).is_deactivated = true;
        let everyone = tx.everyone();
        let fields = json!({ "realm_id": tx.organization.id });
        tx.emit(everyone, Event::shaped("realm", Some("deactivated"), fields));
        // The polls that hang are answered: with the event, or refused where it is not asked for.
        let hanging = tx.queues.values().filter(|queue| queue.parked_since.is_some());
        let hanging: Vec<QueueId> = hanging.map(|queue| queue.id.clone()).collect();
        tx.touched_queues_mut().extend(hanging);
        Ok(Success {})
    }
}
