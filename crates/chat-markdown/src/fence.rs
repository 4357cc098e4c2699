//! Extracts fenced blocks: lines between fences of at least three backticks or tildes. A language may follow the first
//! fence.
//!
//! This happens before block parsing. Code and math are rendered to HTML at once, quotes become lines with `>`, and
//! spoilers become HTML around lines that are parsed.

use super::character::is_space;
use super::context::Context;
use super::tree::MAX_DEPTH;
use super::{code, math};
use std::borrow::Cow;

/// A line that opens a fenced block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opening<'l> {
    /// The backticks or tildes.
    pub fence: &'l str,
    /// The word after the fence.
    pub language: Option<&'l str>,
    /// The text after the word, with trailing spaces.
    pub header: Option<&'l str>,
}

/// Parses a line that opens a fenced block.
pub(super) fn parse_opening(line: &str) -> Option<Opening<'_>> {
    let first = *line.as_bytes().first().filter(|fence| matches!(fence, b'`' | b'~'))?;
    let length = line.bytes().take_while(|&byte| byte == first).count();
    if length < 3 {
        return None;
    }
    let (fence, info) = line.split_at(length);
    let info = info.trim_start_matches(' ');
    if info.is_empty() {
        return Some(Opening { fence, language: None, header: None });
    }
    let is_in_language = |character: char| character.is_ascii_alphanumeric() || "_+,-./#".contains(character);
    let unbraced = info.strip_prefix('{').unwrap_or(info);
    // A leading dot is ignored, as in `.python`, but a dot alone is a language.
    let undotted = unbraced.strip_prefix('.').filter(|name| name.starts_with(is_in_language)).unwrap_or(unbraced);
    let end = undotted.find(|character| !is_in_language(character)).unwrap_or(undotted.len());
    let (language, header) = undotted.split_at(end);
    let header = header.trim_start_matches(' ');
    if language.is_empty() || header.contains(['`', '~']) {
        return None;
    }
    Some(Opening { fence, language: Some(language), header: Some(header).filter(|header| !header.is_empty()) })
}

enum BlockKind {
    Outside,
    Code { language: String },
    Quote,
    Spoiler { header: Option<String> },
    Math,
}

/// A fenced block that is not closed yet, or the text outside of all blocks.
struct OpenBlock {
    kind: BlockKind,
    fence: String,
    lines: Vec<String>,
}

impl OpenBlock {
    fn new(opening: &Opening<'_>, default_language: &str) -> Self {
        let language = opening.language.unwrap_or(default_language).to_lowercase();
        let kind = match language.as_str() {
            "quote" | "quoted" => BlockKind::Quote,
            "math" => BlockKind::Math,
            "spoiler" => BlockKind::Spoiler { header: opening.header.map(str::to_owned) },
            _ => BlockKind::Code { language },
        };
        Self { kind, fence: opening.fence.to_owned(), lines: Vec::new() }
    }

    fn is_verbatim(&self) -> bool {
        matches!(self.kind, BlockKind::Code { .. } | BlockKind::Math)
    }

    fn is_closed_by(&self, line: &str) -> bool {
        !matches!(self.kind, BlockKind::Outside) && line.trim_end_matches(is_space) == self.fence
    }
}

/// Steps for the overhead of a line, in addition to one for each byte of its text.
const LINE_OVERHEAD_STEPS: usize = 16;

/// Replaces fenced blocks. If the budget is exhausted, only the lines so far are returned.
pub(super) fn replace_fenced_blocks(context: &mut Context<'_>, lines: Vec<String>) -> Vec<String> {
    let mut open_blocks = vec![OpenBlock { kind: BlockKind::Outside, fence: String::new(), lines: Vec::new() }];
    for line in lines {
        let depth = open_blocks.len();
        let Some(innermost) = open_blocks.last_mut().filter(|_| context.budget.check().is_ok()) else { break };
        if innermost.is_closed_by(&line) {
            close_innermost_block(context, &mut open_blocks);
            continue;
        }
        let default_language = match innermost.kind {
            BlockKind::Code { .. } | BlockKind::Math => {
                innermost.lines.push(line.trim_end_matches(is_space).to_owned());
                continue;
            }
            // Real servers don't apply the default language in spoilers.
            BlockKind::Spoiler { .. } => "",
            BlockKind::Outside | BlockKind::Quote => context.settings.default_code_block_language,
        };
        match parse_opening(&line).filter(|_| depth <= MAX_DEPTH) {
            Some(opening) => open_blocks.push(OpenBlock::new(&opening, default_language)),
            None => innermost.lines.push(line),
        }
    }
    while open_blocks.len() > 1 {
        close_innermost_block(context, &mut open_blocks);
    }
    let mut output_lines = open_blocks.pop().map(|outside| outside.lines).unwrap_or_default();
    // Real servers add this empty line, unless one is before the last line.
    if output_lines.len() > 2 && !output_lines[output_lines.len() - 2].is_empty() {
        output_lines.push(String::new());
    }
    output_lines
}

