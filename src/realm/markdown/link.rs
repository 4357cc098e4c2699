//! Addresses: which are safe, how they look in the output, and where bare ones are in a text.

use super::context::Context;
use super::html;
use ammonia::Url;
use percent_encoding::percent_decode_str;
use std::ops::Range;
use std::sync::LazyLock;

/// Addresses with other schemes are not linked: some run code.
pub(super) const SAFE_SCHEMES: [&str; 22] = [
    "bitcoin", "feed", "ftp", "geo", "git", "http", "https", "irc", "ircs", "magnet", "mailto", "matrix", "mms",
    "news", "nntp", "sftp", "sip", "sms", "ssh", "tel", "webcal", "xmpp",
];

/// What may end the name of a bare domain, in order: all that IANA lists, but those that are usual as the end of a
/// file's name (`java`, `md`, `mov`, `py` and `zip`).
const TOP_LEVEL_DOMAINS: &str = include_str!("link/top_level_domains.txt");

static DOMAIN_ENDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| TOP_LEVEL_DOMAINS.lines().collect());

/// Brackets in an address nest no deeper than this; with more of them it is none.
const BRACKETS_MAX: usize = 7;

/// What a bare address may directly follow: the boundaries of linkifiers, and marks of emphasis.
fn is_boundary(char: char) -> bool {
    matches!(char, '\'' | '"' | '(' | ',' | ':' | '<' | '>' | '*' | '~' | '[' | '{' | '|') || char.is_whitespace()
}

/// What may stand between a bare address and the white space behind it: the ends of sentences and of what
/// [`is_boundary`] begins.
const BEHIND: [char; 15] = ['!', ':', ';', '?', ')', ',', '.', '\'', '"', '>', '*', '~', ']', '}', '|'];

/// Whether a bare address may end before this text.
fn is_bounded(behind: &str) -> bool {
    behind.trim_start_matches(BEHIND).chars().next().is_none_or(char::is_whitespace)
}

/// Parts of the organization's own site that are linked relatively.
const OWN_PATHS: [&str; 4] = ["/user_uploads/", "/user_avatars/", "/thumbnail", "/#narrow"];

const UPLOADS: &str = "/user_uploads/";

/// Where a link leads, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The address as it stands in the HTML.
    pub href: String,
    /// The path id, if it is an uploaded file.
    pub upload: Option<String>,
}

impl Target {
    /// Checks an address and makes it relative if it leads into the organization. None if it is not safe.
    pub fn new(context: &Context<'_>, address: &str) -> Option<Self> {
        if !is_safe(address) {
            return None;
        }
        let own = context.settings.own_url.and_then(|base| {
            let path = address.strip_prefix(base.trim_end_matches('/'))?;
            OWN_PATHS.iter().any(|own| path.starts_with(own)).then_some(path)
        });
        let path = own.unwrap_or(address);
        let href = if path.starts_with("/#") { &path[1..] } else { path };
        let upload = href.strip_prefix(UPLOADS).map(|rest| {
            let path_id = rest.split(['?', '#']).next().unwrap_or(rest);
            percent_decode_str(path_id).decode_utf8_lossy().into_owned()
        });
        Some(Self { href: href.to_owned(), upload })
    }

    /// The link with finished HTML as its content.
    pub fn anchor(&self, context: &mut Context<'_>, content: &str) -> String {
        self.titled_anchor(context, content, None)
    }

    /// [`Target::anchor`] with a title.
    pub fn titled_anchor(&self, context: &mut Context<'_>, content: &str, title: Option<&str>) -> String {
        context.found.has_link = true;
        context.found.uploads.extend(self.upload.clone());
        let attributes = [("href", self.href.as_str()), ("title", title.unwrap_or_default())];
        html::element("a", if title.is_some() { &attributes } else { &attributes[..1] }, content)
    }
}

/// The scheme of an address in lower case, if it has one.
fn scheme(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once(':')?;
    let valid = scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    // `localhost:8000` is a host and its port.
    let is_port = rest.starts_with(|char: char| char.is_ascii_digit()) && !SAFE_SCHEMES.contains(&scheme);
    (valid && !is_port).then(|| scheme.to_ascii_lowercase())
}

/// Whether an address may be linked: it is well-formed and its scheme is a known harmless one, or it is a path on this
/// site.
pub(super) fn is_safe(address: &str) -> bool {
    // Browsers skip control characters when they look for the scheme.
    if address.chars().any(|char| char.is_control() || char.is_whitespace()) {
        return false;
    }
    match scheme(address) {
        // What browsers can't read (a host with a bar in it) is no address.
        Some(scheme) => {
            SAFE_SCHEMES.contains(&scheme.as_str())
                && (Url::parse(address).is_ok() || without_port(address).is_some_and(|it| Url::parse(&it).is_ok()))
        }
        None => {
            (address.starts_with('/') && !address.starts_with("//") && !address.starts_with("/\\"))
                || address.starts_with('#')
        }
    }
}

