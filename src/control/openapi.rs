//! The OpenAPI documents: that of the API in a dialect, and that of control, built from the table of calls.

use super::calls::{CALLS, Call, CallRow, Input, QueryParameter, RECORDS, add_descriptions};
use super::query::Query;
use crate::api::NEWEST_FEATURE_LEVEL;
use crate::dialect::Dialect;
use crate::error::Error;
use crate::openapi::{self, explicit_schemas, operation_names, shape};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The requested document as the bytes of a reply. That of the API is in the server's dialect and at the newest level
/// unless the query names others.
///
/// # Errors
///
/// `Internal` if the document can't be serialized, which would be a bug.
pub fn requested_document(query: &Query, server_dialect: &Dialect) -> Result<Vec<u8>, Error> {
    let dialect = match query.text("dialect") {
        None => Cow::Borrowed(server_dialect),
        Some("zulip") => Cow::Owned(Dialect::zulip()),
        Some(_) => Cow::Owned(Dialect::neutral()),
    };
    let level = query.number("feature_level").and_then(|level| i64::try_from(level).ok());
    let level = level.unwrap_or(NEWEST_FEATURE_LEVEL);
    let document = if query.is_true("control") { control_document() } else { openapi::document_at(level, &dialect) };
    serde_json::to_vec(&document).map_err(|_| Error::Internal)
}

/// The OpenAPI document of control, with paths that begin with `/control`.
pub fn control_document() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Value> = Map::new();
    let mut replies: Map<String, Value> = Map::new();
    for row in CALLS {
        let operation = operation_object(row, &mut generator);
        replies.insert(reply_name(row), success_schema(row));
        let path = paths.entry(format!("/control{}", row.path)).or_insert_with(|| json!({}));
        path[row.method.to_lowercase()] = operation;
    }
    let mut schemas = generator.take_definitions(true);
    schemas.extend(RECORDS.iter().map(|(name, notation)| ((*name).to_owned(), parse_notation(notation))));
    schemas.extend(replies);
    schemas.insert("ErrorReply".into(), error_schema());
    schemas.iter_mut().for_each(|(name, schema)| add_descriptions(name, schema));
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "chatdouble control",
            "version": env!("CARGO_PKG_VERSION"),
            "license": openapi::license(),
            "description": "Steers a chatdouble server: worlds, clock, faults, journal, snapshots, state, queues and pushes.",
        },
        "servers": [{"url": "/"}],
        "tags": operation_names::tags(&paths),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "The value of --control-token of serve."}},
        },
        "security": [{}, {"token": []}],
    });
    explicit_schemas::make_explicit(&mut document);
    replace_number_formats(&mut document);
    document
}

/// Replaces unsigned number formats by signed ones. Client generators do not know unsigned ones, and turn them into
/// 32-bit numbers.
fn replace_number_formats(part: &mut Value) {
    match part {
        Value::Array(items) => items.iter_mut().for_each(replace_number_formats),
        Value::Object(members) => {
            if let Some(format) = members.get_mut("format").filter(|format| format.is_string()) {
                match format.as_str() {
                    Some("uint" | "uint64") => *format = "int64".into(),
                    Some("uint16" | "uint32") => *format = "int32".into(),
                    _ => {}
                }
            }
            members.values_mut().for_each(replace_number_formats);
        }
        _ => {}
    }
}

/// Parses the short notation of replies in the table of calls as a schema.
fn parse_notation(notation: &str) -> Value {
    let notation: Value = serde_json::from_str(notation).expect("the notation of a reply is JSON, as a test reads it");
    shape::parse_shape(&notation)
}

fn operation_object(row: &CallRow, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": operation_id(row),
        "tags": [tag(row)],
        "summary": row.summary,
        "description": format!("{} `{} /control{}`.", row.summary, row.method, row.path),
        "parameters": parameters(row),
        "responses": responses_object(row),
    });
    if let Input::Body(body) | Input::Document(body) = row.input {
        let schema = body(generator).to_value();
        let is_required = requires_keys(&schema, generator);
        operation["requestBody"] =
            json!({"required": is_required, "content": {"application/json": {"schema": schema}}});
    }
    operation
}

/// Whether a schema does not allow an empty object. A missing body counts as an empty object.
fn requires_keys(schema: &Value, generator: &SchemaGenerator) -> bool {
    let name = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
    let definition = name.and_then(|name| generator.definitions().get(name));
    let schema = definition.unwrap_or(schema);
    let has_required = schema["required"].as_array().is_some_and(|keys| !keys.is_empty());
    has_required || schema["minProperties"].as_u64().is_some_and(|count| count > 0)
}

