//! Looking at user groups: GET /user_groups/{user_group_id}/members, GET /user_groups/{user_group_id}/members/{user_id}
//! and their like.

use crate::support::TestServer;
use serde_json::json;

fn group(server: &TestServer, name: &str) -> i64 {
    let realm = server.server().world("default").snapshot();
    realm.group_by_name(name).unwrap_or_else(|| panic!("no group is called {name}")).id.0
}

#[tokio::test]
async fn groups_come_by_id_the_systems_own_first() {
    let server = TestServer::start().await;
    let [mel, bot] = server.users(["mel", "build-bot"]);

    let reply = mel.get("/user_groups", json!({})).await.success();

    let groups = reply["user_groups"].as_array().expect("a list of groups");
    let names: Vec<&str> = groups.iter().map(|group| group["name"].as_str().unwrap_or_default()).collect();
    let expected = [
        "role:internet",
        "role:everyone",
        "role:members",
        "role:fullmembers",
        "role:moderators",
        "role:administrators",
        "role:owners",
        "role:nobody",
        "engineers",
        "leads",
    ];
    assert_eq!(names, expected);
    let all = mel.get("/user_groups", json!({"include_deactivated_groups": true})).await.success();
    let last = all["user_groups"].as_array().and_then(|groups| groups.last()).expect("groups").clone();
    assert_eq!((&last["name"], &last["deactivated"]), (&json!("old-timers"), &json!(true)));
    bot.get("/user_groups", json!({})).await.success();
}

#[tokio::test]
async fn a_group_has_all_of_its_fields() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);
    let leads = group(&server, "leads");

    let reply = mel.get("/user_groups", json!({})).await.success();

    let groups = reply["user_groups"].as_array().expect("a list of groups");
    let engineers = groups.iter().find(|group| group["name"] == "engineers").expect("the group");
    let only_adam = json!({"direct_members": [adam.id()], "direct_subgroups": []});
    let expected = json!({
        "id": group(&server, "engineers"),
        "name": "engineers",
        "description": "Who builds it",
        "members": [mel.id(), max.id()],
        "direct_subgroup_ids": [leads],
        "creator_id": adam.id(),
        "date_created": engineers["date_created"],
        "is_system_group": false,
        "deactivated": false,
        "can_add_members_group": only_adam,
        "can_join_group": group(&server, "role:members"),
        "can_leave_group": group(&server, "role:everyone"),
        "can_manage_group": {"direct_members": [adam.id()], "direct_subgroups": [leads]},
        "can_mention_group": group(&server, "role:everyone"),
        "can_remove_members_group": group(&server, "role:nobody"),
    });
    assert_eq!(*engineers, expected);
    assert!(engineers["date_created"].is_i64());
}

#[tokio::test]
async fn members_of_subgroups_count_unless_only_direct_ones_are_asked_for() {
    let server = TestServer::start().await;
    let [mona, mel, max] = server.users(["mona", "mel", "max"]);
    let engineers = format!("/user_groups/{}", group(&server, "engineers"));
    let directly = json!({"direct_member_only": true});

    let members = format!("{engineers}/members");
    mel.get(&members, json!({})).await.is(json!({"members": [mona.id(), mel.id(), max.id()]}));
    mel.get(&members, directly.clone()).await.is(json!({"members": [mel.id(), max.id()]}));
    let mona = format!("{members}/{}", mona.id());
    mel.get(&mona, json!({})).await.is(json!({"is_user_group_member": true}));
    mel.get(&mona, directly).await.is(json!({"is_user_group_member": false}));
    mel.get(&format!("{members}/999"), json!({})).await.error("BAD_REQUEST", "No such user");
}

#[tokio::test]
async fn subgroups_are_listed_to_any_depth() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = |name: &str| group(&server, name);
    let path = format!("/user_groups/{}/subgroups", id("role:moderators"));

    let mut all = [id("role:administrators"), id("role:owners")];
    all.sort_unstable();
    mel.get(&path, json!({})).await.is(json!({"subgroups": all}));
    let directly = mel.get(&path, json!({"direct_subgroup_only": true})).await;
    directly.is(json!({"subgroups": [id("role:administrators")]}));
}

#[tokio::test]
async fn unknown_and_deactivated_groups_are_not_looked_into_and_guests_not_let_in() {
    let server = TestServer::start().await;
    let [mel, gus] = server.users(["mel", "gus"]);
    let old = group(&server, "old-timers");

    for rest in ["members", "subgroups", "members/1"] {
        let unknown = mel.get(&format!("/user_groups/999/{rest}"), json!({})).await;
        unknown.error("BAD_REQUEST", "Invalid user group");
        let deactivated = mel.get(&format!("/user_groups/{old}/{rest}"), json!({})).await;
        deactivated.error("BAD_REQUEST", "User group is deactivated.");
        let guest = gus.get(&format!("/user_groups/{old}/{rest}"), json!({})).await;
        guest.error("BAD_REQUEST", "Not allowed for guest users");
    }
    gus.get("/user_groups", json!({})).await.error("BAD_REQUEST", "Not allowed for guest users");
}
