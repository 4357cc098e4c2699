//! The OpenAPI 3.1 document of every operation served, made from the table of operations.

use crate::api::parameter::ParameterInfo;
use crate::api::{Access, OPERATIONS, Row};
use crate::error::Error;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The document: paths without `/api/v1`, newest level, neutral names.
pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for row in OPERATIONS {
        let path = row.route.path.replace("{*", "{");
        let operation = operation(row, &mut generator);
        let entry = paths.entry(path).or_insert_with(|| json!({}));
        entry[row.route.method.to_lowercase()] = operation;
    }
    let mut schemas = generator.take_definitions(true);
    schemas.insert("Error".into(), error_schema());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Team chat API",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Every operation that chatdouble serves, at the newest feature level, with neutral names.",
        },
        "servers": [{"url": "/api/v1"}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"basic": {"type": "http", "scheme": "basic", "description": "An account's real address and its API key."}},
        },
    })
}

fn operation(row: &Row, generator: &mut SchemaGenerator) -> Value {
    let in_query = row.route.method == "GET";
    let mut parameters = Vec::new();
    let mut form = Map::new();
    let mut required = Vec::new();
    for info in row.parameters {
        let schema = (info.schema)(generator).to_value();
        if info.is_in_path || in_query {
            parameters.push(parameter(info, schema));
        } else {
            if info.is_required {
                required.push(info.name);
            }
            form.insert(info.name.into(), described(schema, info));
        }
    }
    let reply = (row.reply)(generator).to_value();
    let mut operation = json!({
        "operationId": operation_id(row),
        "summary": row.about.summary,
        "description": format!("For: {}.", row.access.words()),
        "parameters": parameters,
        "responses": responses(row, &reply),
    });
    if !in_query && !form.is_empty() {
        let json_fields: Vec<&ParameterInfo> =
            row.parameters.iter().filter(|info| info.is_json && !info.is_in_path).collect();
        let encoding: Map<String, Value> =
            json_fields.iter().map(|info| (info.name.to_owned(), json!({"contentType": "application/json"}))).collect();
        let schema = json!({"type": "object", "properties": form, "required": required});
        operation["requestBody"] = json!({
            "required": !required.is_empty(),
            "content": {"application/x-www-form-urlencoded": {"schema": schema, "encoding": encoding}},
        });
    }
    if row.access != Access::Anyone {
        let optional = if row.access == Access::UserOrVisitor {
            vec![json!({"basic": []}), json!({})]
        } else {
            vec![json!({"basic": []})]
        };
        operation["security"] = optional.into();
    }
    operation
}

fn parameter(info: &ParameterInfo, schema: Value) -> Value {
    let place = if info.is_in_path { "path" } else { "query" };
    let mut parameter = json!({
        "name": info.name,
        "in": place,
        "required": info.is_in_path || info.is_required,
        "description": description(info),
    });
    if info.is_json && !info.is_in_path {
        parameter["content"] = json!({"application/json": {"schema": schema}});
    } else {
        parameter["schema"] = schema;
    }
    parameter
}

fn described(schema: Value, info: &ParameterInfo) -> Value {
    let mut schema = if schema.is_object() { schema } else { json!({}) };
    schema["description"] = description(info).into();
    schema
}

/// The lines of a parameter's doc comment as one text, with its default.
pub fn description(info: &ParameterInfo) -> String {
    let text = info.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    match info.default {
        Some(default) => format!("{text} Default: {default}."),
        None => text,
    }
}

fn responses(row: &Row, reply: &Value) -> Value {
    let envelope = json!({
        "type": "object",
        "properties": {
            "result": {"const": "success"},
            "msg": {"const": ""},
            "ignored_parameters_unsupported": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["result", "msg"],
    });
    let schema = json!({"allOf": [envelope, reply]});
    let mut responses =
        json!({"200": {"description": "Success.", "content": {"application/json": {"schema": schema}}}});
    let mut statuses: Vec<u16> = vec![400];
    statuses.extend(
        row.about
            .errors
            .iter()
            .filter_map(|name| Error::TABLE.iter().find(|one| one.name == *name))
            .map(|one| one.status),
    );
    if row.access != Access::Anyone {
        statuses.push(401);
    }
    statuses.sort_unstable();
    statuses.dedup();
    for status in statuses {
        responses[status.to_string()] = json!({
            "description": "Refused; nothing was changed.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        });
    }
    responses
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "description": "A refused request; some errors have further fields.",
        "properties": {
            "result": {"const": "error"},
            "msg": {"type": "string", "description": "Human-readable text."},
            "code": {"type": "string", "description": "Machine-readable error code."},
        },
        "required": ["result", "msg", "code"],
    })
}

/// `post-messages-message_id-reactions`: unique, since method and path are.
fn operation_id(row: &Row) -> String {
    let path = row.route.path.replace(['{', '}', '*'], "").replace('/', "-");
    format!("{}{path}", row.route.method.to_lowercase())
}
