//! Compares the events that came to a queue with the recorded ones, in order.

use crate::compare::{ABSENT, Comparison, Difference};
use crate::numbers::Numbers;
use serde_json::Value;

/// What differs in the events of one reader. New numbers that both gave to the same thing are noted.
pub fn compare(
    reader: &str,
    real: &[Value],
    double: &[Value],
    numbers: &mut Numbers,
    base_url: &str,
) -> Vec<Difference> {
    let mut left: Vec<usize> = (0..double.len()).collect();
    let mut order = Vec::new();
    let mut differences = Vec::new();
    for event in real {
        let at = format!("event {}", kind(event));
        let candidates = left.iter().copied().filter(|other| key(&double[*other]) == key(event));
        let compared = candidates.map(|other| (other, differing(event, &double[other], &at, numbers, base_url)));
        let Some((partner, _)) = compared.min_by_key(|(_, found)| found.len()) else {
            differences.push(Difference { at, reader: None, real: event.to_string(), double: ABSENT.to_owned() });
            continue;
        };
        learn(event, &double[partner], numbers);
        differences.extend(differing(event, &double[partner], &at, numbers, base_url));
        left.retain(|other| *other != partner);
        order.push(partner);
    }
    for other in left {
        let at = format!("event {}", kind(&double[other]));
        let text = double[other].to_string();
        differences.push(Difference { at, reader: None, real: ABSENT.to_owned(), double: text });
    }
    if !order.is_sorted() {
        let kinds = |events: &mut dyn Iterator<Item = &Value>| events.map(kind).collect::<Vec<_>>().join(", ");
        let recorded = kinds(&mut real.iter().filter(|event| double.iter().any(|other| key(other) == key(event))));
        order.sort_unstable();
        let played = kinds(&mut order.iter().map(|at| &double[*at]));
        differences.push(Difference { at: "order of events".to_owned(), reader: None, real: recorded, double: played });
    }
    for difference in &mut differences {
        difference.reader = Some(reader.to_owned());
    }
    differences
}

fn differing(real: &Value, double: &Value, at: &str, numbers: &Numbers, base_url: &str) -> Vec<Difference> {
    let mut comparison = Comparison::new(numbers, base_url);
    comparison.value(real, double, at);
    comparison.differences
}

/// `subscription/add`
fn kind(event: &Value) -> String {
    let kind = event["type"].as_str().unwrap_or_default();
    event["op"].as_str().map_or_else(|| kind.to_owned(), |op| format!("{kind}/{op}"))
}

/// What an event must share with another to be its partner.
fn key(event: &Value) -> (String, String) {
    let property = event.get("property").or_else(|| event.get("flag")).map(Value::to_string);
    (kind(event), property.unwrap_or_default())
}

/// Where events name what was made just now.
const MADE: &[(&str, &str)] = &[
    ("message", "/message/id"),
    ("stream/create", "/streams/0/stream_id"),
    ("user_group/add", "/group/id"),
    ("message", "/message/submessages/0/id"),
    ("submessage", "/submessage_id"),
    ("attachment/add", "/attachment/id"),
    ("drafts/add", "/drafts/0/id"),
    ("scheduled_messages/add", "/scheduled_messages/0/scheduled_message_id"),
];

fn learn(real: &Value, double: &Value, numbers: &mut Numbers) {
    if let Some((_, path)) = MADE.iter().find(|(made, _)| *made == kind(real)) {
        let none = Value::Null;
        numbers.pair(real.pointer(path).unwrap_or(&none), double.pointer(path).unwrap_or(&none));
    }
}
