//! Alert words: messages that contain them are flagged for the user. They are stored trimmed, in the case in which they
//! were written, and compared without regard to case.
//!
//! A choice where the API is silent: A-67 in docs/assumptions.md.

use super::parameter::parameters;
use super::{OperationContext, Read, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::event::{Audience, Event, EventKind, Payload, WholeList};
use crate::realm::id::UserId;
use crate::realm::personal::MAX_ALERT_WORD_LENGTH;
use crate::realm::text::check_length;
use crate::realm::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The caller's alert words, after the change if the operation makes one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AlertWordsReply {
    /// In the order in which they were added.
    pub alert_words: Vec<String>,
}

parameters! {
    /// The parameter of adding and removing.
    pub struct AlertWordsParams {
        /// Trimmed; blank words are left out. When adding, each may have up to 100 code points.
        alert_words: Vec<String>,
    }
}

operation! {
    /// Lists the caller's alert words.
    pub GetAlertWords = GET "/users/me/alert_words", for User;
    reply AlertWordsReply;
}

impl Read for GetAlertWords {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<AlertWordsReply, Error> {
        Ok(alert_words_reply(realm, context.caller().id))
    }
}

operation! {
    /// Adds alert words; words that the caller already has, regardless of case, stay as they are.
    pub AddAlertWords = POST "/users/me/alert_words", for User;
    params from AlertWordsParams;
    reply AlertWordsReply;
    errors [BadValue];
    events [AlertWords];
}

impl Write for AddAlertWords {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<AlertWordsReply, Error> {
        let user = context.caller().id;
        check_lengths(&params.alert_words)?;

        for word in normalize_words(&params.alert_words) {
            let holders = tx.realm_mut().users_by_alert_word.entry(word.to_lowercase()).or_default();
            if holders.insert(user).is_none() {
                tx.user_state_mut(user).alert_words.push_back(word);
            }
        }
        emit_alert_words(tx, user);
        Ok(alert_words_reply(tx, user))
    }
}

operation! {
    /// Removes alert words, regardless of case; words that the caller does not have are ignored.
    pub RemoveAlertWords = DELETE "/users/me/alert_words", for User;
    params from AlertWordsParams;
    reply AlertWordsReply;
    events [AlertWords];
}

impl Write for RemoveAlertWords {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<AlertWordsReply, Error> {
        let user = context.caller().id;

        let lowercase_words: BTreeSet<String> =
            normalize_words(&params.alert_words).into_iter().map(|word| word.to_lowercase()).collect();
        tx.user_state_mut(user).alert_words.retain(|word| !lowercase_words.contains(&word.to_lowercase()));
        for word in &lowercase_words {
            remove_holder(tx, user, word);
        }
        emit_alert_words(tx, user);
        Ok(alert_words_reply(tx, user))
    }
}

/// Removes the user from the holders of a word. Messages are no longer searched for a word without holders.
fn remove_holder(tx: &mut Tx, user: UserId, lowercase_word: &str) {
    let words = &mut tx.realm_mut().users_by_alert_word;
    let Some(holders) = words.get_mut(lowercase_word) else { return };
    holders.remove(&user);
    if holders.is_empty() {
        words.remove(lowercase_word);
    }
}

fn check_lengths(words: &[String]) -> Result<(), Error> {
    let mut words = words.iter().enumerate();
    words.try_for_each(|(index, word)| check_length(word, &format!("alert_words[{index}]"), MAX_ALERT_WORD_LENGTH))
}

/// Trims the words and drops blank ones and duplicates. Of words that differ only in case, the last spelling wins.
fn normalize_words(words: &[String]) -> Vec<String> {
    let trimmed_words = || words.iter().map(|word| word.trim()).filter(|word| !word.is_empty());
    let last_spellings: HashMap<String, &str> = trimmed_words().map(|word| (word.to_lowercase(), word)).collect();
    let mut unique_words = HashSet::new();
    let lowercase_words = trimmed_words().map(str::to_lowercase).filter(|word| unique_words.insert(word.clone()));
    lowercase_words.map(|word| last_spellings[&word].to_owned()).collect()
}

fn alert_words_reply(realm: &Realm, user: UserId) -> AlertWordsReply {
    AlertWordsReply { alert_words: realm.user_state(user).alert_words.iter().cloned().collect() }
}

fn emit_alert_words(tx: &mut Tx, user: UserId) {
    let event = Event::new(
        EventKind::AlertWords,
        Payload::List(WholeList::AlertWords(tx.user_state(user).alert_words.clone())),
    );
    tx.emit(Audience::of_user(user), event);
}
