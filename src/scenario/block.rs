//! The blocks of a scenario, each with a small language of its own.

use super::founding::Founding;
use super::pattern::Pattern;
use super::template::Template;
use std::ops::Range;

/// A block that is played.
#[derive(Clone, Debug)]
pub struct Block {
    /// Where it is, fences included, in bytes from the file's start.
    pub range: Range<usize>,
    /// What it says.
    pub kind: Kind,
}

/// What a block says.
#[derive(Clone, Debug)]
pub enum Kind {
    /// How the world is made.
    World(Founding),
    /// A request, and what must come back; without a reply it must succeed.
    Request(Box<Request>, Option<Box<Reply>>),
    /// Things done to the world; the reply is that to the last.
    Control(Vec<Command>, Option<Box<Reply>>),
    /// The next event of a queue.
    Event(String, Pattern, bool),
    /// Nothing more in a queue.
    NoEvent(String),
}

/// Who asks.
#[derive(Clone, Debug)]
pub enum Caller {
    /// Nobody in particular.
    Anonymous,
    /// A user, with a key that need not be right.
    User(String, Option<Template>),
}

/// A request of the API.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who asks.
    pub caller: Caller,
    /// GET, POST, …
    pub method: String,
    /// Without `/api/v1`, or a URL that begins with `{{server}}` or `{{origin}}`.
    pub path: Template,
    /// In the order given.
    pub lines: Vec<Line>,
    /// The label of the queue that this registers.
    pub registers: Option<String>,
}

/// A line of a request.
#[derive(Clone, Debug)]
pub enum Line {
    /// A parameter.
    Parameter(String, Template),
    /// A header.
    Header(String, Template),
    /// A file's name and content.
    File(String, Template),
    /// A body that is not a form: its type and content.
    Body(String, Template),
}

/// Something done to the world.
#[derive(Clone, Debug)]
pub struct Command {
    /// GET, POST, …
    pub method: String,
    /// Below `/control/worlds/NAME`.
    pub path: Template,
    /// JSON.
    pub body: Option<Pattern>,
    /// For people.
    pub shown: String,
}

/// What must come back.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The HTTP status; none: the connection ends without a whole reply.
    pub status: Option<u16>,
    /// Where the status is, or would be.
    pub status_range: Range<usize>,
    /// Headers, by name.
    pub headers: Vec<(String, Template)>,
    /// The body.
    pub body: Body,
}

/// What a body must be.
#[derive(Clone, Debug)]
pub enum Body {
    /// Anything.
    Free,
    /// JSON, with further keys unless it is exact.
    Json(Pattern, bool),
    /// Text, but for the whitespace around it.
    Text(Template, Range<usize>),
}

impl Block {
    /// Gives it the reply that must come; not when there is one, or none can come.
    pub fn answer(&mut self, reply: Reply) -> Result<(), ()> {
        let place = match &mut self.kind {
            Kind::Request(_, place) | Kind::Control(_, place) => place,
            Kind::World(_) | Kind::Event(..) | Kind::NoEvent(_) => return Err(()),
        };
        if place.is_some() {
            return Err(());
        }
        *place = Some(Box::new(reply));
        Ok(())
    }

    /// What it says of the world, if it is a `world` block.
    pub fn world(&self) -> Option<&Founding> {
        if let Kind::World(founding) = &self.kind { Some(founding) } else { None }
    }

    /// All texts in it, and whether they are of an expectation.
    pub fn templates(&self) -> Vec<(&Template, bool)> {
        let (mut said, mut reply): (Vec<&Template>, _) = (Vec::new(), None);
        match &self.kind {
            Kind::World(_) | Kind::NoEvent(_) => {}
            Kind::Event(_, pattern, _) => return pattern.templates().into_iter().map(|one| (one, true)).collect(),
            Kind::Request(request, expected) => {
                said = request.templates();
                reply = expected.as_ref();
            }
            Kind::Control(commands, expected) => {
                for command in commands {
                    said.push(&command.path);
                    said.extend(command.body.iter().flat_map(Pattern::templates));
                }
                reply = expected.as_ref();
            }
        }
        let expected = reply.map(|reply| reply.templates()).unwrap_or_default();
        said.into_iter().map(|one| (one, false)).chain(expected.into_iter().map(|one| (one, true))).collect()
    }

    /// The queue whose events it awaits.
    pub fn awaited(&self) -> impl Iterator<Item = &str> {
        match &self.kind {
            Kind::Event(label, ..) | Kind::NoEvent(label) => Some(label.as_str()),
            _ => None,
        }
        .into_iter()
    }

    /// Names that have a value from then on.
    pub fn captures(&self) -> Vec<String> {
        let templates = self.templates();
        let mut names: Vec<String> =
            templates.iter().flat_map(|(template, _)| template.captures()).map(str::to_owned).collect();
        if let Kind::Request(request, _) = &self.kind {
            names.extend(request.registers.iter().map(|label| format!("{label} queue")));
        }
        names
    }
}

impl Request {
    /// All texts in it.
    pub fn templates(&self) -> Vec<&Template> {
        let key = if let Caller::User(_, Some(key)) = &self.caller { Some(key) } else { None };
        let lines = self.lines.iter().map(|line| match line {
            Line::Parameter(_, value) | Line::Header(_, value) | Line::File(_, value) | Line::Body(_, value) => value,
        });
        std::iter::once(&self.path).chain(key).chain(lines).collect()
    }
}

impl Reply {
    fn templates(&self) -> Vec<&Template> {
        let body = match &self.body {
            Body::Free => Vec::new(),
            Body::Json(pattern, _) => pattern.templates(),
            Body::Text(template, _) => vec![template],
        };
        self.headers.iter().map(|(_, value)| value).chain(body).collect()
    }
}
