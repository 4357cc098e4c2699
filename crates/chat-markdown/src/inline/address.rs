//! Links bare URLs, domains, and addresses of email and Bitcoin.

use super::InlineExpander;
use super::text_rewriter::TextRewriter;
use super::url::{Target, sanitize};
use crate::character::{is_space, is_word_character};
use crate::tree::{Node, Text};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The top-level domains of bare domains, sorted: all of IANA's list except common file name extensions (`java`, `md`,
/// `mov`, `py` and `zip`).
const TOP_LEVEL_DOMAIN_LINES: &str = include_str!("top_level_domains.txt");

static TOP_LEVEL_DOMAINS: LazyLock<Vec<&'static str>> = LazyLock::new(|| TOP_LEVEL_DOMAIN_LINES.lines().collect());

/// Maximum nesting of parentheses in an address.
const MAX_PARENTHESES_DEPTH: usize = 7;

/// Maximum number of steps per byte of text. It makes the time linear in the length of the text.
const STEPS_PER_BYTE: usize = 50;

/// Characters that may be between an address and the white space after it.
const PUNCTUATION: [char; 10] = ['!', ':', ';', '?', ')', ',', '.', '\'', '"', '>'];

/// Whether an address may directly follow a character.
fn is_boundary(character: char) -> bool {
    matches!(character, '\'' | '"' | '(' | ',' | ':' | '<') || is_space(character)
}

pub(super) fn expand_addresses(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    let mut rewriter = TextRewriter::new(text);
    for range in find_bare_addresses(text) {
        let address = &text[range.clone()];
        let placeholder = match sanitize(address) {
            Some(href) => {
                let attributes = vec![("href", Target::from_url(inline.context, &href).href)];
                let content = Text::literal(address);
                inline.stash_element(Node { tag: "a", attributes, text: content, is_link: true, ..Node::default() })
            }
            None => inline.stash_text(address.to_owned()),
        };
        rewriter.replace(range, &placeholder);
    }
    rewriter.finish()
}

/// The ranges of the bare addresses in a text, from left to right.
pub(crate) fn find_bare_addresses(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    // Every address has one of these; most texts have none.
    if memchr::memchr3(b'.', b':', b'@', text.as_bytes()).is_none() {
        return ranges;
    }
    let mut remaining_steps = STEPS_PER_BYTE * text.len();
    let mut start = 0;
    for part in text.split_inclusive(is_space) {
        let word = part.trim_end_matches(is_space);
        if memchr::memchr3(b'.', b':', b'@', word.as_bytes()).is_some() {
            let word_ranges = Word::new(word).addresses(&mut remaining_steps);
            ranges.extend(word_ranges.into_iter().map(|range| start + range.start..start + range.end));
        }
        start += part.len();
    }
    ranges
}

/// Text without white space.
struct Word<'t> {
    text: &'t str,
    /// Start of the punctuation at the end of the word. Addresses end here or later.
    punctuation_start: usize,
    /// The position of the closing parenthesis of each opening one, unless the nesting is too deep.
    parentheses: HashMap<usize, usize>,
}

impl<'t> Word<'t> {
    fn new(text: &'t str) -> Self {
        let mut parentheses = HashMap::new();
        // Positions of open parentheses, each with the depth of nesting within it. No address contains a quotation
        // mark, so parentheses do not match across it.
        let mut open_parentheses: Vec<(usize, usize)> = Vec::new();
        for position in memchr::memchr3_iter(b'(', b')', b'"', text.as_bytes()) {
            match text.as_bytes()[position] {
                b'(' => open_parentheses.push((position, 1)),
                b')' => {
                    let Some((opening, depth)) = open_parentheses.pop() else { continue };
                    if depth <= MAX_PARENTHESES_DEPTH {
                        parentheses.insert(opening, position);
                    }
                    if let Some((_, enclosing_depth)) = open_parentheses.last_mut() {
                        *enclosing_depth = (*enclosing_depth).max(depth + 1);
                    }
                }
                _ => open_parentheses.clear(),
            }
        }
        Self { text, punctuation_start: text.trim_end_matches(PUNCTUATION).len(), parentheses }
    }

