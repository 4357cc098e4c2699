//! What a path leads to: an operation, a file or a page.

use super::address::Address;
use super::files;
use super::pages::{Page, methods_of_page};
use super::request::ApiRequest;
use crate::api::rows;

/// What a request is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'a> {
    /// An operation, by its path without `/api/v1` as the client wrote it.
    Operation(&'a str),
    /// A file of a kind that faults and the journal know.
    File(&'static str),
    /// A page for people.
    Page(Page<'a>),
}

impl<'a> Target<'a> {
    /// What a request for this address is for; None where it is for none of these.
    pub(super) fn of(incoming: &ApiRequest, address: &Address<'a>) -> Option<Self> {
        let file = || files::kind(address.path).map(Target::File);
        let page = || Page::find(incoming, address).map(Target::Page);
        address.operation.map(Target::Operation).or_else(file).or_else(page)
    }
}

/// Whether an address is of what opens accounts without a password: an operation that gives keys, or a page to log in.
pub(super) fn gives_keys(address: &Address<'_>) -> bool {
    match address.operation {
        Some(path) => rows().any(|row| row.gives_keys && row.route.path == path),
        None => methods_of_page(address.path).is_some(),
    }
}
