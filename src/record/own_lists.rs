//! Lists that belong to a user, such as drafts and muted users: the records of their elements, their events, and their
//! values in the register reply.

use crate::realm::event::event_data;
use crate::realm::id::UserId;
use crate::realm::personal::{Draft, DraftId, DraftTarget, NavigationView, Snippet, SnippetId, UserState};
use crate::time::Timestamp;
use crate::wire::{self, List};
use imbl::OrdMap;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

/// Maximum number of drafts in the register reply, which has the newest ones.
const MAX_DRAFTS: usize = 1_000;

/// A list that belongs to a user.
#[derive(Clone, Copy)]
pub struct OwnList {
    /// The list's key in the register reply, and its events.
    pub list: List,
    /// The schema of the list in the register reply.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// Returns the list for the register reply.
    pub value: fn(&UserState) -> Value,
}

/// Declares the lists: each has a name in `wire.rs`, its type in the register reply, and its value there.
macro_rules! own_lists {
    ($($list:ident: $type:ty = $value:expr;)*) => {
        /// The lists, in the order of the register reply.
        pub const OWN_LISTS: &[OwnList] = &[$(OwnList {
            list: wire::$list,
            schema: |generator| generator.subschema_for::<$type>(),
            value: |state| {
                let to_list: fn(&UserState) -> $type = $value;
                json!(to_list(state))
            },
        }),*];
    };
}

own_lists! {
    ALERT_WORDS: Vec<String> = |state| state.alert_words.iter().cloned().collect();
    SAVED_SNIPPETS: Vec<SnippetRecord> = |state| state.snippets.values().map(|snippet| SnippetRecord::new(snippet)).collect();
    NAVIGATION_VIEWS: Vec<NavigationView> = |state| state.navigation_views.iter().cloned().collect();
    DRAFTS: Vec<DraftRecord> = |state| {
        let mut drafts: Vec<_> = state.drafts.values().collect();
        drafts.sort_by_key(|draft| std::cmp::Reverse((draft.timestamp, draft.id)));
        drafts.into_iter().take(MAX_DRAFTS).map(|draft| DraftRecord::new(draft)).collect()
    };
    MUTED_USERS: Vec<MutedUserRecord> = |state| muted_user_records(&state.muted_users);
}

/// Declares the types of events. Each type has the name of its kind.
macro_rules! declare_events {
    ($(
        #[doc = $doc:literal]
        $name:ident { $(#[doc = $field_doc:literal] $field:ident: $type:ty),* $(,)? }
    )*) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Debug, Serialize, JsonSchema)]
            pub struct $name { $(#[doc = $field_doc] pub $field: $type),* }
        )*

        event_data! { $($name;)* }
    };
}

declare_events! {
    /// The user's alert words changed.
    AlertWords {
        /// All alert words of the user, in the order in which they were added.
        alert_words: Vec<String>,
    }
    /// The user muted or unmuted another user.
    MutedUsers {
        /// All users that the user mutes now.
        muted_users: Vec<MutedUserRecord>,
    }
    /// A snippet was saved.
    SavedSnippetsAdd {
        /// The new snippet.
        saved_snippet: SnippetRecord,
    }
    /// A snippet was changed.
    SavedSnippetsUpdate {
        /// The snippet as it is now.
        saved_snippet: SnippetRecord,
    }
    /// A snippet was removed.
    SavedSnippetsRemove {
        /// ID that the removed snippet had.
        saved_snippet_id: SnippetId,
    }
    /// Drafts were stored.
    DraftsAdd {
        /// The new drafts.
        drafts: Vec<DraftRecord>,
    }
    /// A draft was changed.
    DraftsUpdate {
        /// The draft as it is now.
        draft: DraftRecord,
    }
    /// A draft was removed.
    DraftsRemove {
        /// ID that the removed draft had.
        draft_id: DraftId,
    }
    /// A view was added to the left sidebar.
    NavigationViewAdd {
        /// The new view.
        navigation_view: NavigationView,
    }
    /// A view of the left sidebar was changed.
    NavigationViewUpdate {
        /// URL fragment that identifies the changed view.
        fragment: String,
        /// New values; what did not change is absent.
        data: NavigationViewChange,
    }
    /// A view was removed from the left sidebar.
    NavigationViewRemove {
        /// URL fragment that identified the removed view.
        fragment: String,
    }
}

/// A user who is muted, and since when.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MutedUserRecord {
    /// ID of the muted user.
    pub id: UserId,
    /// The time of muting, UNIX seconds.
    pub timestamp: i64,
}

/// The changed properties of a view in the left sidebar; absent ones did not change.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct NavigationViewChange {
    /// Whether it is in the sidebar rather than in the menu.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub is_pinned: Option<bool>,
    /// The name that the user gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The records of muted users, sorted by ID.
pub fn muted_user_records(muted_users: &OrdMap<UserId, Timestamp>) -> Vec<MutedUserRecord> {
    muted_users.iter().map(|(user, muted_at)| MutedUserRecord { id: *user, timestamp: muted_at.seconds() }).collect()
}

/// A text that a user saved to insert it into messages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedSnippet")]
pub struct SnippetRecord {
    /// ID of the snippet, unique in the organization.
    pub id: i64,
    /// The name of the snippet in lists.
    pub title: String,
    /// The text in Markdown.
    pub content: String,
    /// When it was saved, UNIX seconds.
    pub date_created: i64,
}

impl SnippetRecord {
    pub fn new(snippet: &Snippet) -> Self {
        Self {
            id: snippet.id.0,
            title: snippet.title.clone(),
            content: snippet.content.clone(),
            date_created: snippet.date_created.seconds(),
        }
    }
}

/// An unsent message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Draft")]
pub struct DraftRecord {
    /// ID of the draft, unique in the organization.
    pub id: i64,
    /// `stream`, `private`, or "" if nothing is chosen yet.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["", "private", "stream"]))]
    pub kind: &'static str,
    /// A single channel ID, the user IDs of a direct message, or nothing.
    pub to: Vec<i64>,
    /// The topic; "" except for channels.
    pub topic: String,
    /// The text in Markdown.
    pub content: String,
    /// Time of the last change, UNIX seconds.
    pub timestamp: i64,
}

impl DraftRecord {
    pub fn new(draft: &Draft) -> Self {
        let (kind, to) = match &draft.to {
            DraftTarget::Nowhere => ("", Vec::new()),
            DraftTarget::Channel(channel) => ("stream", vec![channel.0]),
            DraftTarget::Users(users) => ("private", users.iter().map(|user| user.0).collect()),
        };
        Self {
            id: draft.id.0,
            kind,
            to,
            topic: draft.topic.clone(),
            content: draft.content.clone(),
            timestamp: draft.timestamp.seconds(),
        }
    }
}
