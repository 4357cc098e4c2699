//! Parses the blocks of a scenario file: the info string of the fence, and the contents of each kind of block.

use super::block::{Block, BlockKind, Caller, ControlCall, ExpectedBody, ExpectedReply, Request, RequestLine};
use super::fenced_block::{FencedBlock, LogicalLine};
use super::mistake::{Mistake, collect_all, combine};
use super::pattern::Pattern;
use super::template::{Template, parse_span};
use super::world_setup::WorldSetup;

/// The info string of a fence.
#[derive(Clone, Debug)]
pub enum FenceInfo {
    /// `world`
    World,
    /// `request`
    Request,
    /// `reply`, with the words after it.
    Reply(Vec<String>),
    /// `queue LABEL`
    Queue(String),
    /// `control`
    Control,
    /// `event LABEL`, or `event LABEL exact`
    Event { label: String, is_exact: bool },
    /// `no event LABEL`
    NoEvent(String),
}

/// The words with which info strings of blocks begin.
const FIRST_WORDS: [&str; 7] = ["world", "request", "reply", "queue", "control", "event", "no"];
/// Words that people may write for the name of a block, with that name. None is likely to be the language of other
/// code.
const SYNONYMS: [(&str, &str); 8] = [
    ("response", "reply"),
    ("answer", "reply"),
    ("expect", "reply"),
    ("expected", "reply"),
    ("register", "queue"),
    ("noevent", "no event"),
    ("no-event", "no event"),
    ("no_event", "no event"),
];

/// Parses the info string of a fence. Returns None for code in other languages, which belongs to the prose, and for a
/// mistake, which is added to `mistakes`.
pub fn parse_fence_info(info: &str, offset: usize, mistakes: &mut Vec<Mistake>) -> Option<FenceInfo> {
    let words: Vec<&str> = info.split_whitespace().collect();
    let (first, arguments) = words.split_first()?;
    let join = |words: &[&str]| words.join(" ");
    let result = match (*first, arguments) {
        ("world", []) => Ok(FenceInfo::World),
        ("request", []) => Ok(FenceInfo::Request),
        ("control", []) => Ok(FenceInfo::Control),
        ("reply", arguments) => Ok(FenceInfo::Reply(arguments.iter().map(|word| (*word).to_owned()).collect())),
        ("queue", [_, ..]) => Ok(FenceInfo::Queue(join(arguments))),
        ("no", ["event", label_words @ ..]) if !label_words.is_empty() => Ok(FenceInfo::NoEvent(join(label_words))),
        ("event", [label_words @ .., "exact"]) if !label_words.is_empty() => {
            Ok(FenceInfo::Event { label: join(label_words), is_exact: true })
        }
        ("event", [_, ..]) => Ok(FenceInfo::Event { label: join(arguments), is_exact: false }),
        ("queue" | "event" | "no", _) => {
            Err(format!("'{info}' does not name a queue, as ```queue mel, ```event mel and ```no event mel do"))
        }
        (kind @ ("world" | "request" | "control"), _) => Err(format!("```{kind} takes nothing after it")),
        (other, _) => {
            // Prose may contain code in any language, but hardly in one whose name is almost that of a block.
            let is_near = |word: &&str| word.len() > 2 && strsim::damerau_levenshtein(word, other) <= 2;
            let synonym = SYNONYMS.iter().find(|(name, _)| *name == other).map(|(_, kind)| *kind);
            let suggestion = synonym.or_else(|| FIRST_WORDS.into_iter().find(is_near))?;
            Err(format!("there are no '{other}' blocks; is '{suggestion}' meant?"))
        }
    };
    result.map_err(|reason| mistakes.push(Mistake::at(offset, reason))).ok()
}

/// Parses a block other than a reply.
///
/// # Errors
///
/// The mistakes, each with its byte offset. Some prevent others from being found. A `reply` block is a mistake here.
pub fn parse_block(fence_info: &FenceInfo, block: &FencedBlock<'_>) -> Result<Block, Vec<Mistake>> {
    let kind = match fence_info {
        FenceInfo::World => BlockKind::World(parse_world(block)?),
        FenceInfo::Request => BlockKind::Request(Box::new(parse_request(block)?), None),
        FenceInfo::Queue(label) => BlockKind::Request(Box::new(parse_queue(label, block)?), None),
        FenceInfo::Control => BlockKind::Control(parse_control_calls(block)?, None),
        FenceInfo::Event { label, is_exact } => {
            let pattern = parse_json(block, block.content.start)?;
            BlockKind::Event { label: label.clone(), pattern, is_exact: *is_exact }
        }
        FenceInfo::NoEvent(label) if block.lines().is_empty() => BlockKind::NoEvent(label.clone()),
        FenceInfo::NoEvent(_) => return Err(Mistake::at(block.content.start, "```no event is empty").into()),
        FenceInfo::Reply(_) => return Err(Mistake::at(block.offset, "a reply follows a request").into()),
    };
    Ok(Block { range: block.offset..block.end(), kind })
}

