//! What a bot's requests mean where they don't say it: where it sends, and which messages its queues get.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

/// The defaults of a bot that nobody has set any of.
fn none() -> Value {
    json!({
        "default_sending_stream": null,
        "default_events_register_stream": null,
        "default_all_public_streams": false,
    })
}

fn defaults(bot: &Value) -> Value {
    let keys = none();
    let keys = keys.as_object().expect("an object").keys();
    keys.map(|key| (key.clone(), bot[key].clone())).collect::<serde_json::Map<_, _>>().into()
}

async fn set(by: &User, bot: &User, params: Value) -> Value {
    by.patch(&format!("/bots/{}", bot.id()), params).await.success()
}

/// What somebody's register reply has of a bot's defaults.
async fn registered(viewer: &User, bot: &User) -> Value {
    let reply = viewer.register(json!({"event_types": [], "fetch_event_types": ["realm_bot"]})).await.state;
    let bots = reply["realm_bots"].as_array().expect("a list of bots");
    defaults(bots.iter().find(|listed| listed["user_id"] == bot.id()).expect("the bot is in the list"))
}

#[tokio::test]
async fn owner_and_administrators_hear_of_each_default_that_is_set() {
    let server = TestServer::start().await;
    let [mel, adam, nora, bot] = server.users(["mel", "adam", "nora", "build-bot"]);
    let [mut at_mel, mut at_adam, mut at_nora] = [
        mel.events(["realm_bot", "realm_user"]).await,
        adam.events(["realm_bot", "realm_user"]).await,
        nora.events(["realm_bot", "realm_user"]).await,
    ];
    let all = json!({
        "default_all_public_streams": true,
        "default_events_register_stream": "engineering",
        "default_sending_stream": " General ",
    });
    let is = json!({
        "default_sending_stream": "general",
        "default_events_register_stream": "engineering",
        "default_all_public_streams": true,
    });
    assert_eq!(registered(&mel, &bot).await, none());

    assert_eq!(defaults(&set(&mel, &bot, all).await), is);

    for queue in [&mut at_mel, &mut at_adam] {
        for (key, value) in is.as_object().expect("an object") {
            let change = json!({"user_id": bot.id(), key: value});
            queue.next().await.is(json!({"type": "realm_bot", "op": "update", "bot": change}));
        }
        queue.none().await;
    }
    at_nora.none().await;
    let own = mel.get("/bots", json!({})).await.success();
    let listed = own["bots"].as_array().expect("a list").iter().find(|listed| listed["username"] == bot.email());
    assert_eq!(defaults(listed.expect("it is mel's")), is);
    for viewer in [&mel, &adam] {
        assert_eq!(registered(viewer, &bot).await, is);
    }

    // What is passed is told, of what is left out nothing changes.
    set(&adam, &bot, json!({"default_sending_stream": "general"})).await;
    at_mel.next().await.is(json!({
        "type": "realm_bot", "op": "update", "bot": {"user_id": bot.id(), "default_sending_stream": "general"},
    }));
    assert_eq!(registered(&mel, &bot).await, is);
    let without = json!({
        "default_sending_stream": "",
        "default_events_register_stream": "",
        "default_all_public_streams": false,
    });
    assert_eq!(defaults(&set(&mel, &bot, without).await), none());
    for (key, value) in none().as_object().expect("an object") {
        let change = json!({"user_id": bot.id(), key: value});
        at_mel.next().await.is(json!({"type": "realm_bot", "op": "update", "bot": change}));
    }
    at_mel.none().await;
    assert_eq!(registered(&adam, &bot).await, none());
}

#[tokio::test]
async fn a_bot_is_made_with_its_defaults() {
    let server = TestServer::start().await;
    let [olive, mona] = server.users(["olive", "mona"]);
    let mut at_olive = olive.events(["realm_bot"]).await;
    // She is subscribed to the first one, which is private.
    let is = json!({
        "default_sending_stream": "leadership",
        "default_events_register_stream": "quiet",
        "default_all_public_streams": true,
    });
    let mut params = is.clone();
    params["full_name"] = "Tea".into();
    params["short_name"] = "tea".into();

    let made = mona.post("/bots", params).await.success();

    assert_eq!(defaults(&made), is);
    let event = at_olive.next().await.has(json!({"type": "realm_bot", "op": "add"}));
    assert_eq!((defaults(&event["bot"]), &event["bot"]["user_id"]), (is, &made["user_id"]));
    at_olive.none().await;
}

#[tokio::test]
async fn channels_that_the_caller_cannot_read_are_no_defaults_and_nothing_changes() {
    let server = TestServer::start().await;
    let [mel, adam, bot] = server.users(["mel", "adam", "build-bot"]);
    adam.delete(&format!("/streams/{}", server.channel("quiet")), json!({})).await.success();
    set(&mel, &bot, json!({"default_sending_stream": "general"})).await;
    let before = registered(&mel, &bot).await;
    let mut events = adam.events(["realm_bot", "realm_user", "user_group"]).await;

    // Adam sees that there is a channel for design, and can't read it.
    for (by, name) in [(&mel, "leadership"), (&adam, "design"), (&adam, "nowhere"), (&mel, "quiet")] {
        for key in ["default_sending_stream", "default_events_register_stream"] {
            let text = format!("Invalid channel name '{name}'");
            let change = json!({"full_name": "New", "default_all_public_streams": true, key: name});
            by.patch(&format!("/bots/{}", bot.id()), change).await.with_status(400).error("BAD_REQUEST", &text);
            let new = json!({"full_name": "New", "short_name": "new", key: name});
            by.post("/bots", new).await.with_status(400).error("BAD_REQUEST", &text);
        }
    }
    let new = json!({"full_name": "New", "short_name": "new", "default_sending_stream": ""});
    mel.post("/bots", new).await.with_status(400).error("BAD_REQUEST", "Invalid channel name ''");
    // The owner is looked at before, the service after.
    let params = json!({"bot_owner_id": 999, "default_sending_stream": "nowhere", "service_interface": 3});
    let reply = adam.patch(&format!("/bots/{}", bot.id()), params).await;
    reply.error("BAD_REQUEST", "Failed to change owner, no such user");
    let params = json!({"default_sending_stream": "nowhere", "service_interface": 3});
    let reply = adam.patch(&format!("/bots/{}", bot.id()), params).await;
    reply.error("BAD_REQUEST", "Invalid channel name 'nowhere'");

    events.none().await;
    assert_eq!(registered(&mel, &bot).await, before);
}
