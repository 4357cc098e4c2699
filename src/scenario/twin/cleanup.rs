//! Removing what a probe created.

use super::side::Side;
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// Something that a request created, and the request that removes it.
#[derive(Clone, Debug)]
pub struct Creation {
    removal: Removal,
    /// The handle of the account that created it; empty if that is not known.
    creator: String,
    /// Kind and id for messages to the user: `messages 12`.
    name: String,
}

#[derive(Clone, Debug)]
enum Removal {
    Request {
        method: &'static str,
        path: String,
        form: Vec<(&'static str, &'static str)>,
    },
    /// Of an uploaded file, whose id is only in the list of attachments.
    Attachment {
        path_id: String,
    },
}

/// An operation that creates objects, and how each is removed.
struct Creator {
    /// The path of its POST request.
    path: &'static str,
    /// The key of the id, or of the list of ids, in its reply.
    id_key: &'static str,
    method: &'static str,
    /// The path of the request that removes an object; `{}` is replaced by the id.
    removal_path: &'static str,
    form: &'static [(&'static str, &'static str)],
}

const fn deleted(path: &'static str, id_key: &'static str, removal_path: &'static str) -> Creator {
    Creator { path, id_key, method: "DELETE", removal_path, form: &[] }
}

const CREATORS: [Creator; 14] = [
    deleted("/messages", "id", "/messages/{}"),
    deleted("/drafts", "ids", "/drafts/{}"),
    deleted("/saved_snippets", "saved_snippet_id", "/saved_snippets/{}"),
    deleted("/scheduled_messages", "scheduled_message_id", "/scheduled_messages/{}"),
    deleted("/reminders", "reminder_id", "/reminders/{}"),
    deleted("/channels/create", "id", "/streams/{}"),
    deleted("/realm/filters", "id", "/realm/filters/{}"),
    deleted("/realm/profile_fields", "id", "/realm/profile_fields/{}"),
    deleted("/realm/playgrounds", "id", "/realm/playgrounds/{}"),
    deleted("/bots", "user_id", "/bots/{}"),
    deleted("/users", "user_id", "/users/{}"),
    deleted("/default_stream_groups/create", "group_id", "/default_stream_groups/{}"),
    Creator {
        path: "/user_groups/create",
        id_key: "group_id",
        method: "POST",
        removal_path: "/user_groups/{}/deactivate",
        form: &[],
    },
    Creator {
        path: "/channel_folders/create",
        id_key: "channel_folder_id",
        method: "PATCH",
        removal_path: "/channel_folders/{}",
        form: &[("is_archived", "true")],
    },
];

/// The path of the operation that uploads a file.
const UPLOADS: &str = "/user_uploads";

/// Whether requests with this method and path create objects.
pub fn creates(method: &str, path: &str) -> bool {
    method == "POST" && (path == UPLOADS || CREATORS.iter().any(|creator| creator.path == path))
}

/// The objects that a request created, by its path and reply.
pub fn creations(method: &str, path: &str, reply: &Value, handle: &str) -> Vec<Creation> {
    if method != "POST" || reply["result"] != "success" {
        return Vec::new();
    }
    if path == UPLOADS {
        return upload(reply, handle).into_iter().collect();
    }
    let Some(creator) = CREATORS.iter().find(|creator| creator.path == path) else { return Vec::new() };
    let ids: Vec<i64> = match &reply[creator.id_key] {
        Value::Array(ids) => ids.iter().filter_map(Value::as_i64).collect(),
        id => id.as_i64().into_iter().collect(),
    };
    let creation = |id: i64| Creation {
        removal: Removal::Request {
            method: creator.method,
            path: creator.removal_path.replace("{}", &id.to_string()),
            form: creator.form.to_vec(),
        },
        creator: handle.to_owned(),
        name: format!("{} {id}", creator.removal_path.trim_matches('/').split("/{}").next().unwrap_or_default()),
    };
    ids.into_iter().map(creation).collect()
}

