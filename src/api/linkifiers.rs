//! Linkifiers: patterns in messages that become links. Messages are rendered with them as they are when sent.
//!
//! Choices where the API is silent: in docs/assumptions.md.

mod change;

pub use change::{AddLinkifier, EditLinkifier, RemoveLinkifier, ReorderLinkifiers};

use super::parameter::parameters;
use super::{About, Access, Call, Operation, Read, Route};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::linkifier::Linkifier;
use schemars::JsonSchema;
use serde::Serialize;

/// A linkifier as clients see it (specification, Linkifier; A-45).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Linkifier")]
pub struct LinkifierRecord {
    /// Its ID.
    pub id: i64,
    /// The same.
    pub filter_id: i64,
    /// Python regular expression.
    pub pattern: String,
    /// RFC 6570 template over the pattern's groups.
    pub url_template: String,
    /// A text that the pattern matches.
    pub example_input: Option<String>,
    /// Leads from the groups back to the text.
    pub reverse_template: Option<String>,
    /// Further templates that lead back to the text.
    pub alternative_url_templates: Vec<String>,
}

impl LinkifierRecord {
    /// A linkifier.
    pub fn new(linkifier: &Linkifier) -> Self {
        Self {
            id: linkifier.id.0,
            filter_id: linkifier.id.0,
            pattern: linkifier.pattern.clone(),
            url_template: linkifier.url_template.clone(),
            example_input: linkifier.example_input.clone(),
            reverse_template: linkifier.reverse_template.clone(),
            alternative_url_templates: linkifier.alternative_url_templates.clone(),
        }
    }
}

/// All linkifiers in the order in which they apply.
pub fn records(realm: &Realm) -> Vec<LinkifierRecord> {
    realm.linkifiers.iter().map(|linkifier| LinkifierRecord::new(linkifier)).collect()
}

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
        Ok(LinkifiersReply { linkifiers: records(realm) })
    }
}
