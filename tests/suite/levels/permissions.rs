//! Permissions before groups held them, and before groups without a name did.

use super::{Age, send_old};
use crate::support::TestServer;
use chatdouble::realm::group::SystemGroup;
use serde_json::{Value, json};

#[tokio::test]
async fn posting_had_policies_before_333() {
    let server = TestServer::start().await;
    let general = server.channel("general");
    let path = format!("/streams/{general}");
    let [before, after] = Age::around(&server, 333).await;
    let (olive, max) = (before.user("olive"), before.user("max"));
    let message = json!({"type": "stream", "to": "general", "topic": "t", "content": "x"});
    let refused = "Only organization administrators can send to this channel.";

    olive.patch(&path, json!({"stream_post_policy": 2})).await.is(json!({}));
    max.post("/messages", message.clone()).await.error("BAD_REQUEST", refused);
    let policy = |user: crate::support::User| async move {
        let channels = user.get("/streams", json!({})).await.success()["streams"].take();
        let mut channels = channels.as_array().expect("a list").clone().into_iter();
        channels.find(|channel| channel["stream_id"] == general).expect("it is there")["stream_post_policy"].take()
    };
    assert_eq!(policy(before.user("mel")).await, 2);
    olive.patch(&path, json!({"is_announcement_only": false})).await.success();
    max.post("/messages", message.clone()).await.success();
    olive.patch(&path, json!({"stream_post_policy": 9})).await.error("BAD_REQUEST", "Invalid stream_post_policy");
    let new =
        json!({"subscriptions": [{"name": "news"}], "principals": ["max@chat.test"], "is_announcement_only": true});
    olive.post("/users/me/subscriptions", new).await.success();
    let news = json!({"type": "stream", "to": "news", "topic": "t", "content": "x"});
    max.post("/messages", news).await.error("BAD_REQUEST", refused);

    let reply = after.user("olive").patch(&path, json!({"stream_post_policy": 2})).await.success();
    assert_eq!(reply["ignored_parameters_unsupported"], json!(["stream_post_policy"]));
    after.user("max").post("/messages", message).await.success();
}

#[tokio::test]
async fn permissions_were_held_by_named_groups() {
    let server = TestServer::start().await;
    let (general, olive) = (server.channel("general"), server.user("olive"));
    let path = format!("/streams/{general}");
    let nameless = json!({"direct_members": [olive.id()], "direct_subgroups": []});
    olive.patch(&path, json!({"can_remove_subscribers_group": {"new": nameless}})).await.success();
    let groups = olive.get("/user_groups", json!({})).await.success()["user_groups"].take();
    let id = |name: &str| {
        let mut groups = groups.as_array().expect("a list").iter();
        groups.find(|group| group["name"] == name).expect("it is there")["id"].clone()
    };
    let leads = format!("/user_groups/{}", id("leads"));
    olive.patch(&leads, json!({"can_mention_group": {"new": nameless}})).await.success();
    server.arrange(|tx| {
        let holder = serde_json::from_value(nameless.clone()).expect("it is one");
        let organization = std::sync::Arc::make_mut(&mut tx.realm_mut().organization);
        organization.permissions.insert("create_multiuse_invite_group", holder);
    });
    let find = |list: &Value, key: &str, id: &Value, name: &str| {
        let mut rows = list.as_array().expect("a list").iter();
        rows.find(|row| row[key] == *id).expect("it is there")[name].clone()
    };

    for (level, name, default) in [
        (320, "can_remove_subscribers_group", "role:administrators"),
        (314, "realm_create_multiuse_invite_group", "role:administrators"),
        (258, "can_mention_group", "role:everyone"),
    ] {
        for (level, expected) in [(level - 1, id(default)), (level, nameless.clone())] {
            let age = Age::at(&server, level).await;
            let state = age.user("olive").register(json!({})).await.state;
            let shown = match name {
                "can_mention_group" => find(&state["realm_user_groups"], "id", &id("leads"), name),
                "can_remove_subscribers_group" => find(&state["subscriptions"], "stream_id", &json!(general), name),
                _ => state[name].clone(),
            };
            assert_eq!(shown, expected, "{name} at {level}");
        }
    }

    // Changing it: a group's ID alone, in an object or bare.
    for (level, path, name) in [(319, &path, "can_remove_subscribers_group"), (257, &leads, "can_mention_group")] {
        let age = Age::at(&server, level).await;
        let olive = age.user("olive");
        let mut events = olive.events(["stream", "user_group"]).await;
        olive.patch(path, json!({name: id("role:members")})).await.success();
        let event = events.next().await.has(json!({"op": "update"}));
        let received = if event["type"] == "stream" { &event["value"] } else { &event["data"][name] };
        assert_eq!(*received, id("role:members"), "{event}");
        let message = format!("{name} is not an integer");
        let value = if level == 257 { nameless.clone() } else { json!({"new": nameless}) };
        olive.patch(path, json!({name: value})).await.error("BAD_REQUEST", &message);
    }
}

