//! The filter of `watch`: which frames are printed.

use clap::{Args, ValueEnum};
use serde_json::Value;
use std::collections::VecDeque;

/// The maximum number of matching requests that are remembered, to find the frames that they caused.
const MAX_REMEMBERED_REQUESTS: usize = 1_000;

#[derive(Args, Clone, Debug, Default)]
pub struct Filter {
    /// Show only what this user does or gets: an address or the part before the @
    #[arg(long, value_name = "USER")]
    user: Option<String>,

    /// Show only requests whose path starts with this, and what they cause
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// Show only frames of this kind; may be repeated
    #[arg(long, value_name = "KIND")]
    kind: Vec<Kind>,
}

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
    /// The user and the path of the filter, the path without `/api/v1`.
    pub fn user_and_path(&self) -> (Option<&str>, Option<&str>) {
        (self.user.as_deref(), self.path.as_deref().map(strip_api_prefix))
    }
}

fn strip_api_prefix(path: &str) -> &str {
    path.strip_prefix("/api/v1").filter(|path| path.starts_with('/')).unwrap_or(path)
}

/// A filter with the requests whose paths it has matched.
#[derive(Debug, Default)]
pub struct FilterState {
    filter: Filter,
    /// The journal IDs of requests with a matching path, with the IDs of their events. Empty without a path to match.
    matching_requests: VecDeque<(Value, Vec<Value>)>,
}

impl FilterState {
    pub fn new(filter: &Filter) -> Self {
        Self { filter: filter.clone(), matching_requests: VecDeque::new() }
    }

    /// Whether a frame is printed. Remembers requests with a matching path. Frames about missed frames are always
    /// printed.
    pub fn admits(&mut self, frame: &Value) -> bool {
        let kind = frame["type"].as_str().unwrap_or_default();
        if kind == "lost" {
            return true;
        }
        let matches_path = self.matches_path(kind, frame);
        if matches_path && kind == "request" && self.filter.path.is_some() {
            let events = frame["events"].as_array().cloned().unwrap_or_default();
            self.matching_requests.push_back((frame["id"].clone(), events));
            if self.matching_requests.len() > MAX_REMEMBERED_REQUESTS {
                self.matching_requests.pop_front();
            }
        }
        matches_path && self.matches_kind(kind) && self.matches_user(kind, frame)
    }

    fn matches_kind(&self, kind: &str) -> bool {
        let has_name =
            |kind_option: &Kind| kind_option.to_possible_value().is_some_and(|value| value.get_name() == kind);
        self.filter.kind.is_empty() || self.filter.kind.iter().any(has_name)
    }

    fn matches_path(&self, kind: &str, frame: &Value) -> bool {
        let Some(path) = &self.filter.path else { return true };
        let path = strip_api_prefix(path);
        match kind {
            "request" => frame["path"].as_str().is_some_and(|request_path| request_path.starts_with(path)),
            "event" => self.matching_requests.iter().any(|(_, events)| events.contains(&frame["id"])),
            "fault" => self.matching_requests.iter().any(|(id, _)| *id == frame["journal_id"]),
            _ => false,
        }
    }

    fn matches_user(&self, kind: &str, frame: &Value) -> bool {
        let Some(user) = &self.filter.user else { return true };
        let handle = |text: &str| text.split('@').next().unwrap_or_default().to_lowercase();
        let is_user = |text: &Value| text.as_str().is_some_and(|text| handle(text) == handle(user));
        match kind {
            "request" | "queue" => is_user(&frame["user"]),
            "push" => is_user(&frame["push"]["user"]),
            "event" => frame["names"]["users"].as_object().into_iter().flatten().any(|(_, name)| is_user(name)),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn frames_are_filtered_by_user_path_and_kind() {
        let request = json!({"type": "request", "id": 7, "path": "/messages", "user": "mel@chat.test", "events": [3]});
        let event = json!({"type": "event", "id": 3, "names": {"users": {"5": "max"}}});
        let other = json!({"type": "event", "id": 4, "names": {"users": {"5": "max"}}});
        let clock = json!({"type": "clock"});
        let all = [&request, &event, &other, &clock];
        let admitted_frames = |filter: Filter| {
            let mut filter_state = FilterState::new(&filter);
            all.map(|frame| filter_state.admits(frame))
        };

        assert_eq!(admitted_frames(Filter::default()), [true; 4]);
        let by_user = |user: &str| Filter { user: Some(user.into()), ..Filter::default() };
        assert_eq!(admitted_frames(by_user("mel")), [true, false, false, true]);
        assert_eq!(admitted_frames(by_user("Max@chat.test")), [false, true, true, true]);
        let by_path = |path: &str| Filter { path: Some(path.into()), ..Filter::default() };
        assert_eq!(admitted_frames(by_path("/api/v1/messages")), [true, true, false, false]);
        assert_eq!(admitted_frames(by_path("/users")), [false; 4]);
        let by_kind = Filter { kind: vec![Kind::Clock, Kind::Event], ..Filter::default() };
        assert_eq!(admitted_frames(by_kind), [false, true, true, true]);
        for kind in Kind::value_variants().iter().filter(|kind| **kind != Kind::Lost) {
            let name = kind.to_possible_value().expect("it is shown").get_name().to_owned();
            let frame = json!({"type": name});
            assert!(
                ["request", "event", "clock", "push", "queue", "fault", "network", "rate_limit"]
                    .contains(&name.as_str()),
                "{name}"
            );
            assert!(FilterState::new(&Filter { kind: vec![*kind], ..Filter::default() }).admits(&frame), "{name}");
        }
    }
}
