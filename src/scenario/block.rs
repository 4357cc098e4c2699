//! The blocks of a scenario: worlds, requests, control calls and events, with what they expect.

use super::pattern::Pattern;
use super::template::Template;
use super::world_setup::WorldSetup;
use std::ops::Range;

/// Appended to a queue's label to make the name under which its ID is captured. Other captured names have no spaces, so
/// that none is the name of a queue.
pub const QUEUE_NAME_SUFFIX: &str = " queue";

/// The name under which the ID of the queue with this label is captured.
pub fn queue_name(label: &str) -> String {
    format!("{label}{QUEUE_NAME_SUFFIX}")
}

/// A block that is played: what happens, and what is expected.
#[derive(Clone, Debug)]
pub struct Block {
    /// Byte range in the file, including the fences.
    pub range: Range<usize>,
    pub kind: BlockKind,
}

#[derive(Clone, Debug)]
pub enum BlockKind {
    /// Options of the world in which the scenario is played.
    World(WorldSetup),
    /// A request with the expected reply; without one, the request must succeed.
    Request(Box<Request>, Option<Box<ExpectedReply>>),
    /// Calls of control with the expected reply of the last one. Calls without an expected reply must succeed.
    Control(Vec<ControlCall>, Option<Box<ExpectedReply>>),
    /// The next event of the queue with this label. If it is exact, objects have no keys that the pattern lacks.
    Event { label: String, pattern: Pattern, is_exact: bool },
    /// No further event in the queue with this label.
    NoEvent(String),
}

/// Who sends a request.
#[derive(Clone, Debug)]
pub enum Caller {
    /// A request without credentials.
    Anonymous,
    /// A user, with the API key if it is not the user's own.
    User { handle: String, api_key: Option<Template> },
}

/// A request to the API, which a `request` or a `queue` block describes.
#[derive(Clone, Debug)]
pub struct Request {
    pub caller: Caller,
    pub method: String,
    /// Path without `/api/v1`, or a URL that begins with `{{server}}` or `{{origin}}`.
    pub path: Template,
    pub lines: Vec<RequestLine>,
    /// The label of the queue that the request registers, if any.
    pub queue_label: Option<String>,
}

/// A line of a request after the first, with its continuation lines.
#[derive(Clone, Debug)]
pub enum RequestLine {
    Parameter(String, Template),
    Header(String, Template),
    /// A file: its name and content. If the name ends with ` base64`, the content is in Base64.
    File(String, Template),
    /// A body that is not a form: its content type and content.
    Body(String, Template),
}

/// A call of control for the scenario's world.
#[derive(Clone, Debug)]
pub struct ControlCall {
    pub method: String,
    /// Path below `/control/worlds/NAME`.
    pub path: Template,
    pub body: Option<Pattern>,
    /// The first line of the call in the file, for messages, and to recognize `clock` and `fault` by their words.
    pub text: String,
}

/// What a `reply` block says about a reply.
#[derive(Clone, Debug)]
pub struct ExpectedReply {
    /// HTTP status. None if the connection must end without a complete reply.
    pub status: Option<u16>,
    /// Byte range of the status in the file; empty where it would be inserted.
    pub status_range: Range<usize>,
    pub headers: Vec<(String, Template)>,
    pub body: ExpectedBody,
}

/// What a `reply` block says about the body.
#[derive(Clone, Debug)]
pub enum ExpectedBody {
    /// Any body, because the block has none.
    Any,
    /// JSON. If it is exact, objects have no keys that the pattern lacks.
    Json { pattern: Pattern, is_exact: bool },
    /// Text, ignoring whitespace around it, with its byte range in the file.
    Text(Template, Range<usize>),
}

impl Block {
    /// Sets the expected reply, from the `reply` block that follows this block. Returns false if there already is one,
    /// or the block can't have one.
    pub fn set_reply(&mut self, reply: ExpectedReply) -> bool {
        let reply_slot = match &mut self.kind {
            BlockKind::Request(_, reply_slot) | BlockKind::Control(_, reply_slot) => reply_slot,
            BlockKind::World(_) | BlockKind::Event { .. } | BlockKind::NoEvent(_) => return false,
        };
        if reply_slot.is_some() {
            return false;
        }
        *reply_slot = Some(Box::new(reply));
        true
    }

    /// The world setup, if this is a `world` block.
    pub fn world_setup(&self) -> Option<&WorldSetup> {
        if let BlockKind::World(setup) = &self.kind { Some(setup) } else { None }
    }

    /// The templates of what the block sends.
    pub fn sent_templates(&self) -> Vec<&Template> {
        match &self.kind {
            BlockKind::World(_) | BlockKind::Event { .. } | BlockKind::NoEvent(_) => Vec::new(),
            BlockKind::Request(request, _) => request.templates(),
            BlockKind::Control(calls, _) => calls.iter().flat_map(ControlCall::templates).collect(),
        }
    }

    /// The templates of what the block expects.
    pub fn expected_templates(&self) -> Vec<&Template> {
        match &self.kind {
            BlockKind::World(_) | BlockKind::NoEvent(_) => Vec::new(),
            BlockKind::Event { pattern, .. } => pattern.templates(),
            BlockKind::Request(_, reply) | BlockKind::Control(_, reply) => {
                reply.as_ref().map_or_else(Vec::new, |reply| reply.templates())
            }
        }
    }

    pub fn templates(&self) -> Vec<&Template> {
        let mut templates = self.sent_templates();
        templates.extend(self.expected_templates());
        templates
    }

    /// The label of the queue whose events the block reads, if it reads any.
    pub fn awaited_queue_label(&self) -> Option<&str> {
        match &self.kind {
            BlockKind::Event { label, .. } | BlockKind::NoEvent(label) => Some(label.as_str()),
            _ => None,
        }
    }

    /// The names to which this block gives a value, with the [`queue_name`] of a queue that it registers.
    pub fn captured_names(&self) -> Vec<String> {
        let templates = self.templates();
        let mut names: Vec<String> =
            templates.iter().flat_map(|template| template.captured_names()).map(str::to_owned).collect();
        if let BlockKind::Request(request, _) = &self.kind {
            names.extend(request.queue_label.iter().map(|label| queue_name(label)));
        }
        names
    }
}

impl Request {
    pub fn templates(&self) -> Vec<&Template> {
        let api_key = if let Caller::User { api_key, .. } = &self.caller { api_key.as_ref() } else { None };
        let lines = self.lines.iter().map(|line| match line {
            RequestLine::Parameter(_, value)
            | RequestLine::Header(_, value)
            | RequestLine::File(_, value)
            | RequestLine::Body(_, value) => value,
        });
        std::iter::once(&self.path).chain(api_key).chain(lines).collect()
    }
}

impl ControlCall {
    fn templates(&self) -> impl Iterator<Item = &Template> {
        std::iter::once(&self.path).chain(self.body.iter().flat_map(Pattern::templates))
    }
}

impl ExpectedReply {
    fn templates(&self) -> Vec<&Template> {
        let body = match &self.body {
            ExpectedBody::Any => Vec::new(),
            ExpectedBody::Json { pattern, .. } => pattern.templates(),
            ExpectedBody::Text(template, _) => vec![template],
        };
        self.headers.iter().map(|(_, value)| value).chain(body).collect()
    }
}
