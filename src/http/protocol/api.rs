//! The usual protocol of the API: parameters in query and form, replies in the envelope, refusals with hints.

use super::Routing;
use crate::api::parameter::RawParameters;
use crate::api::{Access, OperationRow, ReplyBody};
use crate::error::Error;
use crate::http::adaptation::adapt_reply;
use crate::http::context::{AuthorizedRequest, RequestContext, RoutedRequest};
use crate::http::pending_response::{self, PendingResponse};
use crate::http::request::{IncomingRequest, check_size_without_files};
use crate::http::router::RouteMatch;
use crate::http::session::CSRF_FIELD;
use crate::http::{hint, incoming_webhooks, parameters, reply, trace};
use crate::realm::Realm;
use crate::realm::user::User;
use http::{Method, header};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads the parameters of a request, records them in its trace and finds its operation.
///
/// # Errors
///
/// `MalformedBody`, `UploadTooLarge`, `BodyTooLarge`, `KeysForbidden`.
pub(super) fn find_routing(context: &mut RequestContext<'_>) -> Result<Routing, Error> {
    let (edge, incoming) = (context.edge, context.incoming);
    let is_incoming_webhook = !context.requires_session && incoming_webhooks::is_service_path(&context.trace.path);
    let mut raw = read_neutral_parameters(context, is_incoming_webhook)?;
    let csrf_token = context.requires_session.then(|| take_parameter(&mut raw.values, CSRF_FIELD)).flatten();
    let method = effective_method(incoming.method(), &mut raw.values);
    let path = &context.trace.path;
    let route = match incoming_webhooks::has_prefix(path) && !is_incoming_webhook {
        true => RouteMatch::UnknownPath,
        false => edge.router.find(&method, path, context.settings.feature_level),
    };
    let row = route.row();
    // Web clients do not send the name of their user, which the session has.
    if let (Some(name), Some(session)) = (row.and_then(|row| row.caller_parameter), &incoming.session)
        && context.requires_session
        && !raw.values.contains_key(name)
    {
        Arc::make_mut(&mut raw.values).insert(name.to_owned(), session.user.email.clone());
    }
    let trace = &mut context.trace;
    trace.method = method;
    trace.params =
        if is_incoming_webhook { incoming_webhooks::with_hidden_key(&raw.values) } else { raw.values.clone() };
    trace.route = row.map(|row| row.route.path);
    trace.row = row;
    if row.is_some_and(|row| !row.takes_files) {
        check_size_without_files(incoming)?;
    }
    if row.is_some_and(|row| row.exposes_api_keys) {
        edge.key_guard.check(incoming.headers())?;
    }
    Ok(match route {
        RouteMatch::Operation(row, path_values) => {
            raw.path_values = path_values;
            Routing::Operation(RoutedRequest { row, raw, csrf_method: incoming.method().clone(), csrf_token })
        }
        no_operation => Routing::Answer(respond_without_operation(context, no_operation)),
    })
}

/// Reads the parameters of a request and gives them neutral names and values, except those of incoming webhooks, which
/// have no dialect.
fn read_neutral_parameters(context: &RequestContext<'_>, is_incoming_webhook: bool) -> Result<RawParameters, Error> {
    if is_incoming_webhook {
        return incoming_webhooks::read_parameters(context.incoming);
    }
    let mut raw = parameters::parse_parameters(context.incoming)?;
    let dialect = &context.settings.dialect;
    if !dialect.is_neutral() {
        raw.values = Arc::new(parameters::translate_parameters(dialect, &raw.values));
    }
    Ok(raw)
}

/// The response to a request for which no operation exists: the methods of the path for OPTIONS, otherwise a refusal.
fn respond_without_operation(context: &RequestContext<'_>, route: RouteMatch) -> PendingResponse {
    let feature_level = context.settings.feature_level;
    let (method, path) = (&*context.trace.method, context.trace.path.as_str());
    let other_level_hint = || {
        let row = context.edge.router.find_at_another_level(method, path, feature_level)?;
        Some(hint::for_operation_of_another_level(row, feature_level))
    };
    let known_operation_hint = || other_level_hint().or_else(|| hint::for_unserved_operation(method, path));
    let (error, hint) = match route {
        RouteMatch::WrongMethod(methods) if method == "OPTIONS" => return reply::allowed_methods(&methods),
        RouteMatch::WrongMethod(methods) => {
            let hint = known_operation_hint().unwrap_or_else(|| format!("{path} takes {}.", methods.join(", ")));
            (Error::MethodNotAllowed { allowed_methods: methods.into() }, hint)
        }
        _ => {
            let hint = known_operation_hint()
                .or_else(|| hint::for_doubled_slash(path))
                .or_else(|| incoming_webhooks::hint(path));
            (Error::UnknownPath, hint.unwrap_or_else(|| hint::for_unknown_path(method, path)))
        }
    };
    let status_and_code = context.emulation.and_then(|emulation| emulation.former_code(None, error.row()));
    pending_response::former_refusal(&error, status_and_code, None, Some(hint))
}

