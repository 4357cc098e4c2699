//! Making, changing, filling and deactivating user groups.

use crate::support::{Queue, Reply, TestServer, User};
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
async fn a_new_group_is_told_to_everybody_with_its_subgroups_after_it() {
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
        (
            "x",
            json!({"can_mention_group": group(&server, "role:owners")}),
            "'can_mention_group' setting cannot be set to 'role:owners' group.",
        ),
        ("x", json!({"can_mention_group": old}), "User group is deactivated."),
        (
            "x",
            json!({"can_mention_group": {"direct_members": []}}),
            "can_mention_group does not have the expected format",
        ),
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
async fn can_mention_group_cannot_be_the_internet_or_owners() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let id = group(&server, "leads");

    for name in ["role:internet", "role:owners"] {
        let value = group(&server, name);
        let text = format!("'can_mention_group' setting cannot be set to '{name}' group.");
        create(&adam, "x", json!({"can_mention_group": value})).await.error("BAD_REQUEST", &text);
        edit(&adam, id, json!({"can_mention_group": {"new": value}})).await.error("BAD_REQUEST", &text);
    }
    edit(&adam, id, json!({"can_mention_group": {"new": group(&server, "role:nobody")}})).await.is(json!({}));
}

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
        (json!(true), "can_join_group is not an integer"),
        (json!({"direct_members": []}), "can_join_group does not have the expected format"),
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

    server.arrange(|tx| {
        let nobody = tx.system_group(chatdouble::realm::group::SystemGroup::Owners);
        let organization = std::sync::Arc::make_mut(&mut tx.realm_mut().organization);
        let owners = chatdouble::realm::permission::GroupSettingValue::Group(nobody);
        organization.permissions.insert("can_create_groups", owners);
    });
    // Before the parameters are looked at.
    mel.post("/user_groups/create", json!({})).await.error("BAD_REQUEST", "Insufficient permission");
    created(&olive, "owned", json!({})).await;
}

