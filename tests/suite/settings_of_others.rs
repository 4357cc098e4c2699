//! Settings that administrators change for others.

use crate::support::TestServer;
use chatdouble::realm::id::UserId;
use chatdouble::realm::setting::UserSetting;
use serde_json::{Value, json};

fn setting(property: &str, value: Value) -> Value {
    json!({"type": "user_settings", "op": "update", "property": property, "value": value})
}

#[tokio::test]
async fn administrators_change_the_settings_of_those_they_name() {
    let server = TestServer::start().await;
    let [adam, mel, max, mona, bot] = server.users(["adam", "mel", "max", "mona", "build-bot"]);
    let dana = server.server().user("dana").id.0;
    let types = ["user_settings", "realm_user"];
    let mut at_adam = adam.events(types).await;
    let [mut at_mel, mut at_max, mut at_mona] =
        [mel.events(types).await, max.events(types).await, mona.events(types).await];
    let groups = adam.get("/user_groups", json!({})).await.success()["user_groups"].take();
    let mut groups = groups.as_array().expect("a list").iter();
    let engineers = groups.find(|group| group["name"] == "engineers").expect("built in")["id"].clone();

    // Bots have no settings; who left may come back. Mona leads those who build it. Names are passed over.
    let named = json!({"user_ids": [mel.id(), bot.id(), dana]});
    let light = json!({"target_users": named, "color_scheme": 3, "full_name": "Nobody"});
    adam.patch("/settings", light.clone()).await.is(json!({}));
    let group = json!({"target_users": {"group_ids": [engineers]}, "enter_sends": true, "color_scheme": 3});
    adam.patch("/settings", group).await.is(json!({}));
    adam.patch("/settings", light).await.is(json!({}));

    at_mel.next().await.is(setting("color_scheme", json!(3)));
    at_mel.next().await.is(setting("enter_sends", json!(true)));
    for queue in [&mut at_max, &mut at_mona] {
        queue.next().await.is(setting("color_scheme", json!(3)));
        queue.next().await.is(setting("enter_sends", json!(true)));
    }
    for queue in [&mut at_adam, &mut at_mel, &mut at_max, &mut at_mona] {
        queue.none().await;
    }
    let of = async |user: &crate::support::User| {
        user.register(json!({"event_types": ["user_settings"]})).await.state["user_settings"].clone()
    };
    assert_eq!((&of(&adam).await["color_scheme"], &of(&adam).await["enter_sends"]), (&json!(1), &json!(false)));
    assert_eq!((&of(&mel).await["color_scheme"], &of(&mel).await["enter_sends"]), (&json!(3), &json!(true)));
    let realm = server.server().world("default").snapshot();
    let own = |id: i64| realm.user_state(UserId(id)).number(UserSetting::ColorScheme);
    assert_eq!((own(dana), own(bot.id())), (3, 1));
}

#[tokio::test]
async fn what_people_chose_themselves_can_be_left_to_them() {
    let server = TestServer::start().await;
    let [adam, mel, max, mona, nora] = server.users(["adam", "mel", "max", "mona", "nora"]);
    // Mel comes back to what it was, Max says it by a command, Mona gets it from an administrator.
    mel.patch("/settings", json!({"color_scheme": 3})).await.success();
    mel.patch("/settings", json!({"color_scheme": 1})).await.success();
    assert_eq!(max.post("/zcommand", json!({"command": "/light"})).await.status, 200);
    adam.patch("/settings", json!({"target_users": {"user_ids": [mona.id()]}, "color_scheme": 3})).await.success();
    let types = ["user_settings"];
    let (mut at_mel, mut at_max) = (mel.events(types).await, max.events(types).await);
    let (mut at_mona, mut at_nora) = (mona.events(types).await, nora.events(types).await);
    let all = [mel.id(), max.id(), mona.id(), nora.id()];
    let dark = |skip: bool| json!({"target_users": {"user_ids": all, "skip_if_already_edited": skip}, "color_scheme": 2, "enter_sends": true});

    adam.patch("/settings", dark(true)).await.is(json!({}));

    for queue in [&mut at_mona, &mut at_nora] {
        queue.next().await.is(setting("color_scheme", json!(2)));
        queue.next().await.is(setting("enter_sends", json!(true)));
        queue.none().await;
    }
    for queue in [&mut at_mel, &mut at_max] {
        queue.next().await.is(setting("enter_sends", json!(true)));
        queue.none().await;
    }
    adam.patch("/settings", dark(false)).await.is(json!({}));
    for queue in [&mut at_mel, &mut at_max] {
        queue.next().await.is(setting("color_scheme", json!(2)));
    }
    at_mona.none().await;
}

#[tokio::test]
async fn others_settings_are_refused_to_those_who_may_not_and_where_they_are_personal() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);
    let mut at_max = max.events(["user_settings", "realm_user", "user_status"]).await;
    let targets = json!({"user_ids": [max.id()]});

    let refused = mel.patch("/settings", json!({"target_users": targets, "color_scheme": 2})).await;
    refused.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");
    for (name, value) in [
        ("email", json!("m@chat.test")),
        ("new_password", json!("purple-otter-9983")),
        ("timezone", json!("Europe/Lisbon")),
        ("email_address_visibility", json!(4)),
        ("presence_enabled", json!(false)),
        ("send_read_receipts", json!(false)),
        ("enable_login_emails", json!(false)),
    ] {
        let refused = adam.patch("/settings", json!({"target_users": targets, "color_scheme": 2, name: value})).await;
        refused.error("BAD_REQUEST", "Cannot change this setting for other users.");
    }
    for (targets, message) in [
        (json!({}), "Either user_ids or group_ids must be provided."),
        (json!({"user_ids": [], "group_ids": []}), "Either user_ids or group_ids must be provided."),
        (json!({"user_ids": [max.id(), 9_999]}), "Invalid user ID: 9999"),
        (json!({"user_ids": [max.id()], "group_ids": [9_999]}), "Invalid user group ID: 9999"),
        (json!({"user_ids": max.id()}), "target_users[\"user_ids\"] is not a list"),
        (json!({"skip_if_already_edited": 1}), "target_users[\"skip_if_already_edited\"] is not a boolean"),
        (json!([max.id()]), "target_users is not a dict"),
    ] {
        let refused = adam.patch("/settings", json!({"target_users": targets, "color_scheme": 2})).await;
        refused.error("BAD_REQUEST", message);
    }
    at_max.none().await;
}
