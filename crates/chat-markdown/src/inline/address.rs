//! Addresses in a text that no markup points out.

use super::url::{Target, sanitized};
use super::{Inline, Rewriting};
use crate::character::{is_space, is_word};
use crate::tree::{Node, Text};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// What may end the name of a bare domain, in order: all that IANA lists, but those that are usual as the end of a
/// file's name (`java`, `md`, `mov`, `py` and `zip`).
const TOP_LEVEL_DOMAINS: &str = include_str!("top_level_domains.txt");

static DOMAIN_ENDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| TOP_LEVEL_DOMAINS.lines().collect());

/// Brackets in an address nest no deeper than this.
const BRACKETS_MAX: usize = 7;

/// Reading addresses takes no more steps than so many per byte of the text.
const STEPS_PER_BYTE: usize = 50;

/// What may be between an address and the white space behind it.
const PUNCTUATION: [char; 10] = ['!', ':', ';', '?', ')', ',', '.', '\'', '"', '>'];

/// Whether an address may directly follow a character.
fn is_boundary(character: char) -> bool {
    matches!(character, '\'' | '"' | '(' | ',' | ':' | '<') || is_space(character)
}

/// Links all addresses in a text.
pub(super) fn addresses(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    let mut out = Rewriting::new(text);
    for range in bare_addresses(text) {
        let address = &text[range.clone()];
        let mark = match sanitized(address) {
            Some(href) => {
                let attributes = vec![("href", Target::of(inline.context, &href).href)];
                let text = Text::literal(address);
                inline.element(Node { tag: "a", attributes, text, is_link: true, ..Node::default() })
            }
            None => inline.text(address.to_owned()),
        };
        out.replace(range, &mark);
    }
    out.finish()
}

/// Where the bare addresses in a text are, from left to right.
pub(crate) fn bare_addresses(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Every address has one of these; most texts have none.
    if memchr::memchr3(b'.', b':', b'@', text.as_bytes()).is_none() {
        return found;
    }
    let mut steps = STEPS_PER_BYTE * text.len();
    let mut start = 0;
    for part in text.split_inclusive(is_space) {
        let word = part.trim_end_matches(is_space);
        if memchr::memchr3(b'.', b':', b'@', word.as_bytes()).is_some() {
            let ranges = Word::new(word).addresses(&mut steps);
            found.extend(ranges.into_iter().map(|range| start + range.start..start + range.end));
        }
        start += part.len();
    }
    found
}

/// A part of a text without white space.
struct Word<'t> {
    text: &'t str,
    /// From here on there is punctuation alone: an address may end here or later.
    end: usize,
    /// For each opening round bracket the one that closes it, if brackets do not nest too deep between them.
    brackets: HashMap<usize, usize>,
}

