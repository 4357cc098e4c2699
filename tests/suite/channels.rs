//! Listing, looking at and making channels.

use crate::support::{Reply, TestServer};
use serde_json::{Value, json};

/// The names of the channels in a reply, in its order.
#[track_caller]
fn names(reply: Reply) -> Vec<String> {
    let reply = reply.success();
    let streams = reply["streams"].as_array().expect("a list of channels");
    streams.iter().map(|stream| stream["name"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Only the sets that are named.
fn only(set: &str) -> Value {
    let mut params = json!({"include_public": false, "include_subscribed": false});
    params[set] = true.into();
    params
}

#[tokio::test]
async fn the_list_has_public_and_subscribed_channels_by_name() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let listed = names(mel.get("/streams", json!({})).await);

    assert_eq!(listed, ["announcements", "design", "engineering", "general", "quiet", "town-square"]);
}

#[tokio::test]
async fn a_guest_is_listed_web_public_and_subscribed_channels() {
    let server = TestServer::start().await;
    let [olive, gus] = server.users(["olive", "gus"]);
    olive
        .delete("/users/me/subscriptions", json!({"subscriptions": ["general"], "principals": [gus.id()]}))
        .await
        .success();

    let listed = names(gus.get("/streams", json!({"include_all": true, "include_can_access_content": true})).await);

    assert_eq!(listed, ["design", "town-square"]);
    let sets = json!({"include_subscribed": false});
    assert_eq!(names(gus.get("/streams", sets).await), [""; 0], "no channel is public to guests");
    let sets = json!({"include_subscribed": false, "include_web_public": true});
    assert_eq!(names(gus.get("/streams", sets).await), ["town-square"]);
}

#[tokio::test]
async fn each_switch_of_the_list_adds_its_set() {
    let server = TestServer::start().await;
    let [adam, bot] = server.users(["adam", "build-bot"]);

    assert_eq!(names(adam.get("/streams", only("include_default")).await), [""; 0]);
    assert_eq!(names(adam.get("/streams", only("include_web_public")).await), ["town-square"]);
    assert_eq!(
        names(adam.get("/streams", only("include_subscribed")).await),
        ["announcements", "engineering", "general", "leadership"]
    );
    assert_eq!(
        names(adam.get("/streams", only("include_can_access_content")).await),
        ["announcements", "engineering", "general", "leadership", "quiet", "town-square"]
    );
    let all = ["announcements", "design", "engineering", "general", "leadership", "quiet", "town-square"];
    assert_eq!(names(adam.get("/streams", only("include_all")).await), all);
    assert_eq!(names(adam.get("/streams", only("include_all_active")).await), all);
    assert_eq!(
        names(bot.get("/streams", only("include_owner_subscribed")).await),
        ["announcements", "design", "engineering", "general", "town-square"]
    );
}

#[tokio::test]
async fn archived_and_default_channels_are_listed_when_asked_for() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let params = json!({"exclude_archived": false, "include_default": true});
    let reply = mel.get("/streams", params).await.success();

    let received: Vec<(&str, bool, bool)> = reply["streams"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|stream| {
            let is = |key: &str| stream[key].as_bool().expect("true or false");
            (stream["name"].as_str().unwrap_or_default(), is("is_default"), is("is_archived"))
        })
        .collect();
    assert!(received.contains(&("attic", false, true)));
    assert!(received.contains(&("general", true, false)));
}

#[tokio::test]
async fn two_names_of_one_switch_confuse() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let reply = mel.get("/streams", json!({"include_all": true, "include_all_active": true})).await;

    reply.error("REQUEST_CONFUSING_VAR", "Can't decide between 'include_all' and 'include_all_active' arguments");
}

#[tokio::test]
async fn a_channel_has_all_of_its_fields() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let params = json!({"subscriptions": [{"name": "chess", "description": "For **players**"}]});
    mel.post("/users/me/subscriptions", params).await.success();
    let id = server.channel("chess");

    let channel = mel.get(&format!("/streams/{id}"), json!({})).await.success()["stream"].clone();

    let group = |name: &str| {
        let realm = server.server().world("default").snapshot();
        realm.group_by_name(name).expect("a system group").id.0
    };
    let (nobody, everyone) = (group("role:nobody"), group("role:everyone"));
    let expected = json!({
        "stream_id": id,
        "name": "chess",
        "description": "For **players**",
        "rendered_description": "<p>For <strong>players</strong></p>",
        "date_created": 1_767_268_800,
        "creator_id": mel.id(),
        "invite_only": false,
        "is_web_public": false,
        "is_archived": false,
        "history_public_to_subscribers": true,
        "first_message_id": channel["first_message_id"],
        "folder_id": null,
        "is_recently_active": true,
        "message_retention_days": null,
        "stream_post_policy": 1,
        "is_announcement_only": false,
        "stream_weekly_traffic": null,
        "subscriber_count": 1,
        "topics_policy": "inherit",
        "default_push_notifications": false,
        "can_add_subscribers_group": nobody,
        "can_administer_channel_group": {"direct_members": [mel.id()], "direct_subgroups": []},
        "can_create_topic_group": everyone,
        "can_delete_any_message_group": nobody,
        "can_delete_own_message_group": nobody,
        "can_move_messages_out_of_channel_group": nobody,
        "can_move_messages_within_channel_group": nobody,
        "can_remove_subscribers_group": group("role:administrators"),
        "can_resolve_topics_group": nobody,
        "can_send_message_group": everyone,
        "can_subscribe_group": nobody,
    });
    assert_eq!(channel, expected);
}

