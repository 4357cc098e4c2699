//! Unsubscribing oneself and others.

use super::{PATH, subscribed};
use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};

async fn leave(user: &User, names: &[&str], principals: Value) -> Reply {
    let mut params = json!({ "subscriptions": names });
    if !principals.is_null() {
        params["principals"] = principals;
    }
    user.delete(PATH, params).await
}

#[tokio::test]
async fn leaving_is_sent_to_peers_and_reads_what_was_unread() {
    let server = TestServer::start().await;
    let [mel, max, nora] = server.users(["mel", "max", "nora"]);
    let id = server.channel("general");
    let unread = max.send_to("general", "goodbyes", "See you!").await;
    let types = ["stream", "subscription", "update_message_flags"];
    let mut at_nora = nora.events(types).await;
    let mut at_mel = mel.events(types).await;

    let reply = leave(&nora, &["GENERAL", "quiet"], Value::Null).await;

    reply.is(json!({"removed": ["general"], "not_removed": ["quiet"]}));
    at_nora.next().await.is(json!({
        "type": "subscription",
        "op": "remove",
        "subscriptions": [{"name": "general", "stream_id": id}],
    }));
    let flags = at_nora.next().await.has(json!({"type": "update_message_flags", "op": "add", "flag": "read"}));
    assert_eq!(flags["messages"], json!([unread]));
    at_nora.none().await;
    at_mel
        .next()
        .await
        .is(json!({"type": "subscription", "op": "peer_remove", "stream_ids": [id], "user_ids": [nora.id()]}));
    at_mel.none().await;
}

#[tokio::test]
async fn a_private_channel_vanishes_for_those_who_leave_but_not_for_administrators() {
    let server = TestServer::start().await;
    let [adam, mona, mel, nora] = server.users(["adam", "mona", "mel", "nora"]);
    let mut at_mona = mona.events(["stream", "subscription"]).await;
    let mut at_adam = adam.events(["stream", "subscription"]).await;
    let mut at_mel = mel.events(["stream", "subscription"]).await;
    let mut at_nora = nora.events(["stream", "subscription"]).await;
    let id = server.channel("leadership");

    leave(&mona, &["leadership"], Value::Null).await.success();
    at_mona.next().await.has(json!({"type": "subscription", "op": "remove"}));
    at_mona
        .next()
        .await
        .is(json!({"type": "stream", "op": "delete", "streams": [{"stream_id": id}], "stream_ids": [id]}));
    at_mona.none().await;
    at_adam.next().await.has(json!({"type": "subscription", "op": "peer_remove", "user_ids": [mona.id()]}));

    leave(&adam, &["leadership"], Value::Null).await.success();
    at_adam.next().await.has(json!({"type": "subscription", "op": "remove"}));
    at_adam.none().await;
    at_mel.none().await;
    at_nora.none().await;
}

#[tokio::test]
async fn an_administrator_unsubscribes_anybody_from_any_channel() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);

    let reply = leave(&adam, &["design"], json!([mel.id(), max.id(), adam.id()])).await;

    reply.is(json!({"removed": ["design", "design"], "not_removed": ["design"]}));
    assert!(!subscribed(&max).await.contains(&"design".to_owned()));
}

#[tokio::test]
async fn an_owner_takes_their_bot_out_of_channels_that_they_can_access() {
    let server = TestServer::start().await;
    let [olive, mel, max, bot] = server.users(["olive", "mel", "max", "build-bot"]);
    olive.post(PATH, json!({"subscriptions": [{"name": "leadership"}], "principals": [bot.id()]})).await.success();

    leave(&mel, &["engineering"], json!([bot.email()]))
        .await
        .is(json!({"removed": ["engineering"], "not_removed": []}));

    let hidden = leave(&mel, &["leadership"], json!([bot.id()])).await;
    hidden.error("BAD_REQUEST", "Insufficient permission");
    leave(&max, &["general"], json!([bot.id()])).await.error("BAD_REQUEST", "Insufficient permission");
    leave(&mel, &["general"], json!([bot.id(), max.id()])).await.error("BAD_REQUEST", "Insufficient permission");
}

#[tokio::test]
async fn who_may_remove_subscribers_does_so_where_they_have_access() {
    let server = TestServer::start().await;
    let [adam, mel, max, nora] = server.users(["adam", "mel", "max", "nora"]);
    let make = async |name: &str, more: Value| {
        let mut params = json!({
            "subscriptions": [{"name": name}],
            "principals": [adam.id(), max.id()],
            "can_remove_subscribers_group": {"direct_members": [mel.id()], "direct_subgroups": []},
        });
        for (key, value) in more.as_object().expect("an object") {
            params[key] = value.clone();
        }
        adam.post(PATH, params).await.success();
    };
    make("open", json!({})).await;
    make("closed", json!({"invite_only": true})).await;

    leave(&mel, &["open"], json!([max.id()])).await.is(json!({"removed": ["open"], "not_removed": []}));

    leave(&mel, &["closed"], json!([max.id()])).await.error("BAD_REQUEST", "Insufficient permission");
    leave(&nora, &["open"], json!([adam.id()])).await.error("BAD_REQUEST", "Insufficient permission");
}

#[tokio::test]
async fn the_creator_of_a_channel_administers_it() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let params = json!({"subscriptions": [{"name": "chess"}], "principals": [max.id()]});
    mel.post(PATH, params).await.success();

    leave(&mel, &["chess"], json!([max.id()])).await.is(json!({"removed": ["chess"], "not_removed": []}));
}

#[tokio::test]
async fn an_unknown_name_leaves_everything_as_it_was() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut events = mel.events(["subscription"]).await;

    let reply = leave(&mel, &["general", " nowhere ", "elsewhere"], Value::Null).await.with_status(400);

    let body = reply.error("STREAM_DOES_NOT_EXIST", "Channel 'nowhere' does not exist");
    assert_eq!(body["stream"], "nowhere");
    events.none().await;
}

#[tokio::test]
async fn people_are_checked_before_names_and_names_before_rights() {
    let server = TestServer::start().await;
    let [mel, max, dana] = server.users(["mel", "max", "dana"]);

    leave(&mel, &[""], json!([999])).await.error("BAD_REQUEST", "No such user");
    leave(&mel, &[""], json!([dana.id()])).await.error("BAD_REQUEST", "User is deactivated");
    leave(&mel, &[""], json!([max.id()])).await.error("BAD_REQUEST", "Channel name can't be empty.");
    leave(&mel, &["nowhere", "general"], json!([max.id()])).await.error("BAD_REQUEST", "Insufficient permission");
    let unknown = leave(&mel, &["nowhere"], json!([max.id()])).await;
    unknown.error("STREAM_DOES_NOT_EXIST", "Channel 'nowhere' does not exist");
    mel.delete(PATH, json!({"subscriptions": "general"})).await.error("BAD_REQUEST", "subscriptions is not valid JSON");
}