#[tokio::test]
async fn own_bots_were_not_unsubscribed_before_145_nor_others_before_161() {
    let server = TestServer::start().await;
    let (olive, mel, general) = (server.user("olive"), server.user("mel"), server.channel("general"));
    let anybody =
        json!({"can_remove_subscribers_group": {"new": {"direct_members": [mel.id()], "direct_subgroups": []}}});
    olive.patch(&format!("/streams/{general}"), anybody).await.success();
    let join = json!({"subscriptions": [{"name": "general"}], "principals": [server.user("build-bot").id()]});
    olive.post("/users/me/subscriptions", join).await.success();
    for (level, bot_may_go, max_may_go) in
        [(144, false, false), (145, true, false), (160, true, false), (161, true, true)]
    {
        let mel = Age::at(&server, level).await.user("mel");
        for (handle, may_go) in [("build-bot", bot_may_go), ("max", max_may_go), ("mel", true)] {
            let leave = json!({"subscriptions": ["general"], "principals": [server.user(handle).id()]});
            let reply = mel.delete("/users/me/subscriptions", leave).await;
            let outcome = (reply.status, reply.body["msg"].as_str().unwrap_or_default());
            let expected = if may_go { (200, "") } else { (400, "Insufficient permission") };
            assert_eq!(outcome, expected, "{handle} at {level}");
        }
    }
}

#[tokio::test]
async fn guests_got_placeholders_before_437() {
    let server = TestServer::start().await;
    server.allow("can_access_all_users_group", SystemGroup::Members).await;
    let [before, after] = Age::around(&server, 437).await;
    let (old, new) = (before.user("gus"), after.user("gus"));
    let placeholder = |members: Value| {
        let mut members = members["members"].as_array().expect("a list").clone().into_iter();
        members.find(|user| user["full_name"] == "Unknown user").and_then(|user| user["user_id"].as_i64())
    };

    assert_eq!(placeholder(new.get("/users", json!({})).await.success()), None);
    let stranger = placeholder(old.get("/users", json!({})).await.success()).expect("there are strangers");
    let path = format!("/users/{stranger}");
    assert_eq!(old.get(&path, json!({})).await.success()["user"]["full_name"], "Unknown user");
    new.get(&path, json!({})).await.error("BAD_REQUEST", "Insufficient permission");

    // Those who register without the capability have them at every level; before 232 nobody has it.
    for (level, has_placeholder) in [(231, true), (232, false)] {
        let gus = Age::at(&server, level).await.user("gus");
        let state = gus.register(json!({"client_capabilities": {"user_list_incomplete": true}})).await.state;
        let mut users =
            ["realm_users", "realm_non_active_users"].into_iter().filter_map(|list| state[list].as_array()).flatten();
        assert_eq!(users.any(|user| user["full_name"] == "Unknown user"), has_placeholder, "at {level}");
    }
}

#[tokio::test]
async fn supported_permissions_named_their_fields_before_326() {
    let server = TestServer::start().await;
    for (level, of_channel, of_owners) in
        [(325, json!("can_remove_subscribers_group_id"), json!(true)), (326, Value::Null, Value::Null)]
    {
        let state = Age::at(&server, level).await.user("mel").register(json!({})).await.state;
        let supported = &state["server_supported_permission_settings"];
        assert_eq!(supported["stream"]["can_remove_subscribers_group"]["id_field_name"], of_channel, "at {level}");
        let web = &supported["realm"]["can_create_web_public_channel_group"];
        assert_eq!(web["allow_owners_group"], of_owners, "at {level}");
    }
}

#[tokio::test]
async fn channel_creators_had_another_name_before_427() {
    let server = TestServer::start().await;
    for (level, name) in [(426, "stream_creator_or_nobody"), (427, "channel_creator")] {
        let state = Age::at(&server, level).await.user("mel").register(json!({})).await.state;
        let setting = &state["server_supported_permission_settings"]["stream"]["can_administer_channel_group"];
        assert_eq!(setting["default_group_name"], name, "at {level}");
    }
}

