//! What a bot's requests mean where they don't say it: where it sends, and which messages its queues get.

use crate::control::{Control, user_in};
use crate::support::{TestServer, User};
use chatdouble::reducer::State;
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

/// Sends to a channel that is not named.
fn nowhere() -> Value {
    json!({"type": "channel", "topic": "t", "content": "Where does this go?"})
}

async fn channel_of(reader: &User, id: i64) -> Value {
    reader.get(&format!("/messages/{id}"), json!({})).await.success()["message"]["display_recipient"].clone()
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

    // Values that are passed are sent; values that are left out do not change.
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

#[tokio::test]
async fn a_default_channel_keeps_to_its_channel_whatever_that_is_called() {
    let server = TestServer::start().await;
    let [mel, adam, bot] = server.users(["mel", "adam", "build-bot"]);
    let engineering = format!("/streams/{}", server.channel("engineering"));
    let channel = json!({"default_sending_stream": "engineering", "default_events_register_stream": "engineering"});
    set(&mel, &bot, channel).await;
    let wish = json!({"fetch_event_types": ["realm_bot", "stream", "subscription"]});
    let mut queue = mel.register(wish.clone()).await;
    let mut state = State::from_register(queue.state.clone());

    adam.patch(&engineering, json!({"new_name": "workshop"})).await.success();

    let is = json!({
        "default_sending_stream": "workshop",
        "default_events_register_stream": "workshop",
        "default_all_public_streams": false,
    });
    assert_eq!(registered(&mel, &bot).await, is);
    let id = bot.post("/messages", nowhere()).await.success()["id"].as_i64().expect("an ID");
    assert_eq!(channel_of(&mel, id).await, "workshop");
    // Its name is free; what has it now is another channel.
    mel.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "engineering"}]})).await.success();
    set(&mel, &bot, json!({"default_sending_stream": "engineering", "default_all_public_streams": true})).await;
    adam.delete(&engineering, json!({})).await.success();

    assert!(queue.all().await.iter().all(|event| state.apply(event)));
    let later = mel.register(wish).await.state;
    assert_eq!(state.differences(&later), []);
    let bots = state.value()["realm_bots"].as_array().expect("a list of bots");
    let folded = bots.iter().find(|folded| folded["user_id"] == bot.id()).expect("it is mel's");
    assert_eq!(
        (&folded["default_sending_stream"], &folded["default_events_register_stream"]),
        (&json!("engineering"), &json!("workshop"),)
    );
    let set_back = adam.patch(&format!("/bots/{}", bot.id()), json!({"default_sending_stream": "workshop"})).await;
    set_back.error("BAD_REQUEST", "Invalid channel name 'workshop'");
}

#[tokio::test]
async fn nothing_is_sent_to_a_default_channel_that_was_archived() {
    let server = TestServer::start().await;
    let [mel, adam, bot] = server.users(["mel", "adam", "build-bot"]);
    set(&mel, &bot, json!({"default_sending_stream": "engineering"})).await;
    adam.delete(&format!("/streams/{}", server.channel("engineering")), json!({})).await.success();

    let refused = bot.post("/messages", nowhere()).await.with_status(400);
    let named = json!({"type": "channel", "to": "engineering", "topic": "t", "content": "x"});

    assert_eq!(refused.body, bot.post("/messages", named).await.with_status(400).body);
    assert_eq!(registered(&mel, &bot).await["default_sending_stream"], "engineering");
}

#[tokio::test]
async fn a_bot_sends_to_its_channel_when_a_message_names_none() {
    let server = TestServer::start().await;
    let [mel, adam, bot, hook] = server.users(["mel", "adam", "build-bot", "hook-bot"]);
    let missing = "Missing 'to' argument";
    bot.post("/messages", nowhere()).await.error("REQUEST_VARIABLE_MISSING", missing);
    set(&mel, &bot, json!({"default_sending_stream": "general"})).await;
    set(&adam, &hook, json!({"default_sending_stream": "engineering"})).await;

    for (sender, channel) in [(&bot, "general"), (&hook, "engineering")] {
        let id = sender.post("/messages", nowhere()).await.success()["id"].as_i64().expect("an ID");
        assert_eq!(channel_of(&mel, id).await, channel);
    }
    let id = bot.send_to("engineering", "t", "What a message names counts.").await;
    assert_eq!(channel_of(&mel, id).await, "engineering");

    bot.post("/messages", json!({"type": "direct", "content": "x"})).await.error("REQUEST_VARIABLE_MISSING", missing);
    mel.post("/messages", nowhere()).await.error("REQUEST_VARIABLE_MISSING", missing);
    bot.post("/messages", json!({"type": "channel", "content": "x"})).await.error("BAD_REQUEST", "Missing topic");
    // Adam is subscribed to it, and the bot is not.
    set(&adam, &bot, json!({"default_sending_stream": "leadership"})).await;
    let refused = bot.post("/messages", nowhere()).await;
    let leadership = server.channel("leadership");
    refused.error("STREAM_DOES_NOT_EXIST", &format!("Channel with ID '{leadership}' does not exist"));
}

