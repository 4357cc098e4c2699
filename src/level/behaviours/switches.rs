//! Settings of the organization that were true or false before there was more to choose from (A-195 in
//! docs/assumptions.md).

use crate::api::parameter::json_parameter;
use crate::error::Error;
use crate::level::objects::{ORGANIZATION_NEWS, ORGANIZATION_REPLY, ORGANIZATION_UPDATE};
use crate::level::{Behaviour, Downgrade, Request};

/// The settings of now that were switches.
pub const WERE_SWITCHES: [&str; 2] = [TOPICS, HISTORY];

const TOPICS: &str = "topics_policy";
const HISTORY: &str = "message_edit_history_visibility_policy";

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 392,
        on: "event realm update_dict",
        words: "Carries `topics_policy` and `mandatory_topics`; before, only `mandatory_topics`, in `realm` update.",
        test: "policies_of_the_organization_were_switches",
        act: Downgrade::Objects(&ORGANIZATION_UPDATE, |event, _| {
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
        on: "reply of PATCH /realm",
        words: "`topics_policy` was `mandatory_topics`, true for `disable_empty_topic`.",
        test: "policies_of_the_organization_were_switches",
        act: Downgrade::Objects(&ORGANIZATION_REPLY, |reply, _| {
            if let Some(policy) = reply.shift_remove(TOPICS) {
                reply.insert("mandatory_topics".into(), (policy == "disable_empty_topic").into());
            }
        }),
    },
    Behaviour {
        level: 392,
        on: "PATCH /realm",
        words: "`topics_policy` was `mandatory_topics`, true or false.",
        test: "policies_of_the_organization_were_switches",
        act: Downgrade::Request(&["PATCH /realm"], |request| {
            from_switch(request, TOPICS, "mandatory_topics", ["disable_empty_topic", "allow_empty_topic"])
        }),
    },
    Behaviour {
        level: 358,
        on: "event realm update, reply of PATCH /realm",
        words: "`message_edit_history_visibility_policy` was `allow_edit_history`, false for `none`.",
        test: "policies_of_the_organization_were_switches",
        act: Downgrade::Objects(&ORGANIZATION_NEWS, |news, _| {
            if news.get("property").is_some_and(|name| name == HISTORY) {
                let is_shown = news.get("value").is_some_and(|policy| policy != "none");
                news.insert("property".into(), "allow_edit_history".into());
                news.insert("value".into(), is_shown.into());
            } else if let Some(policy) = news.shift_remove(HISTORY) {
                news.insert("allow_edit_history".into(), (policy != "none").into());
            }
        }),
    },
    Behaviour {
        level: 358,
        on: "PATCH /realm",
        words: "`message_edit_history_visibility_policy` was `allow_edit_history`: true is `all`, false is `none`.",
        test: "policies_of_the_organization_were_switches",
        act: Downgrade::Request(&["PATCH /realm"], |request| {
            from_switch(request, HISTORY, "allow_edit_history", ["all", "none"])
        }),
    },
];

/// Brings a switch of before, which is under the name of now, to the word for it; `words` are those for true and
/// false.
fn from_switch(request: &mut Request<'_>, now: &str, before: &str, words: [&str; 2]) -> Result<(), Error> {
    let Some(value) = request.values.get_mut(now) else { return Ok(()) };
    let is_on: bool = json_parameter(value, before)?;
    words[usize::from(!is_on)].clone_into(value);
    Ok(())
}
