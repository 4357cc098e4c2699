//! The stages of a request, in their order: this is the one path of all requests for operations, files and pages.

use super::address::Address;
use super::body::{Body, BodyLimit, read_body};
use super::context::RequestContext;
use super::cors::Cors;
use super::request::{ApiRequest, RequestHead};
use super::target::{self, Target};
use super::{
    Edge, Response, files, hint, identity, network, operation, pages, permit, reply, report, unknown_world, write,
};
use bytes::Buf;
use futures_util::Stream;
use std::fmt::Display;
use std::sync::Arc;

/// Answers a request for an operation, a file or a page. `port_world` is the world that the request's port belongs to,
/// if it belongs to one.
pub(super) async fn respond(
    edge: &Edge,
    head: Arc<RequestHead>,
    body: impl Stream<Item = Result<impl Buf, impl Display>>,
    port_world: Option<&str>,
) -> Response {
    let address = Address::of(&head, port_world);
    let page_asks = Cors::asked(&head.method, &head.headers);
    let is_preflight = page_asks.is_of_preflight();
    let is_wanted = || !is_preflight && identity::may_send_large_body(edge, &head, &address);
    let limit = BodyLimit::of_api(&head.headers);
    let response = match read_body(&head.headers, limit, &edge.body_room, body, is_wanted).await {
        Ok(_) if is_preflight => reply::empty(204),
        Ok(body) => respond_in_world(edge, &head, &body, &address).await,
        Err(error) => reply::failure(&error, hint::for_error(&error)),
    };
    edge.cors.decorate(&page_asks, response, |origin| edge.key_guard.lets_in(origin) && target::gives_keys(&address))
}

async fn respond_in_world(edge: &Edge, head: &Arc<RequestHead>, body: &Body, address: &Address<'_>) -> Response {
    let mut incoming = ApiRequest::with_body(head.clone(), body);
    let Some(world) = edge.worlds.get(&address.world) else {
        return unknown_world::explain(edge, &incoming, address);
    };
    let target = Target::of(&incoming, address);
    let permit = permit::acquire(edge, &world, &incoming, target).await;
    identity::identify(&world, &mut incoming, address);
    let Some(target) = target else {
        let response = files::serve_unnoted(edge, &world, &incoming, address);
        return network::sent_over(&world, &incoming, response);
    };
    let mut context = RequestContext::new(edge, &incoming, &world, address);
    let draft = match target {
        Target::Operation(_) => operation::perform(&mut context, permit).await,
        Target::Page(page) => permit::work(permit.as_ref(), || pages::show(&mut context, page)),
        Target::File(kind) => files::serve_noted(&mut context, address, kind),
    };
    let draft = context.fault.afterwards(draft, &context.settings.dialect);
    let draft = match target {
        Target::File(_) => edge.cors.open_to_all(&incoming, draft),
        _ => draft,
    };
    let response = write::response(&context, draft);
    // The journal comes before the delay: a client that gives up waiting does not undo what was done.
    let entered = context.trace.end(&world, &response);
    if !matches!(target, Target::Page(_)) {
        report::note(&context, &entered, &response);
    }
    if !entered.delay.is_zero() {
        tokio::time::sleep(entered.delay).await;
    }
    network::sent_over(&world, &incoming, response)
}
