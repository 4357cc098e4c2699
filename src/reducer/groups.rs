//! Events of user groups.

use super::State;
use super::json::{insert_number, into_object, merge_into_row, put, remove_number, row_mut, take, to_integers};
use serde_json::Value;

impl State {
    /// Applies an event `user_group`. Returns false for an unknown `op`.
    pub(super) fn apply_user_group(&mut self, event: &Value, op: &str) -> bool {
        const LIST: &str = "realm_user_groups";
        let id = &event["group_id"];
        match op {
            "add" => put(&mut self.value, LIST, "id", into_object(event["group"].clone())),
            "remove" => {
                take(&mut self.value, LIST, "id", id);
            }
            "update" => {
                if let Some(group) = row_mut(&mut self.value, LIST, "id", id) {
                    merge_into_row(group, &event["data"]);
                }
            }
            "add_members" | "remove_members" | "add_subgroups" | "remove_subgroups" => {
                let (key, changed_ids) = if op.ends_with("_members") {
                    ("members", &event["user_ids"])
                } else {
                    ("direct_subgroup_ids", &event["direct_subgroup_ids"])
                };
                let list = row_mut(&mut self.value, LIST, "id", id).and_then(|group| group.get_mut(key));
                if let Some(list) = list {
                    for number in to_integers(changed_ids) {
                        if op.starts_with("add") {
                            insert_number(list, number)
                        } else {
                            remove_number(list, number)
                        };
                    }
                }
            }
            _ => return false,
        }
        self.refresh_rights_and_policies();
        true
    }
}
