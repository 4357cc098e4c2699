//! Code playgrounds: sites that run the code of a message's block.
//!
//! Choices where the API is silent: A-138 in docs/assumptions.md.

use crate::api::parameter::parameters;
use crate::api::{About, Access, Call, Operation, Route, Success, Write};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::event::Event;
use crate::realm::linkifier::template_variables;
use crate::realm::organization::Playground;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;

/// Longest name and language, in code points.
const MAX_LENGTH: usize = 40;
/// The variable that the code goes in for.
const CODE: &str = "code";

/// A playground as clients see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RealmPlayground")]
pub struct PlaygroundRecord {
    /// Its ID.
    pub id: i64,
    /// Name for people.
    pub name: String,
    /// The highlighter's name of the language.
    pub pygments_language: String,
    /// RFC 6570 template with the variable `code`.
    pub url_template: String,
}

/// All playgrounds, oldest first.
pub fn records(realm: &Realm) -> Vec<PlaygroundRecord> {
    let record = |one: &Playground| PlaygroundRecord {
        id: one.id,
        name: one.name.clone(),
        pygments_language: one.language.clone(),
        url_template: one.url_template.clone(),
    };
    realm.organization.playgrounds.iter().map(record).collect()
}

/// POST /realm/playgrounds
pub struct AddPlayground;

parameters! {
    /// The new playground.
    pub struct AddPlaygroundParams {
        /// Name for people; at most 40 code points.
        name: String,
        /// The highlighter's name of the language; at most 40 code points.
        pygments_language: String,
        /// RFC 6570 template with the variable `code` and no other.
        url_template: String,
    }
}

/// The new playground.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlaygroundIdReply {
    /// Its ID.
    pub id: i64,
}

impl Operation for AddPlayground {
    const ROUTE: Route = Route::post("/realm/playgrounds");
    const ACCESS: Access = Access::Administrator;
    const ABOUT: About = About {
        summary: "Adds a code playground for a language.",
        since: 49,
        is_specified: false,
        errors: &["BadValue", "PlaygroundLanguage", "InvalidUrlTemplate", "PlaygroundWithoutCode", "PlaygroundExists"],
        events: &["realm_playgrounds"],
    };
    type Params = AddPlaygroundParams;
    type Reply = PlaygroundIdReply;
}

impl Write for AddPlayground {
    fn run(tx: &mut Tx, _call: &Call<'_>, params: Self::Params) -> Result<PlaygroundIdReply, Error> {
        let name = checked_text(&params.name, "name")?;
        let language = checked_text(&params.pygments_language, "pygments_language")?;
        let is_part = |character: char| character.is_ascii_alphanumeric() || " _+-./#".contains(character);
        if !language.chars().all(is_part) {
            return Err(Error::PlaygroundLanguage);
        }
        let url_template = params.url_template.trim().to_owned();
        let variables = template_variables(&url_template).ok_or(Error::InvalidUrlTemplate)?;
        if variables != [CODE] {
            return Err(Error::PlaygroundWithoutCode);
        }
        let is_taken = |one: &Playground| one.name == name && one.language == language;
        if tx.organization.playgrounds.iter().any(is_taken) {
            return Err(Error::PlaygroundExists);
        }

        tx.realm_mut().counters.playground += 1;
        let id = tx.counters.playground;
        playgrounds_mut(tx).push(Playground { id, name, language, url_template });
        emit(tx);
        Ok(PlaygroundIdReply { id })
    }
}

/// DELETE /realm/playgrounds/{playground_id}
pub struct RemovePlayground;

parameters! {
    /// Which playground.
    pub struct RemovePlaygroundParams {
        /// The playground.
        @path playground_id: i64,
    }
}

impl Operation for RemovePlayground {
    const ROUTE: Route = Route::delete("/realm/playgrounds/{playground_id}");
    const ACCESS: Access = Access::Administrator;
    const ABOUT: About = About {
        summary: "Removes a code playground.",
        since: 49,
        is_specified: false,
        errors: &["NoSuchPlayground"],
        events: &["realm_playgrounds"],
    };
    type Params = RemovePlaygroundParams;
    type Reply = Success;
}

impl Write for RemovePlayground {
    fn run(tx: &mut Tx, _call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let index = tx.organization.playgrounds.iter().position(|one| one.id == params.playground_id);
        let index = index.ok_or(Error::NoSuchPlayground)?;

        playgrounds_mut(tx).remove(index);
        emit(tx);
        Ok(Success {})
    }
}

fn checked_text(text: &str, name: &str) -> Result<String, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::bad_value(name, "cannot be blank"));
    }
    if text.chars().count() > MAX_LENGTH {
        return Err(Error::bad_value(name, format!("is too long (limit: {MAX_LENGTH} characters)")));
    }
    Ok(text.to_owned())
}

fn playgrounds_mut(tx: &mut Tx) -> &mut Vec<Playground> {
    &mut Arc::make_mut(&mut tx.realm_mut().organization).playgrounds
}

fn emit(tx: &mut Tx) {
    let (everyone, playgrounds) = (tx.everyone(), records(tx));
    tx.emit(everyone, Event::shaped("realm_playgrounds", None, json!({ "realm_playgrounds": playgrounds })));
}
