//! Reactions: who may add and remove which, and who hears of it.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

/// `/messages/{id}/reactions`
fn reactions_of(message: i64) -> String {
    format!("/messages/{message}/reactions")
}

async fn react(user: &User, message: i64, emoji: &str) {
    user.post(&reactions_of(message), json!({"emoji_name": emoji})).await.is(json!({}));
}

/// The reactions that a message has, as pairs of name and user.
async fn names(user: &User, message: i64) -> Vec<(String, i64)> {
    let reply = user.get(&format!("/messages/{message}"), json!({})).await.success();
    let reactions = reply["message"]["reactions"].as_array().cloned().unwrap_or_default();
    let pair = |one: &Value| {
        (one["emoji_name"].as_str().unwrap_or_default().to_owned(), one["user_id"].as_i64().unwrap_or_default())
    };
    reactions.iter().map(pair).collect()
}

#[tokio::test]
async fn a_reaction_reaches_subscribers_and_all_who_have_the_message() {
    let server = TestServer::start().await;
    let [mel, max, mona, olive, nora, gus] = server.users(["mel", "max", "mona", "olive", "nora", "gus"]);
    // In engineering: Max is subscribed, Mona was when it was sent, Olive starred it, Nora and Gus never had it.
    let message = server.message("The release is planned");
    let mut hearing = Vec::new();
    for user in [&mel, &max, &mona, &olive] {
        hearing.push(user.events(["reaction"]).await);
    }
    let [mut nora_events, mut gus_events] = [nora.events(["reaction"]).await, gus.events(["reaction"]).await];

    react(&mel, message, "tada").await;

    for events in &mut hearing {
        events.next().await.is(json!({
            "type": "reaction", "op": "add", "user_id": mel.id(), "message_id": message,
            "emoji_name": "tada", "emoji_code": "1f389", "reaction_type": "unicode_emoji",
        }));
        events.none().await;
    }
    nora_events.none().await;
    gus_events.none().await;
    assert_eq!(names(&max, message).await.last(), Some(&("tada".to_owned(), mel.id())));
}

#[tokio::test]
async fn a_reaction_to_a_direct_message_stays_in_the_conversation() {
    let server = TestServer::start().await;
    let [mel, max, olive] = server.users(["mel", "max", "olive"]);
    let message = server.message("It is green now.");
    let mut max_events = max.events(["reaction"]).await;
    let mut olive_events = olive.events(["reaction"]).await;

    react(&mel, message, "octopus").await;
    olive.post(&reactions_of(message), json!({"emoji_name": "tada"})).await.error("BAD_REQUEST", "Invalid message(s)");

    max_events.next().await.has(json!({"op": "add", "message_id": message, "emoji_name": "octopus"}));
    max_events.none().await;
    olive_events.none().await;
}

#[tokio::test]
async fn who_left_a_private_channel_hears_nothing_more() {
    let server = TestServer::start().await;
    let [mel, gus] = server.users(["mel", "gus"]);
    let message = server.message("Which logo?");
    let mut gus_events = gus.events(["reaction"]).await;
    gus.delete("/users/me/subscriptions", json!({"subscriptions": ["design"]})).await.success();

    react(&mel, message, "tada").await;

    gus_events.none().await;
}

#[tokio::test]
async fn reacting_to_a_message_of_others_makes_one_hear_of_further_reactions() {
    let server = TestServer::start().await;
    let [nora, adam] = server.users(["nora", "adam"]);
    let message = server.message("@**topic** Any objections?");
    react(&nora, message, "tada").await;
    let mut events = nora.events(["reaction"]).await;

    react(&adam, message, "octopus").await;

    events.next().await.has(json!({"user_id": adam.id(), "emoji_name": "octopus"}));
    let seen = nora.get(&format!("/messages/{message}"), json!({})).await.success();
    assert_eq!(seen["message"]["flags"], json!(["read", "historical"]));
}

#[tokio::test]
async fn a_second_equal_reaction_is_refused_under_any_of_its_names() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let message = server.message("Pizza or pasta?");
    react(&mel, message, "+1").await;
    let mut events = max.events(["reaction"]).await;

    for name in ["+1", "thumbs_up"] {
        let again = mel.post(&reactions_of(message), json!({"emoji_name": name})).await;
        again.with_status(400).error("REACTION_ALREADY_EXISTS", "Reaction already exists.");
    }

    events.none().await;
    assert_eq!(names(&mel, message).await, [("+1".to_owned(), mel.id())]);
}

