//! Stubs for builds without pages: no path has a page.

use super::address::Address;
use super::context::RequestContext;
use super::pending_response::PendingResponse;
use super::request::IncomingRequest;
use std::convert::Infallible;
use std::marker::PhantomData;

/// A page; there are none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    never: Infallible,
    path: PhantomData<&'a str>,
}

impl<'a> Page<'a> {
    /// Always None.
    pub(super) fn find(_incoming: &IncomingRequest, _address: &Address<'a>) -> Option<Self> {
        None
    }
}

/// Always None.
pub fn methods_of_page(_path: &str) -> Option<&'static [&'static str]> {
    None
}

/// Never called.
pub(super) fn serve(_context: &mut RequestContext<'_>, page: Page<'_>) -> PendingResponse {
    match page.never {}
}