    fn addresses(&self, remaining_steps: &mut usize) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let mut position = 0;
        while position < self.text.len() && *remaining_steps > 0 {
            *remaining_steps -= 1;
            if let Some(end) = self.end_of_address(position, remaining_steps) {
                ranges.push(position..end);
                position = end;
            }
            let Some(next) = self.text[position..].find(is_boundary) else { break };
            // Boundaries within a word are ASCII characters.
            position += next + 1;
        }
        ranges
    }

    /// The end of the address that begins at `start`. None: no address begins there.
    fn end_of_address(&self, start: usize, remaining_steps: &mut usize) -> Option<usize> {
        let text = &self.text[start..];
        let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        host.and_then(|host| self.end_of_host(self.text.len() - host.len(), remaining_steps))
            .or_else(|| self.end_of_domain(start, remaining_steps))
            .or_else(|| self.end_of_email(start))
            .or_else(|| self.end_of_bitcoin_address(start))
    }

    fn may_end_at(&self, position: usize) -> bool {
        position >= self.punctuation_start
    }

    /// The end of an address with a scheme. `start` is the position after the scheme.
    fn end_of_host(&self, start: usize, remaining_steps: &mut usize) -> Option<usize> {
        let is_in_host = |character: char| is_word_character(character) || matches!(character, '.' | ':' | '@' | '-');
        let length = self.text[start..].find(|character| !is_in_host(character)).unwrap_or(self.text.len() - start);
        let (min_end, max_end) = (start + self.text[start..].chars().next()?.len_utf8(), start + length);
        *remaining_steps = remaining_steps.saturating_sub(length);
        if length == 0 {
            return None;
        }
        if self.may_end_at(max_end) {
            return Some(min_end.max(self.punctuation_start));
        }
        self.end_of_path(max_end, remaining_steps)
    }

    /// The end of an address whose path begins at a position: the first possible end outside of parentheses.
    fn end_of_path(&self, start: usize, remaining_steps: &mut usize) -> Option<usize> {
        let mut position = start + 1;
        self.text[start..].starts_with('/').then_some(())?;
        while !self.may_end_at(position) {
            *remaining_steps = remaining_steps.checked_sub(1)?;
            position = match self.text.as_bytes()[position] {
                b'(' => self.parentheses.get(&position)? + 1,
                b')' | b'"' => return None,
                _ => position + 1,
            };
        }
        Some(position)
    }

    /// The end of an address that begins with a bare domain.
    fn end_of_domain(&self, start: usize, remaining_steps: &mut usize) -> Option<usize> {
        let is_in_domain = |character: char| is_word_character(character) || matches!(character, '.' | '-');
        let text = &self.text[start..];
        let candidate = &text[..text.find(|character| !is_in_domain(character)).unwrap_or(text.len())];
        // Two dots end the domain, because labels are not empty.
        let candidate = &candidate[..candidate.find("..").unwrap_or(candidate.len())];
        *remaining_steps = remaining_steps.saturating_sub(candidate.len());
        if candidate.starts_with('.') {
            return None;
        }
        let mut candidate_end = candidate.len();
        while let Some(dot) = candidate[..candidate_end].rfind('.') {
            let is_known = TOP_LEVEL_DOMAINS.binary_search(&&candidate[dot + 1..candidate_end]).is_ok();
            if is_known && self.may_end_at(start + candidate_end) {
                return Some(start + candidate_end);
            }
            if is_known && let Some(end) = self.end_of_path(start + candidate_end, remaining_steps) {
                return Some(end);
            }
            candidate_end = dot;
        }
        None
    }

    fn end_of_email(&self, start: usize) -> Option<usize> {
        let is_in_name = |character: char| is_word_character(character) || matches!(character, '.' | '-');
        let text = &self.text[start..];
        let at_sign = text.find(|character| !is_in_name(character)).filter(|at_sign| *at_sign > 0)?;
        let domain = text[at_sign..].strip_prefix('@')?;
        let candidate = &domain[..domain.find(|character| !is_in_name(character)).unwrap_or(domain.len())];
        let domain_start = start + at_sign + 1;
        let mut dots: Vec<usize> = memchr::memchr_iter(b'.', candidate.as_bytes()).filter(|dot| *dot > 0).collect();
        while let Some(dot) = dots.pop() {
            let label = &candidate[dot + 1..];
            let length = label.find(|character| !is_word_character(character)).unwrap_or(label.len());
            let end = domain_start + dot + 1 + length;
            if length > 0 && self.may_end_at(end) {
                return Some(end);
            }
        }
        None
    }

    fn end_of_bitcoin_address(&self, start: usize) -> Option<usize> {
        let address = self.text[start..].strip_prefix("bitcoin:").filter(|address| address.starts_with(['1', '3']))?;
        let is_in_address = |byte: &u8| byte.is_ascii_alphanumeric() && !b"0OIl".contains(byte);
        let length = address.bytes().skip(1).take_while(is_in_address).count();
        let end = self.text.len() - address.len() + 1 + length;
        ((25..=34).contains(&length) && self.may_end_at(end)).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn top_level_domains_are_sorted() {
        assert!(TOP_LEVEL_DOMAINS.is_sorted());
        assert!(TOP_LEVEL_DOMAINS.binary_search(&"com").is_ok() && TOP_LEVEL_DOMAINS.binary_search(&"py").is_err());
    }

    #[test]
    fn addresses_are_found_in_sentences() {
        let addresses = |text: &str| -> Vec<String> {
            find_bare_addresses(text).into_iter().map(|range| text[range].to_owned()).collect()
        };
        let nested = |depth: usize| format!("http://x.y/{}{}", "(a".repeat(depth), ")".repeat(depth));
        for (text, address) in [
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
            (&nested(7), &nested(7)),
        ] {
            assert_eq!(addresses(text), [address.to_owned()], "{text}");
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
            &nested(8),
        ] {
            assert_eq!(addresses(text), Vec::<String>::new(), "{text}");
        }
    }
}
