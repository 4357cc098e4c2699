//! Making, changing, filling and deactivating user groups.

mod deactivation;
mod membership;

use crate::support::{Queue, Reply, TestServer, User};
use chatdouble::realm::group::SystemGroup;
use serde_json::{Value, json};

fn group(server: &TestServer, name: &str) -> i64 {
    let realm = server.server().world("default").snapshot();
    realm.group_by_name(name).unwrap_or_else(|| panic!("no group is called {name}")).id.0
}

async fn create(user: &User, name: &str, more: Value) -> Reply {
    let mut params = json!({"name": name, "description": "", "members": []});
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    user.post("/user_groups/create", params).await
}

async fn created(user: &User, name: &str, more: Value) -> i64 {
    create(user, name, more).await.success()["group_id"].as_i64().expect("creating gives an id")
}

async fn edit(user: &User, id: i64, params: Value) -> Reply {
    user.patch(&format!("/user_groups/{id}"), params).await
}

async fn members(user: &User, id: i64, params: Value) -> Reply {
    user.post(&format!("/user_groups/{id}/members"), params).await
}

async fn subgroups(user: &User, id: i64, params: Value) -> Reply {
    user.post(&format!("/user_groups/{id}/subgroups"), params).await
}

async fn record(user: &User, id: i64) -> Value {
    let all = user.get("/user_groups", json!({"include_deactivated_groups": true})).await.success();
    let mut all = all["user_groups"].as_array().cloned().unwrap_or_default().into_iter();
    all.find(|group| group["id"] == id).expect("the group is listed")
}

/// A queue of a client that does not know deactivated groups.
async fn old_client(user: &User) -> Queue {
    let params = json!({"event_types": ["user_group"], "fetch_event_types": [], "client_capabilities": {}});
    user.register(params).await
}

fn only(users: &[&User]) -> Value {
    let ids: Vec<i64> = users.iter().map(|user| user.id()).collect();
    json!({"direct_members": ids, "direct_subgroups": []})
}

#[tokio::test]
async fn a_new_group_is_sent_to_everybody_with_its_subgroups_after_it() {
    let server = TestServer::start().await;
    let [mel, max, gus] = server.users(["mel", "max", "gus"]);
    let mut at_gus = gus.events(["user_group", "message"]).await;
    let (engineers, nobody) = (group(&server, "engineers"), group(&server, "role:nobody"));
    let everyone = group(&server, "role:everyone");

    let params = json!({"description": "Tea", "members": [max.id(), gus.id()], "subgroups": [engineers]});
    let id = created(&mel, "  drinkers ", params).await;

    at_gus.next().await.is(json!({
        "type": "user_group",
        "op": "add",
        "group": {
            "id": id,
            "name": "drinkers",
            "description": "Tea",
            "members": [max.id(), gus.id()],
            "direct_subgroup_ids": [],
            "creator_id": mel.id(),
            "date_created": 1_767_268_800,
            "is_system_group": false,
            "deactivated": false,
            "can_add_members_group": only(&[&mel]),
            "can_join_group": nobody,
            "can_leave_group": everyone,
            "can_manage_group": only(&[&mel]),
            "can_mention_group": everyone,
            "can_remove_members_group": nobody,
        },
    }));
    let expected =
        json!({"type": "user_group", "op": "add_subgroups", "group_id": id, "direct_subgroup_ids": [engineers]});
    at_gus.next().await.is(expected);
    at_gus.none().await;
    assert_eq!(record(&mel, id).await["direct_subgroup_ids"], json!([engineers]));
}

#[tokio::test]
async fn a_group_is_not_made_where_a_listed_user_does_not_exist() {
    let server = TestServer::start().await;
    let [mel, dana] = server.users(["mel", "dana"]);
    let mut events = mel.events(["user_group"]).await;

    for id in [999, dana.id()] {
        let refused = create(&mel, "x", json!({"members": [mel.id(), id]})).await.with_status(400);
        refused.error("BAD_REQUEST", &format!("Invalid user ID: {id}"));
    }
    events.none().await;
}

