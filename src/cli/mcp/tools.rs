//! The tools and what they take: schemas are those of the documents of control and of the API.

use crate::dialect::Dialect;
use rmcp::model::Tool;
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};

/// Schemas within schemas are put in their place up to this depth; what is deeper may be anything.
const MAX_DEPTH: usize = 12;
/// Operations that a search lists at most.
pub const MOST_FOUND: usize = 40;
/// The parameter that names a world.
const WORLD: &str = "world";

/// Tools that are a call of control each: the name, the method and the path.
const CALLS: &[(&str, &str, &str)] = &[
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
    /// GET, POST, …
    pub method: &'static str,
    /// With placeholders.
    pub path: &'static str,
}

impl ControlCall {
    /// The call of a tool, if it is one.
    pub fn of(tool: &str) -> Option<Self> {
        let (_, method, path) = CALLS.iter().find(|(name, ..)| *name == tool)?;
        Some(Self { method, path })
    }

    fn documented(self) -> &'static Value {
        &CONTROL["paths"][self.path][self.method.to_lowercase()]
    }

    /// The names of the parameters that are in the query.
    pub fn in_query(self) -> impl Iterator<Item = &'static str> {
        parameters(self.documented()).filter(|one| one["in"] == "query").filter_map(|one| one["name"].as_str())
    }

    fn tool(self, name: &'static str) -> Tool {
        let documented = self.documented();
        let mut properties = Map::new();
        let mut required = Vec::new();
        for parameter in parameters(documented) {
            let mut schema = inlined(&CONTROL, &parameter["schema"], 0);
            if let Some(about) = parameter["description"].as_str() {
                schema["description"] = about.into();
            }
            match parameter["name"].as_str() {
                Some("name") if parameter["in"] == "path" => {
                    let about = "The world; `default` by default.";
                    properties.insert(WORLD.into(), json!({"type": "string", "description": about}));
                }
                Some(name) => {
                    required.extend((parameter["in"] == "path").then(|| name.to_owned()));
                    properties.insert(name.to_owned(), schema);
                }
                None => {}
            }
        }
        let body = inlined(&CONTROL, &documented["requestBody"]["content"]["application/json"]["schema"], 0);
        properties.extend(body["properties"].as_object().cloned().unwrap_or_default());
        required
            .extend(body["required"].as_array().into_iter().flatten().filter_map(|name| Some(name.as_str()?.into())));
        made(name, documented["summary"].as_str().unwrap_or_default(), &properties, &required)
    }
}

static CONTROL: LazyLock<Value> = LazyLock::new(crate::control::openapi::of_control);
static API: LazyLock<Value> = LazyLock::new(|| crate::openapi::document(&Dialect::neutral()));

fn parameters(documented: &'static Value) -> impl Iterator<Item = &'static Value> {
    documented["parameters"].as_array().into_iter().flatten().map(|one| resolved(&CONTROL, one))
}

/// What a reference leads to.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str().and_then(|reference| document.pointer(reference.trim_start_matches('#'))) {
        Some(meant) => meant,
        None => value,
    }
}

/// A schema with what it refers to in its place.
fn inlined(document: &Value, schema: &Value, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return json!({});
    }
    match resolved(document, schema) {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), inlined(document, value, depth + 1)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(|item| inlined(document, item, depth + 1)).collect(),
        Value::Null => json!({}),
        other => other.clone(),
    }
}

fn made(name: &'static str, about: &str, properties: &Map<String, Value>, required: &[String]) -> Tool {
    let schema =
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, about.to_owned(), Arc::new(schema))
}

