//! Operation IDs and tags, derived from the paths of types.

use serde_json::{Map, Value, json};

/// The operation ID for a type, such as `sendMessage` for `api::messages::SendMessage`.
pub fn operation_id(type_name: &str) -> String {
    let path = type_name.split('<').next().unwrap_or_default();
    let name = path.rsplit("::").next().unwrap_or_default();
    let mut characters = name.chars();
    characters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(characters).collect()
}

/// The tag of an operation: the first module below `api`; `other` if it is not in `api`.
pub fn operation_tag(type_name: &str) -> &str {
    type_name.split("::").skip_while(|part| *part != "api").nth(1).unwrap_or("other")
}

/// The list of all tags that operations have.
pub fn tags(paths: &Map<String, Value>) -> Value {
    let operations = paths.values().filter_map(Value::as_object).flat_map(Map::values);
    let used_tags = operations.filter_map(|operation| operation["tags"].as_array()).flatten();
    let mut names: Vec<&str> = used_tags.filter_map(Value::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let tag_object = |name: &str| json!({"name": name, "description": format!("About {}.", name.replace('_', " "))});
    names.into_iter().map(tag_object).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operation_ids_and_tags_follow_from_type_names() {
        assert_eq!(operation_id("chatdouble::api::messages::send::SendMessage"), "sendMessage");
        assert_eq!(operation_id("chatdouble::api::pictures::Upload<chatdouble::api::Logo>"), "upload");
        assert_eq!(operation_tag("chatdouble::api::messages::send::SendMessage"), "messages");
    }
}