#[tokio::test]
async fn groups_are_refused_for_what_is_wrong_with_them_in_order() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let (everyone, old) = (group(&server, "role:everyone"), group(&server, "old-timers"));
    let internet = group(&server, "role:internet");
    let long = "x".repeat(101);

    for (name, more, text) in [
        ("x", json!({"description": "x".repeat(1025)}), "description is too long (limit: 1024 characters)"),
        (" ", json!({"members": [999]}), "Invalid user ID: 999"),
        (" ", json!({"can_join_group": 999}), "User group name can't be empty!"),
        (&long, json!({}), "User group name cannot exceed 100 characters."),
        ("role:kings", json!({}), "User group name cannot start with 'role:'."),
        ("@kings", json!({}), "User group name cannot start with '@'."),
        ("ENGINEERS", json!({"can_join_group": 999}), "Invalid user group"),
        (
            "x",
            json!({"can_manage_group": everyone}),
            "'can_manage_group' setting cannot be set to 'role:everyone' group.",
        ),
        (
            "x",
            json!({"can_manage_group": internet}),
            "'can_manage_group' setting cannot be set to 'role:internet' group.",
        ),
        (
            "x",
            json!({"can_mention_group": internet}),
            "'can_mention_group' setting cannot be set to 'role:internet' group.",
        ),
        ("x", json!({"can_mention_group": old}), "User group is deactivated."),
        ("x", json!({"can_mention_group": {"direct_members": []}}), "can_mention_group[\"int\"] is not an integer"),
        ("OLD-timers", json!({"subgroups": [999]}), "User group 'OLD-timers' already exists."),
        ("x", json!({"subgroups": [999]}), "Invalid user group ID: 999"),
        ("x", json!({"subgroups": [old]}), "User group is deactivated."),
    ] {
        create(&mel, name, more).await.with_status(400).error("BAD_REQUEST", text);
    }
    for name in ["description", "members", "name"] {
        let mut params = json!({"name": "x", "description": "", "members": []});
        params.as_object_mut().expect("an object").remove(name);
        let refused = mel.post("/user_groups/create", params).await;
        refused.error("REQUEST_VARIABLE_MISSING", &format!("Missing '{name}' argument"));
    }
}

#[tokio::test]
async fn can_manage_group_cannot_be_the_internet_or_everyone() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let id = group(&server, "leads");

    for name in ["role:internet", "role:everyone"] {
        let value = group(&server, name);
        let text = format!("'can_manage_group' setting cannot be set to '{name}' group.");
        create(&adam, "x", json!({"can_manage_group": value})).await.error("BAD_REQUEST", &text);
        edit(&adam, id, json!({"can_manage_group": {"new": value}})).await.error("BAD_REQUEST", &text);
    }
    edit(&adam, id, json!({"can_manage_group": {"new": group(&server, "role:members")}})).await.is(json!({}));
}

#[tokio::test]
async fn can_mention_group_cannot_be_the_internet() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let id = group(&server, "leads");

    let internet = group(&server, "role:internet");
    let text = "'can_mention_group' setting cannot be set to 'role:internet' group.";
    create(&adam, "x", json!({"can_mention_group": internet})).await.error("BAD_REQUEST", text);
    edit(&adam, id, json!({"can_mention_group": {"new": internet}})).await.error("BAD_REQUEST", text);
    created(&adam, "y", json!({"can_mention_group": group(&server, "role:owners")})).await;
    edit(&adam, id, json!({"can_mention_group": {"new": group(&server, "role:nobody")}})).await.is(json!({}));
}

#[tokio::test]
async fn initial_subgroups_may_be_added_regardless_of_other_permissions() {
    let server = TestServer::start().await;
    let nora = server.user("nora");
    let (leads, owners) = (group(&server, "leads"), group(&server, "role:owners"));

    // She may not do anything with either.
    let id = created(&nora, "mine", json!({"subgroups": [owners, leads]})).await;

    assert_eq!(record(&nora, id).await["direct_subgroup_ids"], json!([owners, leads]));
}

#[tokio::test]
async fn a_group_setting_value_is_a_group_or_users_and_groups() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);
    let (leads, members) = (group(&server, "leads"), group(&server, "role:members"));
    let value = json!({"direct_members": [max.id(), mel.id()], "direct_subgroups": [leads]});

    let id = created(&adam, "x", json!({"can_join_group": members, "can_leave_group": value})).await;

    let group = record(&adam, id).await;
    let sorted = json!({"direct_members": [mel.id(), max.id()], "direct_subgroups": [leads]});
    assert_eq!((&group["can_join_group"], &group["can_leave_group"]), (&json!(members), &sorted));
    for (value, text) in [
        (json!("x"), "can_join_group is not valid JSON"),
        (json!(true), "can_join_group[\"int\"] is not an integer"),
        (json!({"direct_members": []}), "can_join_group[\"int\"] is not an integer"),
    ] {
        create(&adam, "y", json!({"can_join_group": value})).await.error("BAD_REQUEST", text);
    }
}

#[tokio::test]
async fn name_and_description_are_optional_in_a_change() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let id = group(&server, "leads");
    let before = record(&adam, id).await;

    edit(&adam, id, json!({"name": "heads"})).await.is(json!({}));
    edit(&adam, id, json!({"description": "Who heads it", "x": 1}))
        .await
        .is(json!({"ignored_parameters_unsupported": ["x"]}));

    let after = record(&adam, id).await;
    assert_eq!((&after["name"], &after["description"]), (&json!("heads"), &json!("Who heads it")));
    assert_eq!(after["members"], before["members"]);
}

