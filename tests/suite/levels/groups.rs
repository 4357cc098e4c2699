//! User groups.

use super::{Age, send_old};
use crate::support::{TestServer, User};
use chatdouble::api::NEWEST_FEATURE_LEVEL;
use serde_json::{Value, json};

const NO_BOTS: &str = "This endpoint does not accept bot requests.";

fn group(state: &Value, name: &str) -> i64 {
    let groups = state["realm_user_groups"].as_array().expect("a list").iter();
    groups.clone().find(|group| group["name"] == name).expect("it is there")["id"].as_i64().expect("a number")
}

#[tokio::test]
async fn bots_changed_no_groups_before_496() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 496).await;
    let new = json!({"name": "pipeline", "description": "", "members": []});
    let id = group(&before.user("mel").register(json!({})).await.state, "engineers");

    for (path, params) in [
        ("/user_groups/create".to_owned(), new.clone()),
        (format!("/user_groups/{id}/members"), json!({"add": [3]})),
        (format!("/user_groups/{id}/subgroups"), json!({"add": [3]})),
    ] {
        before.user("build-bot").post(&path, params).await.error("BAD_REQUEST", NO_BOTS);
    }
    let name = json!({"name": "x", "description": "y"});
    before.user("build-bot").patch(&format!("/user_groups/{id}"), name).await.error("BAD_REQUEST", NO_BOTS);
    after.user("build-bot").post("/user_groups/create", new).await.success();
}

#[tokio::test]
async fn bots_listed_no_groups_before_496() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 496).await;

    before.user("build-bot").get("/user_groups", json!({})).await.error("BAD_REQUEST", NO_BOTS);
    after.user("build-bot").get("/user_groups", json!({})).await.success();
    let id = group(&before.user("olive").register(json!({})).await.state, "engineers");
    for path in ["members", "members/1", "subgroups"] {
        let path = format!("/user_groups/{id}/{path}");
        before.user("build-bot").get(&path, json!({})).await.error("BAD_REQUEST", NO_BOTS);
        after.user("build-bot").get(&path, json!({})).await.success();
    }
}

#[tokio::test]
async fn deactivated_groups_kept_their_members_before_391() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 391).await;
    let id = group(&before.user("olive").register(json!({})).await.state, "old-timers");
    let (path, add) = (format!("/user_groups/{id}/members"), json!({"add": [before.user("mel").id()]}));

    let reply = before.user("olive").post(&path, add.clone()).await;
    reply.error("BAD_REQUEST", "User group is deactivated.");
    after.user("olive").post(&path, add).await.success();
}

#[tokio::test]
async fn only_names_of_deactivated_groups_changed_before_340() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 340).await;
    let (old, new) = (before.user("olive"), after.user("olive"));
    let id = group(&old.register(json!({})).await.state, "old-timers");
    let path = format!("/user_groups/{id}");
    let managed = json!({"can_manage_group": {"new": group(&old.register(json!({})).await.state, "role:members")}});

    for change in [json!({"description": "They were here."}), json!({"name": "gone", "description": "x"}), managed] {
        old.patch(&path, change.clone()).await.error("BAD_REQUEST", "User group is deactivated.");
        new.patch(&path, change).await.success();
    }
    for age in [before, Age::at(&server, 290).await] {
        age.user("olive").patch(&path, json!({"name": "former"})).await.success();
    }
}

#[tokio::test]
async fn group_managers_needed_membership_before_305() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let members = group(&olive.register(json!({})).await.state, "role:members");
    olive.patch("/realm", json!({"can_manage_all_groups": {"new": members}})).await.success();
    let new = json!({"name": "pipeline", "description": "", "members": [server.user("max").id()]});
    let id = olive.post("/user_groups/create", new).await.success()["group_id"].clone();
    let path = format!("/user_groups/{id}");

    for (level, handle, may) in [(304, "max", true), (304, "nora", false), (304, "mona", true), (305, "nora", true)] {
        let user = Age::at(&server, level).await.user(handle);
        let reply = user.patch(&path, json!({"description": "changed"})).await;
        if may {
            reply.success();
        } else {
            reply.error("BAD_REQUEST", "Insufficient permission");
            let add = json!({"add": [server.user("mel").id()]});
            user.post(&format!("{path}/members"), add).await.error("BAD_REQUEST", "Insufficient permission");
        }
    }
}

