//! Summaries of conversations by a language model, which this server does not have (A-455 in docs/assumptions.md).

use crate::api::parameter::types::narrow::NarrowTerms;
use crate::api::{OperationContext, Read, Success, operation};
use crate::error::Error;
use crate::realm::Realm;

operation! {
    /// Summarizes the messages of a narrow. This server has no model for it, and refuses all requests.
    pub SummarizeMessages = GET "/messages/summary", for User, since 350;
    params {
        /// Terms that select the messages to summarize.
        narrow: NarrowTerms = NarrowTerms::default() => "[]",
    }
    errors [NoLanguageModel];
}

impl Read for SummarizeMessages {
    fn run(_realm: &Realm, _context: &OperationContext<'_>, _params: Self::Params) -> Result<Success, Error> {
        Err(Error::NoLanguageModel)
    }
}
