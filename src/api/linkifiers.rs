//! Linkifiers: patterns in messages that become links. Messages are rendered with them as they are when sent.
//!
//! Choices where the API is silent: in docs/assumptions.md.

mod change;

pub use change::{AddLinkifier, EditLinkifier, RemoveLinkifier, ReorderLinkifiers};

use super::parameter::parameters;
use super::{About, Access, Call, Operation, Read, Route};
use crate::error::Error;
use crate::realm::Realm;
use crate::record::list::{LinkifierRecord, linkifiers};
use schemars::JsonSchema;
use serde::Serialize;

/// GET /realm/linkifiers
pub struct GetLinkifiers;

parameters! {
    /// Takes none.
    pub struct GetLinkifiersParams {}
}

/// The organization's linkifiers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinkifiersReply {
    /// In the order in which they apply.
    pub linkifiers: Vec<LinkifierRecord>,
}

impl Operation for GetLinkifiers {
    const ROUTE: Route = Route::get("/realm/linkifiers");
    const ACCESS: Access = Access::User;
    const ABOUT: About =
        About { summary: "Lists the linkifiers.", since: 54, is_specified: false, errors: &[], events: &[] };
    type Params = GetLinkifiersParams;
    type Reply = LinkifiersReply;
}

impl Read for GetLinkifiers {
    fn run(realm: &Realm, _call: &Call<'_>, _params: Self::Params) -> Result<LinkifiersReply, Error> {
        Ok(LinkifiersReply { linkifiers: linkifiers(&realm.linkifiers) })
    }
}
