//! The tools and their schemas. The tools that make a call of control have their schemas from the OpenAPI document of
//! control. Two other tools search the OpenAPI document of the API and describe its operations.

use crate::dialect::Dialect;
use rmcp::model::Tool;
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};

/// The maximum depth of a schema with its inlined references. Deeper parts allow any value.
const MAX_INLINE_DEPTH: usize = 12;
/// The maximum number of operations that a search lists.
const MAX_FOUND_OPERATIONS: usize = 40;
const WORLD: &str = "world";

/// The tools that make a call of control: name, method and path.
const CONTROL_TOOLS: &[(&str, &str, &str)] = &[
    ("list_worlds", "GET", "/control/worlds"),
    ("make_world", "POST", "/control/worlds"),
    ("delete_world", "DELETE", "/control/worlds/{name}"),
    ("reset_world", "POST", "/control/worlds/{name}/reset"),
    ("keep_snapshot", "POST", "/control/worlds/{name}/snapshots"),
    ("restore_snapshot", "POST", "/control/worlds/{name}/snapshots/{snapshot}/restore"),
    ("read_clock", "GET", "/control/worlds/{name}/clock"),
    ("move_clock", "POST", "/control/worlds/{name}/clock"),
    ("list_faults", "GET", "/control/worlds/{name}/faults"),
    ("arm_fault", "POST", "/control/worlds/{name}/faults"),
    ("clear_faults", "DELETE", "/control/worlds/{name}/faults"),
    ("set_network", "POST", "/control/worlds/{name}/network"),
    ("end_network", "DELETE", "/control/worlds/{name}/network"),
    ("set_rate_limit", "POST", "/control/worlds/{name}/rate_limit"),
    ("read_journal", "GET", "/control/worlds/{name}/journal"),
    ("verify_journal", "POST", "/control/worlds/{name}/journal/verify"),
    ("read_report", "GET", "/control/worlds/{name}/report"),
    ("check_invariants", "GET", "/control/worlds/{name}/invariants"),
    ("list_queues", "GET", "/control/worlds/{name}/queues"),
    ("lose_queue", "DELETE", "/control/worlds/{name}/queues/{queue_id}"),
    ("list_users", "GET", "/control/worlds/{name}/users"),
    ("list_messages", "GET", "/control/worlds/{name}/messages"),
    ("list_pushes", "GET", "/control/worlds/{name}/pushes"),
];

/// A call of control that a tool makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlCall {
    pub method: &'static str,
    /// Path with placeholders, such as `/control/worlds/{name}`.
    pub path: &'static str,
}

impl ControlCall {
    /// The call that a tool makes; None for other tools.
    pub fn for_tool(tool: &str) -> Option<Self> {
        let (_, method, path) = CONTROL_TOOLS.iter().find(|(name, ..)| *name == tool)?;
        Some(Self { method, path })
    }

    fn operation_object(self) -> &'static Value {
        &CONTROL_DOCUMENT["paths"][self.path][self.method.to_lowercase()]
    }

    pub fn query_parameters(self) -> impl Iterator<Item = &'static str> {
        parameters(self.operation_object())
            .filter(|parameter| parameter["in"] == "query")
            .filter_map(|parameter| parameter["name"].as_str())
    }

    fn to_tool(self, name: &'static str) -> Tool {
        let operation = self.operation_object();
        let mut properties = Map::new();
        let mut required = Vec::new();
        for parameter in parameters(operation) {
            let mut schema = inline_references(&CONTROL_DOCUMENT, &parameter["schema"], 0);
            if let Some(description) = parameter["description"].as_str() {
                schema["description"] = description.into();
            }
            match parameter["name"].as_str() {
                Some("name") if parameter["in"] == "path" => {
                    let description = "The world; `default` by default.";
                    properties.insert(WORLD.into(), json!({"type": "string", "description": description}));
                }
                Some(name) => {
                    required.extend((parameter["in"] == "path").then(|| name.to_owned()));
                    properties.insert(name.to_owned(), schema);
                }
                None => {}
            }
        }
        let body_schema =
            inline_references(&CONTROL_DOCUMENT, &operation["requestBody"]["content"]["application/json"]["schema"], 0);
        properties.extend(body_schema["properties"].as_object().cloned().unwrap_or_default());
        let required_keys = body_schema["required"].as_array().into_iter().flatten();
        required.extend(required_keys.filter_map(|key| Some(key.as_str()?.into())));
        new_tool(name, operation["summary"].as_str().unwrap_or_default(), &properties, &required)
    }
}

static CONTROL_DOCUMENT: LazyLock<Value> = LazyLock::new(crate::control::openapi::control_document);
static API_DOCUMENT: LazyLock<Value> = LazyLock::new(|| crate::openapi::document(&Dialect::neutral()));

fn parameters(operation: &'static Value) -> impl Iterator<Item = &'static Value> {
    operation["parameters"].as_array().into_iter().flatten().map(|parameter| resolve(&CONTROL_DOCUMENT, parameter))
}

/// Follows a reference; returns other values unchanged.
fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str().and_then(|reference| document.pointer(reference.trim_start_matches('#'))) {
        Some(target) => target,
        None => value,
    }
}

/// A schema in which references are replaced by what they refer to.
fn inline_references(document: &Value, schema: &Value, depth: usize) -> Value {
    if depth > MAX_INLINE_DEPTH {
        return json!({});
    }
    match resolve(document, schema) {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), inline_references(document, value, depth + 1)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(|item| inline_references(document, item, depth + 1)).collect(),
        Value::Null => json!({}),
        other => other.clone(),
    }
}

