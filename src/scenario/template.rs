//! Text with placeholders: what a value becomes in a request, and what fits in an expectation.

use regex::Regex;

/// Text with placeholders, and where it begins in its file.
#[derive(Clone, Debug)]
pub struct Template {
    /// Bytes from the file's start.
    pub at: usize,
    /// In order.
    pub parts: Vec<Part>,
}

/// A piece of a text.
#[derive(Clone, Debug)]
pub enum Part {
    /// Itself.
    Literal(String),
    /// The value that something has by then.
    Reference(Reference),
    /// Anything that fits.
    Matcher(Matcher),
    /// Anything that fits, kept under a name.
    Capture(String, Matcher),
}

/// What has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// `{{name}}`: captured before.
    Captured(String),
    /// `{{mel.user_id}}`
    User(String, UserField),
    /// `{{mel phone.queue_id}}`: of a queue that was registered before.
    Queue(String, QueueField),
    /// `{{channel general}}`: its id.
    Channel(String),
    /// `{{group engineers}}`: its id.
    Group(String),
    /// `{{message Welcome}}`: the id of the first message whose source begins so.
    Message(String),
    /// `{{now +1d}}`: the world's time in whole UNIX seconds, and so much later.
    Now(i64),
    /// `{{unique}}`: a word that no earlier playing on the same realm has used.
    Unique,
    /// `{{server}}`: the base URL, without a slash at the end.
    Server,
    /// `{{origin}}`: its scheme, host and port, which addresses that begin with a slash are relative to.
    Origin,
    /// `{{prefix}}`: its path, empty for a server's root, which addresses of the world begin with.
    Prefix,
}

/// What is known of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserField {
    /// A number.
    UserId,
    /// The address of the account.
    Email,
    /// As it was when the scenario began.
    FullName,
    /// The key that works now.
    ApiKey,
}

/// What is known of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueField {
    /// A text.
    QueueId,
    /// The id of the last event that was taken from it.
    LastEventId,
}

/// What fits.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// Any value, null included.
    Any,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// Any text.
    Text,
    /// True or false.
    Boolean,
    /// Any object.
    Object,
    /// Any array.
    Array,
    /// A number from here to there, both included.
    Range(Option<i64>, Option<i64>),
    /// A text that matches as a whole.
    Regex(Regex),
    /// No such key.
    Absent,
    /// Any further items.
    Rest,
    /// The other items of the array, in whatever order.
    AnyOrder,
}

impl Matcher {
    /// Whether it says something of a piece of a text.
    fn fits_within_text(&self) -> bool {
        let is_whole = matches!(self, Matcher::Object | Matcher::Array | Matcher::Range(..));
        !is_whole && !self.is_positional()
    }

    /// Whether it says something of its place rather than of a value.
    pub fn is_positional(&self) -> bool {
        matches!(self, Matcher::Absent | Matcher::Rest | Matcher::AnyOrder)
    }
}

const WORDS: &str = "any, int, number, string, bool, object, array, absent, any order, ..., 1..10, /pattern/";

impl Template {
    /// Reads a text; `\{{` means two braces.
    ///
    /// # Errors
    ///
    /// What is wrong with a placeholder.
    pub fn parse(text: &str, at: usize) -> Result<Self, String> {
        let mut parts = Vec::new();
        let (mut literal, mut rest) = (String::new(), text);
        while let Some(open) = rest.find("{{") {
            if let Some(before) = rest[..open].strip_suffix('\\') {
                literal.push_str(before);
                literal.push_str("{{");
                rest = &rest[open + 2..];
                continue;
            }
            literal.push_str(&rest[..open]);
            let inner = &rest[open + 2..];
            // A regular expression may hold braces of its own.
            let first = &inner[..inner.find("}}").unwrap_or(inner.len())];
            let subject = first.split_once(":=").map_or(first, |(_, matcher)| matcher);
            let end = if subject.trim_start().starts_with('/') { "/}}" } else { "}}" };
            let close = inner.find(end).ok_or_else(|| format!("'{{{{{inner}' is not closed with {end}"))?;
            let close = close + end.len() - 2;
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal)));
            }
            parts.push(placeholder(inner[..close].trim())?);
            rest = &inner[close + 2..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        let is_alone = |part: &Part| match part {
            Part::Matcher(matcher) | Part::Capture(_, matcher) => !matcher.fits_within_text(),
            Part::Literal(_) | Part::Reference(_) => false,
        };
        if parts.len() > 1 && parts.iter().any(is_alone) {
            return Err(format!(
                "'{text}': ranges, object, array, absent, any order and ... can't be combined with other text"
            ));
        }
        Ok(Self { at, parts })
    }

    /// The only part, when there is one.
    pub fn only(&self) -> Option<&Part> {
        if let [part] = self.parts.as_slice() { Some(part) } else { None }
    }

    /// What must be known before the text has a meaning.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.parts.iter().filter_map(|part| if let Part::Reference(reference) = part { Some(reference) } else { None })
    }

    /// What is kept when it fits.
    pub fn captures(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| if let Part::Capture(name, _) = part { Some(name.as_str()) } else { None })
    }

    /// Whether it says what fits, as only an expectation may.
    pub fn is_expectation(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Matcher(_) | Part::Capture(..)))
    }
}

