//! Finds the objects that a probe created, and removes them.

use super::compared_server::ComparedServer;
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// An object that a request created, and how to remove it.
#[derive(Clone, Debug)]
pub struct CreatedObject {
    removal: Removal,
    /// The handle of the account that created it. It is empty if the account is unknown.
    creator: String,
    /// For messages to the user: an ID after a word of the path or the kind, such as `messages 12` or `channel 5`.
    name: String,
}

#[derive(Clone, Debug)]
enum Removal {
    Request {
        method: &'static str,
        path: String,
        form: Vec<(&'static str, &'static str)>,
    },
    /// Removal of an uploaded file, whose ID is only in the list of attachments.
    Attachment {
        path_id: String,
    },
}

/// An operation that creates objects, and how to remove them.
struct CreationRule {
    /// Path of its POST request.
    path: &'static str,
    /// Key of the ID or the list of IDs in its reply.
    id_key: &'static str,
    removal_method: &'static str,
    /// Path of the request that removes an object; `{}` is replaced with the ID.
    removal_path: &'static str,
    removal_form: &'static [(&'static str, &'static str)],
}

const fn deletion_rule(path: &'static str, id_key: &'static str, removal_path: &'static str) -> CreationRule {
    CreationRule { path, id_key, removal_method: "DELETE", removal_path, removal_form: &[] }
}

const CREATION_RULES: [CreationRule; 14] = [
    deletion_rule("/messages", "id", "/messages/{}"),
    deletion_rule("/drafts", "ids", "/drafts/{}"),
    deletion_rule("/saved_snippets", "saved_snippet_id", "/saved_snippets/{}"),
    deletion_rule("/scheduled_messages", "scheduled_message_id", "/scheduled_messages/{}"),
    deletion_rule("/reminders", "reminder_id", "/reminders/{}"),
    deletion_rule("/channels/create", "id", "/streams/{}"),
    deletion_rule("/realm/filters", "id", "/realm/filters/{}"),
    deletion_rule("/realm/profile_fields", "id", "/realm/profile_fields/{}"),
    deletion_rule("/realm/playgrounds", "id", "/realm/playgrounds/{}"),
    deletion_rule("/bots", "user_id", "/bots/{}"),
    deletion_rule("/users", "user_id", "/users/{}"),
    deletion_rule("/default_stream_groups/create", "group_id", "/default_stream_groups/{}"),
    CreationRule {
        path: "/user_groups/create",
        id_key: "group_id",
        removal_method: "POST",
        removal_path: "/user_groups/{}/deactivate",
        removal_form: &[],
    },
    CreationRule {
        path: "/channel_folders/create",
        id_key: "channel_folder_id",
        removal_method: "PATCH",
        removal_path: "/channel_folders/{}",
        removal_form: &[("is_archived", "true")],
    },
];

const UPLOAD_PATH: &str = "/user_uploads";

/// Whether requests with this method and path create objects that the reply identifies. Subscriptions, which may
/// create channels, are not among them.
pub fn creates_objects(method: &str, path: &str) -> bool {
    method == "POST" && (path == UPLOAD_PATH || CREATION_RULES.iter().any(|rule| rule.path == path))
}

/// A line for the user about objects that a request created on a server, or may have created, but that its reply does
/// not identify. None if such requests create no objects. `reason` says what is wrong with the reply. The names that the
/// probe gives contain `unique_word`.
pub fn unidentified_creation(method: &str, path: &str, url: &str, unique_word: &str, reason: &str) -> Option<String> {
    creates_objects(method, path).then(|| {
        format!("what {method} {path} made on {url} ({reason}); names that the probe gives contain {unique_word}")
    })
}

/// The objects that a request created, according to its reply.
pub fn created_objects(method: &str, path: &str, reply: &Value, handle: &str) -> Vec<CreatedObject> {
    if method != "POST" || reply["result"] != "success" {
        return Vec::new();
    }
    if path == UPLOAD_PATH {
        return uploaded_file(reply, handle).into_iter().collect();
    }
    let Some(rule) = CREATION_RULES.iter().find(|rule| rule.path == path) else { return Vec::new() };
    let ids: Vec<i64> = match &reply[rule.id_key] {
        Value::Array(ids) => ids.iter().filter_map(Value::as_i64).collect(),
        id => id.as_i64().into_iter().collect(),
    };
    let object = |id: i64| CreatedObject {
        removal: Removal::Request {
            method: rule.removal_method,
            path: rule.removal_path.replace("{}", &id.to_string()),
            form: rule.removal_form.to_vec(),
        },
        creator: handle.to_owned(),
        name: format!("{} {id}", rule.removal_path.trim_matches('/').split("/{}").next().unwrap_or_default()),
    };
    ids.into_iter().map(object).collect()
}

fn uploaded_file(reply: &Value, handle: &str) -> Option<CreatedObject> {
    let url = reply["url"].as_str().or_else(|| reply["uri"].as_str())?;
    let (_, path_id) = url.split_once("/user_uploads/")?;
    Some(CreatedObject {
        name: format!("upload {path_id}"),
        removal: Removal::Attachment { path_id: decode_percent(path_id) },
        creator: handle.to_owned(),
    })
}