#[tokio::test]
async fn a_vote_takes_the_name_of_the_reaction_that_is_there() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let message = server.message("Not yet. Is it :green_box:?");
    let mut events = mel.events(["reaction"]).await;

    react(&max, message, "thumbs_up").await;

    events.next().await.has(json!({"emoji_name": "+1", "emoji_code": "1f44d", "user_id": max.id()}));
    assert_eq!(names(&max, message).await, [("+1".to_owned(), mel.id()), ("+1".to_owned(), max.id())]);
}

#[tokio::test]
async fn a_vote_on_a_deactivated_custom_emoji_counts() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let message = server.message("The release is planned");
    let vote = json!({"emoji_name": "anything", "emoji_code": "2", "reaction_type": "realm_emoji"});

    max.post(&reactions_of(message), vote).await.is(json!({}));

    assert_eq!(names(&max, message).await.last(), Some(&("red_check".to_owned(), max.id())));
}

#[tokio::test]
async fn the_namespace_follows_from_the_name() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let message = server.message("Pizza or pasta?");
    let mut events = max.events(["reaction"]).await;

    for (name, code, kind) in [
        ("green_box", "1", "realm_emoji"),
        ("service", "service", "service_extra_emoji"),
        ("octopus", "1f419", "unicode_emoji"),
    ] {
        react(&mel, message, name).await;
        events.next().await.has(json!({"emoji_name": name, "emoji_code": code, "reaction_type": kind}));
    }
    let typed = json!({"emoji_name": "heart", "reaction_type": "unicode_emoji"});
    mel.post(&reactions_of(message), typed).await.is(json!({}));
    events.next().await.has(json!({"emoji_name": "heart", "emoji_code": "2764"}));
}

#[tokio::test]
async fn emoji_that_do_not_fit_are_refused() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let message = server.message("Pizza or pasta?");
    let whole =
        |name: &str, code: &str, kind: &str| json!({"emoji_name": name, "emoji_code": code, "reaction_type": kind});

    for (params, text) in [
        (json!({"emoji_name": "no_such"}), "Emoji 'no_such' does not exist"),
        (json!({"emoji_name": "red_check"}), "Emoji 'red_check' does not exist"),
        (json!({"emoji_name": "no_such", "emoji_code": "1f389"}), "Emoji 'no_such' does not exist"),
        (whole("tada", "1f389", "no_emoji"), "Invalid emoji type."),
        (whole("tada", "1F389", "unicode_emoji"), "Invalid emoji code"),
        (whole("smile", "1f389", "unicode_emoji"), "Invalid emoji name."),
        (whole("service", "other", "service_extra_emoji"), "Invalid emoji code"),
        (whole("other", "service", "service_extra_emoji"), "Invalid emoji name."),
        (whole("green_box", "99", "realm_emoji"), "Invalid custom emoji."),
        (whole("green_box", "01", "realm_emoji"), "Invalid custom emoji."),
        (whole("red_check", "1", "realm_emoji"), "Invalid custom emoji name."),
        (whole("red_check", "2", "realm_emoji"), "This custom emoji has been deactivated."),
        (json!({"emoji_name": "tada", "reaction_type": "realm_emoji"}), "Invalid custom emoji."),
    ] {
        mel.post(&reactions_of(message), params).await.with_status(400).error("BAD_REQUEST", text);
    }
    mel.post(&reactions_of(message), json!({}))
        .await
        .error("REQUEST_VARIABLE_MISSING", "Missing 'emoji_name' argument");
    assert_eq!(names(&mel, message).await, []);
}

#[tokio::test]
async fn messages_that_are_hidden_archived_or_unknown_take_no_reactions() {
    let server = TestServer::start().await;
    let [mel, mona, gus, anybody] = server.users(["mel", "mona", "gus", "hook-bot"]);
    let tada = || json!({"emoji_name": "tada"});

    for (user, message) in [
        (&mel, server.message("Before Mona joined us")),
        (&mona, server.message("Before Mona joined us")),
        (&mel, server.message("Is anybody going to clean up")),
        (&gus, server.message("Fixed.")),
        (&mel, 9999),
    ] {
        user.post(&reactions_of(message), tada()).await.error("BAD_REQUEST", "Invalid message(s)");
        user.delete(&reactions_of(message), tada()).await.error("BAD_REQUEST", "Invalid message(s)");
    }
    let refused = anybody.post(&reactions_of(server.message("Fixed.")), tada()).await.with_status(401);
    refused.error("UNAUTHORIZED", "This API is not available to incoming webhook bots.");
    mona.post(&reactions_of(server.message("@**Mona Maddox** can see")), tada()).await.is(json!({}));
}