/// Removes fenced code and math from a text, and the fences of all blocks except their headers.
pub fn remove_code(source: &str) -> Cow<'_, str> {
    if !source.contains("```") && !source.contains("~~~") {
        return source.into();
    }
    let mut open_blocks: Vec<OpenBlock> = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for line in source.split('\n') {
        let innermost = open_blocks.last();
        if innermost.is_some_and(|innermost| innermost.is_closed_by(line)) {
            open_blocks.pop();
        } else if innermost.is_some_and(OpenBlock::is_verbatim) {
            continue;
        } else if let Some(opening) = parse_opening(line).filter(|_| open_blocks.len() < MAX_DEPTH) {
            open_blocks.push(OpenBlock::new(&opening, ""));
            lines.push(opening.header.unwrap_or_default());
        } else {
            lines.push(line);
        }
    }
    lines.join("\n").into()
}

/// Closes the innermost block and adds its lines to the enclosing block. Empty blocks are dropped.
fn close_innermost_block(context: &mut Context<'_>, open_blocks: &mut Vec<OpenBlock>) {
    let Some(closed_block) = open_blocks.pop() else { return };
    let Some(enclosing_block) = open_blocks.last_mut().filter(|_| !closed_block.lines.is_empty()) else { return };
    // Lines are copied at each level of nesting.
    let steps = closed_block.lines.iter().map(|line| line.len() + LINE_OVERHEAD_STEPS).sum();
    if context.budget.spend_steps(steps).is_err() {
        return;
    }
    enclosing_block.lines.push(String::new());
    match closed_block.kind {
        BlockKind::Outside => {}
        BlockKind::Code { language } => {
            let html = code::render_fenced_code(context, &language, &closed_block.lines.join("\n"));
            enclosing_block.lines.push(context.store(html));
        }
        BlockKind::Math => {
            let html = math::render_math_block(context, &closed_block.lines.join("\n"));
            enclosing_block.lines.push(context.store(html));
        }
        BlockKind::Quote => enclosing_block.lines.extend(closed_block.lines.iter().map(|line| format!("> {line}"))),
        BlockKind::Spoiler { header } => {
            let mut store_as_lines = |html: &str| [context.store(html.to_owned()), String::new()];
            enclosing_block.lines.extend(store_as_lines(r#"<div class="spoiler-block"><div class="spoiler-header">"#));
            enclosing_block.lines.extend(header.into_iter().flat_map(|header| [header, String::new()]));
            enclosing_block.lines.extend(store_as_lines(r#"</div><div class="spoiler-content" aria-hidden="true">"#));
            enclosing_block.lines.extend(closed_block.lines);
            let [end, _] = store_as_lines("</div></div>");
            enclosing_block.lines.extend([String::new(), end]);
        }
    }
    enclosing_block.lines.push(String::new());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_open_fenced_blocks_are_parsed() {
        let parsed =
            |line| parse_opening(line).map(|opening| (opening.fence.to_owned(), opening.language, opening.header));
        for (line, fence, language, header) in [
            ("```", "```", None, None),
            ("~~~~  ", "~~~~", None, None),
            ("``` py", "```", Some("py"), None),
            ("```{.python}", "```", Some("python"), Some("}")),
            ("```.", "```", Some("."), None),
            ("```spoiler  A b ", "```", Some("spoiler"), Some("A b ")),
            ("```c++ x", "```", Some("c++"), Some("x")),
        ] {
            assert_eq!(parsed(line), Some((fence.to_owned(), language, header)), "{line}");
        }
        for line in ["``", "```x``` y", "```\"", "~~~…", "```x~", " ```", "a", ""] {
            assert_eq!(parsed(line), None, "{line}");
        }
    }
}
