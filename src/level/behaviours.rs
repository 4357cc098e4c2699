//! The tables of behaviours, by subject: changes that need a description and, usually, code.

mod accounts;
mod attachments;
mod bots;
mod channels;
mod error_codes;
mod flags;
pub(super) mod former_booleans;
mod groups;
mod invitations;
mod linkifiers;
mod messages;
mod narrows;
mod organization;
mod parameter_order;
pub(super) mod parameter_parsing;
pub(super) mod permissions;
mod playgrounds;
mod profile_fields;
mod pushes;
mod recorded_replies;
mod recorded_requests;
pub(super) mod refusal_messages;
mod refusal_patterns;
mod settings;
mod subscriptions;
mod topics;

use super::{Behaviour, Change, ChangeKind};

pub(super) fn changes() -> Vec<Change> {
    let tables = [
        // Within a level, rows apply to objects and messages of refusals in this order, and to requests in the reverse
        // order. The order of the levels in a table has no meaning: the rows are sorted by level later.
        recorded_requests::ROWS,
        parameter_order::ROWS,
        accounts::ROWS,
        attachments::ROWS,
        bots::ROWS,
        channels::ROWS,
        error_codes::ROWS,
        flags::ROWS,
        groups::ROWS,
        invitations::ROWS,
        linkifiers::ROWS,
        messages::ROWS,
        narrows::ROWS,
        organization::ROWS,
        permissions::ROWS,
        playgrounds::ROWS,
        profile_fields::ROWS,
        pushes::ROWS,
        parameter_parsing::rows(),
        recorded_replies::ROWS,
        subscriptions::ROWS,
        former_booleans::ROWS,
        topics::ROWS,
        refusal_messages::ROWS,
    ];
    let rows = tables.into_iter().flatten().chain(settings::rows());
    rows.map(|row: &'static Behaviour| Change { level: row.level, kind: ChangeKind::Behaviour(row) }).collect()
}