fn parse_json(block: &FencedBlock<'_>, start: usize) -> Result<Pattern, Vec<Mistake>> {
    Pattern::parse(&block.text[start..block.content.end], start)
}

fn parse_template(text: &str, offset: usize) -> Result<Template, Mistake> {
    Template::parse(text, offset).map_err(|reason| Mistake::at(offset, reason))
}

/// Whether a line of a block continues the one above.
fn is_continuation(line: &str) -> bool {
    line.starts_with([' ', '\t', '}', ']'])
}

fn parse_world(block: &FencedBlock<'_>) -> Result<WorldSetup, Vec<Mistake>> {
    let logical_lines = block.logical_lines(is_continuation)?;
    let mut setup = WorldSetup::default();
    collect_all(logical_lines.iter().map(|logical_line| parse_world_option(logical_line, &mut setup)))?;
    Ok(setup)
}

/// Parses a line of a `world` block.
fn parse_world_option(logical_line: &LogicalLine, setup: &mut WorldSetup) -> Result<(), Mistake> {
    const NAMES: [&str; 6] = ["from_level", "fixture", "feature_level", "dialect", "clock", "seed"];
    let (name, value) = logical_line.text.split_once(':').unwrap_or((&logical_line.text, ""));
    let (name, value) = (name.trim(), value.trim());
    if !NAMES.contains(&name) || value.is_empty() {
        let names = NAMES.join(", ");
        return Err(Mistake::at(logical_line.offset, format!("a world has lines 'NAME: VALUE'; names are {names}")));
    }
    if name == "from_level" {
        let level = value.parse().ok().filter(|level| *level >= 0);
        let level =
            level.ok_or_else(|| Mistake::at(logical_line.offset, "from_level is a feature level: a whole number"))?;
        setup.from_level = Some(level);
    } else {
        setup.options.push((name.to_owned(), value.to_owned()));
    }
    Ok(())
}

fn parse_request(block: &FencedBlock<'_>) -> Result<Request, Vec<Mistake>> {
    let logical_lines = block.logical_lines(is_continuation)?;
    let Some((first, lines)) = logical_lines.split_first() else {
        return Err(Mistake::at(block.offset, "a request begins with 'WHO: METHOD PATH'").into());
    };
    let lines = collect_all(lines.iter().map(parse_line));
    let ((caller, method, path), lines) = combine(parse_first_line(first).map_err(Vec::from), lines)?;
    Ok(Request { caller, method, path, lines, queue_label: None })
}

/// Parses the first line of a request: caller, method and path.
fn parse_first_line(first: &LogicalLine) -> Result<(Caller, String, Template), Mistake> {
    let mistake =
        || Mistake::at(first.offset, format!("a request begins with 'WHO: METHOD PATH', not with '{}'", first.text));
    let (caller_text, call) = first.text.split_once(": ").ok_or_else(mistake)?;
    let (method, path) = call.trim().split_once(' ').ok_or_else(mistake)?;
    let path = path.trim();
    if !is_method(method) || !["/", "{{server}}", "{{origin}}"].iter().any(|start| path.starts_with(start)) {
        return Err(mistake());
    }
    Ok((parse_caller(caller_text.trim(), first.offset)?, method.to_owned(), parse_template(path, first.offset)?))
}

fn parse_queue(label: &str, block: &FencedBlock<'_>) -> Result<Request, Vec<Mistake>> {
    let handle = label.split(' ').next().unwrap_or(label);
    let lines = block.logical_lines(is_continuation)?;
    let (caller, lines) =
        combine(parse_caller(handle, block.offset).map_err(Vec::from), collect_all(lines.iter().map(parse_line)))?;
    Ok(Request {
        caller,
        method: "POST".to_owned(),
        path: parse_template("/register", block.offset)?,
        lines,
        queue_label: Some(label.to_owned()),
    })
}

