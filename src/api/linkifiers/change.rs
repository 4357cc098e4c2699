//! Adding, changing, removing and ordering linkifiers.
//!
//! A choice where the API is silent: A-44 in docs/assumptions.md.

use crate::api::parameter::types::text::{NullableText, non_null};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::event::{DeliveryCondition, Event, EventKind, Payload, WholeList};
use crate::realm::id::LinkifierId;
use crate::realm::linkifier::{Linkifier, LinkifierErrors, LinkifierSource};
use crate::realm::tx::Tx;
use imbl::Vector;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The error of the real server's web framework for a pattern that another linkifier has.
const DUPLICATE_ERROR: &str = "Realm filter with this Realm and Pattern already exists.";

/// Compiles a linkifier, and checks that no other one has its pattern.
///
/// # Errors
///
/// `LinkifierRefused` with all problems.
fn compile_linkifier(realm: &Realm, id: LinkifierId, source: LinkifierSource) -> Result<Linkifier, Error> {
    let pattern = source.pattern.trim();
    let is_pattern_taken = realm.linkifiers.iter().any(|other| other.id != id && other.pattern == pattern);
    let result = Linkifier::compile(id, source);
    let mut errors = match result {
        Ok(linkifier) if !is_pattern_taken => return Ok(linkifier),
        Ok(_) => LinkifierErrors(Vec::new()),
        Err(errors) => errors,
    };
    if is_pattern_taken {
        errors.0.push((LinkifierErrors::NON_FIELD, DUPLICATE_ERROR.to_owned()));
    }
    let first_message = errors.first_message().to_owned();
    let mut messages_by_field: Map<String, Value> = Map::new();
    for (field, message) in errors.0 {
        if let Some(messages) = messages_by_field.entry(field).or_insert_with(|| json!([])).as_array_mut() {
            messages.push(message.into());
        }
    }
    Err(Error::LinkifierRefused { errors: Value::from(messages_by_field).into(), message: first_message.into() })
}

fn linkifier_index(realm: &Realm, id: LinkifierId) -> Result<usize, Error> {
    realm.linkifiers.iter().position(|linkifier| linkifier.id == id).ok_or(Error::NoSuchLinkifier)
}

/// Events to everyone: `realm_linkifiers` to clients that support templates; below 176 also `realm_filters`.
fn emit_linkifiers(tx: &mut Tx) {
    let event = Event::new(EventKind::RealmLinkifiers, Payload::List(WholeList::Linkifiers(tx.linkifiers.clone())));
    tx.emit(tx.everyone(), event.only_for(DeliveryCondition::LinkifierTemplates));
    tx.emit_before(Feature::LinkifierTemplates.since(), tx.everyone(), |realm| {
        Event::new(EventKind::RealmFilters, Payload::List(WholeList::LinkifierPairs(realm.linkifiers.clone())))
    });
}

operation! {
    /// Adds a linkifier, which applies after the others.
    pub AddLinkifier = POST "/realm/filters", for Administrator;
    params {
        /// Python regular expression for the text that becomes a link; another linkifier must not have it.
        pattern: String,
        /// RFC 6570 template of the link's URL; its variables are the named groups of `pattern`.
        url_template since 176: String,
        /// A text that the pattern matches; "" for none.
        example_input since 471: Option<NullableText<String>>,
        /// Template that makes the text from the pattern's groups, and needs an example; "" for none.
        reverse_template since 471: Option<NullableText<String>>,
        /// Further templates of URLs from which the text is made.
        alternative_url_templates since 472: Vec<String> = Vec::new() => "[]",
    }
    reply LinkifierIdReply;
    errors [LinkifierRefused];
    events [RealmLinkifiers];
}

/// The linkifier that was added.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinkifierIdReply {
    /// ID with which it can be changed, removed and ordered.
    pub id: LinkifierId,
}

impl Write for AddLinkifier {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<LinkifierIdReply, Error> {
        let id = LinkifierId(tx.counters.linkifier + 1);
        let source = LinkifierSource {
            pattern: params.pattern,
            url_template: params.url_template,
            example_input: non_null(params.example_input),
            reverse_template: non_null(params.reverse_template),
            alternative_url_templates: params.alternative_url_templates,
        };
        let linkifier = compile_linkifier(tx, id, source)?;

