//! Saved snippets: listing, creating, changing and removing them.

use super::{OperationContext, Read, Success, Write, operation};
use crate::api::parameter::types::text::NonBlank;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::personal::{Snippet, SnippetId};
use crate::realm::text::MAX_MESSAGE_LENGTH;
use crate::realm::tx::Tx;
use crate::record::events::{SavedSnippetsAdd, SavedSnippetsRemove, SavedSnippetsUpdate};
use crate::record::own_lists::SnippetRecord;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum length of the title of a snippet, in code points.
pub const MAX_TITLE_LENGTH: usize = 60;

pub type Title = NonBlank<MAX_TITLE_LENGTH>;
pub type Content = NonBlank<MAX_MESSAGE_LENGTH>;

operation! {
    /// Lists the caller's saved snippets.
    pub GetSnippets = GET "/saved_snippets", for User, since 297;
    reply SnippetsReply;
}

/// The caller's snippets.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SnippetsReply {
    /// In order of creation.
    pub saved_snippets: Vec<SnippetRecord>,
}

impl Read for GetSnippets {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<SnippetsReply, Error> {
        let snippets = realm.user_state(context.caller().id).snippets.values();
        Ok(SnippetsReply { saved_snippets: snippets.map(|snippet| SnippetRecord::new(snippet)).collect() })
    }
}

operation! {
    /// Saves a snippet for the caller.
    pub CreateSnippet = POST "/saved_snippets", for User, since 297;
    params {
        /// Trimmed; at most 60 code points, not blank.
        title: Title,
        /// Markdown, trimmed; at most 10,000 code points, not blank.
        content: Content,
    }
    reply SnippetIdReply;
    errors [BadValue];
    events [SavedSnippetsAdd];
}

/// The snippet that was saved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SnippetIdReply {
    /// ID of the new snippet.
    pub saved_snippet_id: SnippetId,
}

impl Write for CreateSnippet {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<SnippetIdReply, Error> {
        let user = context.caller().id;

        let id = tx.next_id::<Snippet>();
        let content = context.origin.make_upload_links_relative(params.content.0);
        let snippet = Snippet { id, title: params.title.0, content, date_created: tx.now };
        let event = SavedSnippetsAdd { saved_snippet: SnippetRecord::new(&snippet) };
        tx.put_item(user, snippet);
        tx.emit(Audience::of_user(user), event);
        Ok(SnippetIdReply { saved_snippet_id: id })
    }
}

operation! {
    /// Changes one of the caller's saved snippets.
    pub EditSnippet = PATCH "/saved_snippets/{saved_snippet_id}", for User, since 368;
    params {
        /// ID of one of the caller's snippets.
        @path saved_snippet_id: SnippetId,
        /// Markdown, trimmed; at most 10,000 code points, not blank.
        content: Option<Content>,
        /// Trimmed; at most 60 code points, not blank.
        title: Option<Title>,
    }
    errors [BadValue, NoSuchSnippet];
    events [SavedSnippetsUpdate];
}

impl Write for EditSnippet {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        let id = params.saved_snippet_id;
        let snippet = tx.user_state(user).snippets.get(&id).ok_or(Error::NoSuchSnippet)?;
        if params.content.is_none() && params.title.is_none() {
            return Ok(Success {});
        }

        let mut snippet = snippet.as_ref().clone();
        if let Some(content) = params.content {
            snippet.content = context.origin.make_upload_links_relative(content.0);
        }
        if let Some(title) = params.title {
            snippet.title = title.0;
        }
        let event = SavedSnippetsUpdate { saved_snippet: SnippetRecord::new(&snippet) };
        tx.put_item(user, snippet);
        tx.emit(Audience::of_user(user), event);
        Ok(Success {})
    }
}

operation! {
    /// Removes one of the caller's saved snippets.
    pub RemoveSnippet = DELETE "/saved_snippets/{saved_snippet_id}", for User, since 297;
    params {
        /// ID of one of the caller's snippets.
        @path saved_snippet_id: SnippetId,
    }
    errors [NoSuchSnippet];
    events [SavedSnippetsRemove];
}

impl Write for RemoveSnippet {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        let id = params.saved_snippet_id;
        if !tx.user_state(user).snippets.contains_key(&id) {
            return Err(Error::NoSuchSnippet);
        }

        tx.remove_item::<Snippet>(user, id);
        tx.emit(Audience::of_user(user), SavedSnippetsRemove { saved_snippet_id: id });
        Ok(Success {})
    }
}
