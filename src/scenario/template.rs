//! Texts with placeholders: references to values, and matchers in expectations.

use regex::Regex;

/// A text with placeholders.
#[derive(Clone, Debug)]
pub struct Template {
    /// Byte offset in the file.
    pub offset: usize,
    pub parts: Vec<Part>,
}

/// A part of a template.
#[derive(Clone, Debug)]
pub enum Part {
    /// Text without placeholders, in which `\{{` has become `{{`.
    Literal(String),
    /// The value of a reference.
    Reference(Reference),
    /// Any value that the matcher accepts.
    Matcher(Matcher),
    /// Any value that the matcher accepts, captured under a name.
    Capture(String, Matcher),
}

/// A reference to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// `{{name}}`: a captured value.
    Captured(String),
    /// `{{mel.user_id}}`: a field of a user, by the handle.
    User(String, UserField),
    /// `{{mel phone.queue_id}}`: a field of a registered queue.
    Queue(String, QueueField),
    /// `{{channel general}}`: the ID of a channel.
    Channel(String),
    /// `{{group engineers}}`: the ID of a group.
    Group(String),
    /// `{{message Welcome}}`: the ID of the first message whose source begins with this text.
    Message(String),
    /// `{{now +1d}}`: the world's time in whole UNIX seconds, plus this number of seconds.
    Now(i64),
    /// `{{unique}}`: a word that no earlier run in the same organization has used.
    Unique,
    /// `{{server}}`: the base URL without a trailing slash.
    Server,
    /// `{{origin}}`: scheme, host and port of the base URL.
    Origin,
    /// `{{prefix}}`: the path of the base URL. It is empty if the URL has no path.
    Prefix,
}

/// A field of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserField {
    UserId,
    Email,
    FullName,
    /// The current API key.
    ApiKey,
}

/// A field of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueField {
    QueueId,
    /// The ID of the last event that the scenario consumed.
    LastEventId,
}

/// A set of accepted values.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// Any value, including null.
    Any,
    Integer,
    Number,
    Text,
    Boolean,
    Object,
    Array,
    /// A number within an inclusive range. None for no bound.
    Range(Option<i64>, Option<i64>),
    /// A text that the expression matches as a whole.
    Regex(Regex),
    /// The key must not exist.
    Absent,
    /// Any number of array items.
    Rest,
    /// The other items of the array, in any order.
    AnyOrder,
}

impl Matcher {
    /// Whether the matcher can be combined with other text.
    fn is_allowed_in_text(&self) -> bool {
        let is_single_value = matches!(self, Matcher::Object | Matcher::Array | Matcher::Range(..));
        !is_single_value && !self.is_positional()
    }

    /// Whether the matcher is about a key or item rather than its value.
    pub fn is_positional(&self) -> bool {
        matches!(self, Matcher::Absent | Matcher::Rest | Matcher::AnyOrder)
    }
}

/// The references that are one word, which no captured value may have as its name.
pub const REFERENCE_WORDS: [&str; 5] = ["now", "unique", "server", "origin", "prefix"];

const MATCHER_WORDS: &str = "any, int, number, string, bool, object, array, absent, any order, ..., 1..10, /pattern/";

impl Template {
    /// Parses a text that begins at a byte offset of the file. `\{{` means two literal braces.
    ///
    /// # Errors
    ///
    /// What is wrong with a placeholder.
    pub fn parse(text: &str, offset: usize) -> Result<Self, String> {
        let mut parts = Vec::new();
        let (mut literal, mut remaining) = (String::new(), text);
        while let Some(open) = remaining.find("{{") {
            if let Some(before) = remaining[..open].strip_suffix('\\') {
                literal.push_str(before);
                literal.push_str("{{");
                remaining = &remaining[open + 2..];
                continue;
            }
            literal.push_str(&remaining[..open]);
            let content = &remaining[open + 2..];
            // A regular expression may contain braces.
            let candidate = &content[..content.find("}}").unwrap_or(content.len())];
            let matcher_text = candidate.split_once(":=").map_or(candidate, |(_, matcher)| matcher);
            let end = if matcher_text.trim_start().starts_with('/') { "/}}" } else { "}}" };
            let end_offset = content.find(end).ok_or_else(|| format!("'{{{{{content}' is not closed with {end}"))?;
            let close = end_offset + end.len() - "}}".len();
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal)));
            }
            parts.push(parse_placeholder(content[..close].trim())?);
            remaining = &content[close + 2..];
        }
        literal.push_str(remaining);
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        let must_be_alone = |part: &Part| match part {
            Part::Matcher(matcher) | Part::Capture(_, matcher) => !matcher.is_allowed_in_text(),
            Part::Literal(_) | Part::Reference(_) => false,
        };
        if parts.len() > 1 && parts.iter().any(must_be_alone) {
            return Err(format!(
                "'{text}': ranges, object, array, absent, any order and ... can't be combined with other text"
            ));
        }
        Ok(Self { offset, parts })
    }

    /// The only part. None if there are no parts or several.
    pub fn only_part(&self) -> Option<&Part> {
        if let [part] = self.parts.as_slice() { Some(part) } else { None }
    }

    /// The references in the template.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.parts.iter().filter_map(|part| if let Part::Reference(reference) = part { Some(reference) } else { None })
    }

    /// The names of captured values.
    pub fn captured_names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| if let Part::Capture(name, _) = part { Some(name.as_str()) } else { None })
    }

    /// Whether the template has matchers or captures, which only expectations may have.
    pub fn has_matchers_or_captures(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Matcher(_) | Part::Capture(..)))
    }
}

