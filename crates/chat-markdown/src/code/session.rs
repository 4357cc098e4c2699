//! Sessions of a shell: lines with a prompt are code, the others output.

use super::languages;
use super::lexer::{Token, tokens};
use regex::Regex;
use std::sync::LazyLock;

/// An environment that is named before the prompt.
static ENVIRONMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^(\([^)]*\))(\s*)").ok());

/// A prompt, and a line behind it: `$`, `user@host:~$`, `[user@host dir]#` and their like.
static PROMPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let places = r"| |sh\S*?|[\p{L}\p{N}_]+\S+[@:]\S+(?:\s+\S+)?|\[\S+[@:][^\n]+\].+";
    Regex::new(&format!(r"^((?:\[.*?\]|(?:\(\S+\))?(?:{places}))\s*[$#%]\s*)(.*\n?)")).ok()
});

/// Before lines that go on with the one above.
const CONTINUATION: &str = "> ";

/// Lines of code that belong together, with what is between their parts.
#[derive(Default)]
struct Block<'t> {
    code: String,
    /// How much code is before each, and what it is.
    insertions: Vec<(usize, Token<'t>)>,
}

/// The pieces of a session.
pub(super) fn session(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut block = Block::default();
    let mut goes_on = false;
    // Where the block begins.
    let mut start = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let mut rest = line;
        if block.insertions.is_empty() {
            start = at;
        }
        if let Some(found) = ENVIRONMENT.as_ref().and_then(|regex| regex.captures(line)) {
            block.insert("gp gp-VirtualEnv", &line[..found[1].len()]);
            block.insert("", &line[found[1].len()..found[0].len()]);
            rest = &line[found[0].len()..];
        }
        if let Some(found) = PROMPT.as_ref().and_then(|regex| regex.captures(rest)) {
            let prompt = found[1].len();
            block.insert("gp", &rest[..prompt]);
            block.code.push_str(&rest[prompt..found[0].len()]);
            goes_on = block.code.ends_with("\\\n");
        } else if goes_on {
            if let Some(code) = rest.strip_prefix(CONTINUATION) {
                block.insert("gp", &rest[..CONTINUATION.len()]);
                block.code.push_str(code);
            } else {
                block.code.push_str(rest);
            }
            goes_on = block.code.ends_with("\\\n");
        } else {
            let before = end - rest.len();
            std::mem::take(&mut block).finish(&text[start..before], &mut out);
            out.push(Token { class: "go", text: rest });
        }
        at = end;
    }
    if !block.insertions.is_empty() {
        block.finish(&text[start..], &mut out);
    }
    out
}

impl<'t> Block<'t> {
    fn insert(&mut self, class: &'static str, text: &'t str) {
        self.insertions.push((self.code.len(), Token { class, text }));
    }

    /// The pieces of the block, whose text is given.
    fn finish(self, text: &'t str, out: &mut Vec<Token<'t>>) {
        let Some(bash) = languages::table("Bash") else { return };
        let mut insertions = self.insertions.into_iter().peekable();
        let (mut read, mut at) = (0, 0);
        let mut next = |read: usize, at: &mut usize, out: &mut Vec<Token<'t>>| {
            while let Some((_, token)) = insertions.next_if(|(before, _)| *before <= read) {
                *at += token.text.len();
                out.push(token);
            }
            insertions.peek().map(|(before, _)| *before)
        };
        for token in tokens(bash, &self.code, i64::MAX) {
            let end = read + token.text.len();
            while read < end {
                let until = next(read, &mut at, out).map_or(end, |before| before.min(end));
                out.push(Token { class: token.class, text: &text[at..at + until - read] });
                at += until - read;
                read = until;
            }
        }
        next(read, &mut at, out);
    }
}