#[tokio::test]
async fn queues_of_a_bot_get_messages_of_its_channel_alone_unless_they_name_a_narrow() {
    let server = TestServer::start().await;
    let [mel, bot] = server.users(["mel", "build-bot"]);
    set(&mel, &bot, json!({"default_events_register_stream": "engineering"})).await;
    let wish = |narrow: Value| json!({"event_types": ["message"], "fetch_event_types": [], "narrow": narrow});
    let mut of_default = bot.events(["message"]).await;
    let mut of_nothing = bot.register(wish(json!([]))).await;
    let mut of_general = bot.register(wish(json!([["channel", "general"]]))).await;

    let general = mel.send_to("general", "t", "for all").await;
    let engineering = mel.send_to("engineering", "t", "for some").await;

    for queue in [&mut of_default, &mut of_nothing] {
        queue.next().await.has(json!({"message": {"id": engineering}}));
        queue.none().await;
    }
    of_general.next().await.has(json!({"message": {"id": general}}));
    of_general.none().await;
}

#[tokio::test]
async fn queues_of_a_bot_overhear_public_channels_where_that_is_set_of_it() {
    let server = TestServer::start().await;
    let [mel, olive, bot] = server.users(["mel", "olive", "out-bot"]);
    let wish = |all: bool| json!({"event_types": ["message"], "fetch_event_types": [], "all_public_streams": all});
    let mut before = bot.events(["message"]).await;
    set(&mel, &bot, json!({"default_all_public_streams": true})).await;
    let mut by_default = bot.events(["message"]).await;
    let mut all = bot.register(wish(true)).await;
    let mut own = bot.register(wish(false)).await;

    let heard = mel.send_to("general", "t", "for all").await;
    mel.send_to("design", "t", "for a few").await;

    for queue in [&mut by_default, &mut all] {
        queue.next().await.has(json!({"message": {"id": heard}}));
        queue.none().await;
    }
    for queue in [&mut before, &mut own] {
        queue.none().await;
    }
    // A guest is refused what it asks for, and does not overhear what it may not read.
    set(&olive, &bot, json!({"role": 600})).await;
    bot.post("/register", wish(true)).await.error("BAD_REQUEST", "User not authorized for this query");
    let mut as_guest = bot.events(["message"]).await;
    mel.send_to("general", "t", "for members").await;
    as_guest.none().await;
}

#[tokio::test]
async fn defaults_of_bots_are_in_fixtures_states_and_forks() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let key = |handle: &str| server.user(handle).credentials().api_key.clone();
    let bot = json!({
        "handle": "build-bot", "full_name": "Build Bot", "api_key": key("build-bot"),
        "bot": {
            "kind": "generic", "owner": "mel", "default_sending_channel": "tea",
            "default_events_channel": "Cake", "default_all_public_channels": true,
        },
    });
    let fixture = json!({
        "organization": {"name": "Two"},
        "users": [{"handle": "mel", "full_name": "Mel", "role": "owner", "api_key": key("mel")}, bot],
        "channels": [{"name": "tea", "subscribers": ["mel"]}, {"name": "cake", "subscribers": ["mel"]}],
    });
    let is = json!({
        "default_sending_stream": "tea",
        "default_events_register_stream": "cake",
        "default_all_public_streams": true,
    });
    let listed = async |world: &Value| {
        let own = user_in(&server, world, "mel").get("/bots", json!({})).await.success();
        defaults(&own["bots"][0])
    };

    let made = control.post("/worlds", json!({"name": "made", "fixture": fixture})).await.success();
    assert_eq!(listed(&made).await, is);
    let mut broken = fixture.clone();
    broken["users"][1]["bot"]["default_sending_channel"] = "coffee".into();
    let refused = control.post("/worlds", json!({"name": "broken", "fixture": broken})).await;
    refused.refused("$.fixture.users[1].bot.default_sending_channel: there is no channel `coffee`");

    let state = control.get("/worlds/made/state").await.success()["state"].clone();
    let again = control.post("/worlds", json!({"name": "again", "fixture": state})).await.success();
    assert_eq!(listed(&again).await, is);
    assert_eq!(control.get("/worlds/again/state").await.success()["state"], state);

    let fork = control.post("/worlds", json!({"name": "fork", "fork_of": "made"})).await.success();
    control.post("/worlds/made/snapshots", json!({"name": "before"})).await.success();
    let [mel, bot] = ["mel", "build-bot"].map(|handle| user_in(&server, &made, handle));
    let id = bot_id(&mel).await;
    mel.patch(&format!("/bots/{id}"), json!({"default_sending_stream": "cake"})).await.success();
    let sent = bot.post("/messages", nowhere()).await.success()["id"].as_i64().expect("an ID");
    assert_eq!(channel_of(&mel, sent).await, "cake");
    assert_eq!(listed(&fork).await, is, "the fork goes its own way");
    control.send("POST", "/worlds/made/snapshots/before/restore", Vec::new()).await.success();
    assert_eq!(listed(&made).await, is);
}

async fn bot_id(owner: &User) -> i64 {
    let reply = owner.register(json!({"event_types": [], "fetch_event_types": ["realm_bot"]})).await.state;
    reply["realm_bots"][0]["user_id"].as_i64().expect("a number")
}
