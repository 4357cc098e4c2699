//! The places of objects in replies and events, in a notation such as `GET /users: members[]`.
//!
//! Before the colon is an operation, `event TYPE OP` (or `event TYPE` for all ops), or `every reply`. After it are
//! keys, separated by dots; `[]` after a key means every item of a list or value of a map. Nothing after the colon
//! means the whole reply or event.

use serde_json::{Map, Value};

/// Where objects are: in which replies or events, and there at which path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub source: Source,
    /// The path from the reply or event to the object.
    pub path: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The reply of an operation, by method and path.
    Reply(&'static str, &'static str),
    /// Events of a type, and of an op or of all.
    Event(&'static str, Option<&'static str>),
    /// All successful replies.
    EveryReply,
}

/// A step of a path, from a value to values in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Key(&'static str),
    /// All items of a list or values of a map.
    Each,
}

impl Place {
    /// Parses a place, which is a constant of a table.
    ///
    /// # Panics
    ///
    /// If the place is malformed.
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

/// Calls a function for every object at the end of a path. Values that are not objects are left out.
pub fn visit_objects(value: &mut Value, path: &[Step], visitor: &mut dyn FnMut(&mut Map<String, Value>)) {
    match (path.split_first(), value) {
        (None, Value::Object(object)) => visitor(object),
        (Some((Step::Key(key), remaining)), Value::Object(object)) => {
            if let Some(child) = object.get_mut(*key) {
                visit_objects(child, remaining, visitor);
            }
        }
        (Some((Step::Each, remaining)), Value::Array(items)) => {
            items.iter_mut().for_each(|item| visit_objects(item, remaining, visitor));
        }
        (Some((Step::Each, remaining)), Value::Object(object)) => {
            object.values_mut().for_each(|item| visit_objects(item, remaining, visitor));
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
        let mut visit_count = 0;

        visit_objects(&mut reply, &place.path, &mut |object| {
            visit_count += 1;
            object.remove("n");
        });

        assert_eq!(place.source, Source::Reply("GET", "/messages"));
        assert_eq!((visit_count, &reply["n"], &reply["messages"][0]["marks"]["a"]["by"]), (1, &json!(1), &json!({})));
    }
}
