//! Who is alerted by a text: those who listed a word that is there by itself.

use crate::realm::Realm;
use crate::realm::model::id::UserId;
use crate::realm::model::text::in_lowercase;
use chat_markdown::without_code;
use foldhash::{HashSet, HashSetExt};
use imbl::OrdSet;
use std::collections::BTreeSet;

/// What may precede a word, as a real server has it; anything where that is the first character of the text.
const BEFORE: &str = " \t\n(\".,';[*`>";

/// What may follow a word.
const BEHIND: &str = " \t\n)?:.,';]!*`";

impl Realm {
    /// Those who want to be alerted to a word of the text. Code and math in fences are not looked at.
    pub fn alerted(&self, content: &str) -> BTreeSet<UserId> {
        let mut alerted = BTreeSet::new();
        let mut words: HashSet<&str> = HashSet::new();
        if self.alert_words.is_empty() {
            return alerted;
        }
        let prose = without_code(content);
        let folded = in_lowercase(&prose);
        let mut before = None;
        for (at, (start, character)) in folded.char_indices().enumerate() {
            if at <= 1 || before.is_some_and(|before| BEFORE.contains(before)) {
                self.alert_words_at(&folded[start..], &mut |word, users| {
                    if words.insert(word) {
                        alerted.extend(users.iter().copied());
                    }
                });
            }
            before = Some(character);
        }
        alerted
    }

    /// Finds the alert words that a text in lower case begins with as whole words. The greatest word that is not behind
    /// the text either begins it or has no more in common with it than any other word that does: few are looked at,
    /// however many there are.
    fn alert_words_at<'realm>(&'realm self, text: &str, found: &mut dyn FnMut(&'realm str, &'realm OrdSet<UserId>)) {
        let mut common = text;
        while let Some((word, users)) = self.alert_words.get_prev(common) {
            let shared = common.bytes().zip(word.bytes()).take_while(|(one, other)| one == other).count();
            if shared < word.len() {
                common = &common[..common.floor_char_boundary(shared)];
            } else {
                if text[shared..].chars().next().is_none_or(|behind| BEHIND.contains(behind)) {
                    found(word, users);
                }
                let last = word.chars().next_back().map_or(0, char::len_utf8);
                common = &common[..shared - last];
            }
            if common.is_empty() {
                return;
            }
        }
    }
}
