//! The heads of requests for control or the console, which warp routes separately from API requests.

use crate::http::request::RequestHead;
use std::sync::Arc;
use warp::{Filter, Rejection};

/// The head of a request that may be for control or the console.
#[derive(Clone)]
pub struct NonApiHead(pub Arc<RequestHead>);

/// Extracts the head of a request for control or the console, and rejects API requests.
pub fn non_api_head() -> impl Filter<Extract = (Arc<RequestHead>,), Error = Rejection> + Copy {
    warp::ext::get::<NonApiHead>().map(|NonApiHead(head)| head)
}
