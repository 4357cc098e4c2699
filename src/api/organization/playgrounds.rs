//! Code playgrounds: websites that can run the code blocks of messages.
//!
//! A choice where the API is silent: A-138 in docs/assumptions.md.

use super::change_setting;
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::playground::Playground;
use crate::realm::text::check_length;
use crate::realm::tx::Tx;
use crate::record::events::RealmPlaygrounds;
use crate::record::playground::PlaygroundRecord;
use chat_markdown::linkifier::template_variables;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum length of the name of a language, in code points.
const MAX_LANGUAGE_LENGTH: usize = 40;
const DEFAULT_LANGUAGE_SETTING: &str = "default_code_block_language";
// The next two errors are those of the real server's web framework.
const BLANK_FIELD_ERROR: &str = "This field cannot be blank.";
const DUPLICATE_ERROR: &str = "Realm playground with this Realm, Pygments language and Name already exists.";
const MISSING_VARIABLE_ERROR: &str = "Missing the required variable \"code\" in the URL template";
const OTHER_VARIABLES_ERROR: &str = "\"code\" should be the only variable present in the URL template";
/// The key of errors that concern no single field.
const NON_FIELD_ERRORS: &str = "__all__";
/// The only variable of URL templates.
const CODE_VARIABLE: &str = "code";

/// The records of all playgrounds, oldest first.
pub fn playground_records(realm: &Realm) -> Vec<PlaygroundRecord> {
    realm.organization.playgrounds.iter().map(PlaygroundRecord::new).collect()
}

operation! {
    /// Adds a code playground for a language.
    pub AddPlayground = POST "/realm/playgrounds", for Administrator, since 49;
    params {
        /// Display name; no other playground of the language may have it.
        name: String,
        /// RFC 6570 template of the URL that runs code, with `code` as its only variable.
        url_template formerly "url_prefix" 49..196: String,
        /// The highlighter's name for the language; at most 40 code points.
        pygments_language: String,
    }
    reply PlaygroundIdReply;
    errors [BadValue, InvalidPlaygroundLanguage, PlaygroundRefused];
    events [RealmPlaygrounds];
}

/// The playground that was added.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlaygroundIdReply {
    /// ID with which the playground can be removed.
    pub id: i64,
}

impl Write for AddPlayground {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<PlaygroundIdReply, Error> {
        check_language(&params.pygments_language)?;
        let trim = |text: String| text.trim().to_owned();
        let mut playground = Playground {
            // Assigned below.
            id: 0,
            name: trim(params.name),
            language: trim(params.pygments_language),
            url_template: trim(params.url_template),
        };
        check_playground(tx, &playground)?;

        tx.realm_mut().counters.playground += 1;
        let id = tx.counters.playground;
        playground.id = id;
        playgrounds_mut(tx).push(playground);
        emit_playgrounds(tx);
        Ok(PlaygroundIdReply { id })
    }
}

operation! {
    /// Removes a code playground. If its language is the default of code blocks, that default is cleared.
    pub RemovePlayground = DELETE "/realm/playgrounds/{playground_id}", for Administrator, since 49;
    params {
        /// ID of a playground, from the register reply or the event `realm_playgrounds`.
        @path playground_id: i64,
    }
    errors [NoSuchPlayground];
    events [RealmUpdate, RealmPlaygrounds];
}

impl Write for RemovePlayground {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let index = tx.organization.playgrounds.iter().position(|playground| playground.id == params.playground_id);
        let index = index.ok_or(Error::NoSuchPlayground)?;

        let language = playgrounds_mut(tx).remove(index).language;
        if *tx.organization.setting_named(DEFAULT_LANGUAGE_SETTING) == language {
            change_setting(tx, DEFAULT_LANGUAGE_SETTING, &"".into());
        }
        emit_playgrounds(tx);
        Ok(Success {})
    }
}

fn check_language(language: &str) -> Result<(), Error> {
    check_length(language, "pygments_language", MAX_LANGUAGE_LENGTH)?;
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || " _+,-./#".contains(character);
    if language.chars().all(is_allowed) { Ok(()) } else { Err(Error::InvalidPlaygroundLanguage) }
}

/// Checks all fields of a new playground: the error lists all problems by field, as that of the web framework does.
///
/// # Errors
///
/// `PlaygroundRefused`.
fn check_playground(realm: &Realm, playground: &Playground) -> Result<(), Error> {
    let mut errors: Vec<(&'static str, &'static str)> = Vec::new();
    let variables = template_variables(&playground.url_template);
    if playground.url_template.is_empty() {
        errors.push(("url_template", BLANK_FIELD_ERROR));
    } else if variables.is_none() {
        errors.push(("url_template", "Invalid URL template."));
    }
    for (field, text) in [("name", &playground.name), ("pygments_language", &playground.language)] {
        if text.is_empty() {
            errors.push((field, BLANK_FIELD_ERROR));
        }
    }
    let is_duplicate = |other: &Playground| other.name == playground.name && other.language == playground.language;
    let has_names = !playground.name.is_empty() && !playground.language.is_empty();
    match variables {
        Some(variables) if !variables.iter().any(|name| name == CODE_VARIABLE) => {
            errors.push((NON_FIELD_ERRORS, MISSING_VARIABLE_ERROR))
        }
        Some(variables) if variables.len() > 1 => errors.push((NON_FIELD_ERRORS, OTHER_VARIABLES_ERROR)),
        _ => {}
    }
    if has_names && realm.organization.playgrounds.iter().any(is_duplicate) {
        errors.push((NON_FIELD_ERRORS, DUPLICATE_ERROR));
    }
    let Some((_, first_message)) = errors.first().copied() else { return Ok(()) };
    let mut messages_by_field: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (field, message) in errors {
        messages_by_field.entry(field).or_default().push(message);
    }
    Err(Error::PlaygroundRefused { errors: json!(messages_by_field).into(), message: first_message.into() })
}

fn playgrounds_mut(tx: &mut Tx) -> &mut Vec<Playground> {
    &mut Arc::make_mut(&mut tx.realm_mut().organization).playgrounds
}

fn emit_playgrounds(tx: &mut Tx) {
    tx.emit(tx.everyone(), RealmPlaygrounds { realm_playgrounds: playground_records(tx) });
}
