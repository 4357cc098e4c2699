//! Requests that a fault dropped, and the recognition of their retries, which the fault drops too.

use super::{InstalledFault, RequestView};
use crate::time::{Span, Timestamp};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedRequest {
    method: String,
    /// The path of the request itself, without placeholders.
    path: String,
    user: Option<String>,
    params: BTreeMap<String, String>,
    /// Real time of the request or of its latest retry.
    last_attempt_at: Timestamp,
}

/// A retry is dropped when it follows the previous attempt within this time.
const RETRY_WINDOW: Span = Span::from_seconds(1);

impl InstalledFault {
    /// Whether a request retries one that this fault dropped; if so, the window for the next retry starts now.
    pub(super) fn drops_as_retry(&mut self, request: RequestView<'_>) -> bool {
        self.dropped_requests.retain(|dropped| request.at.since(dropped.last_attempt_at) <= RETRY_WINDOW);
        let retried_request = self.dropped_requests.iter_mut().find(|dropped| dropped.is_retried_by(request));
        retried_request.map(|dropped| dropped.last_attempt_at = request.at).is_some()
    }
}

impl DroppedRequest {
    pub(super) fn from_request(request: RequestView<'_>) -> Self {
        Self {
            method: request.method.to_owned(),
            path: request.full_path.to_owned(),
            user: request.user.map(str::to_owned),
            params: request.params.clone(),
            last_attempt_at: request.at,
        }
    }

    /// Whether a request has the same user, path and parameters; the bytes of uploads are not compared.
    fn is_retried_by(&self, request: RequestView<'_>) -> bool {
        self.method == request.method
            && self.path == request.full_path
            && self.user.as_deref() == request.user
            && self.params == *request.params
    }
}
