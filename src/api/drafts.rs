//! Drafts: unsent messages that the server synchronizes between a user's clients.

use super::parameter::{FromJson, Parameter, json_object, string_enum};
use super::{OperationContext, Read, Success, Write, operation};
use crate::api::parameter::types::text::NonBlankText;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::personal::{Draft, DraftId, DraftTarget};
use crate::realm::setting::UserSetting;
use crate::realm::text::{normalize_content, truncate};
use crate::realm::topic::MAX_TOPIC_LENGTH;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::events::{DraftsAdd, DraftsRemove, DraftsUpdate};
use crate::record::own_lists::DraftRecord;
use crate::time::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

string_enum! {
    /// The kind of a draft's recipients: its `type`.
    pub enum DraftType {
        /// The user has not chosen a recipient yet.
        Nowhere = "",
        Channel = "stream",
        Direct = "private",
    }
}

impl FromJson for DraftType {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let text = value.as_str().ok_or_else(|| Error::InvalidValue { parameter: path.into() })?;
        Self::from_text(text, path)
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Self::schema(generator)
    }
}

/// UNIX seconds, possibly with a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnixSeconds(f64);

impl FromJson for UnixSeconds {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        // The path that a real server names: the member `int` of a union.
        value.as_f64().map(Self).ok_or_else(|| Error::bad_value(format!("{path}[\"int\"]"), "is not an integer"))
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<f64>()
    }
}

json_object! {
    closed
    /// A draft in a request.
    pub struct DraftInput {
        type_ as "type": DraftType,
        /// The ID of one channel, IDs of users, or an empty list, according to `type`.
        to: Vec<i64>,
        /// Used only for channel messages; cut off at 60 code points.
        topic: String,
        /// Markdown, not blank.
        content: NonBlankText,
        /// The time of the last change, in UNIX seconds; now if absent.
        timestamp: Option<UnixSeconds> = None,
    }
}

/// Checks that the caller's setting `enable_drafts_synchronization` is on.
fn check_drafts_enabled(realm: &Realm, context: &OperationContext<'_>) -> Result<(), Error> {
    if realm.user_state(context.caller().id).is_enabled(UserSetting::EnableDraftsSynchronization) {
        Ok(())
    } else {
        Err(Error::DraftsDisabled)
    }
}

/// Checks a draft and returns it in its stored form.
///
/// # Errors
///
/// In this order: `MessageNullBytes`, `NegativeTimestamp`, `TimestampTooLarge`, `DraftTopicNullBytes`,
/// `OneDraftChannelExpected`, `InvalidChannelId`, `InvalidRecipientId`.
fn checked_draft(
    realm: &Realm,
    context: &OperationContext<'_>,
    input: DraftInput,
    id: DraftId,
) -> Result<Draft, Error> {
    let caller = context.caller();
    let content = normalize_content(&context.origin.make_upload_links_relative(input.content.0.clone()))?.into_owned();
    let timestamp = match input.timestamp {
        Some(UnixSeconds(seconds)) if seconds < 0.0 => return Err(Error::NegativeTimestamp),
        Some(UnixSeconds(seconds)) if seconds > Timestamp::MAX.fractional_seconds() => {
            return Err(Error::TimestampTooLarge { parameter: "timestamp".into() });
        }
        Some(UnixSeconds(seconds)) => Timestamp::from_micros((seconds * 1e6).round() as i64),
        None => realm.now,
    };
    let (to, topic) = match input.type_ {
        DraftType::Nowhere => (DraftTarget::Nowhere, String::new()),
        DraftType::Direct => (direct_target(realm, caller, &input.to)?, String::new()),
        DraftType::Channel => {
            let topic = truncate(&input.topic, MAX_TOPIC_LENGTH, "...").into_owned();
            if topic.contains('\0') {
                return Err(Error::DraftTopicNullBytes);
            }
            let [channel] = input.to.as_slice() else { return Err(Error::OneDraftChannelExpected) };
            let channel = realm.readable_active_channel(caller, ChannelId(*channel))?;
            (DraftTarget::Channel(channel.id), topic)
        }
    };
    Ok(Draft { id, to, topic, content, timestamp })
}

/// The recipients without the caller, unless the caller is the only one. An empty list counts as not chosen yet.
fn direct_target(realm: &Realm, caller: &User, ids: &[i64]) -> Result<DraftTarget, Error> {
    let mut users = Vec::new();
    let mut seen_ids = BTreeSet::new();
    for id in ids.iter().copied().map(UserId) {
        if realm.user(id).is_none_or(|user| !realm.can_access_user(caller, user.id)) {
            return Err(Error::InvalidRecipientId { user_id: id.0.into() });
        }
        if seen_ids.insert(id) {
            users.push(id);
        }
    }
    if users.len() > 1 {
        users.retain(|id| *id != caller.id);
    }
    Ok(if users.is_empty() { DraftTarget::Nowhere } else { DraftTarget::Users(users) })
}