impl<'t> Word<'t> {
    fn new(text: &'t str) -> Self {
        let mut brackets = HashMap::new();
        // Where brackets opened, and how deep brackets nest in each so far.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for at in memchr::memchr3_iter(b'(', b')', b'"', text.as_bytes()) {
            match text.as_bytes()[at] {
                b'(' => open.push((at, 1)),
                b')' => {
                    let Some((opening, depth)) = open.pop() else { continue };
                    if depth <= BRACKETS_MAX {
                        brackets.insert(opening, at);
                    }
                    if let Some((_, around)) = open.last_mut() {
                        *around = (*around).max(depth + 1);
                    }
                }
                _ => open.clear(),
            }
        }
        Self { text, end: text.trim_end_matches(PUNCTUATION).len(), brackets }
    }

    fn addresses(&self, steps: &mut usize) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.text.len() && *steps > 0 {
            *steps -= 1;
            if let Some(end) = self.address_at(at, steps) {
                found.push(at..end);
                at = end;
            }
            let Some(next) = self.text[at..].find(is_boundary) else { break };
            // All boundaries within a word are ASCII.
            at += next + 1;
        }
        found
    }

    /// Where the address ends that begins at a byte.
    fn address_at(&self, at: usize, steps: &mut usize) -> Option<usize> {
        let text = &self.text[at..];
        let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        host.and_then(|host| self.end_of_host(self.text.len() - host.len(), steps))
            .or_else(|| self.end_of_domain(at, steps))
            .or_else(|| self.end_of_mail(at))
            .or_else(|| self.end_of_coin(at))
    }

    /// Whether an address may end here.
    fn may_end(&self, at: usize) -> bool {
        at >= self.end
    }

    /// Where an address ends behind a scheme.
    fn end_of_host(&self, start: usize, steps: &mut usize) -> Option<usize> {
        let is_in_host = |character: char| is_word(character) || matches!(character, '.' | ':' | '@' | '-');
        let length = self.text[start..].find(|character| !is_in_host(character)).unwrap_or(self.text.len() - start);
        let (least, most) = (start + self.text[start..].chars().next()?.len_utf8(), start + length);
        *steps = steps.saturating_sub(length);
        if length == 0 {
            return None;
        }
        if self.may_end(most) {
            return Some(least.max(self.end));
        }
        self.end_of_path(most, steps)
    }

    /// Where an address ends whose path begins here: at the first place where it may, outside of brackets.
    fn end_of_path(&self, start: usize, steps: &mut usize) -> Option<usize> {
        let mut at = start + 1;
        self.text[start..].starts_with('/').then_some(())?;
        while !self.may_end(at) {
            *steps = steps.checked_sub(1)?;
            at = match self.text.as_bytes()[at] {
                b'(' => self.brackets.get(&at)? + 1,
                b')' | b'"' => return None,
                _ => at + 1,
            };
        }
        Some(at)
    }

    /// Where an address ends that begins with a bare domain.
    fn end_of_domain(&self, start: usize, steps: &mut usize) -> Option<usize> {
        let is_in_domain = |character: char| is_word(character) || matches!(character, '.' | '-');
        let text = &self.text[start..];
        let run = &text[..text.find(|character| !is_in_domain(character)).unwrap_or(text.len())];
        // Labels are not empty, so that two dots end the domain.
        let run = &run[..run.find("..").unwrap_or(run.len())];
        *steps = steps.saturating_sub(run.len());
        if run.starts_with('.') {
            return None;
        }
        let mut end = run.len();
        while let Some(dot) = run[..end].rfind('.') {
            let is_known = DOMAIN_ENDS.binary_search(&&run[dot + 1..end]).is_ok();
            if is_known && self.may_end(start + end) {
                return Some(start + end);
            }
            if is_known && let Some(end) = self.end_of_path(start + end, steps) {
                return Some(end);
            }
            end = dot;
        }
        None
    }

    /// Where an address of mail ends.
    fn end_of_mail(&self, start: usize) -> Option<usize> {
        let is_in_name = |character: char| is_word(character) || matches!(character, '.' | '-');
        let text = &self.text[start..];
        let at = text.find(|character| !is_in_name(character)).filter(|at| *at > 0)?;
        let domain = text[at..].strip_prefix('@')?;
        let run = &domain[..domain.find(|character| !is_in_name(character)).unwrap_or(domain.len())];
        let domain_start = start + at + 1;
        let mut dots: Vec<usize> = memchr::memchr_iter(b'.', run.as_bytes()).filter(|dot| *dot > 0).collect();
        while let Some(dot) = dots.pop() {
            let behind = &run[dot + 1..];
            let length = behind.find(|character| !is_word(character)).unwrap_or(behind.len());
            let end = domain_start + dot + 1 + length;
            if length > 0 && self.may_end(end) {
                return Some(end);
            }
        }
        None
    }

    /// Where an address of a coin's owner ends.
    fn end_of_coin(&self, start: usize) -> Option<usize> {
        let owner = self.text[start..].strip_prefix("bitcoin:").filter(|owner| owner.starts_with(['1', '3']))?;
        let is_in_owner = |byte: &u8| byte.is_ascii_alphanumeric() && !b"0OIl".contains(byte);
        let length = owner.bytes().skip(1).take_while(is_in_owner).count();
        let end = self.text.len() - owner.len() + 1 + length;
        ((25..=34).contains(&length) && self.may_end(end)).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_domains_are_in_order() {
        assert!(DOMAIN_ENDS.is_sorted());
        assert!(DOMAIN_ENDS.binary_search(&"com").is_ok() && DOMAIN_ENDS.binary_search(&"py").is_err());
    }

    #[test]
    fn addresses_in_sentences() {
        let found = |text: &str| -> Vec<String> {
            bare_addresses(text).into_iter().map(|range| text[range].to_owned()).collect()
        };
        let deep = |depth: usize| format!("http://x.y/{}{}", "(a".repeat(depth), ")".repeat(depth));
        for (text, shown) in [
            ("see https://x.y/a.", "https://x.y/a"),
            ("(https://x.y/a_(b))", "https://x.y/a_(b)"),
            ("http://localhost:9991/x?y=z#a, and", "http://localhost:9991/x?y=z#a"),
            ("at example.com!", "example.com"),
            ("www.example.co.uk/a", "www.example.co.uk/a"),
            ("<a.b@example.com>", "a.b@example.com"),
            ("a goo.gl/x?", "goo.gl/x"),
            ("a@b._", "a@b._"),
            ("http://host:port/x", "http://host:port/x"),
            ("https://x.y/a*b", "https://x.y/a*b"),
            (&deep(7), &deep(7)),
        ] {
            assert_eq!(found(text), [shown.to_owned()], "{text}");
        }
        for text in [
            "main.rs.bak",
            "1.5",
            "a.b",
            "xhttps://",
            "ftp://x.org",
            "https://",
            "e.g. this",
            "x@y",
            "foo.com(x)",
            "a.py",
            "notes.md",
            "a@x.org/y",
            "\"http://x.org/y.js\"<b>",
            "https://x.y/(a",
            "x.org)y",
            "**https://x.y**",
            "[https://x.org]",
            "example.org*",
            "http:///g",
            "http://,b",
            "http://()",
            "http://m*",
            "example.com:80",
            &deep(8),
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }
}
