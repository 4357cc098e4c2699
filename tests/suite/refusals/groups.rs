//! User groups.

use super::{group, refuse, refuse_to};
use crate::levels::Age;
use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn changes_of_groups_that_cannot_be() {
    let server = TestServer::start().await;
    let [engineers, leads, old] = ["engineers", "leads", "old-timers"].map(|name| group(&server, name));
    let long = "x".repeat(101);
    let is_in = format!("User group {leads} is already a subgroup of this group.");
    let is_not_in = format!("User group {old} is not a subgroup of this group.");
    let deactivated = "User group is deactivated.";

    const EDIT: &str = "PATCH /user_groups/{user_group_id}";
    const MEMBERS: &str = "POST /user_groups/{user_group_id}/members";
    const SUBGROUPS: &str = "POST /user_groups/{user_group_id}/subgroups";
    let of = |id: i64, key: &str, value: serde_json::Value| json!({"user_group_id": id, key: value});
    refuse(
        &server,
        [
            ("adam", EDIT, of(leads, "name", json!(long)), "User group name cannot exceed 100 characters."),
            ("adam", EDIT, of(leads, "name", json!("role:x")), "User group name cannot start with 'role:'."),
            (
                "adam",
                "POST /user_groups/{user_group_id}/deactivate",
                json!({"user_group_id": 999}),
                "Invalid user group",
            ),
            ("adam", MEMBERS, of(engineers, "add_subgroups", json!([old])), deactivated),
            ("adam", MEMBERS, of(engineers, "add_subgroups", json!([leads])), &is_in),
            ("adam", SUBGROUPS, of(999, "add", json!([leads])), "Invalid user group"),
            ("adam", SUBGROUPS, of(engineers, "add", json!([999])), "Invalid user group ID: 999"),
            ("adam", SUBGROUPS, of(engineers, "add", json!([old])), deactivated),
            ("adam", SUBGROUPS, of(engineers, "delete", json!([old])), &is_not_in),
        ],
    )
    .await;
}

#[tokio::test]
async fn groups_that_older_levels_do_not_remove() {
    let server = TestServer::start().await;
    let age = Age::at(&server, 293).await;
    let leads = group(&server, "leads");

    const REMOVE: &str = "DELETE /user_groups/{user_group_id}";
    refuse_to(
        |handle| age.user(handle),
        [
            ("adam", REMOVE, json!({"user_group_id": 999}), "Invalid user group"),
            ("nora", REMOVE, json!({"user_group_id": leads}), "Insufficient permission"),
            ("adam", REMOVE, json!({"user_group_id": leads}), "Cannot deactivate user group in use."),
        ],
    )
    .await;
}