fn upload(reply: &Value, handle: &str) -> Option<Creation> {
    let url = reply["url"].as_str().or_else(|| reply["uri"].as_str())?;
    let (_, path_id) = url.split_once("/user_uploads/")?;
    Some(Creation {
        name: format!("upload {path_id}"),
        removal: Removal::Attachment { path_id: decoded(path_id) },
        creator: handle.to_owned(),
    })
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// A channel that a subscription created.
pub fn channel(id: i64) -> Creation {
    Creation {
        removal: Removal::Request { method: "DELETE", path: format!("/streams/{id}"), form: Vec::new() },
        creator: String::new(),
        name: format!("channel {id}"),
    }
}

/// Removes objects, the newest first, as their creators or else as any other account. Each that is left is a line with
/// the reason.
pub async fn remove(side: &Side, creations: &[Creation]) -> Vec<String> {
    let mut left = Vec::new();
    let mut unreachable: Option<String> = None;
    for creation in creations.iter().rev() {
        // A server that does not reply would be waited for again and again.
        let result = match &unreachable {
            Some(failure) => Err(failure.clone()),
            None => match remove_one(side, creation).await {
                Ok(refusal) => refusal.map_or(Ok(()), Err),
                Err(failure) => {
                    unreachable = Some(failure.clone());
                    Err(failure)
                }
            },
        };
        if let Err(reason) = result {
            left.push(format!("{} of {}: {reason}", creation.name, side.url));
        }
    }
    left
}

/// Removes an object; the refusal if no account may. The error says why the server does not reply.
async fn remove_one(side: &Side, creation: &Creation) -> Result<Option<String>, String> {
    let (method, path, form) = match &creation.removal {
        Removal::Request { method, path, form } => (*method, path.clone(), form.as_slice()),
        Removal::Attachment { path_id } => match attachment_id(side, &creation.creator, path_id).await? {
            Some(id) => ("DELETE", format!("/attachments/{id}"), [].as_slice()),
            None => return Ok(None),
        },
    };
    let mut handles = side.handles();
    handles.sort_by_key(|handle| *handle != creation.creator);
    let mut refusal = "no account may remove it".to_owned();
    for person in handles.iter().filter_map(|handle| side.scope.directory.person(handle)) {
        let reply = side.call(method, &path, person, form).await?;
        if reply.status == 200 || is_removed(reply.status, &reply.body) {
            return Ok(None);
        }
        if let Some(message) = reply.body["msg"].as_str() {
            message.clone_into(&mut refusal);
        }
    }
    Ok(Some(refusal))
}

/// The id of an upload; None if it is removed already.
async fn attachment_id(side: &Side, owner: &str, path_id: &str) -> Result<Option<i64>, String> {
    let Some(person) = side.scope.directory.person(owner) else { return Ok(None) };
    let reply = side.get("/attachments", Some(person)).await?;
    let attachments = reply.body["attachments"].as_array().into_iter().flatten();
    let mut own = attachments.filter(|one| one["path_id"].as_str().is_some_and(|other| decoded(other) == path_id));
    Ok(own.next().and_then(|one| one["id"].as_i64()))
}

/// Whether a refusal says that the object is not there any more.
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
        creations("POST", path, reply, "mel").into_iter().map(|one| one.name).collect()
    }

    #[test]
    fn objects_are_known_by_the_ids_in_replies() {
        let reply = |key: &str, value: Value| json!({"result": "success", key: value});
        assert_eq!(names("/messages", &reply("id", 7.into())), ["messages 7"]);
        assert_eq!(names("/drafts", &reply("ids", json!([1, 2]))), ["drafts 1", "drafts 2"]);
        assert_eq!(names("/user_groups/create", &reply("group_id", 3.into())), ["user_groups 3"]);
        assert_eq!(names("/typing", &reply("id", 7.into())), [""; 0]);
        assert_eq!(names("/messages", &json!({"result": "error", "id": 7})), [""; 0]);
    }

    #[test]
    fn an_upload_is_known_by_its_address() {
        let reply = json!({"result": "success", "url": "/user_uploads/2/ab/xyz/list%20one.txt"});
        let made = creations("POST", "/user_uploads", &reply, "mel");
        assert!(
            matches!(&made[0].removal, Removal::Attachment { path_id } if path_id == "2/ab/xyz/list one.txt"),
            "{made:?}"
        );
    }

    #[test]
    fn a_refused_key_does_not_mean_that_an_object_is_removed() {
        assert!(is_removed(400, &json!({"msg": "Invalid message(s)"})));
        assert!(!is_removed(401, &json!({"msg": "Invalid API key"})));
        assert!(!is_removed(400, &json!({"msg": "You don't have permission to delete this message"})));
    }
}
