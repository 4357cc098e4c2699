//! The API's own protocol: parameters in query and form, replies in the envelope, refusals with hints.

use super::Found;
use crate::api::parameter::RawParameters;
use crate::api::{Access, ReplyBody, Row};
use crate::error::Error;
use crate::http::context::{Admitted, RequestContext, Routed};
use crate::http::draft::{self, Draft};
use crate::http::request::{self, ApiRequest, without_files};
use crate::http::router::RouteMatch;
use crate::http::session::CSRF_FIELD;
use crate::http::shape::shape;
use crate::http::{deliveries, hint, reply, trace};
use crate::realm::Realm;
use crate::realm::user::User;
use http::{Method, header};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads the parameters and finds the operation.
///
/// # Errors
///
/// `MalformedBody`, `UploadTooLarge`, `BodyTooLarge`, `KeysForbidden`.
pub(super) fn find(context: &mut RequestContext<'_>) -> Result<Found, Error> {
    let (edge, incoming) = (context.edge, context.incoming);
    let is_delivery = !context.takes_sessions && deliveries::is_of_service(&context.trace.path);
    let mut raw = parameters(context, is_delivery)?;
    let csrf = context.takes_sessions.then(|| taken(&mut raw.values, CSRF_FIELD)).flatten();
    let method = effective_method(incoming.method(), &mut raw.values);
    let path = &context.trace.path;
    let found = match deliveries::is_in_folder(path) && !is_delivery {
        true => RouteMatch::Nothing,
        false => edge.router.find(&method, path, context.settings.feature_level),
    };
    let row = found.row();
    if let (Some(name), Some(session)) = (row.and_then(|row| row.caller_in), &incoming.session)
        && context.takes_sessions
        && !raw.values.contains_key(name)
    {
        Arc::make_mut(&mut raw.values).insert(name.to_owned(), session.user.email.clone());
    }
    let trace = &mut context.trace;
    trace.method = method;
    trace.params = if is_delivery { deliveries::without_key(&raw.values) } else { raw.values.clone() };
    trace.route = row.map(|row| row.route.path);
    trace.row = row;
    if row.is_some_and(|row| !row.takes_files) {
        without_files(incoming)?;
    }
    if row.is_some_and(|row| row.gives_keys) {
        edge.key_guard.check(incoming.headers())?;
    }
    Ok(match found {
        RouteMatch::Operation(row, path) => {
            raw.path = path;
            Found::Operation(Routed { row, raw, method: incoming.method().clone(), csrf })
        }
        other => Found::Answer(without_operation(context, other)),
    })
}

/// The parameters of a request by their neutral names. What a service delivers has its own names.
fn parameters(context: &RequestContext<'_>, is_delivery: bool) -> Result<RawParameters, Error> {
    if is_delivery {
        return deliveries::read(context.incoming);
    }
    let mut raw = request::parameters(context.incoming)?;
    let dialect = &context.settings.dialect;
    if !dialect.is_neutral() {
        raw.values = Arc::new(request::neutral_parameters(dialect, &raw.values));
    }
    Ok(raw)
}

/// The answer where no operation has the method and path.
fn without_operation(context: &RequestContext<'_>, found: RouteMatch) -> Draft {
    let feature_level = context.settings.feature_level;
    let (method, path) = (&*context.trace.method, context.trace.path.as_str());
    let of_another_level = || {
        let row = context.edge.router.of_another_level(method, path, feature_level)?;
        Some(hint::operation_of_another_level(row, feature_level))
    };
    let (error, hint) = match found {
        RouteMatch::WrongMethod(methods) if method == "OPTIONS" => return reply::allowed(&methods),
        RouteMatch::WrongMethod(methods) => {
            let hint = of_another_level().unwrap_or_else(|| format!("{path} takes {}.", methods.join(", ")));
            (Error::MethodNotAllowed { allowed_methods: methods.into() }, hint)
        }
        _ => {
            let hint = of_another_level().or_else(|| hint::doubled_slash(path)).or_else(|| deliveries::hint(path));
            (Error::UnknownPath, hint.unwrap_or_else(|| hint::nearest_operation(method, path)))
        }
    };
    let code = context.emulation.and_then(|emulation| emulation.code_of(None, error.row()));
    draft::former_failure(&error, code, None, Some(hint))
}

