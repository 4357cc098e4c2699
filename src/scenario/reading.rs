//! How blocks are read: a fence says which kind it is, each kind has a small language of its own.

use super::block::{Block, Body, Caller, Command, Kind, Line, Reply, Request};
use super::founding::Founding;
use super::mistake::{Mistake, all, both};
use super::pattern::Pattern;
use super::template::{Template, span};
use std::ops::Range;

/// A block's place in its file.
pub struct Fence<'a> {
    /// The whole file.
    pub text: &'a str,
    /// Where the opening fence is.
    pub at: usize,
    /// Between the fences.
    pub content: Range<usize>,
}

impl Fence<'_> {
    /// Behind the closing fence and its line's end.
    fn end(&self) -> usize {
        let rest = &self.text[self.content.end..];
        self.content.end + rest.find('\n').map_or(rest.len(), |newline| newline + 1)
    }
}

/// What a fence says.
#[derive(Clone, Debug)]
pub enum Words {
    /// `world`
    World,
    /// `request`
    Request,
    /// `reply`, and the words after it.
    Reply(Vec<String>),
    /// `queue LABEL`
    Queue(String),
    /// `control`
    Control,
    /// `event LABEL`, and whether it is exact.
    Event(String, bool),
    /// `no event LABEL`
    NoEvent(String),
}

const KINDS: [&str; 7] = ["world", "request", "reply", "queue", "control", "event", "no"];
/// What else blocks are called elsewhere, and hardly any language is.
const ELSEWHERE: [(&str, &str); 8] = [
    ("response", "reply"),
    ("answer", "reply"),
    ("expect", "reply"),
    ("expected", "reply"),
    ("register", "queue"),
    ("noevent", "no event"),
    ("no-event", "no event"),
    ("no_event", "no event"),
];

/// Reads a fence; none: the block is prose.
pub fn words(info: &str, at: usize, mistakes: &mut Vec<Mistake>) -> Option<Words> {
    let all: Vec<&str> = info.split_whitespace().collect();
    let (first, rest) = all.split_first()?;
    let label = |words: &[&str]| words.join(" ");
    let read = match (*first, rest) {
        ("world", []) => Ok(Words::World),
        ("request", []) => Ok(Words::Request),
        ("control", []) => Ok(Words::Control),
        ("reply", said) => Ok(Words::Reply(said.iter().map(|word| (*word).to_owned()).collect())),
        ("queue", [_, ..]) => Ok(Words::Queue(label(rest))),
        ("no", ["event", who @ ..]) if !who.is_empty() => Ok(Words::NoEvent(label(who))),
        ("event", [who @ .., "exact"]) if !who.is_empty() => Ok(Words::Event(label(who), true)),
        ("event", [_, ..]) => Ok(Words::Event(label(rest), false)),
        ("queue" | "event" | "no", _) => {
            Err(format!("'{info}' does not say whose: such as ```queue mel, ```event mel, ```no event mel"))
        }
        (known @ ("world" | "request" | "control"), _) => Err(format!("```{known} takes nothing after it")),
        (other, _) => {
            // Prose may show code in any language, but hardly in one that is called almost as a block is.
            let is_near = |kind: &&str| kind.len() > 2 && strsim::damerau_levenshtein(kind, other) <= 2;
            let elsewhere = ELSEWHERE.iter().find(|(name, _)| *name == other).map(|(_, kind)| *kind);
            let meant = elsewhere.or_else(|| KINDS.into_iter().find(is_near))?;
            Err(format!("there are no '{other}' blocks; is '{meant}' meant?"))
        }
    };
    read.map_err(|reason| mistakes.push(Mistake::at(at, reason))).ok()
}

/// Reads a block other than a reply.
///
/// # Errors
///
/// All that is wrong, each at its place.
pub fn read(words: &Words, fence: &Fence<'_>) -> Result<Block, Vec<Mistake>> {
    let kind = match words {
        Words::World => Kind::World(world(fence)?),
        Words::Request => Kind::Request(Box::new(request(fence)?), None),
        Words::Queue(label) => Kind::Request(Box::new(queue(label, fence)?), None),
        Words::Control => Kind::Control(commands(fence)?, None),
        Words::Event(label, is_exact) => Kind::Event(label.clone(), json(fence, fence.content.start)?, *is_exact),
        Words::NoEvent(label) if fence.lines().is_empty() => Kind::NoEvent(label.clone()),
        Words::NoEvent(_) => return Err(Mistake::at(fence.content.start, "```no event is empty").into()),
        Words::Reply(_) => return Err(Mistake::at(fence.at, "a reply follows a request").into()),
    };
    Ok(Block { range: fence.at..fence.end(), kind })
}