operation! {
    /// Lists the caller's drafts.
    pub GetDrafts = GET "/drafts", for User, since 87;
    reply DraftsReply;
    errors [DraftsDisabled];
    precondition check_drafts_enabled;
}

/// The caller's drafts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DraftsReply {
    /// Length of `drafts`.
    pub count: usize,
    /// Least recently changed first.
    pub drafts: Vec<DraftRecord>,
}

impl Read for GetDrafts {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<DraftsReply, Error> {
        let mut drafts: Vec<&Arc<Draft>> = realm.user_state(context.caller().id).drafts.values().collect();
        drafts.sort_by_key(|draft| (draft.timestamp, draft.id));
        let drafts: Vec<DraftRecord> = drafts.into_iter().map(|draft| DraftRecord::new(draft)).collect();
        Ok(DraftsReply { count: drafts.len(), drafts })
    }
}

operation! {
    /// Stores drafts for the caller, and sends them to all of the caller's clients.
    pub CreateDrafts = POST "/drafts", for User, since 87;
    params {
        /// Objects with `type`, `to`, `topic`, `content` and optionally `timestamp`.
        drafts: Vec<DraftInput>,
    }
    reply DraftIdsReply;
    errors [
        DraftsDisabled, BadValue, UnexpectedKey, MessageNullBytes, NegativeTimestamp, TimestampTooLarge,
        DraftTopicNullBytes, OneDraftChannelExpected, InvalidChannelId, InvalidRecipientId,
    ];
    events [DraftsAdd];
    precondition check_drafts_enabled;
}

/// Which drafts were stored.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DraftIdsReply {
    /// Their IDs, in the order of the request.
    pub ids: Vec<DraftId>,
}

impl Write for CreateDrafts {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<DraftIdsReply, Error> {
        let user = context.caller().id;
        let mut check_next_draft = |input| {
            let id = tx.next_id::<Draft>();
            checked_draft(tx, context, input, id)
        };
        let drafts: Vec<Draft> = params.drafts.into_iter().map(&mut check_next_draft).collect::<Result<_, _>>()?;

        let ids: Vec<DraftId> = drafts.iter().map(|draft| draft.id).collect();
        let records: Vec<DraftRecord> = drafts.iter().map(DraftRecord::new).collect();
        for draft in drafts {
            tx.put_item(user, draft);
        }
        tx.emit(Audience::of_user(user), DraftsAdd { drafts: records });
        Ok(DraftIdsReply { ids })
    }
}

operation! {
    /// Replaces one of the caller's drafts.
    pub EditDraft = PATCH "/drafts/{draft_id}", for User, since 87;
    params {
        /// ID of one of the caller's drafts.
        @path draft_id: DraftId,
        /// What takes the place of the whole draft.
        draft: DraftInput,
    }
    errors [
        DraftsDisabled, BadValue, UnexpectedKey, NoSuchDraft, MessageNullBytes, NegativeTimestamp,
        TimestampTooLarge, DraftTopicNullBytes, OneDraftChannelExpected, InvalidChannelId, InvalidRecipientId,
    ];
    events [DraftsUpdate];
    precondition check_drafts_enabled;
}

impl Write for EditDraft {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        if !tx.user_state(user).drafts.contains_key(&params.draft_id) {
            return Err(Error::NoSuchDraft);
        }
        let draft = checked_draft(tx, context, params.draft, params.draft_id)?;

        let event = DraftsUpdate { draft: DraftRecord::new(&draft) };
        tx.put_item(user, draft);
        tx.emit(Audience::of_user(user), event);
        Ok(Success {})
    }
}

operation! {
    /// Removes one of the caller's drafts.
    pub RemoveDraft = DELETE "/drafts/{draft_id}", for User, since 87;
    params {
        /// ID of one of the caller's drafts.
        @path draft_id: DraftId,
    }
    errors [DraftsDisabled, NoSuchDraft];
    events [DraftsRemove];
    precondition check_drafts_enabled;
}

impl Write for RemoveDraft {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        if !tx.user_state(user).drafts.contains_key(&params.draft_id) {
            return Err(Error::NoSuchDraft);
        }

        tx.remove_item::<Draft>(user, params.draft_id);
        tx.emit(Audience::of_user(user), DraftsRemove { draft_id: params.draft_id });
        Ok(Success {})
    }
}