fn decode_percent(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// A channel that a subscription created.
pub fn channel_created_by_subscription(id: i64) -> CreatedObject {
    CreatedObject {
        removal: Removal::Request { method: "DELETE", path: format!("/streams/{id}"), form: Vec::new() },
        creator: String::new(),
        name: format!("channel {id}"),
    }
}

/// Removes objects, the newest first, as their creators or else as any other account. Returns a line with the reason
/// for each object that could not be removed.
pub async fn remove_objects(server: &ComparedServer, objects: &[CreatedObject]) -> Vec<String> {
    let mut failures = Vec::new();
    let mut connection_failure: Option<String> = None;
    for object in objects.iter().rev() {
        // Waiting again for a server that does not reply would take too long.
        let result = match &connection_failure {
            Some(failure) => Err(failure.clone()),
            None => match remove_object(server, object).await {
                Ok(refusal) => refusal.map_or(Ok(()), Err),
                Err(failure) => {
                    connection_failure = Some(failure.clone());
                    Err(failure)
                }
            },
        };
        if let Err(reason) = result {
            failures.push(format!("{} of {}: {reason}", object.name, server.url));
        }
    }
    failures
}

/// Removes an object. Returns the refusal if no account may remove it. The error says why there is no reply.
async fn remove_object(server: &ComparedServer, object: &CreatedObject) -> Result<Option<String>, String> {
    let (method, path, form) = match &object.removal {
        Removal::Request { method, path, form } => (*method, path.clone(), form.as_slice()),
        Removal::Attachment { path_id } => match find_attachment_id(server, &object.creator, path_id).await? {
            Some(id) => ("DELETE", format!("/attachments/{id}"), [].as_slice()),
            None => return Ok(None),
        },
    };
    let mut handles = server.handles();
    handles.sort_by_key(|handle| *handle != object.creator);
    let mut refusal = "no account may remove it".to_owned();
    for user in handles.iter().filter_map(|handle| server.scope.directory.user(handle)) {
        let reply = server.send_form(method, &path, user, form).await?;
        if reply.status == 200 || is_removed(reply.status, &reply.body) {
            return Ok(None);
        }
        if matches!(reply.status, 404 | 405) {
            refusal = format!("the server does not know {method} {path}");
        } else if let Some(message) = reply.body["msg"].as_str() {
            message.clone_into(&mut refusal);
        }
    }
    Ok(Some(refusal))
}

/// The ID of an upload. None if it is already removed, or if its owner is unknown.
async fn find_attachment_id(server: &ComparedServer, owner: &str, path_id: &str) -> Result<Option<i64>, String> {
    let Some(user) = server.scope.directory.user(owner) else { return Ok(None) };
    let reply = server.get("/attachments", Some(user)).await?;
    let attachments = reply.body["attachments"].as_array().into_iter().flatten();
    let mut matching_attachments = attachments.filter(|attachment| {
        attachment["path_id"].as_str().is_some_and(|other_path_id| decode_percent(other_path_id) == path_id)
    });
    Ok(matching_attachments.next().and_then(|attachment| attachment["id"].as_i64()))
}

/// Whether a refusal says that the object no longer exists or is already deactivated.
fn is_removed(status: u16, reply: &Value) -> bool {
    let text = reply["msg"].as_str().unwrap_or_default();
    status != 401
        && ["Invalid ", "does not exist", "No such", "not found", "already", "is deactivated"]
            .iter()
            .any(|part| text.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(path: &str, reply: &Value) -> Vec<String> {
        created_objects("POST", path, reply, "mel").into_iter().map(|object| object.name).collect()
    }

    #[test]
    fn created_objects_are_found_by_the_ids_in_replies() {
        let reply = |key: &str, value: Value| json!({"result": "success", key: value});
        assert_eq!(names("/messages", &reply("id", 7.into())), ["messages 7"]);
        assert_eq!(names("/drafts", &reply("ids", json!([1, 2]))), ["drafts 1", "drafts 2"]);
        assert_eq!(names("/user_groups/create", &reply("group_id", 3.into())), ["user_groups 3"]);
        assert_eq!(names("/typing", &reply("id", 7.into())), [""; 0]);
        assert_eq!(names("/messages", &json!({"result": "error", "id": 7})), [""; 0]);
    }

    #[test]
    fn an_upload_is_found_by_its_url() {
        let reply = json!({"result": "success", "url": "/user_uploads/2/ab/xyz/list%20one.txt"});
        let objects = created_objects("POST", "/user_uploads", &reply, "mel");
        assert!(
            matches!(&objects[0].removal, Removal::Attachment { path_id } if path_id == "2/ab/xyz/list one.txt"),
            "{objects:?}"
        );
    }

    #[test]
    fn a_refused_key_does_not_mean_that_an_object_is_removed() {
        assert!(is_removed(400, &json!({"msg": "Invalid message(s)"})));
        assert!(!is_removed(401, &json!({"msg": "Invalid API key"})));
        assert!(!is_removed(400, &json!({"msg": "You don't have permission to delete this message"})));
    }
}
