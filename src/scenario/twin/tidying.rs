//! Taking away what a probe made.

use super::side::Side;
use serde_json::Value;

/// Something that was made, and who made it.
#[derive(Clone, Debug)]
pub struct Made {
    method: &'static str,
    path: String,
    form: Vec<(&'static str, &'static str)>,
    by: String,
    /// For people: `the message 12`.
    pub what: String,
}

/// Operations that make something: the path, the key of its id in the reply, and how it is taken away.
const MAKERS: [(&str, &str, &str, &str); 15] = [
    ("/messages", "id", "DELETE", "/messages/"),
    ("/drafts", "ids", "DELETE", "/drafts/"),
    ("/saved_snippets", "saved_snippet_id", "DELETE", "/saved_snippets/"),
    ("/scheduled_messages", "scheduled_message_id", "DELETE", "/scheduled_messages/"),
    ("/reminders", "reminder_id", "DELETE", "/reminders/"),
    ("/user_groups/create", "group_id", "POST", "/user_groups/…/deactivate"),
    ("/channels/create", "id", "DELETE", "/streams/"),
    ("/realm/filters", "id", "DELETE", "/realm/filters/"),
    ("/realm/profile_fields", "id", "DELETE", "/realm/profile_fields/"),
    ("/realm/playgrounds", "id", "DELETE", "/realm/playgrounds/"),
    ("/bots", "user_id", "DELETE", "/bots/"),
    ("/users", "user_id", "DELETE", "/users/"),
    ("/channel_folders/create", "channel_folder_id", "PATCH", "/channel_folders/"),
    ("/default_stream_groups/create", "group_id", "DELETE", "/default_stream_groups/"),
    ("/navigation_views", "fragment", "DELETE", "/navigation_views/"),
];

/// What a request made, by its path and reply.
pub fn made(method: &str, path: &str, reply: &Value, by: &str) -> Vec<Made> {
    if method != "POST" || reply["result"] != "success" {
        return Vec::new();
    }
    let Some((_, key, method, way)) = MAKERS.iter().find(|(maker, ..)| *maker == path) else { return Vec::new() };
    let ids: Vec<i64> = match &reply[*key] {
        Value::Array(ids) => ids.iter().filter_map(Value::as_i64).collect(),
        id => id.as_i64().into_iter().collect(),
    };
    let one = |id: i64| Made {
        method,
        path: if way.contains('…') { way.replace('…', &id.to_string()) } else { format!("{way}{id}") },
        form: if *method == "PATCH" { vec![("is_archived", "true")] } else { Vec::new() },
        by: by.to_owned(),
        what: format!("{} {id}", way.trim_matches('/').split('/').next().unwrap_or_default()),
    };
    ids.into_iter().map(one).collect()
}

/// A channel that a subscription made.
pub fn channel(id: i64, by: &str) -> Made {
    Made {
        method: "DELETE",
        path: format!("/streams/{id}"),
        form: Vec::new(),
        by: by.to_owned(),
        what: format!("channel {id}"),
    }
}

/// Takes things away, the newest first, as who made them or else as any other account; what could not be.
pub async fn tidy(side: &Side, made: &[Made]) -> Vec<String> {
    let mut left = Vec::new();
    for one in made.iter().rev() {
        let mut handles = side.handles();
        handles.sort_by_key(|handle| *handle != one.by);
        let mut reason = String::new();
        let mut is_gone = false;
        for person in handles.iter().filter_map(|handle| side.scope.directory.person(handle)) {
            match side.call(one.method, &one.path, person, &one.form).await {
                Ok(reply) if reply.status == 200 => is_gone = true,
                // Whatever is not there any more needs no taking away.
                Ok(reply) if is_missing(&reply.body) => is_gone = true,
                Ok(reply) => reason = reply.body["msg"].as_str().unwrap_or_default().to_owned(),
                Err(failure) => reason = failure,
            }
            if is_gone {
                break;
            }
        }
        if !is_gone {
            left.push(format!("{} of {}: {reason}", one.what, side.url));
        }
    }
    left
}

fn is_missing(reply: &Value) -> bool {
    let text = reply["msg"].as_str().unwrap_or_default();
    ["Invalid ", "does not exist", "No such", "not found", "already", "is deactivated"]
        .iter()
        .any(|part| text.contains(part))
}
