//! Behaviours of settings of the organization that were booleans before they became policies (A-195 in
//! docs/assumptions.md).

use crate::api::parameter::json_parameter;
use crate::error::Error;
use crate::level::objects::{ORGANIZATION_CHANGES, ORGANIZATION_DICT_UPDATE_EVENT, ORGANIZATION_REPLY};
use crate::level::{Behaviour, ChangedFields, Downgrade, Request};

/// The settings of this table, by their present names.
pub const FORMER_BOOLEANS: [&str; 2] = [TOPICS_POLICY, HISTORY_POLICY];

const TOPICS_POLICY: &str = "topics_policy";
const HISTORY_POLICY: &str = "message_edit_history_visibility_policy";

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 392,
        subject: "event realm update_dict",
        description: "Carries `topics_policy` and `mandatory_topics`; before, only `mandatory_topics`, in `realm` update.",
        test: "policies_of_the_organization_were_booleans",
        downgrade: Downgrade::Objects(&ORGANIZATION_DICT_UPDATE_EVENT, ChangedFields::Values, |event, _| {
            let Some(value) = event.get_mut("data").and_then(|data| data.get_mut("mandatory_topics")) else { return };
            let value = value.take();
            event.shift_remove("data");
            event.insert("op".into(), "update".into());
            event.insert("property".into(), "mandatory_topics".into());
            event.insert("value".into(), value);
        }),
    },
    Behaviour {
        level: 392,
        subject: "reply of PATCH /realm",
        description: "`topics_policy` was `mandatory_topics`, true for `disable_empty_topic`.",
        test: "policies_of_the_organization_were_booleans",
        downgrade: Downgrade::Objects(&ORGANIZATION_REPLY, ChangedFields::Values, |reply, _| {
            if let Some(policy) = reply.shift_remove(TOPICS_POLICY) {
                reply.insert("mandatory_topics".into(), (policy == "disable_empty_topic").into());
            }
        }),
    },
    Behaviour {
        level: 392,
        subject: "PATCH /realm",
        description: "`topics_policy` was `mandatory_topics`, true or false.",
        test: "policies_of_the_organization_were_booleans",
        downgrade: Downgrade::RequestChange(&["PATCH /realm"], |request| {
            convert_boolean_to_policy(
                request,
                TOPICS_POLICY,
                "mandatory_topics",
                ["disable_empty_topic", "allow_empty_topic"],
            )
        }),
    },
    Behaviour {
        level: 358,
        subject: "event realm update, reply of PATCH /realm",
        description: "`message_edit_history_visibility_policy` was `allow_edit_history`, false for `none`.",
        test: "policies_of_the_organization_were_booleans",
        downgrade: Downgrade::Objects(
            &ORGANIZATION_CHANGES,
            ChangedFields::Fields(&["property", "value", HISTORY_POLICY, "allow_edit_history"]),
            |change, _| {
                if change.get("property").is_some_and(|name| name == HISTORY_POLICY) {
                    let is_history_shown = change.get("value").is_some_and(|policy| policy != "none");
                    change.insert("property".into(), "allow_edit_history".into());
                    change.insert("value".into(), is_history_shown.into());
                } else if let Some(policy) = change.shift_remove(HISTORY_POLICY) {
                    change.insert("allow_edit_history".into(), (policy != "none").into());
                }
            },
        ),
    },
    Behaviour {
        level: 358,
        subject: "PATCH /realm",
        description: "`message_edit_history_visibility_policy` was `allow_edit_history`: true is `all`, false is `none`.",
        test: "policies_of_the_organization_were_booleans",
        downgrade: Downgrade::RequestChange(&["PATCH /realm"], |request| {
            convert_boolean_to_policy(request, HISTORY_POLICY, "allow_edit_history", ["all", "none"])
        }),
    },
];

/// Converts a boolean parameter, which already has the new name, to a policy. `policies` are those for true and for
/// false.
fn convert_boolean_to_policy(
    request: &mut Request<'_>,
    new_name: &str,
    old_name: &str,
    policies: [&str; 2],
) -> Result<(), Error> {
    let Some(value) = request.values.get_mut(new_name) else { return Ok(()) };
    let is_on: bool = json_parameter(value, old_name)?;
    policies[usize::from(!is_on)].clone_into(value);
    Ok(())
}