/// The parameters as the newest level names them.
///
/// # Errors
///
/// What the world's level refuses and the newest would take.
pub(super) fn receive<'routed>(
    context: &RequestContext<'_>,
    routed: &'routed Routed,
    realm: &Realm,
    caller: Option<&User>,
) -> Result<Cow<'routed, RawParameters>, Error> {
    let mut raw = Cow::Borrowed(&routed.raw);
    if let Some(emulation) = context.emulation {
        emulation.receive(routed.row, realm, caller, raw.to_mut())?;
    }
    Ok(raw)
}

/// The response with an operation's reply, at the world's level, in its dialect, with addresses that lead to the world.
pub(super) fn reply(context: &RequestContext<'_>, admitted: &Admitted<'_>, reply: ReplyBody) -> Draft {
    let draft = shape(&context.settings, context.origin.prefix, reply, |reply| {
        if let Some(emulation) = context.emulation {
            let realm = admitted.realm(context.world);
            emulation.answer(admitted.row, &realm, admitted.caller.as_deref(), &admitted.raw, reply);
        }
    });
    draft::with_hint(draft, hint::for_event_types(&admitted.raw))
}

/// The response to a caller who is not let in.
pub(super) fn refuse_caller(context: &RequestContext<'_>, row: &Row, error: Error) -> Draft {
    // A person looks at a page: they are shown the way to log in.
    if error == Error::NotLoggedIn && context.incoming.accepts_html() {
        return reply::to_login(context.origin.prefix, context.incoming.path());
    }
    let for_key = || hint::for_key(&error, &context.world.snapshot(), &context.trace.credentials);
    let hint = hint::for_access(&error, row).or_else(for_key);
    refusal(context, row, error, hint)
}

/// The refusal of a request whose caller was let in, with a hint at what would have worked.
pub(super) fn refuse(context: &RequestContext<'_>, admitted: &Admitted<'_>, error: Error) -> Draft {
    let Admitted { row, raw, caller, .. } = admitted;
    if let Some(draft) = deliveries::refusal(row, raw, &error) {
        return draft;
    }
    let (realm, caller) = (admitted.realm(context.world), caller.as_deref());
    let takes_json = row.access == Access::KeyHolder;
    let for_body = hint::for_json_body(&error, row).filter(|_| sends_json(context.incoming) && !takes_json);
    let hint = for_body.or_else(|| hint::for_parameters(&error, row, raw));
    let hint = hint.or_else(|| hint::for_name(&error, row, raw, &realm, caller));
    let hint = hint.or_else(|| hint::for_rights(&error, &realm, caller?)).or_else(|| hint::for_misspelt(row, raw));
    let hint = hint.or_else(|| hint::for_value(&error, row, raw));
    refusal(context, row, error, hint)
}

/// A refusal with the status, code and words that it had at the world's level.
fn refusal(context: &RequestContext<'_>, row: &Row, error: Error, hint: Option<String>) -> Draft {
    // Hints are for what failed.
    let hint = hint.or_else(|| hint::for_error(&error)).filter(|_| error.status() >= 400);
    let Some(emulation) = context.emulation else { return draft::failure(&error, hint) };
    let mut error = emulation.with_former_names(row.route, error);
    let message = emulation.former_message(row.route, &context.trace.params, &mut error);
    let code = emulation.code_of(Some(row.route), error.row());
    draft::former_failure(&error, code, message, hint)
}

/// Whether the body is JSON, which the API does not read.
pub fn sends_json(incoming: &ApiRequest) -> bool {
    incoming.header(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/json"))
}

/// A POST may name another method in its parameter `method`; HEAD is carried out as GET.
fn effective_method(method: &Method, values: &mut Arc<BTreeMap<String, String>>) -> Cow<'static, str> {
    if method == Method::POST {
        let named = |text: &String| ["GET", "PATCH", "PUT", "DELETE"].into_iter().find(|method| method == text);
        if let Some(named) = values.get("method").and_then(named) {
            Arc::make_mut(values).remove("method");
            return named.into();
        }
    }
    if method == Method::HEAD { "GET".into() } else { trace::name_of(method) }
}

/// Takes a parameter out.
fn taken(values: &mut Arc<BTreeMap<String, String>>, name: &str) -> Option<String> {
    values.contains_key(name).then(|| Arc::make_mut(values).remove(name)).flatten()
}
