//! Words in private things, and requests by users who may not know them: no reply, event, notice or hint has such a word.

use super::draw::Draw;
use super::play::Play;
use super::{Request, hold};
use chatdouble::realm::user::User;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// In the names and texts of what only olive has, or olive and adam have, who administer the organization.
const CANARIES: [&str; 8] = [
    "canarychannel",
    "canarytopic",
    "canarytext",
    "canarydraft",
    "canarysnippet",
    "canaryfile",
    "canarydirect",
    "canarynote",
];
/// Those who may not know any of them, one of each role.
const OTHERS: [&str; 6] = ["mona", "mel", "max", "gus", "nora", "build-bot"];

#[test]
fn nobody_learns_the_words_of_what_is_private() {
    hold("canaries", (20, 60), |play, steps| {
        *play = Play::new(0);
        hide(play);
        let queues = OTHERS.map(|handle| (handle, register(play, handle)));
        for step in steps {
            if step % 16 == 0 {
                play.wait(4_000)?;
                continue;
            }
            let Some(request) = drawn(play, *step) else { continue };
            let answer = play.make(&request);
            check(&format!("{} by {}", shown(&request), request.caller.email), &answer.body, &answer.hint)?;
            if request.method == "GET" {
                let answer = play.read_as_visitor(&request);
                check(&format!("{} by a visitor", shown(&request)), &answer.body, &answer.hint)?;
            }
        }
        for (handle, queue) in queues {
            let query = json!({"queue_id": queue, "last_event_id": -1, "dont_block": true});
            let events = play.call_as(handle, "GET", "/events", query.as_object().expect("an object"));
            check(&format!("the events of {handle}"), &events.body, &events.hint)?;
        }
        Ok(())
    });
}

fn shown(request: &Request) -> String {
    format!("{} {} {}", request.method, request.path, Value::Object(request.params.clone()))
}

fn check(what: &str, body: &Value, hint: &str) -> Result<(), String> {
    let text = body.to_string();
    match CANARIES.iter().find(|word| text.contains(*word) || hint.contains(*word)) {
        Some(word) => Err(format!("{what} has {word}: {hint} {text}")),
        None => Ok(()),
    }
}

/// A request of somebody who may not know the words; none where they are in it, since replies may repeat them.
fn drawn(play: &Play, step: u64) -> Option<Request> {
    let realm = play.realm();
    let mut draw = Draw::new(&realm, step);
    let mut request = draw.request();
    let named = |handle: &str| realm.user_by_email(&format!("{handle}@chat.test")).cloned();
    let others: Vec<Arc<User>> = OTHERS.iter().filter_map(|handle| named(handle)).collect();
    if !others.iter().any(|user| user.id == request.caller.id) {
        request.caller = others[draw.below(others.len() as u64) as usize].clone();
    }
    let text = shown(&request);
    (request.caller.is_active && !CANARIES.iter().any(|word| text.contains(word))).then_some(request)
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn done(play: &mut Play, handle: &str, method: &str, path: &str, params: Value) -> Value {
    let answer = play.call_as(handle, method, path, &object(params));
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    answer.body
}

fn register(play: &mut Play, handle: &str) -> Value {
    let state = done(play, handle, "POST", "/register", json!({"idle_queue_timeout": 604_800}));
    check(&format!("the register reply of {handle}"), &state, "").unwrap_or_else(|fault| panic!("{fault}"));
    state["queue_id"].clone()
}

/// Makes what is private. Max has a message scheduled in a channel which he is removed from, and which is renamed then.
fn hide(play: &mut Play) {
    let now = play.realm().now.seconds();
    let max = play.realm().user_by_email("max@chat.test").expect("one of the cast").id.0;
    let made = json!({"subscriptions": [{"name": "otters"}], "invite_only": true, "principals": [max]});
    done(play, "max", "POST", "/users/me/subscriptions", json!({"subscriptions": [{"name": "general"}]}));
    done(
        play,
        "olive",
        "POST",
        "/users/me/subscriptions",
        json!({"subscriptions": [{"name": "otters"}], "invite_only": true}),
    );
    done(play, "olive", "POST", "/users/me/subscriptions", made);
    let channel = play.realm().channel_by_name("otters").expect("it was made").id.0;
    let later = json!({
        "type": "channel", "to": channel, "topic": "rivers", "content": "Later",
        "scheduled_delivery_timestamp": now + 3_000,
    });
    done(play, "max", "POST", "/scheduled_messages", later);
    done(play, "olive", "DELETE", "/users/me/subscriptions", json!({"subscriptions": ["otters"], "principals": [max]}));
    done(play, "olive", "PATCH", &format!("/streams/{channel}"), json!({"new_name": "canarychannel"}));
    let path = "/user_uploads/2/canaryfile.txt";
    let content = format!("canarytext [f]({path})");
    done(
        play,
        "olive",
        "POST",
        "/messages",
        json!({"type": "channel", "to": channel, "topic": "canarytopic", "content": content}),
    );
    let adam = play.realm().user_by_email("adam@chat.test").expect("one of the cast").id.0;
    done(play, "olive", "POST", "/messages", json!({"type": "direct", "to": [adam], "content": "canarydirect"}));
    let draft = json!([{"type": "stream", "to": [channel], "topic": "canarytopic", "content": "canarydraft"}]);
    done(play, "olive", "POST", "/drafts", json!({"drafts": draft}));
    done(play, "olive", "POST", "/saved_snippets", json!({"title": "canarysnippet", "content": "canarysnippet"}));
    let message = play.realm().messages.keys().next_back().expect("there are messages").0;
    let reminder = json!({"message_id": message, "scheduled_delivery_timestamp": now + 90_000, "note": "canarynote"});
    done(play, "olive", "POST", "/reminders", reminder);
}
