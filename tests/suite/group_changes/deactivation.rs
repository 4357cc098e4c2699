//! User groups that are deactivated and come back.

use super::{create, created, edit, group, members, old_client, only, record};
use crate::support::{Queue, TestServer};
use serde_json::{Value, json};

#[tokio::test]
async fn a_deactivated_group_cannot_be_a_permissions_value_until_it_comes_back() {
    let server = TestServer::start().await;
    let [olive, adam] = server.users(["olive", "adam"]);
    let (id, old) = (group(&server, "leads"), group(&server, "old-timers"));
    let among = json!({"direct_members": [adam.id()], "direct_subgroups": [old]});

    for value in [json!(old), among.clone()] {
        let deactivated = "User group is deactivated.";
        create(&adam, "x", json!({"can_join_group": value})).await.error("BAD_REQUEST", deactivated);
        edit(&adam, id, json!({"can_join_group": {"new": value}})).await.error("BAD_REQUEST", deactivated);
    }
    edit(&olive, old, json!({"deactivated": false})).await.is(json!({}));
    edit(&adam, id, json!({"can_join_group": {"new": among}})).await.is(json!({}));
}

#[tokio::test]
async fn deactivating_is_sent_as_a_change_or_to_older_clients_as_the_end() {
    let server = TestServer::start().await;
    let [adam, mel, nora] = server.users(["adam", "mel", "nora"]);
    let id = created(&adam, "team", json!({"members": [mel.id()]})).await;
    let mut at_nora = nora.events(["user_group"]).await;
    let mut at_old_client = old_client(&nora).await;
    let path = format!("/user_groups/{id}/deactivate");

    mel.post(&path, json!({})).await.error("BAD_REQUEST", "Insufficient permission");
    adam.post(&path, json!({})).await.is(json!({}));
    adam.post(&path, json!({})).await.error("BAD_REQUEST", "User group is deactivated.");
    edit(&adam, id, json!({"name": "club"})).await.is(json!({}));
    members(&adam, id, json!({"add": [adam.id()]})).await.is(json!({}));
    edit(&adam, id, json!({"deactivated": true})).await.is(json!({}));
    edit(&adam, id, json!({"deactivated": false})).await.is(json!({}));
    edit(&adam, id, json!({"deactivated": false})).await.is(json!({}));

    for data in [json!({"deactivated": true}), json!({"name": "club"})] {
        at_nora.next().await.is(json!({"type": "user_group", "op": "update", "group_id": id, "data": data}));
    }
    at_nora.next().await.has(json!({"op": "add_members"}));
    let back = json!({"type": "user_group", "op": "update", "group_id": id, "data": {"deactivated": false}});
    at_nora.next().await.is(back);
    at_nora.none().await;
    at_old_client.next().await.is(json!({"type": "user_group", "op": "remove", "group_id": id}));
    let group = at_old_client.next().await.has(json!({"type": "user_group", "op": "add"}))["group"].clone();
    assert_eq!(group, record(&nora, id).await);
    at_old_client.none().await;
}

#[tokio::test]
async fn a_deactivated_group_cannot_be_mentioned_until_it_comes_back() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let id = group(&server, "old-timers");
    let rendered = async || {
        let reply = mel.post("/messages/render", json!({"content": "@*old-timers*"})).await.success();
        reply["rendered"].as_str().unwrap_or_default().to_owned()
    };

    assert!(rendered().await.contains("user-group-mention silent"));
    edit(&olive, id, json!({"deactivated": false})).await.success();
    assert!(!rendered().await.contains("silent"));
}

#[tokio::test]
async fn a_deactivated_groups_own_permissions_can_be_edited_and_still_govern() {
    let server = TestServer::start().await;
    let [olive, mel, max] = server.users(["olive", "mel", "max"]);
    let id = group(&server, "old-timers");

    edit(&mel, id, json!({"description": "Mine"})).await.error("BAD_REQUEST", "Insufficient permission");
    edit(&olive, id, json!({"can_manage_group": {"new": only(&[&mel])}})).await.is(json!({}));
    edit(&mel, id, json!({"can_add_members_group": {"new": only(&[&max])}})).await.is(json!({}));
    members(&max, id, json!({"add": [max.id()]})).await.is(json!({}));
    edit(&max, id, json!({"deactivated": false})).await.error("BAD_REQUEST", "Insufficient permission");
    // It comes back, and holds a permission of its own in the same request.
    let params = json!({"deactivated": false, "can_join_group": {"new": id}});
    edit(&mel, id, params).await.is(json!({}));
    assert_eq!(record(&mel, id).await["deactivated"], false);
}