/// Parses the text between double braces.
fn parse_placeholder(content: &str) -> Result<Part, String> {
    if let Some((name, matcher_text)) = content.split_once(":=") {
        let (name, matcher_text) = (name.trim(), matcher_text.trim());
        if !is_name(name) || parse_matcher(name)?.is_some() || REFERENCE_WORDS.contains(&name) {
            return Err(format!(
                "'{name}' can't be the name of a value: names consist of a-z, 0-9 and _, and are no words of the format"
            ));
        }
        let matcher = parse_matcher(matcher_text)?.filter(|matcher| !matcher.is_positional());
        let matcher =
            matcher.ok_or_else(|| format!("'{matcher_text}' can't be captured; use one of {MATCHER_WORDS}"))?;
        return Ok(Part::Capture(name.to_owned(), matcher));
    }
    if let Some(matcher) = parse_matcher(content)? {
        return Ok(Part::Matcher(matcher));
    }
    parse_reference(content)?.map(Part::Reference).ok_or_else(|| {
        format!(
            "'{{{{{content}}}}}' is no placeholder: a captured name, NAME.user_id and the like, channel NAME, \
             group NAME, message BEGINNING, now, unique, server, origin, prefix, or one of {MATCHER_WORDS}"
        )
    })
}

fn parse_matcher(word: &str) -> Result<Option<Matcher>, String> {
    let matcher = match word {
        "any" => Matcher::Any,
        "int" => Matcher::Integer,
        "number" => Matcher::Number,
        "string" => Matcher::Text,
        "bool" => Matcher::Boolean,
        "object" => Matcher::Object,
        "array" => Matcher::Array,
        "absent" => Matcher::Absent,
        "..." => Matcher::Rest,
        "any order" => Matcher::AnyOrder,
        other => return parse_regex_or_range(other),
    };
    Ok(Some(matcher))
}

fn parse_regex_or_range(word: &str) -> Result<Option<Matcher>, String> {
    if let Some(pattern) = word.strip_prefix('/').and_then(|remaining| remaining.strip_suffix('/')) {
        let regex = Regex::new(pattern).map_err(|error| {
            format!("/{pattern}/ is no regular expression: {}", error.to_string().replace('\n', " "))
        })?;
        return Ok(Some(Matcher::Regex(regex)));
    }
    let Some((from, to)) = word.split_once("..") else { return Ok(None) };
    let parse_bound = |text: &str| match text.trim() {
        "" => Ok(None),
        number => number.parse().map(Some).map_err(|_| format!("'{word}' is no range such as 1..10, 1.. or ..10")),
    };
    Ok(Some(Matcher::Range(parse_bound(from)?, parse_bound(to)?)))
}

