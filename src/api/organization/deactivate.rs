//! Deactivating the organization.
//!
//! A choice where the API is silent: A-148 in docs/assumptions.md.

use super::organization_mut;
use crate::api::parameter::{Nullable, WholeNumber};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::queue::QueueId;
use crate::realm::tx::Tx;
use crate::record::events::RealmDeactivated;

/// The smallest `deletion_delay_days`: how long the data of a deactivated organization has to be kept at least, in
/// days.
pub const MIN_DAYS_TO_DELETION: i64 = 14;

operation! {
    /// Deactivates the organization. From then on, every request of its users is refused.
    pub DeactivateOrganization = POST "/realm/deactivate", for Owner;
    params {
        /// Days after which a real server deletes the data, at least 14; without effect here.
        deletion_delay_days: Nullable<WholeNumber> = Nullable(None) => "null",
    }
    errors [BadValue, DeletionTooSoon];
    events [RealmDeactivated];
    effects [EndsSessions];
}

impl Write for DeactivateOrganization {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        if params.deletion_delay_days.0.is_some_and(|WholeNumber(days)| days < MIN_DAYS_TO_DELETION) {
            return Err(Error::DeletionTooSoon { min_allowed_days: MIN_DAYS_TO_DELETION.into() });
        }

        // Nothing deletes the data later, because worlds do not exist for so long.
        organization_mut(tx).is_deactivated = true;
        let everyone = tx.everyone();
        let event = RealmDeactivated { realm_id: tx.organization.id };
        tx.emit(everyone, event);
        // Wakes the parked polls. They return the event, or an error if their queue does not get it.
        let parked_queues = tx.queues.values().filter(|queue| queue.parked_since.is_some());
        let parked_queues: Vec<QueueId> = parked_queues.map(|queue| queue.id.clone()).collect();
        tx.queues_to_wake_mut().extend(parked_queues);
        Ok(Success {})
    }
}