fn json(fence: &Fence<'_>, from: usize) -> Result<Pattern, Vec<Mistake>> {
    Pattern::parse(&fence.text[from..fence.content.end], from)
}

fn template(text: &str, at: usize) -> Result<Template, Mistake> {
    Template::parse(text, at).map_err(|reason| Mistake::at(at, reason))
}

/// A line with those that continue it, and its place.
struct Entry {
    text: String,
    at: usize,
    end: usize,
}

impl Fence<'_> {
    /// Lines that are not empty, with their places.
    fn lines(&self) -> Vec<(&str, usize)> {
        let mut at = self.content.start;
        let mut lines = Vec::new();
        for line in self.text[self.content.clone()].split('\n') {
            lines.push((line, at));
            at += line.len() + 1;
        }
        while lines.last().is_some_and(|(line, _)| line.trim().is_empty()) {
            lines.pop();
        }
        lines
    }

    /// Lines, joined with those that continue them: what is indented, and brackets that close.
    fn entries(&self, continues: impl Fn(&str) -> bool) -> Result<Vec<Entry>, Mistake> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut blank = 0;
        for (line, at) in self.lines() {
            if line.trim().is_empty() {
                blank += 1;
                continue;
            }
            if !continues(line) {
                entries.push(Entry { text: line.trim_end().to_owned(), at, end: at + line.len() });
            } else if let Some(entry) = entries.last_mut() {
                entry.text.push_str(&"\n".repeat(blank + 1));
                entry.text.push_str(line.strip_prefix("  ").unwrap_or(line).trim_end());
                entry.end = at + line.len();
            } else {
                return Err(Mistake::at(at, "an indented line continues the one above, and there is none"));
            }
            blank = 0;
        }
        Ok(entries)
    }
}

fn is_continuation(line: &str) -> bool {
    line.starts_with([' ', '\t', '}', ']'])
}

fn world(fence: &Fence<'_>) -> Result<Founding, Vec<Mistake>> {
    let entries = fence.entries(is_continuation)?;
    let mut founding = Founding::default();
    all(entries.iter().map(|entry| option(entry, &mut founding)))?;
    Ok(founding)
}

/// Reads a line of a `world` block.
fn option(entry: &Entry, founding: &mut Founding) -> Result<(), Mistake> {
    const NAMES: [&str; 6] = ["from_level", "fixture", "feature_level", "dialect", "clock", "seed"];
    let (name, value) = entry.text.split_once(':').unwrap_or((&entry.text, ""));
    let (name, value) = (name.trim(), value.trim());
    if !NAMES.contains(&name) || value.is_empty() {
        let names = NAMES.join(", ");
        return Err(Mistake::at(entry.at, format!("a world has lines 'NAME: VALUE'; names are {names}")));
    }
    if name == "from_level" {
        let level = value.parse().ok().filter(|level| *level >= 0);
        let level = level.ok_or_else(|| Mistake::at(entry.at, "from_level is a feature level: a whole number"))?;
        founding.from_level = Some(level);
    } else {
        founding.options.push((name.to_owned(), value.to_owned()));
    }
    Ok(())
}

fn request(fence: &Fence<'_>) -> Result<Request, Vec<Mistake>> {
    let entries = fence.entries(is_continuation)?;
    let Some((first, lines)) = entries.split_first() else {
        return Err(Mistake::at(fence.at, "a request begins with 'WHO: METHOD PATH'").into());
    };
    let lines = all(lines.iter().map(line));
    let ((caller, method, path), lines) = both(first_line(first).map_err(Vec::from), lines)?;
    Ok(Request { caller, method, path, lines, registers: None })
}