#[tokio::test]
async fn some_permissions_of_the_organization_were_numbers_before_314() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 314).await;
    let name = "create_multiuse_invite_group";
    for age in [&before, &after] {
        let olive = age.user("olive");
        let state = olive.register(json!({})).await.state;
        let groups = state["realm_user_groups"].as_array().expect("a list");
        let moderators =
            groups.iter().find(|group| group["name"] == "role:moderators").expect("it is there")["id"].clone();
        let plain = olive.patch("/realm", json!({name: moderators})).await;
        if std::ptr::eq(age, &before) {
            plain.is(json!({name: moderators}));
            let anonymous = json!({name: {"new": {"direct_members": [], "direct_subgroups": []}}});
            let reply = olive.patch("/realm", anonymous).await;
            reply.error("BAD_REQUEST", &format!("{name} is not an integer"));
        } else {
            plain.error("BAD_REQUEST", &format!("{name} does not have the expected format"));
        }
    }
    for level in [261, 273] {
        let reply = Age::at(&server, level).await.user("olive").patch("/realm", json!({name: true})).await;
        reply.error("BAD_REQUEST", &format!("{name} does not have the expected format"));
    }
}

/// Who of an owner, administrator, moderator, member and guest may do something.
type Allowed = [bool; 5];

const HANDLES: [&str; 5] = ["olive", "adam", "mona", "mel", "gus"];
const MEMBERS: Allowed = [true, true, true, true, false];
const ADMINISTRATORS: Allowed = [true, true, false, false, false];
const MODERATORS: Allowed = [true, true, true, false, false];
const NOBODY: Allowed = [false; 5];

/// A policy, the level that had it last, the values that it takes with what they allow, one that it does not take, and
/// what is tried; `?` means a number that is new each time.
#[expect(clippy::type_complexity, reason = "a row of a table")]
fn policies() -> Vec<(&'static str, i64, Vec<(i64, Allowed)>, i64, (&'static str, Value))> {
    let common = || vec![(2, ADMINISTRATORS), (4, MODERATORS), (1, MEMBERS)];
    let join = |more: Value| {
        let mut params = json!({"subscriptions": [{"name": "new ?"}]});
        more.as_object().expect("an object").iter().for_each(|(name, value)| params[name] = value.clone());
        ("/users/me/subscriptions", params)
    };
    let web_public = vec![(2, ADMINISTRATORS), (4, MODERATORS), (6, NOBODY), (7, [true, false, false, false, false])];
    let bot = ("/bots", json!({"full_name": "Bot ?", "short_name": "bot-?"}));
    let invite = ("/invites", json!({"invitee_emails": "n?@chat.test", "stream_ids": []}));
    let group = ("/user_groups/create", json!({"name": "Group ?", "description": "", "members": []}));
    let mut inviting = common();
    inviting.insert(0, (6, NOBODY));
    vec![
        ("create_public_stream_policy", 263, common(), 7, join(json!({}))),
        ("create_private_stream_policy", 265, common(), 5, join(json!({"invite_only": true}))),
        ("create_web_public_stream_policy", 279, web_public, 1, join(json!({"is_web_public": true}))),
        ("user_group_edit_policy", 298, common(), 6, group),
        ("invite_to_realm_policy", 320, inviting, 5, invite),
        ("bot_creation_policy", 343, vec![(3, ADMINISTRATORS), (2, ADMINISTRATORS), (1, MEMBERS)], 4, bot),
    ]
}

#[tokio::test]
async fn policies_decided_where_groups_decide_now() {
    let server = TestServer::start().await;
    let mut count = 0;
    for (policy, last, values, refused, (path, params)) in policies() {
        let age = Age::at(&server, last).await;
        let olive = age.user("olive");
        let mut queue = age.user("gus").events(["realm"]).await;
        for (value, allowed) in values {
            let reply = olive.patch("/realm", json!({policy: value})).await.success();
            if reply[policy] == value {
                queue.next().await.is(json!({"type": "realm", "op": "update", "property": policy, "value": value}));
            }
            let state = age.user("mel").register(json!({})).await.state;
            assert_eq!(state[format!("realm_{policy}")], value, "{policy}");
            for (handle, may) in HANDLES.into_iter().zip(allowed) {
                count += 1;
                let filled = params.to_string().replace('?', &count.to_string());
                let filled = serde_json::from_str(&filled).expect("it stays JSON");
                let reply = age.user(handle).post(path, filled).await;
                assert_eq!(reply.status == 200, may, "{handle} with {policy}={value}");
            }
        }
        queue.none().await;
        let message = format!("Invalid {policy}");
        olive.patch("/realm", json!({policy: refused})).await.error("BAD_REQUEST", &message);
        let reply = Age::at(&server, last + 1).await.user("olive").patch("/realm", json!({policy: 1})).await.success();
        assert_eq!(reply["ignored_parameters_unsupported"], json!([policy]));
    }
}