#[tokio::test]
async fn one_s_own_reaction_goes_by_name_or_code() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let message = server.message("Pizza or pasta?");
    let mut events = max.events(["reaction"]).await;

    for (emoji, removal) in [
        ("+1", json!({"emoji_name": "+1"})),
        ("+1", json!({"emoji_name": "thumbs_up"})),
        ("+1", json!({"emoji_code": "1f44d"})),
        ("+1", json!({"emoji_name": "of no effect", "emoji_code": "1f44d", "reaction_type": "unicode_emoji"})),
        ("green_box", json!({"emoji_name": "green_box"})),
        ("green_box", json!({"emoji_code": "1", "reaction_type": "realm_emoji"})),
        ("service", json!({"emoji_name": "service", "reaction_type": "service_extra_emoji"})),
    ] {
        react(&mel, message, emoji).await;
        mel.delete(&reactions_of(message), removal).await.is(json!({}));

        events.next().await.has(json!({"op": "add", "emoji_name": emoji}));
        events
            .next()
            .await
            .has(json!({"op": "remove", "user_id": mel.id(), "message_id": message, "emoji_name": emoji}));
    }
    events.none().await;
    assert_eq!(names(&mel, message).await, []);
}

#[tokio::test]
async fn a_reaction_with_a_deactivated_custom_emoji_can_be_removed() {
    let server = TestServer::start().await;
    let mona = server.user("mona");
    let message = server.message("The release is planned");

    mona.delete(&reactions_of(message), json!({"emoji_name": "red_check"})).await.is(json!({}));
}

#[tokio::test]
async fn reactions_of_others_and_missing_ones_are_not_removed() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let message = server.message("Pizza or pasta?");
    react(&mel, message, "tada").await;
    react(&mel, message, "green_box").await;
    let path = reactions_of(message);
    let mut events = mel.events(["reaction"]).await;

    for (user, params) in [
        (&max, json!({"emoji_name": "tada"})),
        (&mel, json!({"emoji_name": "octopus"})),
        (&mel, json!({"emoji_code": "1"})),
        (&mel, json!({"emoji_name": "tada", "reaction_type": "realm_emoji"})),
        (&mel, json!({"emoji_code": "1f389", "reaction_type": "no_emoji"})),
    ] {
        user.delete(&path, params).await.error("REACTION_DOES_NOT_EXIST", "Reaction doesn't exist.");
    }
    mel.delete(&path, json!({"emoji_name": "no_such"})).await.error("BAD_REQUEST", "Emoji 'no_such' does not exist");
    let unnamed = mel.delete(&path, json!({"reaction_type": "unicode_emoji"})).await;
    let text = "At least one of the following arguments must be present: emoji_name, emoji_code";
    unnamed.error("BAD_REQUEST", text);
    events.none().await;
}

#[tokio::test]
async fn a_flag_or_another_emoji_of_several_characters_is_a_reaction_too() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let message = server.message("The release is planned");
    let mut events = mel.events(["reaction"]).await;

    for (name, code) in [("flag_germany", "1f1e9-1f1ea"), ("woman_shrugging", "1f937-200d-2640")] {
        react(&mel, message, name).await;

        let event = events.next().await;
        event.has(json!({"emoji_name": name, "emoji_code": code, "reaction_type": "unicode_emoji"}));
    }

    let table = mel.send("GET", "/static/generated/emoji/emoji_api.json", &json!({}), Vec::new(), None).await;
    assert_eq!(table.body["code_to_names"]["1f937-200d-2640"], json!(["woman_shrugging"]), "{table}");
}

#[tokio::test]
async fn a_reaction_follows_or_unmutes_the_topic_where_any_participation_does() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let channel = server.channel("general");
    let mute = json!([{"stream_id": channel, "property": "is_muted", "value": true}]);
    max.post("/users/me/subscriptions/properties", json!({"subscription_data": mute})).await.success();
    let mut events = max.events(["user_topic", "reaction"]).await;
    for (topic, follow, unmute, policy) in
        [("sent", 2, 2, None), ("any", 1, 1, Some(3)), ("muted", 4, 1, Some(2)), ("never", 4, 4, None)]
    {
        let settings = json!({
            "automatically_follow_topics_policy": follow,
            "automatically_unmute_topics_in_muted_streams_policy": unmute,
        });
        max.patch("/settings", settings).await.success();
        let id = mel.send_to("general", topic, "x").await;

        max.post(&format!("/messages/{id}/reactions"), json!({"emoji_name": "tada"})).await.success();

        if let Some(policy) = policy {
            let expected = json!({"type": "user_topic", "topic_name": topic, "visibility_policy": policy});
            events.next().await.has(expected);
        }
        events.next().await.has(json!({"type": "reaction", "message_id": id}));
        events.none().await;
    }
}