        tx.realm_mut().counters.linkifier = id.0;
        tx.realm_mut().linkifiers.push_back(Arc::new(linkifier));
        emit_linkifiers(tx);
        Ok(LinkifierIdReply { id })
    }
}

operation! {
    /// Changes a linkifier. The links of messages that were sent before stay as they are.
    pub EditLinkifier = PATCH "/realm/filters/{filter_id}", for Administrator, since 57;
    params {
        /// ID of a linkifier, from `GET /realm/linkifiers`.
        @path filter_id: LinkifierId,
        /// Python regular expression for the text that becomes a link; another linkifier must not have it.
        pattern: String,
        /// RFC 6570 template of the link's URL; its variables are the named groups of `pattern`.
        url_template since 176: String,
        /// A text that the pattern matches; "" for none, null for no change.
        example_input since 471: Option<NullableText<String>>,
        /// Template that makes the text from the pattern's groups, and needs an example; "" for none, null for no change.
        reverse_template since 471: Option<NullableText<String>>,
        /// Further templates of URLs from which the text is made; unchanged by default.
        alternative_url_templates since 472: Option<Vec<String>>,
    }
    errors [NoSuchLinkifier, LinkifierRefused];
    events [RealmLinkifiers];
}

impl Write for EditLinkifier {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let index = linkifier_index(tx, params.filter_id)?;
        let current = tx.linkifiers[index].compiled();
        let source = LinkifierSource {
            pattern: params.pattern,
            url_template: params.url_template,
            example_input: non_null(params.example_input).or_else(|| current.example_input.clone()),
            reverse_template: non_null(params.reverse_template).or_else(|| current.reverse_template.clone()),
            alternative_url_templates: params
                .alternative_url_templates
                .unwrap_or_else(|| current.alternative_url_templates.clone()),
        };
        let linkifier = compile_linkifier(tx, params.filter_id, source)?;

        tx.realm_mut().linkifiers.set(index, Arc::new(linkifier));
        emit_linkifiers(tx);
        Ok(Success {})
    }
}

operation! {
    /// Removes a linkifier. The links of messages that were sent before stay as they are.
    pub RemoveLinkifier = DELETE "/realm/filters/{filter_id}", for Administrator;
    params {
        /// ID of a linkifier, from `GET /realm/linkifiers`.
        @path filter_id: LinkifierId,
    }
    errors [NoSuchLinkifier];
    events [RealmLinkifiers];
}

impl Write for RemoveLinkifier {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let index = linkifier_index(tx, params.filter_id)?;

        tx.realm_mut().linkifiers.remove(index);
        emit_linkifiers(tx);
        Ok(Success {})
    }
}

operation! {
    /// Reorders the linkifiers, which apply in this order.
    pub ReorderLinkifiers = PATCH "/realm/linkifiers", for Administrator, since 202;
    params {
        /// IDs of all linkifiers, each once, in the new order.
        ordered_linkifier_ids: Vec<LinkifierId>,
    }
    errors [LinkifierRepeated, LinkifierOrderIncomplete];
    events [RealmLinkifiers];
}

impl Write for ReorderLinkifiers {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let ids = params.ordered_linkifier_ids;
        let mut seen_ids = BTreeSet::new();
        if !ids.iter().all(|id| seen_ids.insert(*id)) {
            return Err(Error::LinkifierRepeated);
        }
        let by_id: BTreeMap<LinkifierId, &Arc<Linkifier>> =
            tx.linkifiers.iter().map(|linkifier| (linkifier.id, linkifier)).collect();
        let find_linkifier = |id: &LinkifierId| by_id.get(id).copied().cloned().ok_or(Error::LinkifierOrderIncomplete);
        let ordered_linkifiers: Vector<Arc<Linkifier>> = ids.iter().map(find_linkifier).collect::<Result<_, _>>()?;
        if ordered_linkifiers.len() != tx.linkifiers.len() {
            return Err(Error::LinkifierOrderIncomplete);
        }
        // Without linkifiers nothing changes, and no event is sent.
        if ordered_linkifiers.is_empty() {
            return Ok(Success {});
        }

        tx.realm_mut().linkifiers = ordered_linkifiers;
        emit_linkifiers(tx);
        Ok(Success {})
    }
}