/// All tools, in the order in which they are listed.
pub fn all() -> Vec<Tool> {
    let text = |about: &str| json!({"type": "string", "description": about});
    let own = |name: &'static str, about: &str, properties: &[(&str, Value)], required: &[&str]| {
        let properties = properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
        made(name, about, &properties, &required.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    };
    let world = || ("world", text("The world; `default` by default."));
    let mut tools = vec![
        own(
            "find_operations",
            "Lists operations of the API whose method, path or summary has these words.",
            &[("words", text("Words, such as `message send`; without any, the first operations."))],
            &[],
        ),
        own(
            "describe_operation",
            "Describes an operation: who may call it, its parameters and its reply.",
            &[("operation", text("Method and path as `find_operations` lists them, such as `POST /messages`."))],
            &["operation"],
        ),
        own(
            "act",
            "Calls an operation of the API as a user. A reply that does not come is reported as `failure`.",
            &[
                world(),
                ("user", text("A handle such as `mel`, or an address; without it, somebody without an account.")),
                ("operation", text("Method and path, placeholders filled in, such as `POST /messages`.")),
                ("params", json!({"type": "object", "description": "The parameters by name.", "default": {}})),
            ],
            &["operation"],
        ),
    ];
    let of_control = CALLS.iter().map(|(name, method, path)| ControlCall { method, path }.tool(name));
    tools.extend(of_control);
    tools.push(own(
        "play_scenario",
        "Plays a scenario in a world of its own, and says what differs.",
        &[("text", text("The scenario, in Markdown."))],
        &["text"],
    ));
    tools.push(own(
        "export_scenario",
        "Returns what this session did in a world as a scenario that plays, with the replies that came.",
        &[world(), ("title", text("What it shows, as its title."))],
        &[],
    ));
    tools
}

/// The names of the arguments that a tool of our own takes; None for other tools.
pub fn arguments(tool: &str) -> Option<Vec<&'static str>> {
    static OWN: LazyLock<Vec<Tool>> = LazyLock::new(all);
    let tool = OWN.iter().find(|one| one.name == tool)?;
    Some(tool.input_schema["properties"].as_object()?.keys().map(String::as_str).collect())
}

/// How well an operation's line fits words, which are in it: 0 if they are the operation, or its path.
fn distance(line: &str, words: &[String]) -> usize {
    let line = line.to_lowercase();
    let operation = line.split(':').next().unwrap_or_default();
    let path = operation.split(' ').next_back().unwrap_or_default();
    let sought = words.join(" ");
    let parts: Vec<&str> = operation.split([' ', '/', '_', '{', '}']).collect();
    match () {
        () if operation == sought || path.trim_start_matches('/') == sought.trim_start_matches('/') => 0,
        () if words.iter().all(|word| parts.contains(&word.as_str())) => 1,
        () if words.iter().all(|word| operation.contains(word)) => 2,
        () => 3,
    }
}

/// Operations whose method, path and summary have all of these words, a line each; those that fit best come first.
pub fn operations_with(words: &str) -> Vec<String> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let paths = API["paths"].as_object().into_iter().flatten();
    let lines = paths.flat_map(|(path, methods)| {
        methods.as_object().into_iter().flatten().map(move |(method, operation)| {
            format!("{} {path}: {}", method.to_uppercase(), operation["summary"].as_str().unwrap_or_default())
        })
    });
    let mut found: Vec<String> =
        lines.filter(|line| words.iter().all(|word| line.to_lowercase().contains(word))).collect();
    found.sort_by_key(|line| distance(line, &words));
    found.truncate(MOST_FOUND);
    found
}

/// What the document says of an operation.
pub fn described(method: &str, path: &str) -> Option<Value> {
    let documented = API["paths"].get(path)?.get(method.to_lowercase())?;
    Some(inlined(&API, documented, 0))
}

#[cfg(test)]
mod tests {
    use super::operations_with;

    #[test]
    fn operations_that_fit_best_come_first() {
        for (words, first) in [
            ("POST /messages", "POST /messages: "),
            ("/messages", "POST /messages: "),
            ("messages", "POST /messages: "),
            ("get users me", "GET /users/me: "),
        ] {
            let found = operations_with(words);
            assert!(found.first().is_some_and(|line| line.starts_with(first)), "{words}: {found:#?}");
        }
        let found = operations_with("users");
        let last_of_paths =
            found.iter().rposition(|line| line.split(':').next().is_some_and(|it| it.contains("users")));
        let first_of_summaries =
            found.iter().position(|line| line.split(':').next().is_some_and(|it| !it.contains("users")));
        assert!(first_of_summaries.is_none_or(|first| last_of_paths.is_some_and(|last| last < first)), "{found:#?}");
    }
}
