//! Changes that need words and code of their own, by what they are about.

mod accounts;
mod attachments;
mod bots;
mod channels;
mod flags;
mod former_words;
mod groups;
mod html;
mod invitations;
mod leniency;
mod linkifiers;
mod messages;
mod narrows;
mod order;
mod organization;
pub(super) mod permissions;
mod profile_fields;
mod pushes;
pub(super) mod reading;
mod recorded;
mod settings;
mod subscriptions;
pub(super) mod switches;
mod topics;
pub(super) mod words;

use super::{Behaviour, Change, ChangeKind};

pub(super) fn changes() -> Vec<Change> {
    let tables = [
        // Switches are read before what other rows look at.
        leniency::ROWS,
        // What is looked at in another order was of another form before, which later rows bring it to.
        order::ROWS,
        accounts::ROWS,
        attachments::ROWS,
        bots::ROWS,
        channels::ROWS,
        flags::ROWS,
        groups::ROWS,
        html::ROWS,
        invitations::ROWS,
        linkifiers::ROWS,
        messages::ROWS,
        narrows::ROWS,
        organization::ROWS,
        permissions::ROWS,
        profile_fields::ROWS,
        pushes::ROWS,
        reading::rows(),
        recorded::ROWS,
        subscriptions::ROWS,
        switches::ROWS,
        topics::ROWS,
        words::ROWS,
    ];
    let rows = tables.into_iter().flatten().chain(settings::rows());
    rows.map(|row: &'static Behaviour| Change { level: row.level, kind: ChangeKind::Behaviour(row) }).collect()
}
