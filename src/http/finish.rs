//! From what came of a request to its response: level, dialect, address, sessions, journal.

use super::context::{Admitted, RequestContext};
use super::trace::{Entered, Trace};
use super::{Refusal, Response, deliveries, hint, origin, rate_limit, reply, session, tus};
use crate::api::parameter::RawParameters;
use crate::api::{Access, Effect, Outcome, Row};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::user::User;
use crate::world::WorldSettings;
use http::{HeaderValue, header};
use serde_json::Value;
use std::collections::BTreeMap;

impl RequestContext<'_> {
    /// The response to a request that was carried out.
    pub fn reply(&self, row: &Row, admitted: &Admitted, outcome: Outcome, trace: &mut Trace) -> Response {
        let Outcome { reply, events, session } = outcome;
        trace.new_events = events;
        let caller = admitted.caller.as_deref();
        let raw = &admitted.raw;
        let realm = || admitted.realm.clone().unwrap_or_else(|| self.world.snapshot());
        let error = match reply {
            Ok(bytes) if tus::is_spoken_by(row) => return tus::response(row, self.origin, &bytes),
            Ok(bytes) => {
                let to_level = self
                    .emulation
                    .map(|emulation| |reply: &mut Value| emulation.answer(row, &realm(), caller, raw, reply));
                let bytes = shape(&self.settings, self.origin.prefix, bytes, to_level);
                return self.with_sessions(row, session, reply::success(bytes));
            }
            Err(error) => error,
        };
        self.refusal(row, raw, (&realm(), caller), &trace.params, error)
    }

    /// The refusal of a request whose caller was let in, with a hint at what would have worked; `values` are the parameters as
    /// sent.
    pub fn refusal(
        &self,
        row: &Row,
        raw: &RawParameters,
        (realm, caller): (&Realm, Option<&User>),
        values: &BTreeMap<String, String>,
        error: Error,
    ) -> Response {
        if let Some(response) = deliveries::refusal(row, raw, &error) {
            return response;
        }
        let takes_json = row.access == Access::KeyHolder;
        let for_body = hint::for_json_body(&error, row).filter(|_| self.sent_json() && !takes_json);
        let hint = for_body.or_else(|| hint::for_parameters(&error, row, raw));
        let hint = hint.or_else(|| hint::for_name(&error, row, raw, realm, caller));
        let hint = hint.or_else(|| hint::for_rights(&error, realm, caller?)).or_else(|| hint::for_misspelt(row, raw));
        self.refused(row, values, error, hint)
    }

    /// A refusal with the status, code and words that it had at the world's level.
    pub fn refused(
        &self,
        row: &Row,
        values: &BTreeMap<String, String>,
        error: Error,
        hint: Option<String>,
    ) -> Response {
        if tus::is_spoken_by(row) {
            return tus::refusal(&error);
        }
        // Hints are for what failed.
        let hint = hint.or_else(|| hint::for_error(&error)).filter(|_| error.status() >= 400);
        let Some(emulation) = self.emulation else { return reply::failure(&error, hint) };
        let mut error = emulation.with_former_names(row.route, error);
        let message = emulation.former_message(row.route, values, &mut error);
        let code = emulation.code_of(Some(row.route), error.row());
        reply::former_failure(&error, code, message, hint)
    }

    /// A refusal where no operation is called, with the status and code that it has at the world's level.
    pub(super) fn failure_at_level(&self, error: &Error, hint: Option<String>) -> Response {
        let code = self.emulation.and_then(|emulation| emulation.code_of(None, error.row()));
        reply::former_failure(error, code, None, hint.or_else(|| hint::for_error(error)))
    }

    /// Notes the response in the world's journal, and gives it when the fault that fired holds it back no more. The
    /// journal comes first: a client that gives up waiting does not undo what was done.
    pub async fn finish(&self, trace: Trace, response: Response) -> Response {
        let (response, entered) = self.entered(trace, response);
        let delay = entered.delay;
        self.report(&entered, &response);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        response
    }

    /// Notes the response in the world's journal.
    pub fn noted(&self, trace: Trace, response: Response) -> Response {
        self.entered(trace, response).0
    }

    fn entered(&self, trace: Trace, response: Response) -> (Response, Entered) {
        let mut response = self.in_dialect(response);
        if self.takes_sessions {
            reply::ask_for_session(&mut response);
        }
        reply::name_realm(&mut response, self.settings.dialect.auth_realm());
        if let Some(budget) = &trace.budget {
            rate_limit::tell(budget, &mut response);
        }
        let entered = trace.end(self.world, &response);
        (response, entered)
    }

    /// Whether the body is JSON, which the API does not read.
    pub(super) fn sent_json(&self) -> bool {
        self.incoming.header(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/json"))
    }

    /// Ends, keeps and opens sessions as what was done demands.
    fn with_sessions(&self, row: &Row, opened: Option<UserId>, mut response: Response) -> Response {
        let world = self.world;
        if row.has(Effect::EndsSessions) {
            world.end_sessions_of_deactivated();
        }
        if let Some(session) = self.incoming.session.as_ref().filter(|_| row.has(Effect::KeepsSession)) {
            world.keep_session(&session.id);
        }
        if let Some(user) = opened.and_then(|user| world.published().user(user).cloned()) {
            session::open(world, self.origin, &user, &mut response);
        }
        response
    }

    /// A refusal with names as the dialect has them.
    fn in_dialect(&self, response: Response) -> Response {
        let dialect = &self.settings.dialect;
        let is_refusal = response.status().is_client_error() && !dialect.is_neutral();
        let Some(mut refusal) =
            Some(response.body()).filter(|_| is_refusal).and_then(|body| serde_json::from_slice(body).ok())
        else {
            return response;
        };
        dialect.translate_refusal(&mut refusal);
        let mut response = response;
        let hint = response.headers().get(reply::HINT).and_then(|hint| hint.to_str().ok());
        if let Some(hint) = hint.and_then(|hint| HeaderValue::try_from(dialect.with_vendor_names(hint)).ok()) {
            response.headers_mut().insert(reply::HINT, hint);
        }
        response.map(|body| {
            serde_json::to_vec(&refusal).map_or(body, |mut bytes| {
                bytes.push(b'\n');
                bytes.into()
            })
        })
    }
}

/// A reply or the refusal's.
pub(super) fn finished(outcome: Result<Response, Refusal>) -> Response {
    outcome.unwrap_or_else(|(error, hint)| reply::failure(&error, hint.or_else(|| hint::for_error(&error))))
}

/// Brings a reply to a world's level, into its dialect and to the caller's address. Most need none of it, which is seen
/// without taking them apart.
pub(super) fn shape(
    settings: &WorldSettings,
    prefix: &str,
    bytes: Vec<u8>,
    to_level: Option<impl FnOnce(&mut Value)>,
) -> Vec<u8> {
    let has_addresses = !prefix.is_empty() && origin::may_have_addresses(&bytes);
    if to_level.is_none() && !has_addresses && !settings.dialect.may_rename(&bytes) {
        return bytes;
    }
    let Ok(mut value) = serde_json::from_slice(&bytes) else { return bytes };
    if let Some(to_level) = to_level {
        to_level(&mut value);
    }
    origin::prefix_addresses(&mut value, prefix);
    if !settings.dialect.is_neutral() {
        settings.dialect.translate(&mut value);
    }
    let mut bytes = serde_json::to_vec(&value).unwrap_or(bytes);
    bytes.push(b'\n');
    bytes
}
