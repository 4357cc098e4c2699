//! Answers requests for operations, files and pages: runs the stages of a request in their order.

use super::address::Address;
use super::body::{Body, BodyLimit, read_body};
use super::context::RequestContext;
use super::cors::CorsRequest;
use super::late_reply::LateReply;
use super::request::{IncomingRequest, RequestHead};
use super::target::{self, Target};
use super::{
    Edge, Response, files, hint, identity, network, operation, pages, permit, reply, serialize, unknown_world,
};
use bytes::Buf;
use futures_util::Stream;
use http::header;
use std::fmt::Display;
use std::sync::Arc;

/// Answers a request for an operation, a file or a page. `port_world` is the world whose port received the request, if
/// the port belongs to a single world.
pub(super) async fn respond(
    edge: &Edge,
    head: Arc<RequestHead>,
    body: impl Stream<Item = Result<impl Buf, impl Display>>,
    port_world: Option<&str>,
) -> Response {
    let address = Address::from_request(&head, port_world);
    let cors_request = CorsRequest::from_headers(&head.method, &head.headers);
    let is_preflight = cors_request.is_preflight();
    let accepts_large_body = || !is_preflight && identity::may_send_large_body(edge, &head, &address);
    let limit = BodyLimit::of_api(&head.headers);
    let response = match read_body(&head.headers, limit, &edge.body_memory, body, accepts_large_body).await {
        Ok(_) if is_preflight => reply::empty(204),
        Ok(body) => respond_in_world(edge, &head, &body, &address).await,
        Err(error) => reply::refusal(&error, hint::for_error(&error)),
    };
    let response = edge.cors.add_headers(&cors_request, response, |origin| {
        edge.key_guard.trusts_origin(origin) && target::gives_account_access(&address)
    });
    if let Some(origin) = edge.cors.refused_origin(&cors_request, &response, head.headers.get(header::HOST)) {
        edge.setup_warnings.warn_of_origin(origin, edge.cors.allowed_origin());
    }
    response
}

async fn respond_in_world(edge: &Edge, head: &Arc<RequestHead>, body: &Body, address: &Address<'_>) -> Response {
    let mut incoming = IncomingRequest::from_body(head.clone(), body);
    let Some(world) = edge.worlds.get(&address.world) else {
        return unknown_world::respond_without_world(edge, &incoming, address);
    };
    let target = Target::classify(&incoming, address);
    let permit = permit::acquire(edge, &world, &incoming, target).await;
    identity::set_credentials(&world, &mut incoming, address);
    let Some(target) = target else {
        let mut response = files::serve_untraced(edge, &world, &incoming, address);
        network::add_delivery(&world, &incoming, &mut response);
        return response;
    };
    let mut context = RequestContext::new(edge, &incoming, &world, address);
    let response = match target {
        Target::Operation(_) => operation::perform_operation(&mut context, permit).await,
        Target::Page(page) => permit::run_with_permit(permit.as_ref(), || pages::serve(&mut context, page)),
        Target::File(kind) => files::serve_traced(&mut context, address, kind),
    };
    let response = context.fault.apply_to_response(response, &context.settings.dialect);
    let response = match target {
        Target::File(_) => edge.cors.add_file_headers(&incoming, response),
        _ => response,
    };
    let response = network::with_reply_loss(&mut context, response);
    let response = serialize::finish_response(&context, response);
    // The journal entry is written before the delay, so that there is one even if the client stops waiting.
    let journaled_request = context.trace.finish(&world, &response);
    let is_reported = !matches!(target, Target::Page(_));
    let mut late_reply = LateReply::new(&context, journaled_request, response, is_reported);
    late_reply.wait_and_take_response().await
}