#[tokio::test]
async fn deactivated_groups_were_for_all_from_290_to_293() {
    let server = TestServer::start().await;
    for (level, is_listed) in [(289, false), (290, true), (293, true), (294, false)] {
        let olive = Age::at(&server, level).await.user("olive");
        let state = olive.register(json!({"client_capabilities": {}})).await.state;
        let groups = state["realm_user_groups"].as_array().expect("a list");
        assert_eq!(groups.iter().any(|group| group["name"] == "old-timers"), is_listed, "at {level}");
    }
}

#[tokio::test]
async fn listing_deactivated_groups_had_another_parameter_from_290_to_293() {
    let server = TestServer::start().await;
    for (level, name, is_listed) in [
        (289, "allow_deactivated", false),
        (290, "allow_deactivated", true),
        (293, "allow_deactivated", true),
        (294, "allow_deactivated", false),
        (294, "include_deactivated_groups", true),
    ] {
        let olive = Age::at(&server, level).await.user("olive");
        let groups = olive.get("/user_groups", json!({name: true})).await.success()["user_groups"].take();
        let mut groups = groups.as_array().expect("a list").iter();
        assert_eq!(groups.any(|group| group["name"] == "old-timers"), is_listed, "{name} at {level}");
    }
}

#[tokio::test]
async fn groups_in_use_were_a_bad_request_before_298() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 298).await;
    let leads = group(&before.user("olive").register(json!({})).await.state, "leads");
    let path = format!("/user_groups/{leads}/deactivate");
    for age in [&before, &after] {
        let reply = age.user("olive").post(&path, json!({})).await;
        let is_after = std::ptr::eq(age, &after);
        let code = if is_after { "CANNOT_DEACTIVATE_GROUP_IN_USE" } else { "BAD_REQUEST" };
        let body = reply.error(code, "Cannot deactivate user group in use.");
        assert_eq!(body.get("objections").is_some(), is_after);
    }
}

#[tokio::test]
async fn group_names_were_required_before_165() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 165).await;
    let id = group(&before.user("olive").register(json!({})).await.state, "engineers");
    let path = format!("/user_groups/{id}");

    let olive = before.user("olive");
    olive.patch(&path, json!({"description": "x"})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'name' argument");
    let message = "Missing 'description' argument";
    olive.patch(&path, json!({"name": "x"})).await.error("REQUEST_VARIABLE_MISSING", message);
    olive.patch(&path, json!({"name": "x", "description": "y"})).await.success();
    after.user("olive").patch(&path, json!({"description": "x"})).await.success();
}

#[tokio::test]
async fn who_may_mention_was_a_bare_value_before_260() {
    let server = TestServer::start().await;
    let state = server.user("olive").register(json!({})).await.state;
    let (engineers, moderators) = (group(&state, "engineers"), group(&state, "role:moderators"));
    let path = format!("/user_groups/{engineers}");
    for (level, name, value) in [
        (259, "can_mention_group", json!(moderators)),
        (197, "can_mention_group_id", json!(moderators)),
        (260, "can_mention_group", json!({"new": moderators})),
    ] {
        let olive = Age::at(&server, level).await.user("olive");
        olive.patch(&path, json!({name: value})).await.success();
        let listed = olive.get("/user_groups", json!({})).await.success();
        let groups = listed["user_groups"].as_array().expect("a list").iter();
        let changed = groups.clone().find(|group| group["id"] == engineers).expect("it is there");
        assert_eq!(changed[name], moderators, "at {level}");
    }
}

