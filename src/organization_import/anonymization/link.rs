//! Anonymizes URLs, and links to messages, channels and files of the organization.

use super::anonymizer::Anonymizer;
use crate::organization_import::directory::Directory;
use percent_encoding::percent_decode_str;
use std::fmt::Write;

impl Anonymizer {
    /// Replaces the words of a URL. If it has a scheme, its host becomes one below the reserved domain `example`.
    /// Variables of templates in its path remain.
    pub fn anonymize_url(&self, url: &str) -> String {
        let (scheme, remaining) = match url.split_once("://") {
            Some((scheme, remaining)) => (format!("{scheme}://"), remaining),
            None => (String::new(), url),
        };
        let end = remaining.find(['/', '?', '#']).unwrap_or(remaining.len());
        let (host, path) = remaining.split_at(end);
        let host = if scheme.is_empty() { self.anonymize_text(host) } else { self.anonymize_host(host) };
        format!("{scheme}{host}{}", self.anonymize_template(path, &|name| name.to_owned()))
    }

    /// Returns a host below `example` for a host, or for the host of an email address. Omits the port.
    pub fn anonymize_host(&self, host: &str) -> String {
        let name = host.rsplit_once('@').map_or(host, |(_, name)| name);
        let name = name.split(':').next().unwrap_or_default();
        let labels = name.rsplit_once('.').map_or(name, |(labels, _)| labels);
        format!("{}.example", self.anonymize_text(labels))
    }

    /// Replaces the words of a template, and renames its variables, which are written `{name}` or `%(name)s`.
    /// Percent-encoded characters become `-`.
    pub fn anonymize_template(&self, text: &str, rename: &dyn Fn(&str) -> String) -> String {
        let mut result = String::new();
        let mut remaining = text;
        while let Some(start) = remaining.find(['{', '%']) {
            let (literal, from_variable) = remaining.split_at(start);
            result.push_str(&self.anonymize_text(literal));
            let (replacement, suffix) = replace_variable(from_variable, rename)
                .unwrap_or_else(|| (from_variable[..1].to_owned(), &from_variable[1..]));
            result.push_str(&replacement);
            remaining = suffix;
        }
        result.push_str(&self.anonymize_text(remaining));
        result
    }

    /// Replaces the directory, the token and the name in the path of an uploaded file below `/user_uploads/`. The ID of
    /// the organization remains.
    pub fn anonymize_path_id(&self, path_id: &str) -> String {
        let mut parts = path_id.splitn(4, '/');
        let (organization, directory) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (token, name) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let mut generator = self.random_generator_for(token);
        let new_directory: String = directory.chars().map(|_| generator.character_of("0123456789abcdef")).collect();
        let alphanumerics = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        let new_token: String = token.chars().map(|_| generator.character_of(alphanumerics)).collect();
        format!("{organization}/{new_directory}/{new_token}/{}", self.anonymize_file_name(name))
    }

    /// Replaces the name of a file and keeps a known extension.
    pub fn anonymize_file_name(&self, name: &str) -> String {
        match name.rsplit_once('.') {
            Some((stem, extension)) if KNOWN_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()) => {
                format!("{}.{extension}", self.anonymize_text(stem))
            }
            _ => self.anonymize_text(name),
        }
    }

    /// Replaces the names in a link within the organization, from `#narrow` on, with those of the fixture. The IDs of
    /// channels, messages and users remain.
    pub fn anonymize_narrow_link(&self, link: &str, directory: &Directory) -> String {
        let mut parts = link.split('/');
        let mut result = parts.next().unwrap_or_default().to_owned();
        while let Some(operator) = parts.next() {
            let operand = parts.next();
            // Writing to a string can't fail.
            let _ = write!(
                result,
                "/{}",
                if KNOWN_OPERATORS.contains(&operator.trim_start_matches('-')) {
                    operator.to_owned()
                } else {
                    self.anonymize_text(operator)
                }
            );
            let Some(operand) = operand else { break };
            let replacement = match operator.trim_start_matches('-') {
                "channel" | "stream" => self.anonymize_channel_operand(operand, directory),
                "topic" | "subject" => encode(&directory.convert_topic(&decode(operand))),
                "near" | "id" | "with" | "is" | "has" | "channels" | "streams" => operand.to_owned(),
                "dm" | "dm-including" | "pm-with" | "group-pm-with" | "sender" => {
                    // The names of the users, which follow the IDs, are dropped.
                    let user_ids: String = operand
                        .chars()
                        .take_while(|character| character.is_ascii_digit() || *character == ',')
                        .collect();
                    format!("{user_ids}-dm")
                }
                _ => encode(&self.anonymize_text(&decode(operand))),
            };
            let _ = write!(result, "/{replacement}");
        }
        result
    }

    fn anonymize_channel_operand(&self, operand: &str, directory: &Directory) -> String {
        let digits: String = operand.chars().take_while(char::is_ascii_digit).collect();
        let name = digits.parse().ok().and_then(|id| directory.channels.get(id));
        match name {
            Some(name) => format!("{digits}-{}", encode(&name.replace(' ', "-"))),
            None if digits.is_empty() => match directory.channels.find(&decode(operand)) {
                Some(names) => encode(&names.fixture_name),
                None => encode(&self.anonymize_text(&decode(operand))),
            },
            None => {
                format!(
                    "{digits}-{}",
                    encode(&self.anonymize_text(&decode(operand[digits.len()..].trim_start_matches('-'))))
                )
            }
        }
    }
}