#[tokio::test]
async fn policies_of_messages_are_obeyed() {
    let server = TestServer::start().await;
    let age = Age::at(&server, 247).await;
    let (olive, mel, max) = (age.user("olive"), age.user("mel"), age.user("max"));

    olive.patch("/realm", json!({"private_message_policy": 2})).await.success();
    let direct = json!({"type": "direct", "to": [max.id()], "content": "hi"});
    let disabled = "Direct messages are disabled in this organization.";
    mel.post("/messages", direct.clone()).await.error("BAD_REQUEST", disabled);
    age.user("build-bot").post("/messages", direct.clone()).await.success();
    olive.patch("/realm", json!({"private_message_policy": 1})).await.success();
    mel.post("/messages", direct).await.success();

    let own = send_old(&mel, "general", "policies", "x").await;
    for (value, may_delete) in [(2, false), (5, true)] {
        olive.patch("/realm", json!({"delete_own_message_policy": value})).await.success();
        assert_eq!(mel.delete(&format!("/messages/{own}"), json!({})).await.status == 200, may_delete);
    }
    let other = send_old(&mel, "general", "policies", "x").await;
    for (value, may_move) in [(6, false), (5, true)] {
        olive.patch("/realm", json!({"edit_topic_policy": value})).await.success();
        let moved = max.patch(&format!("/messages/{other}"), json!({"topic": "elsewhere"})).await;
        assert_eq!(moved.status == 200, may_move);
    }
    let mentions = olive.patch("/realm", json!({"wildcard_mention_policy": 7})).await.success();
    assert_eq!(mentions["wildcard_mention_policy"], 7);
    assert_eq!(mel.register(json!({})).await.state["realm_wildcard_mention_policy"], 7);
    age.user("adam")
        .patch("/realm", json!({"invite_to_realm_policy": 2}))
        .await
        .error("UNAUTHORIZED_PRINCIPAL", "Must be an organization owner");
}

#[tokio::test]
async fn the_owners_group_held_only_one_permission_before_326() {
    let server = TestServer::start().await;
    let groups = server.user("olive").register(json!({})).await.state["realm_user_groups"].take();
    let mut groups = groups.as_array().expect("a list").iter();
    let owners = groups.find(|group| group["name"] == "role:owners").expect("it is there")["id"].clone();
    let message = |name: &str| format!("'{name}' setting cannot be set to 'role:owners' group.");
    for (level, name, is_taken) in [
        (247, "create_multiuse_invite_group", false),
        (325, "can_invite_users_group", false),
        (326, "can_invite_users_group", true),
        (325, "can_create_web_public_channel_group", true),
    ] {
        let value = if level == 247 { json!(owners) } else { json!({ "new": owners }) };
        let reply = Age::at(&server, level).await.user("olive").patch("/realm", json!({ name: value })).await;
        if is_taken {
            reply.success();
        } else {
            reply.error("BAD_REQUEST", &message(name));
        }
    }
    // Where channels and groups are made or changed too.
    let plain = json!({"name": "plain", "description": "", "members": []});
    let plain = server.user("olive").post("/user_groups/create", plain).await.success()["group_id"].clone();
    for (level, is_taken) in [(325, false), (326, true)] {
        let olive = Age::at(&server, level).await.user("olive");
        let group = json!({"name": format!("g{level}"), "description": "", "members": [], "can_manage_group": owners});
        let channel = json!({
            "subscriptions": [{"name": format!("c{level}")}],
            "can_remove_subscribers_group": owners,
        });
        for (reply, name) in [
            (olive.post("/user_groups/create", group).await, "can_manage_group"),
            (olive.post("/users/me/subscriptions", channel).await, "can_remove_subscribers_group"),
            (
                olive.patch(&format!("/user_groups/{plain}"), json!({"can_manage_group": {"new": owners}})).await,
                "can_manage_group",
            ),
        ] {
            if is_taken {
                reply.success();
            } else {
                reply.error("BAD_REQUEST", &message(name));
            }
        }
    }
}