fn parse_caller(text: &str, offset: usize) -> Result<Caller, Mistake> {
    let (handle, api_key) = match text.split_once(" with key ") {
        Some((name, key)) => (name, Some(parse_template(key.trim(), offset)?)),
        None => (text, None),
    };
    if handle.is_empty() || handle.contains(char::is_whitespace) {
        return Err(Mistake::at(
            offset,
            format!("'{handle}' is no caller: write NAME, NAME with key KEY, or anonymous"),
        ));
    }
    let is_anonymous = handle == "anonymous" && api_key.is_none();
    Ok(if is_anonymous { Caller::Anonymous } else { Caller::User { handle: handle.to_owned(), api_key } })
}

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

fn is_method(word: &str) -> bool {
    METHODS.contains(&word)
}

fn parse_line(logical_line: &LogicalLine) -> Result<RequestLine, Mistake> {
    let mistake = || {
        Mistake::at(
            logical_line.offset,
            format!(
                "'{}' is no line of a request: NAME: VALUE, header NAME: VALUE, file NAME: CONTENT or body TYPE: CONTENT",
                logical_line.text
            ),
        )
    };
    let (name, value) = logical_line.text.split_once(':').ok_or_else(mistake)?;
    // The value may begin on the line after the name.
    let value = value.strip_prefix('\n').unwrap_or_else(|| value.trim_start_matches(' '));
    let value = parse_template(value, logical_line.offset)?;
    Ok(match name.split_once(' ') {
        None if !name.is_empty() => RequestLine::Parameter(name.to_owned(), value),
        Some(("header", name)) => RequestLine::Header(name.trim().to_owned(), value),
        Some(("file", name)) => RequestLine::File(name.trim().to_owned(), value),
        Some(("body", kind)) => RequestLine::Body(kind.trim().to_owned(), value),
        _ => return Err(mistake()),
    })
}

fn parse_control_calls(block: &FencedBlock<'_>) -> Result<Vec<ControlCall>, Vec<Mistake>> {
    // A line with only `true`, `false` or `null` belongs to the JSON of the call above.
    let is_literal = |line: &str| ["true", "false", "null"].contains(&line.trim_end().trim_end_matches(','));
    let is_first_line = |line: &str| line.starts_with(char::is_alphabetic) && !is_literal(line);
    let logical_lines = block.logical_lines(|line| !is_first_line(line))?;
    if logical_lines.is_empty() {
        let reason = "a control block has a line 'clock +1d', 'fault {…}' or 'METHOD PATH'";
        return Err(Mistake::at(block.offset, reason).into());
    }
    let (mut calls, mut mistakes) = (Vec::new(), Vec::new());
    for logical_line in &logical_lines {
        match parse_control_call(logical_line, block) {
            Ok(call) => calls.push(call),
            Err(call_mistakes) => mistakes.extend(call_mistakes),
        }
    }
    if mistakes.is_empty() { Ok(calls) } else { Err(mistakes) }
}

fn parse_control_call(logical_line: &LogicalLine, block: &FencedBlock<'_>) -> Result<ControlCall, Vec<Mistake>> {
    let (word, arguments) = logical_line.text.split_once(' ').unwrap_or((&logical_line.text, ""));
    let first_line = logical_line.text.lines().next().unwrap_or_default();
    // JSON is parsed from the file itself, so that the byte offsets are right.
    let parse_body_from = |start: usize| {
        Pattern::parse(&block.text[logical_line.offset + start..logical_line.end], logical_line.offset + start)
    };
    let (method, path, body) = match word {
        "clock" => ("POST", "/clock", Some(parse_clock(arguments.trim(), logical_line.offset)?)),
        "fault" => ("POST", "/faults", Some(parse_body_from(word.len())?)),
        other if !is_method(other) => {
            let distance =
                |candidate: &&str| strsim::damerau_levenshtein(&candidate.to_lowercase(), &other.to_lowercase());
            let suggestion = ["clock", "fault"].into_iter().chain(METHODS).min_by_key(distance);
            let suggestion = suggestion.filter(|candidate| distance(candidate) <= 2);
            let suggestion = suggestion.map(|candidate| format!("; is '{candidate}' meant?")).unwrap_or_default();
            return Err(Mistake::at(
                logical_line.offset,
                format!(
                    "'{first_line}' is no line of a control block: clock, fault or METHOD PATH begins one{suggestion}"
                ),
            )
            .into());
        }
        _ => {
            let path = first_line[word.len()..].split_whitespace().next().unwrap_or_default();
            if !path.starts_with('/') {
                return Err(Mistake::at(
                    logical_line.offset,
                    "a call of control is 'METHOD PATH', the path being below that of the world, such as /queues",
                )
                .into());
            }
            let start = logical_line.text.find(path).unwrap_or_default() + path.len();
            let has_body = !logical_line.text[start..].trim().is_empty();
            (word, path, if has_body { Some(parse_body_from(start)?) } else { None })
        }
    };
    let path = parse_template(path, logical_line.offset)?;
    Ok(ControlCall { method: method.to_owned(), path, body, text: first_line.to_owned() })
}