#[tokio::test]
async fn those_who_may_create_groups_do_bots_too_but_not_guests() {
    let server = TestServer::start().await;
    let [olive, bot, gus, mel] = server.users(["olive", "build-bot", "gus", "mel"]);

    gus.post("/user_groups/create", json!({})).await.error("BAD_REQUEST", "Not allowed for guest users");
    let id = created(&bot, "machines", json!({"members": [bot.id()]})).await;
    edit(&bot, id, json!({"name": "robots"})).await.is(json!({}));
    members(&bot, id, json!({"add": [mel.id()]})).await.is(json!({}));
    subgroups(&bot, id, json!({"add": [group(&server, "leads")]})).await.is(json!({}));

    server.allow("can_create_groups", SystemGroup::Owners).await;
    // Before the parameters are looked at.
    mel.post("/user_groups/create", json!({})).await.error("BAD_REQUEST", "Insufficient permission");
    created(&olive, "owned", json!({})).await;
}

#[tokio::test]
async fn each_changed_field_is_sent_by_itself_and_an_unchanged_one_is_not() {
    let server = TestServer::start().await;
    let [adam, nora] = server.users(["adam", "nora"]);
    let mut at_nora = nora.events(["user_group"]).await;
    let id = group(&server, "engineers");
    let (members, everyone) = (group(&server, "role:members"), group(&server, "role:everyone"));

    let params = json!({
        "name": "builders",
        "description": "Who builds it",
        "can_mention_group": {"new": members, "old": everyone},
        "can_join_group": {"new": members},
        "can_leave_group": {"new": {"direct_members": [], "direct_subgroups": [members]}},
    });
    edit(&adam, id, params).await.is(json!({}));

    for data in
        [json!({"name": "builders"}), json!({"can_leave_group": members}), json!({"can_mention_group": members})]
    {
        at_nora.next().await.is(json!({"type": "user_group", "op": "update", "group_id": id, "data": data}));
    }
    at_nora.none().await;
    edit(&adam, id, json!({"name": "Builders"})).await.is(json!({}));
}

#[tokio::test]
async fn a_permission_changes_only_from_the_value_that_was_expected() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let mut events = mel.events(["user_group"]).await;
    let id = group(&server, "leads");
    let (members, everyone) = (group(&server, "role:members"), group(&server, "role:everyone"));

    for new in [members, everyone] {
        // Stale even where the new value is in force already.
        let params = json!({"description": "New", "can_mention_group": {"new": new, "old": members}});
        let body = edit(&adam, id, params)
            .await
            .with_status(400)
            .error("EXPECTATION_MISMATCH", "'old' value does not match the expected value.");
        assert_eq!(body["field_name"], "old");
    }
    events.none().await;
    let same = json!({"direct_members": [], "direct_subgroups": [everyone]});
    edit(&adam, id, json!({"can_mention_group": {"new": members, "old": same}})).await.is(json!({}));
}

#[tokio::test]
async fn changes_are_refused_for_what_is_wrong_with_them_in_order() {
    let server = TestServer::start().await;
    let [adam, mel, gus] = server.users(["adam", "mel", "gus"]);
    let id = group(&server, "engineers");
    let mut events = mel.events(["user_group"]).await;

    edit(&adam, 999, json!({})).await.error("BAD_REQUEST", "No new data supplied");
    edit(&adam, 999, json!({"name": ""})).await.error("BAD_REQUEST", "Invalid user group");
    edit(&mel, id, json!({"name": ""})).await.error("BAD_REQUEST", "Insufficient permission");
    edit(&gus, id, json!({"name": ""})).await.error("BAD_REQUEST", "Not allowed for guest users");
    let missing = edit(&adam, id, json!({"can_join_group": {"old": 1}})).await;
    missing.error("BAD_REQUEST", "can_join_group[\"new\"] field is missing: Field required");
    for (params, text) in [
        (json!({"name": ""}), "User group name can't be empty!"),
        (json!({"name": "Leads"}), "User group 'Leads' already exists."),
        (json!({"name": "old-TIMERS"}), "User group 'old-TIMERS' already exists."),
        (json!({"can_join_group": {"new": 999}}), "Invalid user group"),
        (json!({"can_join_group": {"new": group(&server, "old-timers")}}), "User group is deactivated."),
        (json!({"can_join_group": {"new": {"direct_members": [999], "direct_subgroups": []}}}), "Invalid user ID: 999"),
        (
            json!({"can_manage_group": {"new": group(&server, "role:internet")}}),
            "'can_manage_group' setting cannot be set to 'role:internet' group.",
        ),
        (
            json!({"name": "changed", "can_mention_group": {"new": group(&server, "role:internet")}}),
            "'can_mention_group' setting cannot be set to 'role:internet' group.",
        ),
    ] {
        edit(&adam, id, params).await.with_status(400).error("BAD_REQUEST", text);
    }
    let system = group(&server, "role:moderators");
    let olive = server.user("olive");
    edit(&olive, system, json!({"name": "x"})).await.error("BAD_REQUEST", "Insufficient permission");
    members(&olive, system, json!({"add": [mel.id()]})).await.error("BAD_REQUEST", "Insufficient permission");
    events.none().await;
}
