//! Fences: lines of three or more backticks or tildes, with a language behind the first.
//!
//! They are taken out of the text before the block parser sees it. Code and math become raw HTML at once; quotes become
//! lines with `>`, and spoilers become raw HTML around lines that are parsed.

use super::character::is_space;
use super::context::Context;
use super::tree::DEPTH_MAX;
use super::{code, math};
use std::borrow::Cow;

/// A line that opens or closes a fence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opening<'l> {
    /// The backticks or tildes.
    pub mark: &'l str,
    /// The word behind them, as typed.
    pub language: Option<&'l str>,
    /// What is behind the word, with the spaces at its end.
    pub header: Option<&'l str>,
}

/// Reads a line that opens a fence.
pub(super) fn opening(line: &str) -> Option<Opening<'_>> {
    let first = *line.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = line.bytes().take_while(|&byte| byte == first).count();
    if length < 3 {
        return None;
    }
    let (mark, behind) = line.split_at(length);
    let behind = behind.trim_start_matches(' ');
    if behind.is_empty() {
        return Some(Opening { mark, language: None, header: None });
    }
    let is_in_language = |character: char| character.is_ascii_alphanumeric() || "_+,-./#".contains(character);
    let unbraced = behind.strip_prefix('{').unwrap_or(behind);
    // `.python` is another way to write a language, but a dot alone is one itself.
    let undotted = unbraced.strip_prefix('.').filter(|rest| rest.starts_with(is_in_language)).unwrap_or(unbraced);
    let end = undotted.find(|character| !is_in_language(character)).unwrap_or(undotted.len());
    let (language, header) = undotted.split_at(end);
    let header = header.trim_start_matches(' ');
    if language.is_empty() || header.contains(['`', '~']) {
        return None;
    }
    Some(Opening { mark, language: Some(language), header: Some(header).filter(|header| !header.is_empty()) })
}

enum Kind {
    Outside,
    Code { language: String },
    Quote,
    Spoiler { header: Option<String> },
    Math,
}

struct Open {
    kind: Kind,
    mark: String,
    lines: Vec<String>,
}

impl Open {
    fn new(opening: &Opening<'_>, default_language: &str) -> Self {
        let language = opening.language.unwrap_or(default_language).to_lowercase();
        let kind = match language.as_str() {
            "quote" | "quoted" => Kind::Quote,
            "math" => Kind::Math,
            "spoiler" => Kind::Spoiler { header: opening.header.map(str::to_owned) },
            _ => Kind::Code { language },
        };
        Self { kind, mark: opening.mark.to_owned(), lines: Vec::new() }
    }

    fn is_code(&self) -> bool {
        matches!(self.kind, Kind::Code { .. } | Kind::Math)
    }

    fn is_closed_by(&self, line: &str) -> bool {
        !matches!(self.kind, Kind::Outside) && line.trim_end_matches(is_space) == self.mark
    }
}

/// Bytes that a line takes besides its text, while it is in a list of lines.
const LINE_BYTES: usize = 16;

/// The lines without fences; some of them, if the budget does not suffice.
pub(super) fn take_out(context: &mut Context<'_>, lines: Vec<String>) -> Vec<String> {
    let mut open = vec![Open { kind: Kind::Outside, mark: String::new(), lines: Vec::new() }];
    for line in lines {
        let depth = open.len();
        let Some(innermost) = open.last_mut().filter(|_| context.budget.check().is_ok()) else { break };
        if innermost.is_closed_by(&line) {
            close(context, &mut open);
            continue;
        }
        let default_language = match innermost.kind {
            Kind::Code { .. } | Kind::Math => {
                innermost.lines.push(line.trim_end_matches(is_space).to_owned());
                continue;
            }
            Kind::Spoiler { .. } => "",
            Kind::Outside | Kind::Quote => context.settings.default_code_block_language,
        };
        match opening(&line).filter(|_| depth <= DEPTH_MAX) {
            Some(opening) => open.push(Open::new(&opening, default_language)),
            None => innermost.lines.push(line),
        }
    }
    while open.len() > 1 {
        close(context, &mut open);
    }
    let mut lines = open.pop().map(|outside| outside.lines).unwrap_or_default();
    if lines.len() > 2 && !lines[lines.len() - 2].is_empty() {
        lines.push(String::new());
    }
    lines
}

/// A text without the code and the math in its fences.
pub fn without_code(source: &str) -> Cow<'_, str> {
    if !source.contains("```") && !source.contains("~~~") {
        return source.into();
    }
    let mut open: Vec<Open> = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for line in source.split('\n') {
        let innermost = open.last();
        if innermost.is_some_and(|innermost| innermost.is_closed_by(line)) {
            open.pop();
        } else if innermost.is_some_and(Open::is_code) {
            continue;
        } else if let Some(opening) = opening(line).filter(|_| open.len() < DEPTH_MAX) {
            open.push(Open::new(&opening, ""));
            lines.push(opening.header.unwrap_or_default());
        } else {
            lines.push(line);
        }
    }
    lines.join("\n").into()
}

/// Ends the innermost fence: what it holds becomes lines of the one around it. An empty one leaves nothing.
fn close(context: &mut Context<'_>, open: &mut Vec<Open>) {
    let Some(closed) = open.pop() else { return };
    let Some(around) = open.last_mut().filter(|_| !closed.lines.is_empty()) else { return };
    // All lines are copied at each level that they are in.
    let bytes = closed.lines.iter().map(|line| line.len() + LINE_BYTES).sum();
    if context.budget.spend_steps(bytes).is_err() {
        return;
    }
    around.lines.push(String::new());
    match closed.kind {
        Kind::Outside => {}
        Kind::Code { language } => {
            let html = code::fenced(context, &language, &closed.lines.join("\n"));
            around.lines.push(context.store(html));
        }
        Kind::Math => {
            let html = math::display(context, &closed.lines.join("\n"));
            around.lines.push(context.store(html));
        }
        Kind::Quote => around.lines.extend(closed.lines.iter().map(|line| format!("> {line}"))),
        Kind::Spoiler { header } => {
            let mut part = |html: &str| [context.store(html.to_owned()), String::new()];
            around.lines.extend(part(r#"<div class="spoiler-block"><div class="spoiler-header">"#));
            around.lines.extend(header.into_iter().flat_map(|header| [header, String::new()]));
            around.lines.extend(part(r#"</div><div class="spoiler-content" aria-hidden="true">"#));
            around.lines.extend(closed.lines);
            let [end, _] = part("</div></div>");
            around.lines.extend([String::new(), end]);
        }
    }
    around.lines.push(String::new());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_open_fences() {
        let read = |line| opening(line).map(|it| (it.mark.to_owned(), it.language, it.header));
        for (line, mark, language, header) in [
            ("```", "```", None, None),
            ("~~~~  ", "~~~~", None, None),
            ("``` py", "```", Some("py"), None),
            ("```{.python}", "```", Some("python"), Some("}")),
            ("```.", "```", Some("."), None),
            ("```spoiler  A b ", "```", Some("spoiler"), Some("A b ")),
            ("```c++ x", "```", Some("c++"), Some("x")),
        ] {
            assert_eq!(read(line), Some((mark.to_owned(), language, header)), "{line}");
        }
        for line in ["``", "```x``` y", "```\"", "~~~…", "```x~", " ```", "a", ""] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
