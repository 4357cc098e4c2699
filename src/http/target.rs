//! What a path leads to: an operation, a file or a page.

use super::address::Address;
use super::files;
use super::pages::Page;
use super::request::ApiRequest;

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