/// Converts the parameters to the newest level.
///
/// # Errors
///
/// Those of [`crate::level::Emulation::upgrade_request`].
pub(super) fn upgrade_parameters<'routed>(
    context: &RequestContext<'_>,
    routed: &'routed RoutedRequest,
    realm: &Realm,
    caller: Option<&User>,
) -> Result<Cow<'routed, RawParameters>, Error> {
    let mut raw = Cow::Borrowed(&routed.raw);
    if let Some(emulation) = context.emulation {
        emulation.upgrade_request(routed.row, realm, caller, raw.to_mut())?;
    }
    Ok(raw)
}

/// The response with the reply of an operation, at the world's level and in its dialect, with the world's prefix in its
/// URLs.
pub(super) fn build_response(
    context: &RequestContext<'_>,
    authorized: &AuthorizedRequest<'_>,
    reply: ReplyBody,
) -> PendingResponse {
    let response = adapt_reply(&context.settings, context.origin.prefix, reply, |reply| {
        if let Some(emulation) = context.emulation {
            let realm = authorized.realm(context.world);
            emulation.downgrade_reply(authorized.row, &realm, authorized.caller.as_deref(), &authorized.raw, reply);
        }
    });
    pending_response::with_hint(response, hint::for_event_types(&authorized.raw))
}

/// The response to a caller without access to the operation.
pub(super) fn refuse_caller(context: &RequestContext<'_>, row: &OperationRow, error: Error) -> PendingResponse {
    // A person who opens the URL in a browser is redirected to the login page.
    if error == Error::NotLoggedIn && context.incoming.accepts_html() {
        return reply::redirect_to_login(context.origin.prefix, context.incoming.path());
    }
    let key_hint = || hint::for_key(&error, &context.world.snapshot(), &context.trace.credentials);
    let hint = hint::for_access(&error, row).or_else(key_hint);
    refusal(context, row, error, hint)
}

/// The refusal by the operation, with the most specific hint.
pub(super) fn build_refusal(
    context: &RequestContext<'_>,
    authorized: &AuthorizedRequest<'_>,
    error: Error,
) -> PendingResponse {
    let AuthorizedRequest { row, raw, caller, .. } = authorized;
    if let Some(response) = incoming_webhooks::refusal(row, raw, &error) {
        return response;
    }
    let (realm, caller) = (authorized.realm(context.world), caller.as_deref());
    let takes_json = row.access == Access::KeyHolder;
    let hint = hint::for_json_body(&error, row)
        .filter(|_| sends_json(context.incoming) && !takes_json)
        .or_else(|| hint::for_missing_parameter(&error, row, raw, context.settings.feature_level))
        .or_else(|| hint::for_name(&error, row, raw, &realm, caller))
        .or_else(|| hint::for_permission(&error, &realm, caller?))
        .or_else(|| hint::for_misspelled(row, raw))
        .or_else(|| hint::for_message(&error, raw, &realm, caller?))
        .or_else(|| hint::for_hidden_channel(&error, &realm, caller?))
        .or_else(|| hint::for_name_instead_of_id(&error, row, raw, &realm, caller?))
        .or_else(|| hint::for_value(&error, row, raw))
        .or_else(|| hint::for_login(&error, row, raw, &realm));
    refusal(context, row, error, hint)
}

/// A refusal with the status, code and message that it has at the world's level.
fn refusal(context: &RequestContext<'_>, row: &OperationRow, error: Error, hint: Option<String>) -> PendingResponse {
    let hint = hint.or_else(|| hint::for_spent_budget(&error, context.world));
    // Some errors have a successful status and get no hint.
    let hint = hint.or_else(|| hint::for_error(&error)).filter(|_| error.status() >= 400);
    let Some(emulation) = context.emulation else { return pending_response::refusal(&error, hint) };
    let mut error = emulation.restore_former_parameter_name(row.route, error);
    let message = emulation.restore_former_error(row.route, &context.trace.params, &mut error);
    let status_and_code = emulation.former_code(Some(row.route), error.row());
    let hint = hint::for_newer_value(&error, &context.trace.params, context.settings.feature_level).or(hint);
    pending_response::former_refusal(&error, status_and_code, message, hint)
}

/// Whether the body is declared as JSON, which the API reads only from incoming webhooks.
pub fn sends_json(incoming: &IncomingRequest) -> bool {
    incoming.header(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/json"))
}

/// The method that is carried out: a POST may override it by the parameter `method`; HEAD counts as GET.
fn effective_method(method: &Method, values: &mut Arc<BTreeMap<String, String>>) -> Cow<'static, str> {
    if method == Method::POST {
        let parse = |text: &String| ["GET", "PATCH", "PUT", "DELETE"].into_iter().find(|method| method == text);
        if let Some(override_method) = values.get("method").and_then(parse) {
            Arc::make_mut(values).remove("method");
            return override_method.into();
        }
    }
    if method == Method::HEAD { "GET".into() } else { trace::method_name(method) }
}

fn take_parameter(values: &mut Arc<BTreeMap<String, String>>, name: &str) -> Option<String> {
    values.contains_key(name).then(|| Arc::make_mut(values).remove(name)).flatten()
}
