//! Fences: lines of three or more backticks or tildes, with a language behind the first.
//!
//! They are cut out of the text before the CommonMark library sees it, because theirs nest by meaning: a fence with a
//! language inside a quote opens another fence, so that quotes can hold code with fences of the same length.

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Segment<'s> {
    /// Text between fences.
    Text(&'s str),
    /// A fence with what is inside.
    Fence {
        /// The word behind the fence, or nothing.
        language: &'s str,
        /// What is behind the word.
        header: &'s str,
        /// The lines inside, without the last newline.
        body: &'s str,
    },
}

struct Opening<'s> {
    mark: u8,
    length: usize,
    language: &'s str,
    header: &'s str,
}

impl Opening<'_> {
    /// Whether fences inside this one mean something.
    fn holds_markdown(&self) -> bool {
        matches!(self.language, "quote" | "spoiler")
    }

    /// Neither a shorter line of marks closes it nor a longer one.
    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim_end();
        line.len() == self.length && line.bytes().all(|byte| byte == self.mark)
    }
}

/// Cuts a text at its outermost fences. A fence that is never closed reaches to the end.
pub(super) fn split(source: &str) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    let mut open: Vec<Opening<'_>> = Vec::new();
    // Where the current text, or the current outermost fence's body, starts.
    let mut start = 0;
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let line_start = at;
        at += line.len();
        if let Some(innermost) = open.last()
            && innermost.is_closed_by(line)
        {
            if let (Some(closed), true) = (open.pop(), open.is_empty()) {
                segments.push(fence(&closed, &source[start..line_start]));
                start = at;
            }
        } else if open.last().is_none_or(Opening::holds_markdown)
            && let Some(opening) = opening(line)
        {
            if open.is_empty() {
                segments.push(Segment::Text(&source[start..line_start]));
                start = at;
            }
            open.push(opening);
        }
    }
    match open.into_iter().next() {
        Some(outermost) => segments.push(fence(&outermost, &source[start..])),
        None => segments.push(Segment::Text(&source[start..])),
    }
    segments
}

fn fence<'s>(opening: &Opening<'s>, body: &'s str) -> Segment<'s> {
    Segment::Fence { language: opening.language, header: opening.header, body: body.strip_suffix('\n').unwrap_or(body) }
}

fn opening(line: &str) -> Option<Opening<'_>> {
    let mark = *line.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = line.bytes().take_while(|&byte| byte == mark).count();
    let info = line[length..].trim();
    if length < 3 || info.contains(['`', '~']) {
        return None;
    }
    let (language, header) = info.split_once([' ', '\t']).unwrap_or((info, ""));
    // `{.python}` is another way to write a language.
    let language = language.trim_start_matches(['{', '.']).trim_end_matches('}');
    Some(Opening { mark, length, language, header: header.trim() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_nest_in_quotes_but_not_in_code() {
        let source = "a\n```quote\n```python\nx\n```\n```\nb";
        let body = "```python\nx\n```";
        let quote = Segment::Fence { language: "quote", header: "", body };
        assert_eq!(split(source), [Segment::Text("a\n"), quote, Segment::Text("b")]);

        let code = Segment::Fence { language: "python", header: "", body: "```quote\nx" };
        assert_eq!(split("```python\n```quote\nx\n```"), [Segment::Text(""), code, Segment::Text("")]);
    }

    #[test]
    fn a_fence_without_end_reaches_to_the_end() {
        let spoiler = Segment::Fence { language: "spoiler", header: "A b", body: "x\n~~~" };
        assert_eq!(split("```` spoiler  A b\nx\n~~~\n"), [Segment::Text(""), spoiler]);
    }

    #[test]
    fn only_a_line_like_its_own_closes_a_fence() {
        let code = Segment::Fence { language: "", header: "", body: "````\n~~~\nx" };
        assert_eq!(split("```\n````\n~~~\nx\n``` \ny"), [Segment::Text(""), code, Segment::Text("y")]);
    }

    #[test]
    fn inline_code_opens_nothing() {
        assert_eq!(split("```x``` y\nz"), [Segment::Text("```x``` y\nz")]);
        assert_eq!(split("``\nz"), [Segment::Text("``\nz")]);
    }
}