/// An address without the port behind its host, which may be a word.
fn without_port(address: &str) -> Option<String> {
    let host_start = address.find("://")? + "://".len();
    let host = &address[host_start..];
    let host = &host[..host.find(['/', '?', '#']).unwrap_or(host.len())];
    let (name, port) = host.rsplit_once(':')?;
    let is_word = port.chars().all(char::is_alphanumeric);
    is_word.then(|| format!("{}{name}{}", &address[..host_start], &address[host_start + host.len()..]))
}

/// Completes what authors leave out of an address in a link: `http://`, or `mailto:` for an e-mail address.
pub(super) fn with_scheme(address: &str) -> String {
    if let Some(host) = address.strip_prefix("//") {
        format!("http://{host}")
    } else if address.starts_with(['/', '#']) || scheme(address).is_some() {
        address.to_owned()
    } else if address.contains('@') && !address.contains('/') {
        format!("mailto:{address}")
    } else {
        format!("http://{address}")
    }
}

/// An address in a text that no markup points out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BareAddress {
    /// Where it is.
    pub range: Range<usize>,
    /// What it leads to, with its scheme.
    pub href: String,
}

/// All bare addresses in a text, from left to right.
pub(super) fn bare_addresses(text: &str) -> Vec<BareAddress> {
    let mut found = Vec::new();
    // Every address has one of these; most texts have none.
    if !text.contains(['.', ':', '@']) {
        return found;
    }
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let word = &rest[..rest.find(is_boundary).unwrap_or(rest.len())];
        // A domain has a dot in its first word, an address of mail has its `@`, and a scheme ends with a boundary.
        let may_be_address = word.contains(['.', '@']) || rest[word.len()..].starts_with(':');
        if may_be_address && let Some((length, href)) = address_at(rest) {
            let behind = &rest[length..];
            if is_bounded(behind) {
                found.push(BareAddress { range: at..at + length, href });
            } else if behind.starts_with('(') {
                // Looking for the other half of a bracket again and again would take long.
                at += behind.find(char::is_whitespace).unwrap_or(behind.len());
            }
            at += length;
        }
        let Some(next) = text[at..].find(is_boundary) else {
            break;
        };
        at += next + text[at + next..].chars().next().map_or(1, char::len_utf8);
    }
    found
}

/// The address that a text starts with: its length and what it leads to.
fn address_at(text: &str) -> Option<(usize, String)> {
    let head = text.bytes().take(10).take_while(u8::is_ascii_alphabetic).count();
    let behind = &text[head..];
    let is_safe = SAFE_SCHEMES.contains(&text[..head].to_ascii_lowercase().as_str());
    if is_safe && behind.starts_with("://") {
        let length = head + 3 + address_length(&behind[3..]);
        return (length > head + 3).then(|| (length, text[..length].to_owned()));
    }
    let name = |char: char| char.is_alphanumeric() || "._-+%".contains(char);
    let length = text.find(|char| !name(char)).unwrap_or(text.len());
    if length > 0 && text[length..].starts_with('@') {
        let domain = &text[length + 1..];
        let end = domain_length(domain)?;
        let length = length + 1 + end;
        return Some((length, format!("mailto:{}", &text[..length])));
    }
    let domain = domain_length(text)?;
    let last = text[..domain].rsplit('.').next()?.to_ascii_lowercase();
    if DOMAIN_ENDS.binary_search(&last.as_str()).is_err() {
        return None;
    }
    let length = domain + path_length(&text[domain..])?;
    Some((length, format!("http://{}", &text[..length])))
}

/// The length of a leading domain of at least two labels.
fn domain_length(text: &str) -> Option<usize> {
    let in_domain = |char: char| char.is_alphanumeric() || "._-".contains(char);
    let domain = &text[..text.find(|char| !in_domain(char)).unwrap_or(text.len())];
    let domain = domain.trim_end_matches(['.', '-', '_']);
    let labels = domain.split('.');
    let valid = labels.clone().count() >= 2 && labels.clone().all(|label| !label.is_empty() && !label.starts_with('-'));
    valid.then_some(domain.len())
}