/// The operators of links within an organization; all other words in their place are anonymized.
const KNOWN_OPERATORS: [&str; 17] = [
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
];

/// Common extensions, which reveal nothing private and are kept.
const KNOWN_EXTENSIONS: [&str; 28] = [
    "png", "jpg", "jpeg", "gif", "webp", "svg", "txt", "md", "pdf", "html", "xml", "json", "csv", "zip", "gz", "tar",
    "mp3", "mp4", "webm", "ogg", "wav", "mov", "doc", "docx", "xls", "xlsx", "ppt", "exe",
];

/// Replaces the variable or the percent-encoded character at the beginning of a text. Returns the replacement and the
/// text after it; None if the text begins with neither.
fn replace_variable<'text>(text: &'text str, rename: &dyn Fn(&str) -> String) -> Option<(String, &'text str)> {
    if let Some(inner) = text.strip_prefix('{') {
        let (name, suffix) = inner.split_once('}')?;
        return Some((format!("{{{}}}", rename_variables(name, rename)), suffix));
    }
    if let Some(inner) = text.strip_prefix("%(") {
        let (name, suffix) = inner.split_once(")s")?;
        return Some((format!("%({})s", rename(name)), suffix));
    }
    // A percent-encoded character is part of a word and must not remain.
    let suffix = text.get(3..).filter(|_| starts_with_encoded_character(text))?;
    Some(("-".to_owned(), suffix))
}

/// Renames the variables of an RFC 6570 expression and keeps its operator and modifiers.
fn rename_variables(expression: &str, rename: &dyn Fn(&str) -> String) -> String {
    let start =
        expression.find(|character: char| character.is_alphanumeric() || character == '_').unwrap_or(expression.len());
    let (operator, names) = expression.split_at(start);
    let new_names: Vec<String> = names
        .split(',')
        .map(|name| {
            let end = name.find([':', '*']).unwrap_or(name.len());
            format!("{}{}", rename(&name[..end]), &name[end..])
        })
        .collect();
    format!("{operator}{}", new_names.join(","))
}

fn starts_with_encoded_character(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 3 && bytes[0] == b'%' && bytes[1].is_ascii_hexdigit() && bytes[2].is_ascii_hexdigit()
}

/// Decodes a part of a link within an organization, in which dots replace percent signs.
fn decode(part: &str) -> String {
    percent_decode_str(&part.replace('.', "%")).decode_utf8_lossy().into_owned()
}

/// Encodes a part of a link within an organization, so that [`decode`] returns it.
fn encode(text: &str) -> String {
    let mut result = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_~".contains(&byte) {
            result.push(byte.into());
        } else {
            // Writing to a string can't fail.
            let _ = write!(result, ".{byte:02X}");
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::anonymizer::OriginalWords;
    use super::*;

    fn anonymizer() -> Anonymizer {
        Anonymizer::new(0, OriginalWords::default())
    }

    #[test]
    fn urls_lead_to_hosts_of_the_reserved_domain() {
        let anonymous = anonymizer().anonymize_url("https://tracker.example.com:8080/issues/{id}?q=secret%20plan#top");
        assert!(
            anonymous.starts_with("https://") && anonymous.contains(".example/") && anonymous.contains("{id}"),
            "{anonymous}"
        );
        for word in ["tracker", "issues", "secret", "plan", "8080"] {
            assert!(!anonymous.contains(word), "{anonymous}");
        }
    }

    #[test]
    fn decoding_reverses_encoding() {
        for text in ["release 1.0", "naïve/ü", "a-b_c", "✔ done"] {
            assert_eq!(decode(&encode(text)), text);
        }
    }

    #[test]
    fn links_within_the_organization_have_the_new_names() {
        let mut directory = Directory::new("https://chat.example.org", Some(anonymizer()));
        directory.add(|names| &mut names.channels, 5, "design", 60);
        let anonymizer = anonymizer();
        let name = directory.channel_name(5).expect("a channel");
        let topic = encode(&directory.convert_topic("release 1.0"));
        assert_eq!(
            anonymizer.anonymize_narrow_link("#narrow/channel/5-design/topic/release.201.2E0/near/7", &directory),
            format!("#narrow/channel/5-{name}/topic/{topic}/near/7")
        );
        assert_eq!(
            anonymizer.anonymize_narrow_link("#narrow/dm/4,5-Mel-Marsh/near/9", &directory),
            "#narrow/dm/4,5-dm/near/9"
        );
    }

    #[test]
    fn the_path_of_an_upload_keeps_its_structure() {
        let anonymous = anonymizer().anonymize_path_id("2/ab/abcdefghijklmnopqrstuvwx/plan B.png");
        let parts: Vec<&str> = anonymous.split('/').collect();
        assert_eq!((parts[0], parts[1].len(), parts[2].len()), ("2", 2, 24), "{anonymous}");
        assert!(anonymous.ends_with(".png") && !anonymous.contains("plan"), "{anonymous}");
    }
}