/// The name of a reply's schema, such as `VerifyJournalReply`. Replies without data share one schema.
fn reply_name(row: &CallRow) -> String {
    if row.reply.is_empty() {
        return "EmptyReply".to_owned();
    }
    let mut name = operation_id(row);
    name[..1].make_ascii_uppercase();
    format!("{name}Reply")
}

/// The operation ID of a call, such as `verifyJournal`; `getJournal` for GET. That of the watch socket is `watch`.
fn operation_id(row: &CallRow) -> String {
    let call = match row.call {
        Call::InWorld(call) => format!("{call:?}"),
        call => format!("{call:?}"),
    };
    let name = operation_names::operation_id(&call);
    if row.method == "GET" && name != "watch" { format!("get{call}") } else { name }
}

/// The tag of a call: the part of its path after the world's name; `worlds` for calls about whole worlds, `server` for
/// calls without a world.
fn tag(row: &CallRow) -> &'static str {
    let mut parts = row.path.split('/').skip(1).filter(|part| !part.starts_with('{'));
    match (parts.next(), parts.next()) {
        (Some("worlds"), Some(part)) => part,
        (Some("worlds"), None) => "worlds",
        _ => "server",
    }
}

fn parameters(row: &CallRow) -> Vec<Value> {
    let placeholders = row.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let path_parameters =
        placeholders.map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}));
    let parameters: &[QueryParameter] = if let Input::Query(parameters) = row.input { parameters } else { &[] };
    let query_parameters = parameters.iter().map(|parameter| {
        json!({"name": parameter.name, "in": "query", "required": parameter.is_required,
            "description": parameter.description, "schema": parameter.schema()})
    });
    path_parameters.chain(query_parameters).collect()
}

fn responses_object(row: &CallRow) -> Value {
    let schema = match row.call {
        Call::Openapi => json!({"type": "object"}),
        _ => json!({"$ref": format!("#/components/schemas/{}", reply_name(row))}),
    };
    let refusal = json!({
        "description": "Refused; nothing was changed.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorReply"}}},
    });
    let mut responses =
        json!({"200": {"description": "Success.", "content": {"application/json": {"schema": schema}}}});
    for status in refusal_statuses(row) {
        responses[status] = refusal.clone();
    }
    responses
}

fn refusal_statuses(row: &CallRow) -> Vec<&'static str> {
    let mut statuses = vec!["400", "401", "403"];
    statuses.extend(row.path.contains('{').then_some("404"));
    statuses.extend(row.path.ends_with("/wait").then_some("408"));
    statuses.extend((row.method == "POST" && row.path == "/worlds").then_some("409"));
    statuses.extend((!matches!(row.input, Input::Nothing | Input::Query(_))).then_some("413"));
    statuses
}

fn success_schema(row: &CallRow) -> Value {
    let mut schema = if row.reply.is_empty() {
        json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false})
    } else {
        parse_notation(row.reply)
    };
    let mut properties = Map::from_iter([
        ("result".to_owned(), json!({"type": "string", "const": "success"})),
        ("msg".to_owned(), json!({"type": "string"})),
    ]);
    properties.extend(schema["properties"].as_object().cloned().unwrap_or_default());
    let mut required = vec![json!("result"), json!("msg")];
    required.extend(schema["required"].as_array().cloned().unwrap_or_default());
    schema["properties"] = properties.into();
    schema["required"] = required.into();
    schema
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "result": {"type": "string", "const": "error"},
            "msg": {"type": "string"},
            "code": {"type": "string"},
            "count": {"type": "integer", "description": "The number found, if a verification failed."},
            "nearest": {"type": "array", "items": {}, "description": "What was found, if a verification failed: the newest requests of which there were too many, or those that come nearest."},
        },
        "required": ["result", "msg", "code"],
    })
}

#[cfg(test)]
mod tests {
    use super::control_document;

    #[test]
    fn only_query_parameters_without_which_a_call_is_refused_are_required() {
        let document = control_document();
        let is_required = |path: &str, name: &str| {
            let parameters = document["paths"][path]["delete"]["parameters"].as_array().expect("it has parameters");
            parameters.iter().find(|parameter| parameter["name"] == name).map(|parameter| parameter["required"] == true)
        };
        assert_eq!(is_required("/control/worlds", "prefix"), Some(true));
        assert_eq!(is_required("/control/worlds/{name}/network", "user"), Some(false));
        assert_eq!(is_required("/control/worlds/{name}/rate_limit", "user"), Some(false));
    }
}
