//! Linkifiers: patterns in messages that become links. The content of a message is rendered with the linkifiers at the
//! time when it is sent or edited.
//!
//! A choice where the API is silent: A-45 in docs/assumptions.md.

mod change;

pub use change::{AddLinkifier, EditLinkifier, RemoveLinkifier, ReorderLinkifiers};

use super::{OperationContext, Read, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::record::linkifier::{LinkifierRecord, linkifier_records};
use schemars::JsonSchema;
use serde::Serialize;

operation! {
    /// Lists the linkifiers.
    pub GetLinkifiers = GET "/realm/linkifiers", for User, since 54;
    reply LinkifiersReply;
}

/// The organization's linkifiers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinkifiersReply {
    /// In the order in which they apply.
    pub linkifiers: Vec<LinkifierRecord>,
}

impl Read for GetLinkifiers {
    fn run(realm: &Realm, _context: &OperationContext<'_>, _params: Self::Params) -> Result<LinkifiersReply, Error> {
        Ok(LinkifiersReply { linkifiers: linkifier_records(&realm.linkifiers) })
    }
}
