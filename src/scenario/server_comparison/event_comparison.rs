//! Compares the events of two servers.

use super::correspondence::{ABSENT, Correspondence, ServerDifference};
use crate::scenario::recording::kinds::kind_of_collection;
use serde_json::Value;

/// The differences between the events of an account on the two servers.
pub fn compare_events(
    correspondence: &mut Correspondence,
    handle: &str,
    first: &[Value],
    second: &[Value],
) -> Vec<ServerDifference> {
    let mut differences = Vec::new();
    let mut unmatched_positions: Vec<usize> = (0..second.len()).collect();
    let mut matched_positions = Vec::new();
    for event in first {
        let path = format!("event {} of {handle}", event_name(event));
        let parent_kind = kind_of_collection(event["type"].as_str().unwrap_or_default());
        let candidates =
            unmatched_positions.iter().copied().filter(|position| event_name(&second[*position]) == event_name(event));
        let nearest = candidates.min_by_key(|position| {
            (correspondence.clone().compare(&path, &parent_kind, event, &second[*position]).len(), *position)
        });
        match nearest {
            Some(position) => {
                differences.extend(correspondence.compare(&path, &parent_kind, event, &second[position]));
                unmatched_positions.retain(|other_position| *other_position != position);
                matched_positions.push(position);
            }
            None => differences.push(ServerDifference {
                place: path,
                first: correspondence.excerpt(0, "", event),
                second: ABSENT.to_owned(),
            }),
        }
    }
    for position in unmatched_positions {
        let path = format!("event {} of {handle}", event_name(&second[position]));
        let second = correspondence.excerpt(1, "", &second[position]);
        differences.push(ServerDifference { place: path, first: ABSENT.to_owned(), second });
    }
    if !matched_positions.is_sorted() {
        let event_names = |events: &[Value]| events.iter().map(event_name).collect::<Vec<_>>().join(", ");
        differences.push(ServerDifference {
            place: format!("order of events of {handle}"),
            first: event_names(first),
            second: event_names(second),
        });
    }
    differences
}

/// The type and operation of an event, such as `reaction/add`.
fn event_name(event: &Value) -> String {
    let operation = event["op"].as_str().map(|operation| format!("/{operation}")).unwrap_or_default();
    format!("{}{operation}", event["type"].as_str().unwrap_or_default())
}
