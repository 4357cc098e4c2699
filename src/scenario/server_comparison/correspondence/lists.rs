//! Compares lists of two servers: finds out which of their items are the same objects.

use super::{ABSENT, Correspondence, ServerDifference};
use crate::scenario::recording::kinds::kind_of_collection;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The maximum number of items of the first list that are matched with items at other positions. If the first list is
/// longer, and the second has the same length, items are only compared with those at the same position. If the lengths
/// differ, only this many items of the first list are compared.
const MAX_MATCHED_ITEMS: usize = 80;

/// Keys whose texts people choose. Objects all of whose chosen texts differ are not the same object.
const CHOSEN_TEXT_KEYS: [&str; 5] = ["name", "full_name", "content", "subject", "description"];

/// What is known of two items before they are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Identity {
    Same,
    Different,
    Unknown,
}

/// Positions in the first list, each with the position of the same object in the second.
type MatchedPositions = BTreeMap<usize, usize>;

impl Correspondence {
    /// Compares two lists. Lists of the same length are compared item by item if that shows no difference, or if they
    /// have one item or more than [`MAX_MATCHED_ITEMS`]. In other lists, [`Self::match_items`] finds the items to compare.
    pub(super) fn compare_arrays(
        &mut self,
        key: &str,
        parent_kind: &str,
        first: &[Value],
        second: &[Value],
        path: &str,
        differences: &mut Vec<ServerDifference>,
    ) {
        let item_path = format!("{path}[]");
        if first.len() == second.len() {
            let mut updated = self.clone();
            let mut item_differences = Vec::new();
            for (first_item, second_item) in first.iter().zip(second) {
                updated.compare_values(key, parent_kind, first_item, second_item, &item_path, &mut item_differences);
            }
            if item_differences.is_empty() || first.len() > MAX_MATCHED_ITEMS || first.len() == 1 {
                *self = updated;
                differences.extend(item_differences);
                return;
            }
        }
        let matched = self.match_items(key, parent_kind, first, second);
        for (position, item) in first.iter().enumerate().take(MAX_MATCHED_ITEMS) {
            match matched.get(&position) {
                Some(second_position) => {
                    self.compare_values(key, parent_kind, item, &second[*second_position], &item_path, differences);
                }
                None => differences.push(ServerDifference {
                    place: item_path.clone(),
                    first: self.excerpt(0, key, item),
                    second: ABSENT.to_owned(),
                }),
            }
        }
        let is_unmatched = |position: &usize| !matched.values().any(|matched_position| matched_position == position);
        for position in (0..second.len()).filter(|_| first.len() <= MAX_MATCHED_ITEMS).filter(is_unmatched) {
            differences.push(ServerDifference {
                place: item_path.clone(),
                first: ABSENT.to_owned(),
                second: self.excerpt(1, key, &second[position]),
            });
        }
        let positions: Vec<usize> = matched.into_values().collect();
        if is_ordered(key, first) && !positions.is_sorted() {
            differences.push(ServerDifference {
                place: item_path,
                first: "in order".to_owned(),
                second: format!("in the order {positions:?}"),
            });
        }
    }

    /// Matches the items of two lists: those with the fewest differences first.
    fn match_items(&self, key: &str, parent_kind: &str, first: &[Value], second: &[Value]) -> MatchedPositions {
        let kind = if key.is_empty() { parent_kind.to_owned() } else { kind_of_collection(key) };
        let mut candidates = Vec::new();
        for (position, item) in first.iter().enumerate().take(MAX_MATCHED_ITEMS) {
            for (second_position, second_item) in second.iter().enumerate() {
                let distance = match self.identity(&kind, item, second_item) {
                    Identity::Same => 0,
                    Identity::Different => continue,
                    Identity::Unknown => self.distance(key, parent_kind, item, second_item),
                };
                if distance <= max_distance(item) {
                    candidates.push((distance, position, second_position));
                }
            }
        }
        candidates.sort_unstable();
        let mut matched = MatchedPositions::new();
        let mut is_matched = vec![false; second.len()];
        for (_, position, second_position) in candidates {
            if !is_matched[second_position] && !matched.contains_key(&position) {
                matched.insert(position, second_position);
                is_matched[second_position] = true;
            }
        }
        matched
    }

    /// Whether two items are the same object, by their IDs and by the texts that people chose.
    fn identity(&self, kind: &str, first: &Value, second: &Value) -> Identity {
        let (Value::Object(first), Value::Object(second)) = (first, second) else { return Identity::Unknown };
        let (first_id, second_id) = (own_id(kind, first), own_id(kind, second));
        let known_second = first_id.and_then(|id| self.second_ids.get(&(kind.to_owned(), id)).copied());
        let known_first = second_id.and_then(|id| self.first_ids.get(&(kind.to_owned(), id)).copied());
        match (known_second, known_first) {
            (Some(id), _) if Some(id) == second_id => return Identity::Same,
            (None, None) => {}
            _ => return Identity::Different,
        }
        let texts = CHOSEN_TEXT_KEYS
            .iter()
            .filter_map(|name| Some((first.get(*name)?.as_str()?, second.get(*name)?.as_str()?)));
        let are_equal: Vec<bool> =
            texts.map(|(first, second)| self.normalize(0, first) == self.normalize(1, second)).collect();
        if are_equal.is_empty() || are_equal.contains(&true) { Identity::Unknown } else { Identity::Different }
    }

    /// The number of differences between two values.
    fn distance(&self, key: &str, parent_kind: &str, first: &Value, second: &Value) -> usize {
        let mut differences = Vec::new();
        self.clone().compare_values(key, parent_kind, first, second, "", &mut differences);
        differences.len()
    }
}

/// The ID of an object in a list of objects of a kind. None if it has none.
fn own_id(kind: &str, object: &Map<String, Value>) -> Option<i64> {
    let key = match kind {
        "channel" => "stream_id",
        "user" => "user_id",
        _ => "id",
    };
    let id = |key: &str| object.get(key).and_then(Value::as_i64);
    id(key).or_else(|| id("id"))
}

/// The maximum number of differences at which two items of lists count as the same object.
fn max_distance(item: &Value) -> usize {
    item.as_object().map_or(0, |object| object.len() / 3)
}

/// Whether the API specifies the order of a list. Lists of IDs have no order, such as `messages` in
/// `update_message_flags`.
fn is_ordered(key: &str, items: &[Value]) -> bool {
    matches!(key, "messages" | "message_history" | "edit_history" | "topics" | "events")
        && items.iter().all(Value::is_object)
}
