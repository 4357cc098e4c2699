//! What the message of a failed verification or wait says of the requests that arrived in its world and in others.

use crate::api::server::login::TEST_SETUP_ROUTES;
use crate::journal::{Entry, Filter};
use crate::world::{World, Worlds};
use std::sync::Arc;

/// The entries that may be shown as nearest requests and that count as arrived: all but those with which tests get
/// credentials, unless the filter is for these.
pub(super) fn candidates(world: &World, filter: &Filter) -> impl Iterator<Item = Arc<Entry>> {
    let is_test_setup = |entry: &Entry| entry.route.is_some_and(|route| TEST_SETUP_ROUTES.contains(&route));
    let includes_test_setup = filter.path.as_deref().is_some_and(|path| TEST_SETUP_ROUTES.contains(&path));
    world.journal().all().into_iter().filter(move |entry| includes_test_setup || !is_test_setup(entry))
}

/// An addition to the message if there were no requests at all, or none of the filter's user; "" otherwise. It also
/// says what other worlds got meanwhile ([`requests_elsewhere`]), perhaps from a client with a wrong address.
pub(super) fn no_requests_clause(world: &World, worlds: &Worlds, filter: &Filter) -> String {
    let (mut is_empty, mut user_sent_none) = (true, true);
    for entry in candidates(world, filter) {
        is_empty = false;
        let user = filter.user.as_deref();
        user_sent_none &=
            user.is_some_and(|user| !entry.user.as_ref().is_some_and(|email| email.eq_ignore_ascii_case(user)));
    }
    match &filter.user {
        Some(user) if user_sent_none => {
            format!("; {user} sent no request{}", requests_elsewhere(world, worlds, filter))
        }
        _ if is_empty => format!("; no request came{}", requests_elsewhere(world, worlds, filter)),
        _ => String::new(),
    }
}

/// How many requests the default world received since this world was created, and how many another world did, if only
/// one other received any.
fn requests_elsewhere(world: &World, worlds: &Worlds, filter: &Filter) -> String {
    let since = world.lifecycle().created_at.micros();
    let describe_requests = |other: &World| {
        let was_used = other.lifecycle().last_request_at().is_some_and(|at| at.micros() >= since);
        if other.name() == world.name() || !was_used {
            return None;
        }
        let count = candidates(other, filter).filter(|entry| entry.arrived_at >= since).count();
        let noun = if count == 1 { "request" } else { "requests" };
        (count > 0).then(|| format!("; the world '{}' got {count} {noun} meanwhile", other.name()))
    };
    let in_default = worlds.get(Worlds::DEFAULT).and_then(|default| describe_requests(&default)).unwrap_or_default();
    let others = worlds.all().into_iter().filter(|other| other.name() != Worlds::DEFAULT);
    // Two are enough to know that there is not a single one.
    match others.filter_map(|other| describe_requests(&other)).take(2).collect::<Vec<_>>().as_slice() {
        [in_other] => in_default + in_other,
        _ => in_default,
    }
}