/// Who asks what: a request's caller, method and path.
fn first_line(first: &Entry) -> Result<(Caller, String, Template), Mistake> {
    let wrong =
        || Mistake::at(first.at, format!("a request begins with 'WHO: METHOD PATH', not with '{}'", first.text));
    let (who, what) = first.text.split_once(": ").ok_or_else(wrong)?;
    let (method, path) = what.trim().split_once(' ').ok_or_else(wrong)?;
    let path = path.trim();
    if !is_method(method) || !["/", "{{server}}", "{{origin}}"].iter().any(|start| path.starts_with(start)) {
        return Err(wrong());
    }
    Ok((caller(who.trim(), first.at)?, method.to_owned(), template(path, first.at)?))
}

fn queue(label: &str, fence: &Fence<'_>) -> Result<Request, Vec<Mistake>> {
    let who = label.split(' ').next().unwrap_or(label);
    let lines = fence.entries(is_continuation)?;
    let (caller, lines) = both(caller(who, fence.at).map_err(Vec::from), all(lines.iter().map(line)))?;
    Ok(Request {
        caller,
        method: "POST".to_owned(),
        path: template("/register", fence.at)?,
        lines,
        registers: Some(label.to_owned()),
    })
}

fn caller(who: &str, at: usize) -> Result<Caller, Mistake> {
    let (who, key) = match who.split_once(" with key ") {
        Some((who, key)) => (who, Some(template(key.trim(), at)?)),
        None => (who, None),
    };
    if who.is_empty() || who.contains(char::is_whitespace) {
        return Err(Mistake::at(at, format!("'{who}' is no user: say a name, NAME with key KEY, or anonymous")));
    }
    Ok(if who == "anonymous" && key.is_none() { Caller::Anonymous } else { Caller::User(who.to_owned(), key) })
}

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

fn is_method(word: &str) -> bool {
    METHODS.contains(&word)
}

fn line(entry: &Entry) -> Result<Line, Mistake> {
    let wrong = || {
        Mistake::at(
            entry.at,
            format!(
                "'{}' is no line of a request: NAME: VALUE, header NAME: VALUE, file NAME: CONTENT or body TYPE: CONTENT",
                entry.text
            ),
        )
    };
    let (name, value) = entry.text.split_once(':').ok_or_else(wrong)?;
    // A value that is below its name begins there.
    let value = value.strip_prefix('\n').unwrap_or_else(|| value.trim_start_matches(' '));
    let value = template(value, entry.at)?;
    Ok(match name.split_once(' ') {
        None if !name.is_empty() => Line::Parameter(name.to_owned(), value),
        Some(("header", name)) => Line::Header(name.trim().to_owned(), value),
        Some(("file", name)) => Line::File(name.trim().to_owned(), value),
        Some(("body", kind)) => Line::Body(kind.trim().to_owned(), value),
        _ => return Err(wrong()),
    })
}

fn commands(fence: &Fence<'_>) -> Result<Vec<Command>, Vec<Mistake>> {
    // Of JSON that goes on at the line's beginning only these are words.
    let is_literal = |line: &str| ["true", "false", "null"].contains(&line.trim_end().trim_end_matches(','));
    let begins = |line: &str| line.starts_with(char::is_alphabetic) && !is_literal(line);
    let entries = fence.entries(|line| !begins(line))?;
    if entries.is_empty() {
        let reason = "a control block has a line 'clock +1d', 'fault {…}' or 'METHOD PATH'";
        return Err(Mistake::at(fence.at, reason).into());
    }
    let (mut commands, mut mistakes) = (Vec::new(), Vec::new());
    for entry in &entries {
        match command(entry, fence) {
            Ok(command) => commands.push(command),
            Err(more) => mistakes.extend(more),
        }
    }
    if mistakes.is_empty() { Ok(commands) } else { Err(mistakes) }
}

