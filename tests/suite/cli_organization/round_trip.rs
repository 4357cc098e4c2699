//! What was read, loaded again, answers its reader as the origin did, but for what a reader cannot see.

use super::questions::{Question, questions};
use super::recorded::{ORGANIZATIONS, at_level, in_use};
use super::{account, loaded, read, server_with};
use crate::support::{TestServer, User};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Differences that follow from what an account cannot see or a file does not have: the end of the place in a reply, and
/// why.
const UNSEEN: &[(&str, &str)] = &[
    ("/attachments: upload_space_used", "files of others that no message links are not seen"),
    ("/invites: invites[].link_url", "the keys of invitations let anyone in, and are not in the file"),
    ("/read_receipts: user_ids", "what others have read is not seen"),
    (".avatar_url", "the picture of a hidden address follows from the address"),
    ("first_message_id", "messages of channels that the account does not read are not seen"),
    ("stream_weekly_traffic", "messages of channels that the account does not read are not seen"),
    ("/channels: subscribed_channel_ids", "subscriptions of deactivated users are not seen"),
    ("services[].token", "tokens of bots are secrets, and are not in the file"),
    (".api_key", "keys are secrets, and are not in the file"),
    ("recipient_id", "it counts channels and conversations that the account does not see"),
    ("push_token_id", "tokens of devices are not in the file"),
    ("realm_moderation_request_channel_id", "the account does not see the channel"),
    ("/dev_list_users: direct_users[].email", "of a hidden address only the server's dummy address is seen"),
    ("/email_address: email", "the token in a channel's address lets anyone send, and is not in the file"),
];

/// Further differences at older levels: HTML keeps the form of the level at which it was rendered, and texts of fixtures
/// have the newest form.
const RENDERED: &[&str] = &["message.content", "messages[].content", ".rendered_content", ".match_content"];

/// The level since which texts are rendered in the newest form.
const FORMS_SINCE: i64 = 320;

/// What was compared.
#[derive(Default)]
struct Compared {
    /// Differences that [`UNSEEN`] does not explain.
    unexplained: Vec<String>,
    /// The rows of [`UNSEEN`] that explain a difference.
    used: BTreeSet<&'static str>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_account_reads_answers_as_the_origin() {
    use chatdouble::fixture::generate::{Size, format_json, generate_document};
    let made =
        format_json(&generate_document(Size { user_count: 40, channel_count: 12, message_count: 60 }, 7, &mut |_| {}));
    let generated = loaded(&made, |_| {}).await;
    let [default, hostile] = [server_with("default").await, server_with("hostile").await];
    let mut all = Compared::default();
    for (origin, handle, name) in [
        (&default, "adam", "default"),
        (&default, "olive", "default-owner"),
        (&default, "mel", "default-member"),
        (&hostile, "adam", "hostile"),
        (&hostile, "olive", "hostile-owner"),
        (&generated, "olive", "generated"),
    ] {
        let compared = compare(origin, &origin.user(handle), name, chatdouble::api::NEWEST_FEATURE_LEVEL).await;
        all.add(name, compared);
    }
    for (level, text) in ORGANIZATIONS {
        let origin = in_use(level, text).await;
        let name = format!("recorded-{level}");
        let compared = compare(&origin, &account(&origin, "iago@zulip.com").await, &name, level).await;
        all.add(&name, compared);
    }
    assert!(all.unexplained.is_empty(), "{:#?}", all.unexplained);
    let unused: Vec<&str> = UNSEEN.iter().map(|(end, _)| *end).filter(|end| !all.used.contains(end)).collect();
    assert!(unused.is_empty(), "rows without a difference: {unused:?}");
}

impl Compared {
    fn add(&mut self, name: &str, other: Self) {
        self.unexplained.extend(other.unexplained.into_iter().map(|difference| format!("{name}: {difference}")));
        self.used.extend(other.used);
    }
}

/// Reads as a user, loads what was read, and asks both servers the same.
async fn compare(origin: &TestServer, reader: &User, name: &str, level: i64) -> Compared {
    let text = read(&origin.url(), reader, &format!("round-{name}"), &["--with-uploads"]).await;
    let copy = match level {
        chatdouble::api::NEWEST_FEATURE_LEVEL => loaded(&text, |_| {}).await,
        _ => at_level(&text, level).await,
    };
    let copied = account(&copy, reader.email()).await;
    let asked = questions(reader).await;
    assert!(asked.len() >= 500, "{name}: {} requests", asked.len());
    let mut differences = BTreeMap::new();
    for question in asked {
        let [one, other] =
            [answer(reader, &question, &origin.url()).await, answer(&copied, &question, &copy.url()).await];
        let (method, path, _) = &question;
        let mut place = format!("{method} {path}: ");
        let before = differences.len();
        differ(&one.0, &other.0, &mut place, &mut differences);
        if before == differences.len() && one.0 == other.0 && one.1 != other.1 {
            differences.insert(format!("{place}(bytes)"), excerpt(&one.1, &other.1));
        }
    }
    let mut compared = Compared::default();
    for (place, example) in differences {
        let is_rendered = level < FORMS_SINCE && RENDERED.iter().any(|end| place_matches(&place, end));
        match UNSEEN.iter().find(|(end, _)| place_matches(&place, end)) {
            Some((end, _)) => _ = compared.used.insert(end),
            None if is_rendered => {}
            None => compared.unexplained.push(format!("{place}: {example}")),
        }
    }
    compared
}

fn place_matches(place: &str, end: &str) -> bool {
    place.trim_end_matches("[]").ends_with(end)
}

/// The reply without the number of a queue and the server's address: as JSON with its status, and byte for byte.
async fn answer(user: &User, (method, path, params): &Question, url: &str) -> (Value, String) {
    let reply = match *method {
        "GET" => user.get(path, params.clone()).await,
        _ => user.post(path, params.clone()).await,
    };
    let mut text = String::from_utf8_lossy(&reply.bytes).replace(url, "URL");
    if let Some(id) = reply.body["queue_id"].as_str() {
        text = text.replace(id, "QUEUE");
    }
    let mut value = serde_json::from_str(&text).unwrap_or(Value::Null);
    if let Value::Object(value) = &mut value {
        value.insert("status".to_owned(), reply.status.into());
    }
    (value, text)
}

/// The places at which two replies differ, numbers left out, each with an example.
fn differ(one: &Value, other: &Value, place: &mut String, found: &mut BTreeMap<String, String>) {
    let length = place.len();
    match (one, other) {
        (Value::Object(first), Value::Object(second)) => {
            for key in first.keys().chain(second.keys()).collect::<BTreeSet<_>>() {
                let dot = if place.ends_with(": ") { "" } else { "." };
                place.push_str(&format!("{dot}{key}"));
                differ(first.get(key).unwrap_or(&Value::Null), second.get(key).unwrap_or(&Value::Null), place, found);
                place.truncate(length);
            }
        }
        (Value::Array(first), Value::Array(second)) if first.len() == second.len() => {
            for (first, second) in first.iter().zip(second) {
                place.push_str("[]");
                differ(first, second, place, found);
                place.truncate(length);
            }
        }
        _ if one == other => {}
        _ => _ = found.insert(place.clone(), excerpt(&one.to_string(), &other.to_string())),
    }
}

/// The first place at which two texts differ, with what is around it.
fn excerpt(one: &str, other: &str) -> String {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let around = |text: &str| text.chars().skip(same.saturating_sub(60)).take(160).collect::<String>();
    format!("{} → {}", around(one), around(other))
}