fn new_tool(name: &'static str, description: &str, properties: &Map<String, Value>, required: &[String]) -> Tool {
    let schema =
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, description.to_owned(), Arc::new(schema))
}

/// All tools, in the order in which they are listed.
pub fn all() -> Vec<Tool> {
    let text_schema = |description: &str| json!({"type": "string", "description": description});
    let tool = |name: &'static str, description: &str, properties: &[(&str, Value)], required: &[&str]| {
        let properties = properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
        new_tool(name, description, &properties, &required.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    };
    let world_parameter = || ("world", text_schema("The world; `default` by default."));
    let mut tools = vec![
        tool(
            "find_operations",
            "Lists operations of the API whose method, path or summary has these words.",
            &[("words", text_schema("Words, such as `message send`; without any, the first operations."))],
            &[],
        ),
        tool(
            "describe_operation",
            "Describes an operation: who may call it, its parameters and its reply.",
            &[("operation", text_schema("Method and path as `find_operations` lists them, such as `POST /messages`."))],
            &["operation"],
        ),
        tool(
            "act",
            "Calls an operation of the API as a user. A reply that does not come is reported as `failure`.",
            &[
                world_parameter(),
                (
                    "user",
                    text_schema("A handle such as `mel`, or an address; without it, somebody without an account."),
                ),
                ("operation", text_schema("Method and path, placeholders filled in, such as `POST /messages`.")),
                ("params", json!({"type": "object", "description": "The parameters by name.", "default": {}})),
            ],
            &["operation"],
        ),
    ];
    let control_tools = CONTROL_TOOLS.iter().map(|(name, method, path)| ControlCall { method, path }.to_tool(name));
    tools.extend(control_tools);
    tools.push(tool(
        "play_scenario",
        "Plays a scenario in a world of its own, and says what differs.",
        &[("text", text_schema("The scenario, in Markdown."))],
        &["text"],
    ));
    tools.push(tool(
        "export_scenario",
        "Returns what this session did in a world as a scenario that plays, with the replies that came.",
        &[world_parameter(), ("title", text_schema("What it shows, as its title."))],
        &[],
    ));
    tools
}

/// The names of a tool's arguments; None for unknown tools.
pub fn argument_names(tool: &str) -> Option<Vec<&'static str>> {
    static ALL_TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(all);
    let tool = ALL_TOOLS.iter().find(|listed_tool| listed_tool.name == tool)?;
    Some(tool.input_schema["properties"].as_object()?.keys().map(String::as_str).collect())
}

/// Ranks the line of an operation by how well the words match it: from 0 for the exact operation or path, to 3 for
/// words of which some are only in the summary.
fn match_rank(line: &str, words: &[String]) -> usize {
    let line = line.to_lowercase();
    let operation = line.split(':').next().unwrap_or_default();
    let path = operation.split(' ').next_back().unwrap_or_default();
    let query = words.join(" ");
    let parts: Vec<&str> = operation.split([' ', '/', '_', '{', '}']).collect();
    match () {
        () if operation == query || path.trim_start_matches('/') == query.trim_start_matches('/') => 0,
        () if words.iter().all(|word| parts.contains(&word.as_str())) => 1,
        () if words.iter().all(|word| operation.contains(word)) => 2,
        () => 3,
    }
}

/// The operations whose method, path or summary contain all of these words, one line each, best matches first. At most
/// [`MAX_FOUND_OPERATIONS`] are returned.
pub fn find_operations(words: &str) -> Vec<String> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let paths = API_DOCUMENT["paths"].as_object().into_iter().flatten();
    let lines = paths.flat_map(|(path, methods)| {
        methods.as_object().into_iter().flatten().map(move |(method, operation)| {
            format!("{} {path}: {}", method.to_uppercase(), operation["summary"].as_str().unwrap_or_default())
        })
    });
    let mut matches: Vec<String> =
        lines.filter(|line| words.iter().all(|word| line.to_lowercase().contains(word))).collect();
    matches.sort_by_key(|line| match_rank(line, &words));
    matches.truncate(MAX_FOUND_OPERATIONS);
    matches
}

/// The description of an operation from the OpenAPI document, without references. None if there is no such operation.
pub fn find_operation_object(method: &str, path: &str) -> Option<Value> {
    let operation = API_DOCUMENT["paths"].get(path)?.get(method.to_lowercase())?;
    Some(inline_references(&API_DOCUMENT, operation, 0))
}

#[cfg(test)]
mod tests {
    use super::find_operations;

    #[test]
    fn the_best_matches_come_first() {
        for (words, first) in [
            ("POST /messages", "POST /messages: "),
            ("/messages", "POST /messages: "),
            ("messages", "POST /messages: "),
            ("get users me", "GET /users/me: "),
        ] {
            let matches = find_operations(words);
            assert!(matches.first().is_some_and(|line| line.starts_with(first)), "{words}: {matches:#?}");
        }
        let matches = find_operations("users");
        let last_of_paths = matches
            .iter()
            .rposition(|line| line.split(':').next().is_some_and(|operation| operation.contains("users")));
        let first_of_summaries = matches
            .iter()
            .position(|line| line.split(':').next().is_some_and(|operation| !operation.contains("users")));
        assert!(first_of_summaries.is_none_or(|first| last_of_paths.is_some_and(|last| last < first)), "{matches:#?}");
    }
}
