//! Calls of control from the same process, which need neither a connection nor the token.

use super::Control;
use crate::http::request::{IncomingRequest, RequestHead};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Uri, header};
use serde_json::Value;
use std::sync::Arc;

/// The reply to a call of control.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlReply {
    /// HTTP status.
    pub status: u16,
    /// The JSON of the reply, in the API's envelope except for an OpenAPI document.
    pub body: Value,
}

impl Control {
    /// Executes a call. `path` begins after `/control` and includes the query. `host` is the host, with its port, of
    /// URLs in the reply. If either is malformed, the reply has status 400.
    pub async fn call(&self, host: &str, method: Method, path: &str, body: Option<&Value>) -> ControlReply {
        let malformed =
            |reason: &str| ControlReply { status: 400, body: serde_json::json!({"result": "error", "msg": reason}) };
        let Ok(uri) = format!("/control{path}").parse::<Uri>() else { return malformed("the path is malformed") };
        let Ok(host) = HeaderValue::from_str(host) else { return malformed("the host is malformed") };
        let mut headers = HeaderMap::from_iter([(header::HOST, host)]);
        let token = self.guard.token.as_ref().map(|token| HeaderValue::from_str(&format!("Bearer {token}")));
        if let Some(Ok(token)) = token {
            headers.insert(header::AUTHORIZATION, token);
        }
        let body = body.map_or_else(Bytes::new, |body| body.to_string().into());
        let scheme = self.edge.scheme;
        let head = Arc::new(RequestHead { method, scheme, uri, headers, connection_number: 0, credentials: None });
        let response = self.respond(&IncomingRequest::from_parts(head, body)).await;
        ControlReply {
            status: response.status().as_u16(),
            body: serde_json::from_slice(response.body()).unwrap_or_default(),
        }
    }
}