fn command(entry: &Entry, fence: &Fence<'_>) -> Result<Command, Vec<Mistake>> {
    let (word, rest) = entry.text.split_once(' ').unwrap_or((&entry.text, ""));
    let first = entry.text.lines().next().unwrap_or_default();
    // JSON is read from the file itself, so that its places are right.
    let parse = |from: usize| Pattern::parse(&fence.text[entry.at + from..entry.end], entry.at + from);
    let (method, path, body) = match word {
        "clock" => ("POST", "/clock", Some(clock(rest.trim(), entry.at)?)),
        "fault" => ("POST", "/faults", Some(parse(word.len())?)),
        other if !is_method(other) => {
            let distance = |word: &&str| strsim::damerau_levenshtein(&word.to_lowercase(), &other.to_lowercase());
            let meant = ["clock", "fault"].into_iter().chain(METHODS).min_by_key(distance);
            let meant = meant.filter(|word| distance(word) <= 2);
            let meant = meant.map(|word| format!("; is '{word}' meant?")).unwrap_or_default();
            return Err(Mistake::at(
                entry.at,
                format!("'{first}' is no line of a control block: clock, fault or METHOD PATH begins one{meant}"),
            )
            .into());
        }
        _ => {
            let path = first[word.len()..].split_whitespace().next().unwrap_or_default();
            if !path.starts_with('/') {
                return Err(Mistake::at(
                    entry.at,
                    "a call of control is 'METHOD PATH', the path being below that of the world, such as /queues",
                )
                .into());
            }
            let from = entry.text.find(path).unwrap_or_default() + path.len();
            let has_body = !entry.text[from..].trim().is_empty();
            (word, path, if has_body { Some(parse(from)?) } else { None })
        }
    };
    Ok(Command { method: method.to_owned(), path: template(path, entry.at)?, body, shown: first.to_owned() })
}

/// The body with which the clock is moved.
fn clock(to: &str, at: usize) -> Result<Pattern, Vec<Mistake>> {
    let body = if to == "next" {
        r#"{"to_next": true}"#.to_owned()
    } else if let Ok(seconds) = span(to) {
        format!(r#"{{"advance_seconds": {seconds}}}"#)
    } else if let Ok(instant) = to.parse::<jiff::Timestamp>().or_else(|_| format!("{to}T00:00:00Z").parse()) {
        format!(r#"{{"set": {}}}"#, instant.as_second())
    } else {
        return Err(Mistake::at(
            at,
            format!("'{to}' is no time: a span such as +1d, an instant such as 2026-02-01T00:00:00Z, a date such as 2026-02-01, or next"),
        )
        .into());
    };
    Pattern::parse(&body, 0)
}

/// Reads what must come back.
///
/// # Errors
///
/// All that is wrong, each at its place.
pub fn reply(said: &[String], fence: &Fence<'_>) -> Result<Reply, Vec<Mistake>> {
    let (mut status, mut is_exact, mut is_text, mut is_none) = (None, false, false, false);
    let mut status_range = None;
    for word in said {
        match word.as_str() {
            "exact" => is_exact = true,
            "text" => is_text = true,
            "none" => is_none = true,
            number => {
                let known = number.parse::<u16>().ok().filter(|number| (100..600).contains(number) && status.is_none());
                let reason = || format!("'{number}' says nothing of a reply: an HTTP status, exact, text or none do");
                status = Some(known.ok_or_else(|| Mistake::at(fence.at, reason()))?);
                let at = fence.at + fence.text[fence.at..].find(number).unwrap_or_default();
                status_range = Some(at..at + number.len());
            }
        }
    }
    let behind = fence.at + fence.text[fence.at..].find("reply").unwrap_or_default() + "reply".len();
    let (headers, from) = reply_headers(fence)?;
    let rest = &fence.text[from..fence.content.end];
    let body = match (rest.trim().is_empty(), is_text) {
        (true, _) => Body::Free,
        (false, true) => Body::Text(template(rest.trim(), from)?, from..from + rest.trim_end().len()),
        (false, false) => Body::Json(json(fence, from)?, is_exact),
    };
    let is_odd = is_none && (said.len() > 1 || !rest.trim().is_empty() || !headers.is_empty());
    if is_odd || (is_exact && !matches!(body, Body::Json(..))) {
        return Err(Mistake::at(fence.at, "'none' is said alone and of an empty block, 'exact' of JSON").into());
    }
    Ok(Reply {
        status: if is_none { None } else { Some(status.unwrap_or(200)) },
        status_range: status_range.unwrap_or(behind..behind),
        headers,
        body,
    })
}

/// The headers at a reply's beginning, and where they end.
fn reply_headers(fence: &Fence<'_>) -> Result<(Vec<(String, Template)>, usize), Mistake> {
    let mut headers = Vec::new();
    for (line, at) in fence.lines() {
        let Some(header) = line.strip_prefix("header ") else { return Ok((headers, at)) };
        let (name, value) =
            header.split_once(':').ok_or_else(|| Mistake::at(at, "a header is 'header NAME: VALUE'"))?;
        headers.push((name.trim().to_owned(), template(value.trim(), at)?));
    }
    Ok((headers, fence.content.end))
}
