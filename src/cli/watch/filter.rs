//! Which frames are shown.

use clap::{Args, ValueEnum};
use serde_json::Value;
use std::collections::VecDeque;

/// So many requests that were shown are remembered, for what they caused.
const REMEMBERED: usize = 1_000;

/// What is shown; everything where nothing is said.
#[derive(Args, Clone, Debug, Default)]
pub struct Filter {
    /// Show only what this user does or gets: an address or the part before the @
    #[arg(long, value_name = "USER")]
    user: Option<String>,

    /// Show only requests whose path starts with this, and what they cause
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// Show only these kinds; may be repeated
    #[arg(long, value_name = "KIND")]
    kind: Vec<Kind>,
}

/// A kind of frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Request,
    Event,
    Clock,
    Push,
    Queue,
    Fault,
    Network,
    #[value(name = "rate_limit", alias = "rate-limit")]
    RateLimit,
    Lost,
}

impl Filter {
    /// The user and the path, without what clients have in front of it.
    pub fn names(&self) -> (Option<&str>, Option<&str>) {
        (self.user.as_deref(), self.path.as_deref().map(inner))
    }
}

/// A path without what clients have in front of it.
fn inner(path: &str) -> &str {
    path.strip_prefix("/api/v1").filter(|rest| rest.starts_with('/')).unwrap_or(path)
}

/// A filter, and what it has shown.
#[derive(Debug, Default)]
pub struct Filtering {
    filter: Filter,
    /// The ids of the requests that were shown, and the events that they caused.
    shown: VecDeque<(Value, Vec<Value>)>,
}

impl Filtering {
    /// Shows what the filter admits.
    pub fn new(filter: &Filter) -> Self {
        Self { filter: filter.clone(), shown: VecDeque::new() }
    }

    /// Whether a frame is shown. What was missed always is.
    pub fn admits(&mut self, frame: &Value) -> bool {
        let kind = frame["type"].as_str().unwrap_or_default();
        if kind == "lost" {
            return true;
        }
        let is_of_path = self.is_of_path(kind, frame);
        if is_of_path && kind == "request" && self.filter.path.is_some() {
            let events = frame["events"].as_array().cloned().unwrap_or_default();
            self.shown.push_back((frame["id"].clone(), events));
            if self.shown.len() > REMEMBERED {
                self.shown.pop_front();
            }
        }
        is_of_path && self.is_of_kind(kind) && self.is_of_user(kind, frame)
    }

    fn is_of_kind(&self, kind: &str) -> bool {
        let is = |wanted: &Kind| wanted.to_possible_value().is_some_and(|value| value.get_name() == kind);
        self.filter.kind.is_empty() || self.filter.kind.iter().any(is)
    }

    fn is_of_path(&self, kind: &str, frame: &Value) -> bool {
        let Some(path) = &self.filter.path else { return true };
        let path = inner(path);
        match kind {
            "request" => frame["path"].as_str().is_some_and(|asked| asked.starts_with(path)),
            "event" => self.shown.iter().any(|(_, events)| events.contains(&frame["id"])),
            "fault" => self.shown.iter().any(|(id, _)| *id == frame["journal_id"]),
            _ => false,
        }
    }

    fn is_of_user(&self, kind: &str, frame: &Value) -> bool {
        let Some(wanted) = &self.filter.user else { return true };
        let handle = |text: &str| text.split('@').next().unwrap_or_default().to_lowercase();
        let is_wanted = |text: &Value| text.as_str().is_some_and(|text| handle(text) == handle(wanted));
        match kind {
            "request" | "queue" => is_wanted(&frame["user"]),
            "push" => is_wanted(&frame["push"]["user"]),
            "event" => frame["names"]["users"].as_object().into_iter().flatten().any(|(_, name)| is_wanted(name)),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn frames_are_shown_by_user_path_and_kind() {
        let request = json!({"type": "request", "id": 7, "path": "/messages", "user": "mel@chat.test", "events": [3]});
        let event = json!({"type": "event", "id": 3, "names": {"users": {"5": "max"}}});
        let other = json!({"type": "event", "id": 4, "names": {"users": {"5": "max"}}});
        let clock = json!({"type": "clock"});
        let all = [&request, &event, &other, &clock];
        let shown = |filter: Filter| {
            let mut filtering = Filtering::new(&filter);
            all.map(|frame| filtering.admits(frame))
        };

        assert_eq!(shown(Filter::default()), [true; 4]);
        let of_user = |user: &str| Filter { user: Some(user.into()), ..Filter::default() };
        assert_eq!(shown(of_user("mel")), [true, false, false, true]);
        assert_eq!(shown(of_user("Max@chat.test")), [false, true, true, true]);
        let of_path = |path: &str| Filter { path: Some(path.into()), ..Filter::default() };
        assert_eq!(shown(of_path("/api/v1/messages")), [true, true, false, false]);
        assert_eq!(shown(of_path("/users")), [false; 4]);
        let of_kind = Filter { kind: vec![Kind::Clock, Kind::Event], ..Filter::default() };
        assert_eq!(shown(of_kind), [false, true, true, true]);
        for kind in Kind::value_variants().iter().filter(|kind| **kind != Kind::Lost) {
            let name = kind.to_possible_value().expect("it is shown").get_name().to_owned();
            let frame = json!({"type": name});
            assert!(
                ["request", "event", "clock", "push", "queue", "fault", "network", "rate_limit"]
                    .contains(&name.as_str()),
                "{name}"
            );
            assert!(Filtering::new(&Filter { kind: vec![*kind], ..Filter::default() }).admits(&frame), "{name}");
        }
    }
}
