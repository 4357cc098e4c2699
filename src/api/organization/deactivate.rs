//! The end of an organization.
//!
//! Choices where the API is silent: A-148 in docs/assumptions.md.

use super::organization_mut;
use crate::api::parameter::{Nullable, WholeNumber};
use crate::api::{Call, Success, Write, operation};
use crate::error::Error;
use crate::realm::queue::QueueId;
use crate::realm::tx::Tx;
use crate::record::events::RealmDeactivated;

/// Days for which the data of a deactivated organization are kept at least.
pub const LEAST_DAYS_TO_DELETION: i64 = 14;

operation! {
    /// Deactivates the organization. From then on, every request of its users is refused.
    pub DeactivateOrganization = POST "/realm/deactivate", for Owner;
    params {
        /// Days after which the data is deleted, at least 14; by default it is kept.
        deletion_delay_days: Nullable<WholeNumber> = Nullable(None),
    }
    errors [BadValue, DeletionTooSoon];
    events [RealmDeactivated];
    effects [EndsSessions];
}

impl Write for DeactivateOrganization {
    fn run(tx: &mut Tx, _call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        // Nothing is deleted: a world does not outlive its tests so long.
        if params.deletion_delay_days.0.is_some_and(|WholeNumber(days)| days < LEAST_DAYS_TO_DELETION) {
            return Err(Error::DeletionTooSoon { min_allowed_days: LEAST_DAYS_TO_DELETION.into() });
        }

        organization_mut(tx).is_deactivated = true;
        let everyone = tx.everyone();
        let event = RealmDeactivated { realm_id: tx.organization.id };
        tx.emit(everyone, event);
        // The polls that hang are answered: with the event, or refused where it is not asked for.
        let hanging = tx.queues.values().filter(|queue| queue.parked_since.is_some());
        let hanging: Vec<QueueId> = hanging.map(|queue| queue.id.clone()).collect();
        tx.touched_queues_mut().extend(hanging);
        Ok(Success {})
    }
}