/// Reads what is between double braces.
fn placeholder(inner: &str) -> Result<Part, String> {
    if let Some((name, matched)) = inner.split_once(":=") {
        let (name, matched) = (name.trim(), matched.trim());
        if !is_name(name) || matcher(name)?.is_some() || ["now", "unique", "server", "origin"].contains(&name) {
            return Err(format!(
                "'{name}' can't be the name of a value: a-z, 0-9 and _ make one, and no word of the format"
            ));
        }
        let captured = matcher(matched)?.filter(|captured| !captured.is_positional());
        let captured =
            captured.ok_or_else(|| format!("'{matched}' is nothing that can be captured; there are {WORDS}"))?;
        return Ok(Part::Capture(name.to_owned(), captured));
    }
    if let Some(matcher) = matcher(inner)? {
        return Ok(Part::Matcher(matcher));
    }
    reference(inner)?.map(Part::Reference).ok_or_else(|| {
        format!(
            "'{{{{{inner}}}}}' is no placeholder: a captured name, NAME.user_id and the like, channel NAME, \
             group NAME, message BEGINNING, now, unique, server, origin, or one of {WORDS}"
        )
    })
}

fn matcher(word: &str) -> Result<Option<Matcher>, String> {
    let known = match word {
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
        other => return pattern_or_range(other),
    };
    Ok(Some(known))
}

fn pattern_or_range(word: &str) -> Result<Option<Matcher>, String> {
    if let Some(pattern) = word.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
        let regex = Regex::new(pattern).map_err(|error| {
            format!("/{pattern}/ is no regular expression: {}", error.to_string().replace('\n', " "))
        })?;
        return Ok(Some(Matcher::Regex(regex)));
    }
    let Some((from, to)) = word.split_once("..") else { return Ok(None) };
    let bound = |text: &str| match text.trim() {
        "" => Ok(None),
        number => number.parse().map(Some).map_err(|_| format!("'{word}' is no range such as 1..10, 1.. or ..10")),
    };
    Ok(Some(Matcher::Range(bound(from)?, bound(to)?)))
}

fn reference(inner: &str) -> Result<Option<Reference>, String> {
    if let Some(offset) =
        inner.strip_prefix("now").filter(|rest| rest.is_empty() || rest.trim_start().starts_with(['+', '-']))
    {
        let offset = offset.replace(' ', "");
        return Ok(Some(Reference::Now(if offset.is_empty() { 0 } else { span(&offset)? })));
    }
    let named =
        |word: &str| inner.strip_prefix(word).map(|rest| rest.trim().to_owned()).filter(|rest| !rest.is_empty());
    if let Some(name) = named("channel ") {
        return Ok(Some(Reference::Channel(name)));
    }
    if let Some(name) = named("group ") {
        return Ok(Some(Reference::Group(name)));
    }
    if let Some(beginning) = named("message ") {
        return Ok(Some(Reference::Message(beginning)));
    }
    if let Some((who, field)) = inner.rsplit_once('.') {
        let who = who.trim().to_owned();
        return Ok(match field {
            "user_id" => Some(Reference::User(who, UserField::UserId)),
            "email" => Some(Reference::User(who, UserField::Email)),
            "full_name" => Some(Reference::User(who, UserField::FullName)),
            "api_key" => Some(Reference::User(who, UserField::ApiKey)),
            "queue_id" => Some(Reference::Queue(who, QueueField::QueueId)),
            "last_event_id" => Some(Reference::Queue(who, QueueField::LastEventId)),
            _ => None,
        });
    }
    Ok(match inner {
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
        && text.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_')
}

/// Seconds of a span such as `+1d`, `-90s` or `+1h30m`.
///
/// # Errors
///
/// What would have been understood.
pub fn span(text: &str) -> Result<i64, String> {
    let wrong = || format!("'{text}' is no span of time such as +90s, +10m, +1h30m, +1d or +2w");
    let (sign, mut rest) = match text.split_at_checked(1) {
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        _ => return Err(wrong()),
    };
    let mut seconds: i64 = 0;
    loop {
        let digits = rest.find(|one: char| !one.is_ascii_digit()).ok_or_else(wrong)?;
        let count: i64 = rest[..digits].parse().map_err(|_| wrong())?;
        let unit = match rest.as_bytes()[digits] {
            b's' => 1,
            b'm' => 60,
            b'h' => 3_600,
            b'd' => 86_400,
            b'w' => 604_800,
            _ => return Err(wrong()),
        };
        seconds = count.checked_mul(unit).and_then(|more| seconds.checked_add(more)).ok_or_else(wrong)?;
        rest = &rest[digits + 1..];
        if rest.is_empty() {
            return Ok(sign * seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Part {
        Template::parse(text, 0).unwrap_or_else(|fault| panic!("{text}: {fault}")).parts.remove(0)
    }

    #[test]
    fn placeholders_are_values_or_what_fits() {
        assert!(matches!(only("{{ message }}"), Part::Reference(Reference::Captured(name)) if name == "message"));
        assert!(
            matches!(only("{{channel town square}}"), Part::Reference(Reference::Channel(name)) if name == "town square")
        );
        assert!(matches!(only("{{build-bot.user_id}}"), Part::Reference(Reference::User(_, UserField::UserId))));
        assert!(
            matches!(only("{{mel phone.queue_id}}"), Part::Reference(Reference::Queue(label, _)) if label == "mel phone")
        );
        assert!(matches!(only("{{now - 1h30m}}"), Part::Reference(Reference::Now(-5_400))));
        assert!(matches!(only("{{id := 1..}}"), Part::Capture(name, Matcher::Range(Some(1), None)) if name == "id"));
        assert!(matches!(only("{{/a{2}/}}"), Part::Matcher(Matcher::Regex(_))));
        assert!(matches!(only("\\{{any}}"), Part::Literal(text) if text == "{{any}}"));
    }

    #[test]
    fn what_is_none_is_refused_with_what_there_is() {
        for text in [
            "{{Any}}",
            "{{mel.age}}",
            "{{x := foo}}",
            "{{int := int}}",
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
