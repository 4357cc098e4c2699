//! Who is in a user group, and what follows from it.

use super::{created, edit, group, members, only, record, subgroups};
use crate::support::{TestServer, User};
use serde_json::json;

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
async fn members_come_and_go_with_events_and_a_note_to_those_moved_by_others() {
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

/// A value may be a system group: these follow the role and, for full members, the time since joining.
#[tokio::test]
async fn system_groups_as_values_follow_role_and_full_membership() {
    let server = TestServer::start().await;
    let handles = ["olive", "adam", "mona", "mel", "nora", "build-bot"];
    let users = server.users(handles);
    let id = created(&users[0], "club", json!({})).await;
    let joins = async |user: &User| {
        let reply = members(user, id, json!({"add": [user.id()]})).await;
        if reply.status == 200 {
            members(&users[0], id, json!({"delete": [user.id()]})).await.success();
        } else {
            reply.error("BAD_REQUEST", "Insufficient permission");
            return false;
        }
        true
    };
    let who = async |name: &str| {
        // Olive made the group and Owners manage all groups: she may whatever the value is.
        edit(&users[0], id, json!({"can_join_group": {"new": group(&server, name)}})).await.is(json!({}));
        let mut who = Vec::new();
        for (handle, user) in handles.iter().zip(&users).skip(1) {
            if joins(user).await {
                who.push(*handle);
            }
        }
        who
    };

    assert_eq!(who("role:nobody").await, [""; 0]);
    assert_eq!(who("role:owners").await, [""; 0]);
    assert_eq!(who("role:administrators").await, ["adam"]);
    assert_eq!(who("role:moderators").await, ["adam", "mona"]);
    // Nora joined today.
    assert_eq!(who("role:fullmembers").await, ["adam", "mona", "mel", "build-bot"]);
    assert_eq!(who("role:members").await, ["adam", "mona", "mel", "nora", "build-bot"]);
    server.advance(30 * 86_400).await;
    assert!(who("role:fullmembers").await.contains(&"nora"));
    users[0].patch(&format!("/users/{}", users[3].id()), json!({"role": 200})).await.success();
    assert_eq!(who("role:administrators").await, ["adam", "mel"]);
}

/// Subgroups count to any depth, through deactivated ones never: these can't be subgroups.
#[tokio::test]
async fn subgroups_hold_permissions_to_any_depth() {
    let server = TestServer::start().await;
    let [adam, max, nora] = server.users(["adam", "max", "nora"]);
    let mut inner = created(&adam, "level 0", json!({"members": [max.id()]})).await;
    for level in 1..=6 {
        inner = created(&adam, &format!("level {level}"), json!({"subgroups": [inner]})).await;
    }
    let id = created(&adam, "deep", json!({"can_join_group": inner})).await;

    members(&max, id, json!({"add": [max.id()]})).await.is(json!({}));
    members(&nora, id, json!({"add": [nora.id()]})).await.error("BAD_REQUEST", "Insufficient permission");
    let innermost = group(&server, "level 0");
    let cycle = subgroups(&adam, innermost, json!({"add": [inner]})).await.with_status(400);
    let text = format!("User group {innermost} is already a subgroup of one of the passed subgroups.");
    cycle.error("BAD_REQUEST", &text);
}