#[tokio::test]
async fn who_can_see_a_channel_gets_it_by_id() {
    let server = TestServer::start().await;
    let [adam, mel, nora, gus] = server.users(["adam", "mel", "nora", "gus"]);
    let path = |name: &str| format!("/streams/{}", server.channel(name));

    // An administrator sees a private channel, archived ones are given too.
    assert_eq!(adam.get(&path("design"), json!({})).await.success()["stream"]["name"], "design");
    assert_eq!(nora.get(&path("attic"), json!({})).await.success()["stream"]["is_archived"], true);

    for (user, hidden) in [(&nora, "design"), (&mel, "leadership"), (&gus, "engineering")] {
        user.get(&path(hidden), json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
    }
    mel.get("/streams/999", json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
}

#[tokio::test]
async fn a_channel_is_found_by_name_whatever_the_case() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let by_name = async |name: &str| mel.get("/get_stream_id", json!({"stream": name})).await;

    by_name("GENERAL").await.is(json!({"stream_id": server.channel("general")}));
    for name in ["nowhere", "leadership", "attic"] {
        by_name(name).await.error("BAD_REQUEST", &format!("Invalid channel name '{name}'"));
    }
    mel.get("/get_stream_id", json!({})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'stream' argument");
}

#[tokio::test]
async fn subscribers_are_listed_by_id_without_deactivated_ones() {
    let server = TestServer::start().await;
    let [olive, mel, nora] = server.users(["olive", "mel", "nora"]);
    let path = |name: &str| format!("/streams/{}/members", server.channel(name));

    nora.get(&path("attic"), json!({})).await.is(json!({"subscribers": [olive.id(), mel.id()]}));
    nora.get(&path("design"), json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
}

#[tokio::test]
async fn guests_see_who_is_subscribed_to_channels_open_to_the_web() {
    let server = TestServer::start().await;
    let [olive, mel, max, gus] = server.users(["olive", "mel", "max", "gus"]);
    let square = server.channel("town-square");
    gus.delete("/users/me/subscriptions", json!({"subscriptions": ["town-square"]})).await.success();

    let members = format!("/streams/{square}/members");
    gus.get(&members, json!({})).await.is(json!({"subscribers": [olive.id(), mel.id()]}));
    gus.get(&format!("/streams/{}/members", server.channel("general")), json!({})).await.success();
    let wish = json!({"event_types": ["subscription"], "include_subscribers": true});
    let mut events = gus.register(wish).await;
    let left =
        events.state["unsubscribed"].as_array().and_then(|all| all.iter().find(|row| row["stream_id"] == square));
    assert_eq!(left.map(|row| &row["subscribers"]), Some(&json!([olive.id(), mel.id()])));

    max.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "town-square"}]})).await.success();
    max.post("/users/me/subscriptions", json!({"subscriptions": [{"name": "quiet"}]})).await.success();
    events.next().await.is(json!({
        "type": "subscription", "op": "peer_add", "stream_ids": [square], "user_ids": [max.id()],
    }));
    events.none().await;
}

