//! Requests with a text that is far too long, wherever they take one: what is kept of it is bounded.

use super::draw::{Draw, Request};
use super::hold;
use super::play::Play;
use serde_json::Value;

/// Characters of such a text, and the growth of a world that is allowed for it: a message of 10,000 is kept as text and as
/// HTML, in itself and in events.
const LONG: usize = 2_000_000;
const GROWTH_MAX: usize = 1_000_000;

#[test]
fn of_no_text_more_is_kept_than_its_limit() {
    hold("long", (12, 30), |play, steps| {
        // So that events are kept.
        play.call_as("mel", "POST", "/register", &serde_json::Map::new());
        for step in steps {
            let realm = play.realm();
            let mut draw = Draw::new(&realm, *step);
            let mut request = draw.request();
            let count = request.params.values().map(texts).sum::<usize>();
            // Addresses have a limit of their own.
            if count == 0 || request.method == "GET" {
                play.make(&request);
                continue;
            }
            let mut chosen = draw.below(count as u64) as usize;
            request.params.values_mut().for_each(|value| lengthen(value, &mut chosen));
            keeps_little(play, &request)?;
        }
        Ok(())
    });
}

fn keeps_little(play: &mut Play, request: &Request) -> Result<(), String> {
    let before = size(play);
    let answer = play.call(&request.caller, request.method, &request.path, &request.params);
    let grown = size(play).saturating_sub(before);
    let reply = answer.body.to_string().len();
    // A refusal may repeat what was sent, in its message and as a value of its own.
    if grown > GROWTH_MAX || reply > 2 * LONG + GROWTH_MAX {
        let names: Vec<&String> = request.params.keys().collect();
        return Err(format!(
            "{} {} {names:?} keeps {grown} bytes, and replies with {reply}",
            request.method, request.path
        ));
    }
    Ok(())
}

/// About the memory of a world, with its queues and events.
fn size(play: &Play) -> usize {
    let realm = play.realm();
    play.held().len() + format!("{:?}{:?}{:?}", realm.log, realm.queues, realm.relay).len()
}

fn texts(value: &Value) -> usize {
    match value {
        Value::String(_) => 1,
        Value::Array(items) => items.iter().map(texts).sum(),
        Value::Object(object) => object.values().map(texts).sum(),
        _ => 0,
    }
}

/// Makes the text of this place very long.
fn lengthen(value: &mut Value, chosen: &mut usize) {
    match value {
        Value::String(text) => {
            if *chosen == 0 {
                text.push_str(&"x".repeat(LONG));
            }
            *chosen = chosen.wrapping_sub(1);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| lengthen(item, chosen)),
        Value::Object(object) => object.values_mut().for_each(|value| lengthen(value, chosen)),
        _ => {}
    }
}
