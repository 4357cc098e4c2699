//! Highlights shell sessions: lines with a prompt and their continuation lines are code, other lines are output. The
//! classes of tokens are those of Pygments.

use super::languages;
use super::lexer::Token;
use regex::Regex;
use std::sync::LazyLock;

/// The name of a virtual environment before the prompt.
static ENVIRONMENT_NAME: LazyLock<Regex> = LazyLock::new(|| compile(r"^(\([^)]*\))(\s*)"));

/// A prompt such as `$`, `user@host:~$` or `[user@host dir]#`, and the command after it.
static PROMPT: LazyLock<Regex> = LazyLock::new(|| {
    let prompt_forms = r"| |sh\S*?|[\p{L}\p{N}_]+\S+[@:]\S+(?:\s+\S+)?|\[\S+[@:][^\n]+\].+";
    compile(&format!(r"^((?:\[.*?\]|(?:\(\S+\))?(?:{prompt_forms}))\s*[$#%]\s*)(.*\n?)"))
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is well-formed, as a test checks")
}

/// The prompt of continuation lines.
const CONTINUATION: &str = "> ";

/// The lines of a command, with the prompts between them.
#[derive(Default)]
struct Block<'t> {
    code: String,
    /// Tokens that are not part of the code, each with the number of bytes of code before it.
    insertions: Vec<(usize, Token<'t>)>,
}

pub(super) fn tokens_of_session(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut block = Block::default();
    let mut is_continued = false;
    let mut block_start = 0;
    let mut position = 0;
    for line in text.split_inclusive('\n') {
        let end = position + line.len();
        let mut remaining = line;
        if block.insertions.is_empty() {
            block_start = position;
        }
        if let Some(captures) = ENVIRONMENT_NAME.captures(line) {
            block.insert("gp gp-VirtualEnv", &line[..captures[1].len()]);
            block.insert("", &line[captures[1].len()..captures[0].len()]);
            remaining = &line[captures[0].len()..];
        }
        if let Some(captures) = PROMPT.captures(remaining) {
            let prompt_length = captures[1].len();
            block.insert("gp", &remaining[..prompt_length]);
            block.code.push_str(&remaining[prompt_length..captures[0].len()]);
            is_continued = block.code.ends_with("\\\n");
        } else if is_continued {
            if let Some(code) = remaining.strip_prefix(CONTINUATION) {
                block.insert("gp", &remaining[..CONTINUATION.len()]);
                block.code.push_str(code);
            } else {
                block.code.push_str(remaining);
            }
            is_continued = block.code.ends_with("\\\n");
        } else {
            let block_end = end - remaining.len();
            std::mem::take(&mut block).finish(&text[block_start..block_end], &mut tokens);
            tokens.push(Token { class: "go", text: remaining });
        }
        position = end;
    }
    if !block.insertions.is_empty() {
        block.finish(&text[block_start..], &mut tokens);
    }
    tokens
}

impl<'t> Block<'t> {
    fn insert(&mut self, class: &'static str, text: &'t str) {
        self.insertions.push((self.code.len(), Token { class, text }));
    }

    /// Appends the tokens of the block. `text` is the source of the block: the code with the insertions.
    fn finish(self, text: &'t str, tokens: &mut Vec<Token<'t>>) {
        let Some(bash) = languages::find_language("Bash") else { return };
        let mut insertions = self.insertions.into_iter().peekable();
        let (mut code_position, mut source_position) = (0, 0);
        // Pushes the insertions up to a position of the code, and returns the position of the next one.
        let mut push_insertions = |up_to: usize, source_position: &mut usize, output: &mut Vec<Token<'t>>| {
            while let Some((_, token)) = insertions.next_if(|(offset, _)| *offset <= up_to) {
                *source_position += token.text.len();
                output.push(token);
            }
            insertions.peek().map(|(offset, _)| *offset)
        };
        // No class of Bash depends on the level.
        for token in super::lexer::tokens(bash, &self.code, i64::MAX) {
            let end = code_position + token.text.len();
            while code_position < end {
                let part_end =
                    push_insertions(code_position, &mut source_position, tokens).map_or(end, |offset| offset.min(end));
                let source_end = source_position + part_end - code_position;
                tokens.push(Token { class: token.class, text: &text[source_position..source_end] });
                source_position = source_end;
                code_position = part_end;
            }
        }
        push_insertions(code_position, &mut source_position, tokens);
    }
}
