//! Where an object is in replies and events, written as `GET /users: members[]`.
//!
//! Before the colon is an operation, `event TYPE OP` (or `event TYPE`, whatever the op), or `every reply`; after it
//! keys with dots between them, each perhaps with `[]`, which means every item of a list or value of a map.
//! Nothing after the colon is the reply or event itself.

use serde_json::{Map, Value};

/// Where an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// In which replies or events.
    pub source: Source,
    /// And where in them.
    pub path: Vec<Step>,
}

/// Replies or events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Of an operation: method and path.
    Reply(&'static str, &'static str),
    /// Of a type, and an op.
    Event(&'static str, Option<&'static str>),
    /// Every successful reply.
    EveryReply,
}

/// A step into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To what is under a key.
    Key(&'static str),
    /// To every item of a list or value of a map.
    Each,
}

impl Place {
    /// Reads a place.
    ///
    /// # Panics
    ///
    /// When it is not written as said above: places are written in tables.
    pub fn parse(text: &'static str) -> Self {
        let (source, path) = text.split_once(':').unwrap_or_else(|| panic!("{text:?} has no colon"));
        let words: Vec<&'static str> = source.split(' ').collect();
        let source = match words.as_slice() {
            ["every", "reply"] => Source::EveryReply,
            ["event", kind] => Source::Event(kind, None),
            ["event", kind, op] => Source::Event(kind, Some(op)),
            [method, path] => Source::Reply(method, path),
            _ => panic!("{text:?} names neither an operation nor an event"),
        };
        let mut steps = Vec::new();
        for part in path.trim().split('.').filter(|part| !part.is_empty()) {
            let key = part.trim_end_matches("[]");
            if !key.is_empty() {
                steps.push(Step::Key(key));
            }
            steps.extend(part.matches("[]").map(|_| Step::Each));
        }
        Self { source, path: steps }
    }
}

/// Does something to every object at the end of a path.
pub fn visit(value: &mut Value, path: &[Step], act: &mut dyn FnMut(&mut Map<String, Value>)) {
    match (path.split_first(), value) {
        (None, Value::Object(object)) => act(object),
        (Some((Step::Key(key), rest)), Value::Object(object)) => {
            if let Some(inner) = object.get_mut(*key) {
                visit(inner, rest, act);
            }
        }
        (Some((Step::Each, rest)), Value::Array(items)) => items.iter_mut().for_each(|item| visit(item, rest, act)),
        (Some((Step::Each, rest)), Value::Object(object)) => {
            object.values_mut().for_each(|item| visit(item, rest, act));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_leads_through_lists_and_maps() {
        let place = Place::parse("GET /messages: messages[].marks[].by");
        let mut reply = json!({"messages": [{"marks": {"a": {"by": {"n": 1}}, "b": {}}}, {"marks": []}], "n": 1});
        let mut seen = 0;

        visit(&mut reply, &place.path, &mut |object| {
            seen += 1;
            object.remove("n");
        });

        assert_eq!(place.source, Source::Reply("GET", "/messages"));
        assert_eq!((seen, &reply["n"], &reply["messages"][0]["marks"]["a"]["by"]), (1, &json!(1), &json!({})));
    }
}