#[tokio::test]
async fn a_channel_has_an_address_for_each_who_may_post_by_mail() {
    let server = TestServer::start().await;
    let [adam, mel, max, bot] = server.users(["adam", "mel", "max", "build-bot"]);
    let path = |name: &str| format!("/streams/{}/email_address", server.channel(name));
    let address = async |sender: i64| mel.get(&path("general"), json!({"sender_id": sender})).await;

    let own = mel.get(&path("general"), json!({})).await.success()["email"].clone();
    assert!(own.as_str().is_some_and(|email| email.starts_with("general.") && email.ends_with("@chat.test")), "{own}");
    let as_mel = address(mel.id()).await.success()["email"].clone();
    assert_ne!(as_mel, own);
    let as_bot = address(bot.id()).await.success()["email"].clone();
    assert!(as_bot != own && as_bot != as_mel);

    let foreign = server.user("nora").get(&path("general"), json!({"sender_id": bot.id()})).await;
    foreign.error("BAD_REQUEST", "Insufficient permission");
    adam.get(&path("general"), json!({"sender_id": bot.id()})).await.success();
    address(max.id()).await.error("BAD_REQUEST", "No such bot");
    address(999).await.error("BAD_REQUEST", "No such bot");
    // Seeing a private channel's settings is not enough.
    adam.get(&path("design"), json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
    mel.get(&path("attic"), json!({})).await.error("BAD_REQUEST", "Invalid channel ID");
}

#[tokio::test]
async fn a_channel_is_made_with_its_subscribers() {
    let server = TestServer::start().await;
    let [mel, max, nora] = server.users(["mel", "max", "nora"]);
    let mut at_max = max.events(["stream", "subscription", "message"]).await;
    let mut at_nora = nora.events(["stream", "subscription", "message"]).await;

    let params = json!({"name": " chess ", "description": "For\nplayers", "subscribers": [max.id()]});
    let reply = mel.post("/channels/create", params).await;

    let id = server.channel("chess");
    reply.is(json!({"id": id}));
    let created = at_max.next().await.has(json!({"type": "stream", "op": "create"}));
    assert_eq!(created["streams"][0]["description"], "For players");
    let added = at_max.next().await.has(json!({"type": "subscription", "op": "add"}));
    assert_eq!(added["subscriptions"][0]["subscribers"], json!([max.id()]));
    let received = at_max.next().await.has(json!({"type": "message"}));
    assert_eq!(received["message"]["subject"], "channel events");
    at_max.none().await;

    at_nora.next().await.has(json!({"type": "stream", "op": "create"}));
    at_nora
        .next()
        .await
        .is(json!({"type": "subscription", "op": "peer_add", "stream_ids": [id], "user_ids": [max.id()]}));
    at_nora.none().await;
}

#[tokio::test]
async fn a_channel_is_not_made_twice_or_by_guests() {
    let server = TestServer::start().await;
    let [mel, gus] = server.users(["mel", "gus"]);
    let params = |name: &str| json!({"name": name, "subscribers": []});

    let taken = mel.post("/channels/create", params("GENERAL")).await.with_status(409);
    let body = taken.error("CHANNEL_ALREADY_EXISTS", "Channel 'GENERAL' already exists");
    assert_eq!(body["channel_name"], "GENERAL");
    mel.post("/channels/create", params("attic"))
        .await
        .error("CHANNEL_ALREADY_EXISTS", "Channel 'attic' already exists");
    gus.post("/channels/create", params("chess")).await.error("BAD_REQUEST", "Not allowed for guest users");
    let missing = mel.post("/channels/create", json!({"name": "chess"})).await;
    missing.error("REQUEST_VARIABLE_MISSING", "Missing 'subscribers' argument");
}

#[tokio::test]
async fn a_refused_creation_leaves_nothing() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let refused = async |change: Value, message: &str| {
        let mut params = json!({"name": "chess", "subscribers": [mel.id()]});
        for (key, value) in change.as_object().expect("an object") {
            params[key] = value.clone();
        }
        mel.post("/channels/create", params).await.error("BAD_REQUEST", message);
    };

    refused(json!({"name": " "}), "Channel name can't be empty.").await;
    refused(json!({"name": "x".repeat(61)}), "Channel name too long (limit: 60 characters).").await;
    refused(json!({"name": "a\u{0}b"}), "Invalid character in channel name, at position 2.").await;
    refused(json!({"description": "x".repeat(1025)}), "description is too long (limit: 1024 characters)").await;
    refused(json!({"folder_id": 99}), "Invalid channel folder ID").await;
    let often = json!({"name": "chess", "subscribers": [mel.id()], "message_retention_days": "\"often\""});
    let body = mel.post("/channels/create", often).await;
    let body = body.error("REQUEST_VARIABLE_INVALID", "Bad value for 'message_retention_days': often");
    assert_eq!((&body["var_name"], &body["bad_value"]), (&json!("message_retention_days"), &json!("often")));
    refused(json!({"topics_policy": "whatever"}), "Invalid topics_policy").await;
    refused(json!({"can_send_message_group": 999}), "Invalid user group").await;
    refused(json!({"invite_only": true, "is_web_public": true}), "Invalid parameters").await;
    refused(json!({"is_default_stream": true}), "Insufficient permission").await;
    refused(json!({"is_web_public": true}), "Insufficient permission").await;
    refused(json!({"subscribers": [999]}), "No such user").await;
    refused(json!({"subscribers": [server.user("dana").id()]}), "User is deactivated").await;

    let listed = names(mel.get("/streams", json!({})).await);
    assert!(!listed.contains(&"chess".to_owned()));
}
