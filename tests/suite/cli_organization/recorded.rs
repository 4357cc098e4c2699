//! The organizations that were recorded on real servers, with messages and more by their users.

use super::{account, loaded};
use crate::support::{TestServer, User};
use chatdouble::dialect::Dialect;
use serde_json::{Value, json};

/// Feature levels with the organizations that were recorded at them.
pub const ORGANIZATIONS: [(i64, &str); 2] = [
    (247, include_str!("../../recorded/247/organization.json")),
    (387, include_str!("../../recorded/387/organization.json")),
];

/// A server at a level, in the vendor's dialect.
pub async fn at_level(text: &str, level: i64) -> TestServer {
    loaded(text, |options| {
        options.feature_level = level;
        options.dialect = Dialect::zulip();
    })
    .await
}

/// The organization that was recorded at a level, after its users did what each administrator may read.
pub async fn in_use(level: i64, text: &str) -> TestServer {
    let server = at_level(text, level).await;
    let of = async |name: &str| account(&server, &format!("{name}@zulip.com")).await;
    let [iago, hamlet, cordelia, shiva, polonius] =
        [of("iago").await, of("hamlet").await, of("cordelia").await, of("shiva").await, of("polonius").await];
    speak(&iago, &hamlet, &cordelia, &polonius).await;
    change(&iago, &hamlet, &shiva).await;
    keep_for_later(level, &iago).await;
    let public = iago.upload("/user_uploads", "plan.txt", "text/plain", b"One, two").await.success();
    let url = public["url"].as_str().or_else(|| public["uri"].as_str()).expect("an address");
    say(&iago, "Denmark", "files", &format!("See [the plan]({url})")).await;
    iago.upload("/user_uploads", "unused.txt", "text/plain", b"Nothing links it").await.success();
    server
}

/// Sends a message to a channel, with the type that older levels take too; its id.
async fn say(user: &User, channel: &str, topic: &str, content: &str) -> i64 {
    let params = json!({"type": "stream", "to": channel, "topic": topic, "content": content});
    user.post("/messages", params).await.success()["id"].as_i64().expect("an id")
}

async fn speak(iago: &User, hamlet: &User, cordelia: &User, polonius: &User) {
    let texts = [
        ("Denmark", "castle", "Something is **rotten** in the state of #**Denmark**"),
        ("Verona", "balcony", "@**King Hamlet** @*hamletcharacters* @**all** look: https://example.com/a?b=c"),
        ("ビデオゲーム", "ゼルダ", "```python\nprint('剣')\n```\n> quote\n\n* list :tada: :octopus:"),
        ("조리법 😎", "김치", "||spoiler|| $$x^2$$ ~~no~~ `code`\n\n| a | b |\n|--|--|\n| 1 | 2 |"),
        ("Rome", "forum", "/poll Which road?\nAppia\nAurelia"),
        ("announce", "news", "/me announces <time:2026-03-01T10:00:00Z>"),
        ("Venice", "canals", "#**Verona>balcony** and [a link](https://example.org)"),
    ];
    for (channel, topic, content) in texts {
        for (user, may) in [(iago, true), (hamlet, channel != "announce"), (cordelia, channel == "Verona")] {
            if may {
                let id = say(user, channel, topic, content).await;
                iago.post(&format!("/messages/{id}/reactions"), json!({"emoji_name": "tada"})).await.success();
            }
        }
    }
    for (from, to) in [(hamlet, vec![iago]), (iago, vec![hamlet, cordelia]), (polonius, vec![iago]), (iago, vec![iago])]
    {
        let to: Vec<i64> = to.iter().map(|user| user.id()).collect();
        from.post("/messages", json!({"type": "private", "to": to, "content": "In **secret**, the robotics study"}))
            .await
            .success();
    }
}

async fn change(iago: &User, hamlet: &User, shiva: &User) {
    let edited = say(iago, "Denmark", "castle", "To be edited").await;
    iago.patch(&format!("/messages/{edited}"), json!({"content": "It was edited"})).await.success();
    let moved = say(iago, "Denmark", "castle", "To be moved").await;
    iago.patch(&format!("/messages/{moved}"), json!({"topic": "court", "propagate_mode": "change_one"}))
        .await
        .success();
    let resolved = say(hamlet, "Verona", "duel", "Is it over?").await;
    let done = json!({"topic": "✔ duel", "propagate_mode": "change_all", "send_notification_to_new_thread": false});
    iago.patch(&format!("/messages/{resolved}"), done).await.success();
    iago.post("/messages/flags", json!({"messages": [moved], "op": "add", "flag": "starred"})).await.success();
    let read = json!({"messages": [resolved], "op": "add", "flag": "read"});
    iago.post("/messages/flags", read).await.success();
    iago.post("/users/me/status", json!({"status_text": "scheming", "emoji_name": "car"})).await.success();
    shiva.post("/users/me/presence", json!({"status": "active"})).await.success();
    iago.post(&format!("/users/me/muted_users/{}", shiva.id()), json!({})).await.success();
    let group = json!({"name": "villains", "description": "Who plots", "members": [iago.id(), hamlet.id()]});
    iago.post("/user_groups/create", group).await.success();
    iago.post("/invites/multiuse", json!({"invite_expires_in_minutes": 600, "stream_ids": []})).await.success();
    iago.delete("/users/me/subscriptions", json!({"subscriptions": ["Venice"]})).await.success();
    hamlet.post("/bots", json!({"full_name": "Yorick", "short_name": "yorick"})).await.success();
}

/// What the user keeps for later.
async fn keep_for_later(level: i64, iago: &User) {
    let draft =
        json!([{"type": "stream", "to": [1], "topic": "plans", "content": "Not **yet**", "timestamp": 1_767_225_000}]);
    iago.post("/drafts", json!({"drafts": draft})).await.success();
    let later = json!({"type": "private", "to": [iago.id()], "content": "Later", "scheduled_delivery_timestamp": 1_767_312_000});
    iago.post("/scheduled_messages", later).await.success();
    let mute = json!({"stream_id": 1, "topic": "noise", "visibility_policy": 1});
    iago.post("/user_topics", mute).await.success();
    if level >= 297 {
        let snippet: Value = json!({"title": "Greeting", "content": "Good *day*"});
        iago.post("/saved_snippets", snippet).await.success();
    }
}