/// Parses what follows `clock` into the body of the call that moves it: a span, an instant, a date, or `next`.
fn parse_clock(target: &str, offset: usize) -> Result<Pattern, Vec<Mistake>> {
    let body = if target == "next" {
        r#"{"to_next": true}"#.to_owned()
    } else if let Ok(seconds) = parse_span(target) {
        format!(r#"{{"advance_seconds": {seconds}}}"#)
    } else if let Ok(instant) = target.parse::<jiff::Timestamp>().or_else(|_| format!("{target}T00:00:00Z").parse()) {
        format!(r#"{{"set": "{instant}"}}"#)
    } else {
        return Err(Mistake::at(
            offset,
            format!("'{target}' is no time: a span such as +1d, an instant such as 2026-02-01T00:00:00Z, a date such as 2026-02-01, or next"),
        )
        .into());
    };
    // The body is not in the file, and has no mistakes that would need a byte offset.
    Pattern::parse(&body, 0)
}

/// Parses a `reply` block, of which `arguments` are the words after `reply`.
///
/// # Errors
///
/// The mistakes in its JSON, or else the first mistake, with byte offsets.
pub fn parse_reply(arguments: &[String], block: &FencedBlock<'_>) -> Result<ExpectedReply, Vec<Mistake>> {
    let (mut status, mut is_exact, mut is_text, mut expects_no_reply) = (None, false, false, false);
    let mut status_range = None;
    for word in arguments {
        match word.as_str() {
            "exact" => is_exact = true,
            "text" => is_text = true,
            "none" => expects_no_reply = true,
            number => {
                let status_code =
                    number.parse::<u16>().ok().filter(|number| (100..600).contains(number) && status.is_none());
                let reason = || format!("'{number}' says nothing of a reply: an HTTP status, exact, text and none do");
                status = Some(status_code.ok_or_else(|| Mistake::at(block.offset, reason()))?);
                let start = block.offset + block.text[block.offset..].find(number).unwrap_or_default();
                status_range = Some(start..start + number.len());
            }
        }
    }
    let after_keyword = block.offset + block.text[block.offset..].find("reply").unwrap_or_default() + "reply".len();
    let (headers, start) = parse_reply_headers(block)?;
    let content = &block.text[start..block.content.end];
    let content_length = content.trim_end().len();
    let body = match (content_length == 0, is_text) {
        (true, _) => ExpectedBody::Any,
        (false, true) => ExpectedBody::Text(parse_template(content.trim(), start)?, start..start + content_length),
        (false, false) => ExpectedBody::Json { pattern: parse_json(block, start)?, is_exact },
    };
    let is_contradictory = expects_no_reply && (arguments.len() > 1 || content_length > 0 || !headers.is_empty());
    if is_contradictory || (is_exact && !matches!(body, ExpectedBody::Json { .. })) {
        return Err(
            Mistake::at(block.offset, "'none' must be alone, with an empty block, and 'exact' needs JSON").into()
        );
    }
    Ok(ExpectedReply {
        status: if expects_no_reply { None } else { Some(status.unwrap_or(200)) },
        status_range: status_range.unwrap_or(after_keyword..after_keyword),
        headers,
        body,
    })
}

/// Parses the headers at the start of a reply. Also returns the byte offset after them.
fn parse_reply_headers(block: &FencedBlock<'_>) -> Result<(Vec<(String, Template)>, usize), Mistake> {
    let mut headers = Vec::new();
    for (line, offset) in block.lines() {
        let Some(header) = line.strip_prefix("header ") else { return Ok((headers, offset)) };
        let (name, value) =
            header.split_once(':').ok_or_else(|| Mistake::at(offset, "a header is 'header NAME: VALUE'"))?;
        headers.push((name.trim().to_owned(), parse_template(value.trim(), offset)?));
    }
    Ok((headers, block.content.end))
}