#[tokio::test]
async fn a_group_in_use_is_not_deactivated_and_all_uses_are_named() {
    let server = TestServer::start().await;
    let [olive, mona] = server.users(["olive", "mona"]);
    let (leads, engineers) = (group(&server, "leads"), group(&server, "engineers"));
    let value = json!({"direct_members": [olive.id()], "direct_subgroups": [leads]});
    let channel = server.channel("design");
    let change = json!({"can_subscribe_group": {"new": value}, "can_send_message_group": {"new": leads}});
    mona.patch(&format!("/streams/{channel}"), change).await.success();
    edit(&olive, leads, json!({"can_leave_group": {"new": leads}})).await.success();
    server.arrange(|tx| {
        let organization = std::sync::Arc::make_mut(&mut tx.realm_mut().organization);
        let value = chatdouble::realm::permission::GroupSettingValue::Group(chatdouble::realm::id::GroupId(leads));
        organization.permissions.insert("can_create_groups", value);
    });

    let path = format!("/user_groups/{leads}/deactivate");
    let body = olive.post(&path, json!({})).await.with_status(400);
    let body = body.error("CANNOT_DEACTIVATE_GROUP_IN_USE", "Cannot deactivate user group in use.");

    let expected = json!([
        {"type": "subgroup", "supergroup_ids": [engineers]},
        {"type": "channel", "channel_id": channel, "settings": ["can_send_message_group", "can_subscribe_group"]},
        {"type": "user_group", "group_id": engineers, "settings": ["can_manage_group"]},
        {"type": "user_group", "group_id": leads, "settings": ["can_leave_group"]},
        {"type": "realm", "settings": ["can_create_groups"]},
    ]);
    assert_eq!(body["objections"], expected, "{:#}", body["objections"]);
    let system = format!("/user_groups/{}/deactivate", group(&server, "role:owners"));
    olive.post(&system, json!({})).await.error("BAD_REQUEST", "Insufficient permission");
}

/// What a client does with an event.
fn fold(groups: &mut Vec<Value>, event: &Value) {
    if event["op"] == "add" {
        groups.push(event["group"].clone());
        return groups.sort_by_key(|group| group["id"].as_i64());
    }
    if event["op"] == "remove" {
        return groups.retain(|group| group["id"] != event["group_id"]);
    }
    let group = groups.iter_mut().find(|group| group["id"] == event["group_id"]).expect("the group is known");
    let (key, ids) = match event["op"].as_str().unwrap_or_default() {
        "update" => {
            for (key, value) in event["data"].as_object().into_iter().flatten() {
                group[key] = value.clone();
            }
            return;
        }
        "add_members" | "remove_members" => ("members", &event["user_ids"]),
        _ => ("direct_subgroup_ids", &event["direct_subgroup_ids"]),
    };
    let ids = ids.as_array().cloned().unwrap_or_default();
    let mut all: Vec<Value> = group[key].as_array().cloned().unwrap_or_default();
    all.retain(|id| !ids.contains(id));
    if event["op"].as_str().is_some_and(|op| op.starts_with("add")) {
        all.extend(ids);
    }
    all.sort_by_key(Value::as_i64);
    group[key] = all.into();
}

#[tokio::test]
async fn events_folded_into_the_registered_groups_give_a_later_registration() {
    let server = TestServer::start().await;
    let [olive, mel, max, gus] = server.users(["olive", "mel", "max", "gus"]);
    for capabilities in [json!({"include_deactivated_groups": true}), json!({})] {
        let params = json!({"event_types": ["realm_user_groups", "user_group"], "client_capabilities": capabilities});
        let register = async || gus.register(params.clone()).await;
        let mut queue = register().await;
        let mut groups: Vec<Value> = queue.state["realm_user_groups"].as_array().cloned().unwrap_or_default();
        let leads = group(&server, "leads");

        let name = format!("team {}", groups.len());
        let id = created(&olive, &name, json!({"members": [max.id()], "subgroups": [leads]})).await;
        members(&olive, id, json!({"add": [mel.id()], "delete": [max.id()], "delete_subgroups": [leads]}))
            .await
            .success();
        edit(&olive, id, json!({"description": "D", "can_join_group": {"new": only(&[&max])}})).await.success();
        olive.post(&format!("/user_groups/{id}/deactivate"), json!({})).await.success();
        edit(&olive, id, json!({"name": format!("{name} again")})).await.success();
        members(&olive, id, json!({"add": [max.id()]})).await.success();
        let old = group(&server, "old-timers");
        edit(&olive, old, json!({"deactivated": false})).await.success();

        for event in queue.all().await {
            fold(&mut groups, &event);
        }
        assert_eq!(json!(groups), register().await.state["realm_user_groups"]);
        olive.post(&format!("/user_groups/{old}/deactivate"), json!({})).await.success();
    }
}

#[tokio::test]
async fn older_clients_hear_nothing_of_members_of_deactivated_groups() {
    let server = TestServer::start().await;
    let [olive, mel, dana] = server.users(["olive", "mel", "dana"]);
    let old = group(&server, "old-timers");
    let (mut at_mel, mut at_old_client) = (mel.events(["user_group"]).await, old_client(&mel).await);

    olive.post(&format!("/users/{}/reactivate", dana.id()), json!({})).await.success();

    let received = async |queue: &mut Queue| {
        let events = queue.all().await;
        events.iter().filter_map(|event| event["group_id"].as_i64()).collect::<Vec<_>>()
    };
    let (new, older) = (received(&mut at_mel).await, received(&mut at_old_client).await);
    assert!(new.contains(&old) && !older.contains(&old), "{new:?} {older:?}");
    assert_eq!(new.len(), older.len() + 1);
}
