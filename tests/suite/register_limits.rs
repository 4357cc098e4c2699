//! Where the register reply's lists begin and end: subscribers, presence.

use crate::support::{TestServer, User};
use chatdouble::api::changes::users::creation::{NewPerson, add_person};
use chatdouble::realm::id::{ChannelId, UserId};
use chatdouble::realm::personal::Presence;
use chatdouble::realm::user::Role;
use chatdouble::time::Span;
use serde_json::{Value, json};

const DAY: i64 = 86_400;

fn seen(server: &TestServer, user: i64, seconds_ago: i64) {
    server.arrange(|tx| {
        let at = tx.now.plus(Span::from_seconds(-seconds_ago));
        let presence = Presence { active_at: Some(at), connected_at: Some(at), update_id: tx.counters.presence + 1 };
        tx.realm_mut().counters.presence += 1;
        tx.user_state_mut(UserId(user)).presence = Some(presence);
    });
}

/// Subscribes so many new people to a channel.
fn crowd(server: &TestServer, channel: &str, count: usize) -> Vec<i64> {
    let channel = ChannelId(server.channel(channel));
    let mut ids = Vec::new();
    server.arrange(|tx| {
        for _ in 0..count {
            let number = tx.counters.user;
            let person = NewPerson {
                email: format!("crowd{number}@chat.test"),
                full_name: format!("Crowd {number}"),
                password: None,
                role: Role::Member,
                channels: Some(vec![channel]),
            };
            ids.push(add_person(tx, person).0);
        }
    });
    ids
}

async fn quiet(user: &User, list: &str) -> Value {
    let params = json!({"fetch_event_types": ["subscription"], "include_subscribers": "partial"});
    let state = user.post("/register", params).await.success();
    let rows = state[list].as_array().cloned().unwrap_or_default();
    rows.into_iter().find(|row| row["name"] == "quiet").expect("the channel is listed")
}

/// With 'partial', a channel with fewer than 250 subscribers always gets the full `subscribers`; the others
/// `partial_subscribers`, which has all bots and all users active in the last 14 days.
#[tokio::test]
async fn from_250_subscribers_on_partial_gives_bots_and_those_active_in_14_days() {
    let server = TestServer::start().await;
    let [mel, max, bot] = server.users(["mel", "max", "build-bot"]);
    let join = json!({"subscriptions": [{"name": "quiet"}], "principals": [mel.id(), bot.id()]});
    mel.post("/users/me/subscriptions", join).await.success();
    let mut crowd_of = crowd(&server, "quiet", 247);
    let all = quiet(&mel, "subscriptions").await;
    assert_eq!(all["subscribers"].as_array().map(Vec::len), Some(249));
    assert!(all.get("partial_subscribers").is_none());

    crowd_of.extend(crowd(&server, "quiet", 1));
    seen(&server, crowd_of[0], 14 * DAY);
    seen(&server, crowd_of[1], 14 * DAY + 1);
    seen(&server, mel.id(), 60);

    for (user, list) in [(&mel, "subscriptions"), (&max, "never_subscribed")] {
        let some = quiet(user, list).await;
        assert!(some.get("subscribers").is_none(), "{some}");
        assert_eq!(some["partial_subscribers"], json!([mel.id(), bot.id(), crowd_of[0]]));
    }
    let max_joins = json!({"subscriptions": [{"name": "quiet"}]});
    max.post("/users/me/subscriptions", max_joins).await.success();
    server.advance(15 * 86_400).await;
    let some = quiet(&mel, "subscriptions").await;
    assert_eq!(some["partial_subscribers"], json!([mel.id(), bot.id()]), "who asks is there");
    max.send_to("quiet", "x", "back again").await;
    let some = quiet(&mel, "subscriptions").await;
    assert_eq!(some["partial_subscribers"], json!([mel.id(), max.id(), bot.id()]), "who sends is there");
}

/// presence_history_limit_days is 14 by default; slim_presence keys presences by user ID in the modern format.
#[tokio::test]
async fn presences_go_back_14_days_unless_asked_otherwise() {
    let server = TestServer::start().await;
    let [mel, olive, adam, max] = server.users(["mel", "olive", "adam", "max"]);
    seen(&server, olive.id(), 14 * DAY);
    seen(&server, adam.id(), 14 * DAY + 1);
    seen(&server, max.id(), 3 * DAY);
    let fetch = async |more: Value| {
        let mut params = json!({"fetch_event_types": ["presence"], "slim_presence": true});
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        mel.post("/register", params).await.success()["presences"].clone()
    };
    let has = |presences: &Value, user: &User| presences.get(user.id().to_string()).is_some();

    let by_default = fetch(json!({})).await;
    assert!(has(&by_default, &olive) && has(&by_default, &max) && !has(&by_default, &adam), "{by_default}");
    let record = by_default[olive.id().to_string()].as_object().expect("an object");
    let keys: Vec<&str> = record.keys().map(String::as_str).collect();
    assert_eq!(keys, ["active_timestamp", "idle_timestamp"]);
    let longer = fetch(json!({"presence_history_limit_days": 15})).await;
    assert!(has(&longer, &adam));
    let shorter = fetch(json!({"presence_history_limit_days": 2})).await;
    assert!(!has(&shorter, &max) && !has(&shorter, &olive));
    let legacy = fetch(json!({"slim_presence": false})).await;
    assert!(legacy.get("olive@chat.test").is_some_and(|row| row["aggregated"].is_object()), "{legacy}");
}

/// The record of a channel in `subscriptions` has these fields and no others; `subscribers` only when asked for.
#[tokio::test]
async fn a_subscription_has_all_of_its_fields() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let state = mel.register(json!({"fetch_event_types": ["subscription"], "include_subscribers": "true"})).await.state;
    let rows = state["subscriptions"].as_array().expect("a list");
    let row = rows.iter().find(|row| row["name"] == "engineering").and_then(Value::as_object).expect("listed");

    let texts = ["name", "description", "rendered_description", "color", "topics_policy"];
    let numbers = ["stream_id", "date_created", "stream_post_policy", "first_message_id", "folder_id", "creator_id"];
    let switches = [
        "invite_only",
        "pin_to_top",
        "is_muted",
        "in_home_view",
        "is_announcement_only",
        "is_web_public",
        "history_public_to_subscribers",
    ];
    let inherited = [
        "desktop_notifications",
        "email_notifications",
        "push_notifications",
        "audible_notifications",
        "wildcard_mentions_notify",
    ];
    assert!(texts.iter().all(|key| row[*key].is_string()), "{row:#?}");
    assert!(numbers.iter().all(|key| row[*key].is_i64()), "{row:#?}");
    assert!(switches.iter().all(|key| row[*key].is_boolean()), "{row:#?}");
    assert!(inherited.iter().all(|key| row[*key].is_boolean() || row[*key].is_null()), "{row:#?}");
    assert!(row["subscribers"].is_array() && row["message_retention_days"].is_null(), "{row:#?}");
    assert_eq!(row["in_home_view"], !row["is_muted"].as_bool().expect("a switch"));
    for row in rows {
        let policy = row["stream_post_policy"].as_i64();
        assert_eq!(row["is_announcement_only"] == true, policy == Some(2), "{row:#}");
    }
}
