//! Finds the alert words in a text, and the users who listed them.

use crate::realm::Realm;
use crate::realm::model::id::UserId;
use crate::realm::model::text::to_lowercase;
use chat_markdown::remove_code;
use foldhash::{HashSet, HashSetExt};
use imbl::OrdSet;
use std::collections::BTreeSet;

/// Characters that may precede an alert word, as on real servers. The text's first character may always precede one.
const WORD_PREFIXES: &str = " \t\n(\".,';[*`>";

/// Characters that may follow an alert word.
const WORD_SUFFIXES: &str = " \t\n)?:.,';]!*`";

impl Realm {
    /// Users with an alert word in the text. Fenced code and math are ignored.
    pub fn alerted_users(&self, content: &str) -> BTreeSet<UserId> {
        let mut user_ids = BTreeSet::new();
        let mut matched_words: HashSet<&str> = HashSet::new();
        if self.users_by_alert_word.is_empty() {
            return user_ids;
        }
        let prose = remove_code(content);
        let lowercase = to_lowercase(&prose);
        let mut previous = None;
        for (index, (start, character)) in lowercase.char_indices().enumerate() {
            if index <= 1 || previous.is_some_and(|previous| WORD_PREFIXES.contains(previous)) {
                self.for_each_leading_alert_word(&lowercase[start..], &mut |word, users| {
                    if matched_words.insert(word) {
                        user_ids.extend(users.iter().copied());
                    }
                });
            }
            previous = Some(character);
        }
        user_ids
    }

    /// Calls `callback` with each alert word that a text in lower case begins with, if the text ends after the word or
    /// goes on with one of [`WORD_SUFFIXES`].
    ///
    /// The index is sorted. The greatest word that does not sort after the candidate is a prefix of it, or has only a
    /// shorter prefix in common with it. In the second case, all remaining matches are prefixes of what they have in
    /// common. So few words are visited, however many there are.
    fn for_each_leading_alert_word<'realm>(
        &'realm self,
        text: &str,
        callback: &mut dyn FnMut(&'realm str, &'realm OrdSet<UserId>),
    ) {
        let mut candidate = text;
        while let Some((word, users)) = self.users_by_alert_word.get_prev(candidate) {
            let common_length = candidate.bytes().zip(word.bytes()).take_while(|(left, right)| left == right).count();
            if common_length < word.len() {
                candidate = &candidate[..candidate.floor_char_boundary(common_length)];
            } else {
                if text[common_length..].chars().next().is_none_or(|next| WORD_SUFFIXES.contains(next)) {
                    callback(word, users);
                }
                let last_length = word.chars().next_back().map_or(0, char::len_utf8);
                candidate = &candidate[..common_length - last_length];
            }
            if candidate.is_empty() {
                return;
            }
        }
    }
}
