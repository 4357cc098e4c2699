//! Classifies the path of a request as that of an operation, a file or a page.

use super::address::Address;
use super::files;
use super::pages::{Page, methods_of_page};
use super::request::IncomingRequest;
use crate::api::rows;

/// What a request is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'a> {
    /// The path without `/api/v1`. It is below the API's prefix, but perhaps no operation has it.
    Operation(&'a str),
    /// The kind of the file, such as `/user_uploads/*`.
    File(&'static str),
    Page(Page<'a>),
}

impl<'a> Target<'a> {
    /// The target of a request; None if its path belongs to no operation, file or page.
    pub(super) fn classify(incoming: &IncomingRequest, address: &Address<'a>) -> Option<Self> {
        let file = || files::file_kind(address.path).map(Target::File);
        let page = || Page::find(incoming, address).map(Target::Page);
        address.operation_path.map(Target::Operation).or_else(file).or_else(page)
    }
}

/// Whether a path gives access to accounts without a password: that of an operation that returns keys, or of a page.
/// Decides for which replies CORS allows origins that the key guard trusts.
pub(super) fn gives_account_access(address: &Address<'_>) -> bool {
    match address.operation_path {
        Some(path) => rows().any(|row| row.exposes_api_keys && row.route.path == path),
        None => methods_of_page(address.path).is_some(),
    }
}
