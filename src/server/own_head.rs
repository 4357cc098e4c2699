//! Requests for control and the page in the browser, apart from those that are for the API alone.

use crate::http::request::RequestHead;
use std::sync::Arc;
use warp::{Filter, Rejection};

/// The head of a request that may be for control or the page.
#[derive(Clone)]
pub struct OwnHead(pub Arc<RequestHead>);

/// The head of such a request; other requests are rejected.
pub fn own_head() -> impl Filter<Extract = (Arc<RequestHead>,), Error = Rejection> + Copy {
    warp::ext::get::<OwnHead>().map(|OwnHead(head)| head)
}