#[tokio::test]
async fn groups_were_removed_for_good_before_294() {
    let server = TestServer::start().await;
    let age = Age::at(&server, 289).await;
    let [olive, mel, gus] = ["olive", "mel", "gus"].map(|handle| age.user(handle));
    let make = async || {
        let group = json!({"name": "passing", "description": "", "members": [mel.id()]});
        olive.post("/user_groups/create", group).await.success();
        group_of(&olive, "passing").await.expect("it was made")
    };
    let remove = async |user: &User, id: i64| user.delete(&format!("/user_groups/{id}"), json!({})).await;
    let id = make().await;
    let mut received = mel.events(["user_group"]).await;

    remove(&gus, id).await.error("BAD_REQUEST", "Not allowed for guest users");
    remove(&age.user("max"), id).await.error("BAD_REQUEST", "Insufficient permission");
    let members = group_of(&olive, "role:members").await.expect("it is there");
    remove(&olive, members).await.error("BAD_REQUEST", "Insufficient permission");
    remove(&olive, 4_000).await.error("BAD_REQUEST", "Invalid user group");
    received.none().await;
    // Who is in it may.
    remove(&mel, id).await.is(json!({}));
    received.next().await.is(json!({"type": "user_group", "op": "remove", "group_id": id}));
    assert_eq!(group_of(&olive, "passing").await, None);
    remove(&olive, id).await.error("BAD_REQUEST", "Invalid user group");
    // The name is free again.
    let again = make().await;
    assert_ne!(again, id);
    // What is in use stays.
    let whole = json!({"name": "whole", "description": "", "members": []});
    olive.post("/user_groups/create", whole).await.success();
    let whole = group_of(&olive, "whole").await.expect("it was made");
    olive.post(&format!("/user_groups/{whole}/subgroups"), json!({"add": [again]})).await.success();
    let in_use = "Cannot deactivate user group in use.";
    remove(&olive, again).await.error("BAD_REQUEST", in_use);
    remove(&olive, whole).await.success();
    remove(&olive, again).await.success();

    // From 290 on groups may be deactivated, and removed all the same.
    let age = Age::at(&server, 293).await;
    let olive = age.user("olive");
    let id = group(&olive.register(json!({})).await.state, "old-timers");
    let mut received = olive.events(["user_group"]).await;
    remove(&olive, id).await.success();
    received.next().await.is(json!({"type": "user_group", "op": "remove", "group_id": id}));

    let newest = server.user("olive").delete("/user_groups/1", json!({})).await;
    newest.with_status(405).error("BAD_REQUEST", "Method Not Allowed");
}

async fn group_of(user: &User, name: &str) -> Option<i64> {
    let listed = user.get("/user_groups", json!({})).await.success();
    let groups = listed["user_groups"].as_array().expect("a list").iter();
    groups.clone().find(|group| group["name"] == name).and_then(|group| group["id"].as_i64())
}

#[tokio::test]
async fn group_members_were_optional_before_259() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 259).await;
    let new = json!({"name": "empty", "description": ""});
    before.user("mel").post("/user_groups/create", new.clone()).await.success();
    let reply = after.user("mel").post("/user_groups/create", new).await;
    reply.error("REQUEST_VARIABLE_MISSING", "Missing 'members' argument");
}

#[tokio::test]
async fn group_creators_changed_groups_that_they_were_in_before_299() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 299).await;
    for (age, member_may) in [(before, true), (after, false)] {
        let (mel, max, mona) = (age.user("mel"), age.user("max"), age.user("mona"));
        let new = json!({"name": "squad", "description": "", "members": [max.id()]});
        mel.post("/user_groups/create", new).await.success();
        let id = group(&mel.register(json!({})).await.state, "squad");
        let path = format!("/user_groups/{id}");
        for (user, may) in [(&max, member_may), (&mona, member_may), (&mel, true)] {
            let name = json!({"description": format!("by {}", user.id())});
            assert_eq!(user.patch(&path, name).await.status == 200, may, "{}", user.email());
        }
        let add = json!({"add": [mona.id()]});
        assert_eq!(max.post(&format!("{path}/members"), add).await.status == 200, member_may);
    }
}