#[tokio::test]
async fn each_changed_field_is_told_by_itself_and_what_is_so_already_is_not() {
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
            json!({"name": "changed", "can_mention_group": {"new": group(&server, "role:owners")}}),
            "'can_mention_group' setting cannot be set to 'role:owners' group.",
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

#[tokio::test]
async fn members_of_subgroups_hold_what_the_group_holds() {
    let server = TestServer::start().await;
    let [adam, mona, mel] = server.users(["adam", "mona", "mel"]);
    let leads = group(&server, "leads");
    let outer = created(&adam, "outer", json!({"subgroups": [leads]})).await;
    let value = json!({"new": {"direct_members": [], "direct_subgroups": [outer]}});
    let id = created(&adam, "held", json!({})).await;
    edit(&adam, id, json!({"can_manage_group": value})).await.is(json!({}));

    edit(&mona, id, json!({"description": "Mine"})).await.is(json!({}));
    edit(&mel, id, json!({"description": "Mine"})).await.error("BAD_REQUEST", "Insufficient permission");
    subgroups(&adam, outer, json!({"delete": [leads]})).await.is(json!({}));
    edit(&mona, id, json!({"description": "Still"})).await.error("BAD_REQUEST", "Insufficient permission");
}

#[tokio::test]
async fn members_come_and_go_with_events_and_a_note_to_those_whom_others_moved() {
    let server = TestServer::start().await;
    let [adam, mel, max, bot] = server.users(["adam", "mel", "max", "build-bot"]);
    let id = created(&adam, "team", json!({"members": [max.id()]})).await;
    let mut at_mel = mel.events(["user_group", "message"]).await;
    let mut at_adam = adam.events(["user_group", "message"]).await;

    let params = json!({"add": [mel.id(), adam.id(), bot.id()], "delete": [max.id()]});
    members(&adam, id, params).await.is(json!({}));

    let ids = json!([adam.id(), mel.id(), bot.id()]);
    let added = json!({"type": "user_group", "op": "add_members", "group_id": id, "user_ids": ids});
    let removed = json!({"type": "user_group", "op": "remove_members", "group_id": id, "user_ids": [max.id()]});
    at_adam.next().await.is(added.clone());
    at_adam.next().await.is(removed.clone());
    at_adam.none().await;
    at_mel.next().await.is(added);
    let note = at_mel.next().await.has(json!({"type": "message"}));
    let text = format!("@_**Adam Ashby|{}** added you to the group @_*team*.", adam.id());
    assert_eq!((&note["message"]["content"], &note["message"]["type"]), (&json!(text), &json!("private")));
    at_mel.next().await.is(removed);
    at_mel.none().await;
    assert_eq!(record(&mel, id).await["members"], ids);
}

#[tokio::test]
async fn only_users_that_are_not_deactivated_can_be_members() {
    let server = TestServer::start().await;
    let [adam, dana] = server.users(["adam", "dana"]);
    let id = group(&server, "leads");

    for params in [json!({"add": [dana.id()]}), json!({"delete": [dana.id()]})] {
        members(&adam, id, params).await.error("BAD_REQUEST", &format!("Invalid user ID: {}", dana.id()));
    }
}

#[tokio::test]
async fn who_may_change_members_follows_from_the_groups_permissions() {
    let server = TestServer::start().await;
    let [adam, mel, max, nora, olive] = server.users(["adam", "mel", "max", "nora", "olive"]);
    let denied = "Insufficient permission";
    let id = created(&adam, "team", json!({"members": [mel.id()]})).await;
    let give = async |name: &str, users: &[&User]| {
        edit(&adam, id, json!({name: {"new": only(users)}})).await.success();
    };

    members(&nora, id, json!({"add": [nora.id()]})).await.error("BAD_REQUEST", denied);
    give("can_join_group", &[&nora]).await;
    members(&nora, id, json!({"add": [nora.id(), max.id()]})).await.error("BAD_REQUEST", denied);
    members(&nora, id, json!({"add": [nora.id()]})).await.is(json!({}));
    members(&nora, id, json!({"delete": [mel.id()]})).await.error("BAD_REQUEST", denied);
    // Everyone may leave unless it is said otherwise.
    members(&nora, id, json!({"delete": [nora.id()]})).await.is(json!({}));
    give("can_add_members_group", &[&max]).await;
    members(&max, id, json!({"add": [nora.id()]})).await.is(json!({}));
    subgroups(&max, id, json!({"add": [group(&server, "leads")]})).await.is(json!({}));
    members(&max, id, json!({"delete_subgroups": [group(&server, "leads")]})).await.error("BAD_REQUEST", denied);
    give("can_remove_members_group", &[&max]).await;
    members(&max, id, json!({"delete": [nora.id()]})).await.is(json!({}));
    subgroups(&max, id, json!({"delete": [group(&server, "leads")]})).await.error("BAD_REQUEST", denied);
    // Owners may manage all groups.
    subgroups(&olive, id, json!({"delete": [group(&server, "leads")]})).await.is(json!({}));
}

#[tokio::test]
async fn a_change_of_members_is_done_wholly_or_not_at_all() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);
    let mut events = mel.events(["user_group", "message"]).await;
    let (id, engineers) = (group(&server, "leads"), group(&server, "engineers"));
    let mona = server.user("mona");

    for (params, text) in [
        (json!({"add": [max.id(), mona.id()]}), format!("User {} is already a member of this group", mona.id())),
        (
            json!({"add": [max.id()], "delete": [mel.id()]}),
            format!("There is no member '{}' in this user group", mel.id()),
        ),
        (json!({"add": [max.id()], "add_subgroups": [999]}), "Invalid user group ID: 999".to_owned()),
        (
            json!({"add": [max.id()], "add_subgroups": [engineers]}),
            format!("User group {id} is already a subgroup of one of the passed subgroups."),
        ),
        (
            json!({"add": [max.id()], "add_subgroups": [id]}),
            format!("User group {id} is already a subgroup of one of the passed subgroups."),
        ),
        (
            json!({"add": [max.id()], "delete_subgroups": [engineers]}),
            format!("User group {engineers} is not a subgroup of this group."),
        ),
        (
            json!({}),
            "Nothing to do. Specify at least one of \"add\", \"delete\", \"add_subgroups\" or \"delete_subgroups\"."
                .to_owned(),
        ),
    ] {
        members(&adam, id, params).await.with_status(400).error("BAD_REQUEST", &text);
    }
    let nothing = "Nothing to do. Specify at least one of \"add\" or \"delete\".";
    subgroups(&adam, id, json!({"add": []})).await.error("BAD_REQUEST", nothing);
    let again = subgroups(&adam, engineers, json!({"add": [id]})).await;
    again.error("BAD_REQUEST", &format!("User group {id} is already a subgroup of this group."));
    members(&adam, 999, json!({"add": [max.id()]})).await.error("BAD_REQUEST", "Invalid user group");
    events.none().await;
}

#[tokio::test]
async fn subgroups_come_and_go_with_events() {
    let server = TestServer::start().await;
    let [adam, gus] = server.users(["adam", "gus"]);
    let mut at_gus = gus.events(["user_group", "message"]).await;
    let (leads, engineers, moderators) =
        (group(&server, "leads"), group(&server, "engineers"), group(&server, "role:moderators"));

    subgroups(&adam, engineers, json!({"add": [moderators], "delete": [leads]})).await.is(json!({}));

    for (op, id) in [("add_subgroups", moderators), ("remove_subgroups", leads)] {
        let expected = json!({"type": "user_group", "op": op, "group_id": engineers, "direct_subgroup_ids": [id]});
        at_gus.next().await.is(expected);
    }
    at_gus.none().await;
}

#[tokio::test]
async fn channels_come_into_sight_with_a_group_and_go_with_it() {
    let server = TestServer::start().await;
    let [mona, adam, nora] = server.users(["mona", "adam", "nora"]);
    let id = created(&adam, "designers", json!({})).await;
    let channel = server.channel("design");
    let path = format!("/streams/{channel}");
    mona.patch(&path, json!({"can_subscribe_group": {"new": id}})).await.success();
    let mut at_nora = nora.events(["stream", "subscription"]).await;

    members(&adam, id, json!({"add": [nora.id()]})).await.success();
    at_nora.next().await.has(json!({"type": "stream", "op": "create"}));
    at_nora.next().await.has(json!({"type": "subscription", "op": "peer_add", "stream_ids": [channel]}));
    members(&adam, id, json!({"delete": [nora.id()]})).await.success();
    at_nora.next().await.has(json!({"type": "stream", "op": "delete", "stream_ids": [channel]}));
    at_nora.none().await;
}

#[tokio::test]
async fn deactivating_is_told_as_a_change_or_to_older_clients_as_the_end() {
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
