//! URLs, and links to messages, channels and files of the organization.

use super::word::Anonymizer;
use crate::organization::directory::Directory;
use percent_encoding::percent_decode_str;
use std::fmt::Write;

impl Anonymizer {
    /// A URL of the same form on a host below `example`, which is reserved and has no owner.
    pub fn url(&self, url: &str) -> String {
        let (scheme, rest) = match url.split_once("://") {
            Some((scheme, rest)) => (format!("{scheme}://"), rest),
            None => (String::new(), url),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        let host = if scheme.is_empty() { self.text(host) } else { self.host(host) };
        format!("{scheme}{host}{}", self.template(path, &|name| name.to_owned()))
    }

    /// A host below `example` in place of a host or of an email address's host.
    pub fn host(&self, host: &str) -> String {
        let name = host.rsplit_once('@').map_or(host, |(_, name)| name);
        let name = name.split(':').next().unwrap_or_default();
        let labels = name.rsplit_once('.').map_or(name, |(labels, _)| labels);
        format!("{}.example", self.text(labels))
    }

    /// A text with `{variables}` and `%(variables)s`, which are renamed.
    pub fn template(&self, text: &str, rename: &dyn Fn(&str) -> String) -> String {
        let mut result = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(['{', '%']) {
            let (before, from) = rest.split_at(start);
            result.push_str(&self.text(before));
            let variable = if let Some(inner) = from.strip_prefix('{') {
                inner.split_once('}').map(|(name, rest)| (format!("{{{}}}", variables(name, rename)), rest))
            } else if let Some(inner) = from.strip_prefix("%(") {
                inner.split_once(")s").map(|(name, rest)| (format!("%({})s", rename(name)), rest))
            } else {
                // A character in hexadecimal digits belongs to a word that is drawn.
                from.get(3..).filter(|_| is_encoded(from)).map(|rest| ("-".to_owned(), rest))
            };
            let (written, after) = variable.unwrap_or_else(|| (from[..1].to_owned(), &from[1..]));
            result.push_str(&written);
            rest = after;
        }
        result.push_str(&self.text(rest));
        result
    }

    /// The address of an uploaded file, without `/user_uploads/`: the organization, a directory, a token and a name.
    pub fn path_id(&self, path_id: &str) -> String {
        let mut parts = path_id.splitn(4, '/');
        let (organization, directory) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (token, name) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let mut chance = self.chance(token);
        let hexadecimal: String = directory.chars().map(|_| chance.one_of("0123456789abcdef")).collect();
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        let token: String = token.chars().map(|_| chance.one_of(letters)).collect();
        format!("{organization}/{hexadecimal}/{token}/{}", self.file_name(name))
    }

    /// The name of a file, with its ending.
    pub fn file_name(&self, name: &str) -> String {
        match name.rsplit_once('.') {
            Some((stem, end)) if KNOWN_ENDINGS.contains(&end.to_ascii_lowercase().as_str()) => {
                format!("{}.{end}", self.text(stem))
            }
            _ => self.text(name),
        }
    }

    /// A link within the organization, from `#narrow` on: the numbers remain, the names are those of the fixture.
    pub fn narrow(&self, link: &str, directory: &Directory) -> String {
        let mut parts = link.split('/');
        let mut result = parts.next().unwrap_or_default().to_owned();
        while let Some(operator) = parts.next() {
            let operand = parts.next();
            let _ = write!(
                result,
                "/{}",
                if KNOWN_OPERATORS.contains(&operator.trim_start_matches('-')) {
                    operator.to_owned()
                } else {
                    self.text(operator)
                }
            );
            let Some(operand) = operand else { break };
            let written = match operator.trim_start_matches('-') {
                "channel" | "stream" => self.channel_operand(operand, directory),
                "topic" | "subject" => encoded(&directory.topic(&decoded(operand))),
                "near" | "id" | "with" | "is" | "has" | "channels" | "streams" => operand.to_owned(),
                "dm" | "dm-including" | "pm-with" | "group-pm-with" | "sender" => {
                    let numbers: String =
                        operand.chars().take_while(|one| one.is_ascii_digit() || *one == ',').collect();
                    format!("{numbers}-dm")
                }
                _ => encoded(&self.text(&decoded(operand))),
            };
            let _ = write!(result, "/{written}");
        }
        result
    }

    fn channel_operand(&self, operand: &str, directory: &Directory) -> String {
        let digits: String = operand.chars().take_while(char::is_ascii_digit).collect();
        let name = digits.parse().ok().and_then(|id| directory.channels.get(id));
        match name {
            Some(name) => format!("{digits}-{}", encoded(&name.replace(' ', "-"))),
            None if digits.is_empty() => match directory.channels.renamed(&decoded(operand)) {
                Some(name) => encoded(&name.new),
                None => encoded(&self.text(&decoded(operand))),
            },
            None => {
                format!("{digits}-{}", encoded(&self.text(&decoded(operand[digits.len()..].trim_start_matches('-')))))
            }
        }
    }
}

/// Words of links within an organization.
const KNOWN_OPERATORS: [&str; 18] = [
    "channel",
    "stream",
    "topic",
    "subject",
    "near",
    "id",
    "with",
    "is",
    "has",
    "channels",
    "streams",
    "dm",
    "dm-including",
    "pm-with",
    "group-pm-with",
    "sender",
    "search",
    "near",
];

/// Endings by which files are known.
const KNOWN_ENDINGS: [&str; 28] = [
    "png", "jpg", "jpeg", "gif", "webp", "svg", "txt", "md", "pdf", "html", "xml", "json", "csv", "zip", "gz", "tar",
    "mp3", "mp4", "webm", "ogg", "wav", "mov", "doc", "docx", "xls", "xlsx", "ppt", "exe",
];

/// Variables between braces, with the operators of RFC 6570.
fn variables(expression: &str, rename: &dyn Fn(&str) -> String) -> String {
    let start = expression.find(|one: char| one.is_alphanumeric() || one == '_').unwrap_or(expression.len());
    let (operator, names) = expression.split_at(start);
    let renamed: Vec<String> = names
        .split(',')
        .map(|name| {
            let end = name.find([':', '*']).unwrap_or(name.len());
            format!("{}{}", rename(&name[..end]), &name[end..])
        })
        .collect();
    format!("{operator}{}", renamed.join(","))
}

fn is_encoded(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 3 && bytes[0] == b'%' && bytes[1].is_ascii_hexdigit() && bytes[2].is_ascii_hexdigit()
}

/// A part of a link within an organization as text: a dot replaces the percent sign.
fn decoded(part: &str) -> String {
    percent_decode_str(&part.replace('.', "%")).decode_utf8_lossy().into_owned()
}

/// Text as a part of such a link.
fn encoded(text: &str) -> String {
    let mut result = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_~".contains(&byte) {
            result.push(byte.into());
        } else {
            let _ = write!(result, ".{byte:02X}");
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::word::Originals;
    use super::*;

    fn anonymizer() -> Anonymizer {
        Anonymizer::new(0, Originals::default())
    }

    #[test]
    fn links_lead_to_hosts_that_are_nobodys() {
        let drawn = anonymizer().url("https://tracker.example.com:8080/issues/{id}?q=secret%20plan#top");
        assert!(drawn.starts_with("https://") && drawn.contains(".example/") && drawn.contains("{id}"), "{drawn}");
        for word in ["tracker", "issues", "secret", "plan", "8080"] {
            assert!(!drawn.contains(word), "{drawn}");
        }
    }

    #[test]
    fn parts_of_links_are_written_as_they_are_read() {
        for text in ["release 1.0", "naïve/ü", "a-b_c", "✔ done"] {
            assert_eq!(decoded(&encoded(text)), text);
        }
    }

    #[test]
    fn links_within_the_organization_lead_to_what_they_led_to() {
        let mut directory = Directory::new("https://chat.example.org", Some(anonymizer()));
        directory.add(|names| &mut names.channels, 5, "design", 60);
        let anonymizer = anonymizer();
        let name = directory.channel(5).expect("a channel");
        let topic = encoded(&directory.topic("release 1.0"));
        assert_eq!(
            anonymizer.narrow("#narrow/channel/5-design/topic/release.201.2E0/near/7", &directory),
            format!("#narrow/channel/5-{name}/topic/{topic}/near/7")
        );
        assert_eq!(anonymizer.narrow("#narrow/dm/4,5-Mel-Marsh/near/9", &directory), "#narrow/dm/4,5-dm/near/9");
    }

    #[test]
    fn an_uploads_address_keeps_its_form() {
        let drawn = anonymizer().path_id("2/ab/abcdefghijklmnopqrstuvwx/plan B.png");
        let parts: Vec<&str> = drawn.split('/').collect();
        assert_eq!((parts[0], parts[1].len(), parts[2].len()), ("2", 2, 24), "{drawn}");
        assert!(drawn.ends_with(".png") && !drawn.contains("plan"), "{drawn}");
    }
}
