//! Groups within groups: however they are nested, a request takes time in proportion to their number.

use crate::support::{TestServer, User};
use chatdouble::realm::group::Group;
use chatdouble::realm::id::GroupId;
use chatdouble::realm::tx::Tx;
use imbl::OrdSet;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What one request may take, in a build without optimization.
const SHORT: Duration = Duration::from_secs(15);

/// Adds a group with these subgroups.
fn add_group(tx: &mut Tx, subgroups: impl IntoIterator<Item = GroupId>) -> GroupId {
    tx.realm_mut().counters.group += 1;
    let id = GroupId(tx.counters.group);
    let engineers = tx.group_by_name("engineers").expect("the group").clone();
    let subgroups = subgroups.into_iter().collect();
    let group = Group { id, name: format!("nested {id}"), members: OrdSet::new(), subgroups, ..engineers };
    tx.realm_mut().groups.insert(id, Arc::new(group));
    id
}

/// A chain in which each group is the only subgroup of the next; the last one.
fn arrange_chain(server: &TestServer, length: usize) -> i64 {
    let mut last = None;
    server.arrange(|tx| {
        for _ in 0..length {
            last = Some(add_group(tx, last));
        }
    });
    last.expect("a group").0
}

async fn within<T>(limit: Duration, request: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let reply = request.await;
    assert!(begun.elapsed() < limit, "took {:?}", begun.elapsed());
    reply
}

/// All that walks a group, over a group in which max is not.
async fn walk(max: &User, adam: &User, group: i64, subgroups: usize) {
    let path = format!("/user_groups/{group}/members/{}", max.id());
    let reply = within(SHORT, max.get(&path, json!({}))).await.success();
    assert_eq!(reply["is_user_group_member"], false);
    let reply = within(SHORT, max.get(&format!("/user_groups/{group}/members"), json!({}))).await.success();
    assert_eq!(reply["members"], json!([]));
    let reply = within(SHORT, max.get(&format!("/user_groups/{group}/subgroups"), json!({}))).await.success();
    assert_eq!(reply["subgroups"].as_array().map(Vec::len), Some(subgroups));

    let subscriptions = json!([{"name": "held by a nested group"}]);
    let asked = json!({"subscriptions": subscriptions, "can_subscribe_group": group, "invite_only": true});
    within(SHORT, adam.post("/users/me/subscriptions", asked)).await.success();
    let mention = json!({"type": "stream", "to": "town-square", "topic": "t", "content": format!("@*nested {group}*")});
    within(SHORT, adam.post("/messages", mention)).await.success();
    within(SHORT, max.post("/register", json!({}))).await.success();
}

#[tokio::test]
async fn a_lattice_of_groups_is_walked_once() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);
    let mut layer = Vec::new();
    for index in 0..37 {
        let sides = if index == 0 { 1 } else { 2 };
        let mut next = Vec::new();
        for side in 0..sides {
            let name = format!("layer {index} {side}");
            let group = json!({"name": name, "description": "", "members": [], "subgroups": layer});
            let made = within(SHORT, mel.post("/user_groups/create", group)).await.success();
            next.push(made["group_id"].as_i64().expect("a number"));
        }
        layer = next;
    }

    let top = layer[0];
    server.arrange(|tx| tx.group_mut(GroupId(top)).name = format!("nested {top}"));
    walk(&max, &adam, top, 71).await;
    let cycle = json!({"add_subgroups": [top]});
    let bottom = server.server().world("default").snapshot().group_by_name("layer 0 0").expect("the group").id;
    let path = format!("/user_groups/{bottom}/members");
    let message = format!("User group {bottom} is already a subgroup of one of the passed subgroups.");
    within(SHORT, mel.post(&path, cycle)).await.error("BAD_REQUEST", &message);
}

#[tokio::test]
async fn a_long_chain_of_groups_does_not_end_the_server() {
    let server = TestServer::start().await;
    let [adam, max] = server.users(["adam", "max"]);

    let last = arrange_chain(&server, 10_000);

    walk(&max, &adam, last, 9_999).await;
}

#[tokio::test]
async fn a_state_with_a_long_chain_of_groups_is_loaded_in_time() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    arrange_chain(&server, 6_000);

    let state = olive.get("/control/worlds/default/state", json!({})).await.body;
    let shown = json!({});
    let put = olive.send("PUT", "/control/worlds/default/state", &shown, state.to_string().into_bytes(), None);

    within(Duration::from_secs(30), put).await.success();
}