fn parse_reference(content: &str) -> Result<Option<Reference>, String> {
    if let Some(offset) = content
        .strip_prefix("now")
        .filter(|remaining| remaining.is_empty() || remaining.trim_start().starts_with(['+', '-']))
    {
        let offset = offset.replace(' ', "");
        return Ok(Some(Reference::Now(if offset.is_empty() { 0 } else { parse_span(&offset)? })));
    }
    let name_after = |word: &str| {
        content
            .strip_prefix(word)
            .map(|remaining| remaining.trim().to_owned())
            .filter(|remaining| !remaining.is_empty())
    };
    if let Some(name) = name_after("channel ") {
        return Ok(Some(Reference::Channel(name)));
    }
    if let Some(name) = name_after("group ") {
        return Ok(Some(Reference::Group(name)));
    }
    if let Some(beginning) = name_after("message ") {
        return Ok(Some(Reference::Message(beginning)));
    }
    if let Some((name, field)) = content.rsplit_once('.') {
        let name = name.trim().to_owned();
        return Ok(match field {
            "user_id" => Some(Reference::User(name, UserField::UserId)),
            "email" => Some(Reference::User(name, UserField::Email)),
            "full_name" => Some(Reference::User(name, UserField::FullName)),
            "api_key" => Some(Reference::User(name, UserField::ApiKey)),
            "queue_id" => Some(Reference::Queue(name, QueueField::QueueId)),
            "last_event_id" => Some(Reference::Queue(name, QueueField::LastEventId)),
            _ => None,
        });
    }
    Ok(match content {
        "unique" => Some(Reference::Unique),
        "server" => Some(Reference::Server),
        "origin" => Some(Reference::Origin),
        "prefix" => Some(Reference::Prefix),
        name if is_name(name) => Some(Reference::Captured(name.to_owned())),
        _ => None,
    })
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .chars()
            .all(|character| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_')
}

/// Parses a time span such as `+1d`, `-90s` or `+1h30m` into seconds.
///
/// # Errors
///
/// A message with the accepted notation, also if the span is too long.
pub fn parse_span(text: &str) -> Result<i64, String> {
    let invalid_span = || format!("'{text}' is no span of time such as +90s, +10m, +1h30m, +1d or +2w");
    let (sign, mut remaining) = match text.split_at_checked(1) {
        Some(("+", remaining)) => (1, remaining),
        Some(("-", remaining)) => (-1, remaining),
        _ => return Err(invalid_span()),
    };
    let mut seconds: i64 = 0;
    loop {
        let digit_count = remaining.find(|character: char| !character.is_ascii_digit()).ok_or_else(invalid_span)?;
        let count: i64 = remaining[..digit_count].parse().map_err(|_| invalid_span())?;
        let unit = match remaining.as_bytes()[digit_count] {
            b's' => 1,
            b'm' => 60,
            b'h' => 3_600,
            b'd' => 86_400,
            b'w' => 604_800,
            _ => return Err(invalid_span()),
        };
        seconds = count
            .checked_mul(unit)
            .and_then(|unit_seconds| seconds.checked_add(unit_seconds))
            .ok_or_else(invalid_span)?;
        remaining = &remaining[digit_count + 1..];
        if remaining.is_empty() {
            return Ok(sign * seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single_part(text: &str) -> Part {
        Template::parse(text, 0).unwrap_or_else(|reason| panic!("{text}: {reason}")).parts.remove(0)
    }

    #[test]
    fn placeholders_are_references_or_matchers() {
        assert!(
            matches!(single_part("{{ message }}"), Part::Reference(Reference::Captured(name)) if name == "message")
        );
        assert!(
            matches!(single_part("{{channel town square}}"), Part::Reference(Reference::Channel(name)) if name == "town square")
        );
        assert!(matches!(single_part("{{build-bot.user_id}}"), Part::Reference(Reference::User(_, UserField::UserId))));
        assert!(
            matches!(single_part("{{mel phone.queue_id}}"), Part::Reference(Reference::Queue(label, _)) if label == "mel phone")
        );
        assert!(matches!(single_part("{{now - 1h30m}}"), Part::Reference(Reference::Now(-5_400))));
        assert!(
            matches!(single_part("{{id := 1..}}"), Part::Capture(name, Matcher::Range(Some(1), None)) if name == "id")
        );
        assert!(matches!(single_part("{{/a{2}/}}"), Part::Matcher(Matcher::Regex(_))));
        assert!(matches!(single_part("\\{{any}}"), Part::Literal(text) if text == "{{any}}"));
    }

    #[test]
    fn invalid_placeholders_are_refused() {
        for text in [
            "{{Any}}",
            "{{mel.age}}",
            "{{x := foo}}",
            "{{int := int}}",
            "{{prefix := int}}",
            "{{x := absent}}",
            "{{a",
            "{{1..b}}",
            "{{now +1}}",
            "{{/(/}}",
            "x{{1..}}",
            "{{absent}} ",
        ] {
            assert!(Template::parse(text, 0).is_err(), "{text}");
        }
    }
}
