//! Responses to requests for unknown worlds, and for the root of a server without a default world.

use super::adaptation::adapt_reply;
use super::address::Address;
#[cfg(feature = "pages")]
use super::pages;
use super::request::IncomingRequest;
use super::{Edge, Response, hint, reply, serialize};
use crate::api::parameter::RawParameters;
use crate::api::server::{GetServerSettings, root_settings};
use crate::api::{Operation, ReplyFormat, envelope};
use crate::error::Error;
use crate::level::emulation;
use http::{Method, header};

/// The response to a request whose world does not exist. The root of a server without a default world answers only
/// `GET /server_settings`.
pub(super) fn respond_without_world(edge: &Edge, incoming: &IncomingRequest, address: &Address<'_>) -> Response {
    let is_get = matches!(*incoming.method(), Method::GET | Method::HEAD);
    if is_get && address.path == "/api/v1/server_settings" && address.names_no_world {
        return root_settings_reply(edge, incoming, address);
    }
    let names: Vec<String> = edge.worlds.all().iter().map(|world| world.name().to_owned()).collect();
    #[cfg(feature = "pages")]
    if is_get && incoming.accepts_html() && edge.key_guard.is_for_this_machine(incoming.headers()) {
        let listed_names = if edge.lists_worlds { names.as_slice() } else { &[] };
        return pages::unknown_world_page(&address.world, listed_names);
    }
    let hint = match edge.worlds.has_ended(&address.world) {
        true => format!("The world '{}' has ended: stop its clients before it ends.", address.world),
        false => hint::for_unknown_world(&address.world, &names),
    };
    reply::refusal(&Error::UnknownWorld, Some(hint))
}

fn root_settings_reply(edge: &Edge, incoming: &IncomingRequest, address: &Address<'_>) -> Response {
    let user_agent = incoming.header(header::USER_AGENT).unwrap_or_default();
    let settings = root_settings(address.origin, edge.settings.feature_level, user_agent);
    let emulation = emulation(edge.settings.feature_level);
    let format = if emulation.is_some() { ReplyFormat::Value } else { ReplyFormat::Bytes };
    let body = envelope::<<GetServerSettings as Operation>::Params>(&settings, &RawParameters::default(), format);
    serialize::serialize(adapt_reply(&edge.settings, address.origin.prefix, body, |reply| {
        if let Some(emulation) = emulation {
            emulation.downgrade_reply_without_realm(GetServerSettings::ROUTE, reply);
        }
    }))
}