/// The length of what follows a bare domain: a port, a path. None if it is followed by something else.
fn path_length(text: &str) -> Option<usize> {
    let port = text.strip_prefix(':').map_or(0, |port| port.bytes().take_while(u8::is_ascii_digit).count());
    let port = if port > 0 { port + 1 } else { 0 };
    match text[port..].chars().next() {
        Some('/' | '?' | '#') => Some(port + address_length(&text[port..])),
        Some(char) if char.is_alphanumeric() || matches!(char, '@' | '=' | '\\' | '(') => None,
        _ => Some(port),
    }
}

/// The length of the address that a text starts with, without the punctuation of the sentence around it.
fn address_length(text: &str) -> usize {
    let ends = |char: char| {
        char.is_whitespace() || char.is_control() || matches!(char, '<' | '>' | '"') || char == super::mask::PLACEHOLDER
    };
    let run = &text[..text.find(ends).unwrap_or(text.len())];
    // A bracket belongs to the address only if its other half is in there.
    let (mut round, mut square) = (Vec::new(), 0_usize);
    let mut length = run.len();
    for (at, char) in run.char_indices() {
        match char {
            '(' if round.len() == BRACKETS_MAX => {
                length = at;
                break;
            }
            '(' => round.push(at),
            '[' => square += 1,
            ')' if round.pop().is_some() => {}
            ']' if square > 0 => square -= 1,
            ')' | ']' => {
                length = at;
                break;
            }
            _ => {}
        }
    }
    length = round.first().copied().unwrap_or(length);
    run[..length].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '~']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_schemes_are_safe() {
        for address in
            ["https://x.y", "HTTP://x", "mailto:a@b.c", "tel:+1", "/user_uploads/1", "#narrow/channel/1", "xmpp:a@b"]
        {
            assert!(is_safe(address), "{address}");
        }
        for address in [
            "javascript:alert(1)",
            "JaVaScRiPt:1",
            "data:text/html,x",
            "vbscript:1",
            "java\tscript:1",
            "//x.y",
            "x.y",
            "",
            "file:///x",
            "http://|",
            "http://",
            "http://x:a|b/",
        ] {
            assert!(!is_safe(address), "{address}");
        }
    }

    #[test]
    fn ends_of_domains_are_in_order() {
        assert!(DOMAIN_ENDS.is_sorted());
        assert!(DOMAIN_ENDS.binary_search(&"com").is_ok() && DOMAIN_ENDS.binary_search(&"py").is_err());
    }

    #[test]
    fn bare_addresses_in_sentences() {
        let found = |text: &str| -> Vec<(String, String)> {
            bare_addresses(text).into_iter().map(|it| (text[it.range].to_owned(), it.href)).collect()
        };
        for (text, shown, href) in [
            ("see https://x.y/a.", "https://x.y/a", "https://x.y/a"),
            ("(https://x.y/a_(b))", "https://x.y/a_(b)", "https://x.y/a_(b)"),
            ("http://localhost:9991/x?y=z#a, and", "http://localhost:9991/x?y=z#a", "http://localhost:9991/x?y=z#a"),
            ("at example.com!", "example.com", "http://example.com"),
            ("www.example.co.uk:80/a", "www.example.co.uk:80/a", "http://www.example.co.uk:80/a"),
            ("<a.b+c@example.com>", "a.b+c@example.com", "mailto:a.b+c@example.com"),
            ("**https://x.y**", "https://x.y", "https://x.y"),
            ("[https://x.y]", "https://x.y", "https://x.y"),
            ("a goo.gl/x?", "goo.gl/x", "http://goo.gl/x"),
            ("the zoo.museum", "zoo.museum", "http://zoo.museum"),
            ("http://host:port/x", "http://host:port/x", "http://host:port/x"),
            (
                "http://x.y/(1(2(3(4(5(6(7)6)5)4)3)2)1)",
                "http://x.y/(1(2(3(4(5(6(7)6)5)4)3)2)1)",
                "http://x.y/(1(2(3(4(5(6(7)6)5)4)3)2)1)",
            ),
        ] {
            assert_eq!(found(text), [(shown.to_owned(), href.to_owned())], "{text}");
        }
        for text in
            ["main.rs.bak", "1.5", "a.b", "xhttps://", "javascript://x.y", "https://", "e.g. this", "x@y", "foo.com(x)"]
        {
            assert_eq!(found(text), [], "{text}");
        }
        for text in
            ["a.py", "notes.md", "film.mov", "a@x.org/y", "\"http://x.org/y.js\"<b>", "https://x.y/(a", "x.org)y"]
        {
            assert_eq!(found(text), [], "{text}");
        }
        let deep = format!("http://x.y/{}{}", "(a".repeat(8), ")".repeat(8));
        assert_eq!(found(&deep), []);
    }
}