#[tokio::test]
async fn names_of_groups_differed_by_case_before_388() {
    let server = TestServer::start().await;
    let [before, after] = Age::around(&server, 388).await;
    let named = |name: &str, description: String| json!({"name": name, "description": description, "members": []});
    for (age, is_strict) in [(before, false), (after, true)] {
        let mel = age.user("mel");
        mel.post("/user_groups/create", named("Squad", String::new())).await.success();
        let reply = mel.post("/user_groups/create", named("squad", String::new())).await;
        assert_eq!(reply.status == 200, !is_strict);
        let reply = mel.post("/user_groups/create", named("Squad", String::new())).await;
        reply.error("BAD_REQUEST", "User group 'Squad' already exists.");
        let reply = mel.post("/user_groups/create", named("wordy", "x".repeat(1_025))).await;
        assert_eq!(reply.status == 200, !is_strict);
    }
}

#[tokio::test]
async fn members_of_several_groups_were_listed_repeatedly_before_497() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let state = olive.register(json!({})).await.state;
    let everyone = group(&state, "role:everyone");
    for (level, times) in [(247, 2), (387, 2), (497, 1)] {
        let path = format!("/user_groups/{everyone}/members");
        let reply = Age::at(&server, level).await.user("mel").get(&path, json!({})).await.success();
        let mel = server.user("mel").id();
        let members = reply["members"].as_array().expect("a list").iter();
        // A member by role, and a full one.
        assert_eq!(members.filter(|id| **id == mel).count(), times, "at {level}");
    }
}

#[tokio::test]
async fn groups_were_mentioned_without_their_subgroups_before_332() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let new = json!({"name": "all of us", "description": "", "members": [olive.id()],
                     "subgroups": [group(&olive.register(json!({})).await.state, "role:members")]});
    olive.post("/user_groups/create", new).await.success();
    for (level, is_mentioned) in [(331, false), (332, true)] {
        let age = Age::at(&server, level).await;
        let mut queue = age.user("nora").events(["message"]).await;
        send_old(&age.user("mel"), "general", "x", "@*all of us*").await;
        let event = queue.next().await.has(json!({"type": "message"}));
        let flags = event["flags"].as_array().expect("a list");
        assert_eq!(flags.contains(&json!("mentioned")), is_mentioned, "at {level}");
    }
}

#[tokio::test]
async fn deactivated_users_could_be_made_members_before_303() {
    let server = TestServer::start().await;
    let (olive, max) = (server.user("olive"), server.user("max").id());
    olive.delete(&format!("/users/{max}"), json!({})).await.success();
    let id = group(&olive.register(json!({})).await.state, "leads");
    for (level, is_taken) in [(302, true), (303, false)] {
        let olive = Age::at(&server, level).await.user("olive");
        let mut queue = olive.events(["user_group"]).await;
        let reply = olive.post(&format!("/user_groups/{id}/members"), json!({"add": [max]})).await;
        if is_taken {
            reply.success();
            queue.next().await.has(json!({"op": "add_members", "user_ids": [max]}));
        } else {
            reply.error("BAD_REQUEST", &format!("Invalid user ID: {max}"));
        }
    }
}

#[tokio::test]
async fn messages_came_before_changes_of_groups_before_261() {
    let server = TestServer::start().await;
    for (level, order) in [
        (260, ["message", "user_group"]),
        (261, ["user_group", "message"]),
        (NEWEST_FEATURE_LEVEL, ["user_group", "message"]),
    ] {
        let age = Age::at(&server, level).await;
        let (olive, mel) = (age.user("olive"), age.user("mel"));
        let group = json!({"name": "crew", "description": "", "members": []});
        olive.post("/user_groups/create", group).await.success();
        let groups = olive.get("/user_groups", json!({})).await.success();
        let mut groups = groups["user_groups"].as_array().expect("a list").iter();
        let id = groups.find(|group| group["name"] == "crew").expect("it was made")["id"].clone();
        let mut events = mel.events(["message", "user_group"]).await;
        olive.post(&format!("/user_groups/{id}/members"), json!({"add": [mel.id()]})).await.success();
        let kinds: Vec<Value> = events.all().await.into_iter().map(|mut event| event["type"].take()).collect();
        assert_eq!(kinds, order, "at {level}");
    }
}
