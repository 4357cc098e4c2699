//! The OpenAPI 3.1 document of all operations, generated from the table of operations. Only the paths of resumable
//! uploads are written by hand.
//!
//! The schemas of successful replies are strict: a reply is invalid if it lacks a required key, has a value of another
//! type, or has an unknown key. At older levels, fields that code changes may have any value.

mod dialect;
mod event;
pub mod explicit_schemas;
mod former_codes;
mod incoming_webhook;
pub mod meaning;
mod older_level;
pub mod operation_names;
mod reference;
mod renamable_keys;
mod resumable;
pub mod shape;

pub use older_level::possible_former_names;
pub use renamable_keys::renamable_keys;

use crate::api::parameter::ParameterInfo;
use crate::api::register::settings::EmojiSet;
use crate::api::register::{Register, RegisterState};
use crate::api::{Access, NEWEST_FEATURE_LEVEL, OPERATIONS, Operation, OperationRow};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::permission::{GroupSettingValue, REALM_PERMISSIONS};
use crate::realm::setting::{REALM_SETTINGS, Setting, SettingKind, USER_SETTINGS};
use crate::record::own_lists::OWN_LISTS;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The document at the newest level, in a dialect. Paths are without `/api/v1`.
pub fn document(dialect: &Dialect) -> Value {
    document_at(NEWEST_FEATURE_LEVEL, dialect)
}

/// The document at a level, in a dialect. Levels above the newest have the document of the newest.
pub fn document_at(level: i64, dialect: &Dialect) -> Value {
    let mut document = neutral_document(level);
    document["info"]["description"] = document_description(level, dialect).into();
    older_level::downgrade(&mut document, level);
    dialect::translate_document(&mut document, dialect);
    document
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    settings.into_generator()
}

fn neutral_document(level: i64) -> Value {
    let mut generator = generator();
    let mut events = event::schemas(&mut generator);
    let mut paths: Map<String, Value> = Map::new();
    for row in served_rows(level).filter(|row| is_first_of_template(row, level)) {
        let path = row.route.path.replace("{*", "{");
        let operation = operation_object(row, level, &mut generator);
        let path_item = paths.entry(path).or_insert_with(|| json!({}));
        path_item[row.route.method.to_lowercase()] = operation;
    }
    if Feature::ResumableUploads.is_at(level) {
        paths.extend(resumable::paths());
    }
    let mut schemas = generator.take_definitions(true);
    schemas.values_mut().for_each(forbid_other_keys);
    let event_schema = json!({"anyOf": events.keys().map(|name| reference::reference_to(name)).collect::<Vec<_>>()});
    events.values_mut().for_each(forbid_other_keys);
    schemas.extend(events);
    schemas.insert("Event".into(), event_schema);
    schemas.insert("Error".into(), error_schema());
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Team chat API",
            "version": env!("CARGO_PKG_VERSION"),
            "license": license(),
            "x-feature-level": level.min(NEWEST_FEATURE_LEVEL),
        },
        "servers": [{"url": "/api/v1"}],
        "tags": operation_names::tags(&paths),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {"RefusedUpload": resumable::refusal()},
            "securitySchemes": {
                "basic": {"type": "http", "scheme": "basic", "description": "An account's real address and its API key."},
                "key": incoming_webhook::security_scheme(),
            },
        },
    });
    explicit_schemas::make_explicit(&mut document);
    document
}

/// The license of the program, which is also that of the document.
pub fn license() -> Value {
    json!({"name": "MIT", "identifier": "MIT"})
}

fn document_description(level: i64, dialect: &Dialect) -> String {
    let level_name = match level.min(NEWEST_FEATURE_LEVEL) {
        NEWEST_FEATURE_LEVEL => format!("feature level {NEWEST_FEATURE_LEVEL}, the newest"),
        older_level => format!("feature level {older_level}"),
    };
    let names = if dialect.is_neutral() { "neutral names" } else { "the names of a dialect" };
    format!("Every operation that chatdouble serves at {level_name}, with {names}.")
}

/// The operations at a level. Levels above the newest have those of the newest.
fn served_rows(level: i64) -> impl Iterator<Item = &'static OperationRow> {
    OPERATIONS.iter().filter(move |row| row.exists_at(level.min(NEWEST_FEATURE_LEVEL)))
}

/// Whether two rows have the same method and paths that differ only in the names of placeholders. OpenAPI does not
/// allow both.
fn have_same_template(a: &OperationRow, b: &OperationRow) -> bool {
    let template =
        |row: &OperationRow| row.route.path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    a.route.method == b.route.method && template(a).eq(template(b))
}

fn is_first_of_template(row: &OperationRow, level: i64) -> bool {
    served_rows(level).find(|other| have_same_template(other, row)).is_none_or(|first| std::ptr::eq(first, row))
}

/// The path parameters of other rows with the same template: the placeholder may have their values too.
fn alternatives(row: &OperationRow, level: i64) -> impl Iterator<Item = &'static ParameterInfo> {
    let is_alternative = move |other: &&OperationRow| !std::ptr::eq(*other, row) && have_same_template(other, row);
    served_rows(level).filter(is_alternative).flat_map(|other| other.parameters).filter(|info| info.is_in_path)
}

/// The properties of the state in the register reply, with descriptions. The keys of the queue and of the server's
/// version are not among them. All are optional, because the keys depend on the request.
pub fn register_reply_properties() -> Map<String, Value> {
    register_state_properties(&mut generator())
}

fn register_state_properties(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut properties = undescribed_register_state_properties(generator);
    for (key, schema) in &mut properties {
        describe(schema, meaning::of_state_key(key));
    }
    properties
}

fn describe(schema: &mut Value, meaning: Option<&str>) {
    if let (Value::Object(keys), Some(meaning)) = (schema, meaning) {
        keys.insert("description".into(), meaning.into());
    }
}

fn undescribed_register_state_properties(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut properties_by_key: BTreeMap<String, Value> =
        OWN_LISTS.iter().map(|row| (row.list.key.to_owned(), (row.schema)(generator).to_value())).collect();
    if let Value::Object(typed_properties) = RegisterState::json_schema(generator).to_value()["properties"].take() {
        properties_by_key.extend(typed_properties);
    }
    let mut properties: Map<String, Value> = properties_by_key.into_iter().collect();
    properties.extend(REALM_SETTINGS.iter().map(|setting| (setting.register_key(), setting_schema(setting))));
    let group = generator.subschema_for::<GroupSettingValue>().to_value();
    properties.extend(REALM_PERMISSIONS.iter().map(|permission| (format!("realm_{}", permission.name), group.clone())));
    let mut settings: Map<String, Value> =
        USER_SETTINGS.iter().map(|setting| (setting.name.to_owned(), setting_schema(setting))).collect();
    settings.insert("email_address_visibility".into(), json!({"enum": [1, 2, 3, 4, 5]}));
    settings.insert("emojiset_choices".into(), generator.subschema_for::<Vec<EmojiSet>>().to_value());
    settings.insert("available_notification_sounds".into(), generator.subschema_for::<Vec<String>>().to_value());
    for (name, schema) in &mut settings {
        describe(schema, meaning::MeaningTable::UserSettings.meaning(name));
    }
    let strict_object = |settings: &Map<String, Value>| {
        let required: Vec<&String> = settings.keys().collect();
        json!({"type": "object", "properties": settings, "required": required, "additionalProperties": false})
    };
    properties.insert("realm_user_settings_defaults".into(), strict_object(&settings));
    settings.insert("timezone".into(), json!({"type": "string"}));
    properties.insert("user_settings".into(), strict_object(&settings));
    properties
}

fn setting_schema(setting: &Setting) -> Value {
    match setting.kind {
        SettingKind::Bool => json!({"type": "boolean"}),
        SettingKind::BoolOrNull => json!({"type": ["boolean", "null"]}),
        SettingKind::Integer => json!({"type": "integer"}),
        SettingKind::IntegerOrNull => json!({"type": ["integer", "null"]}),
        SettingKind::Within(min, max) => json!({"type": "integer", "minimum": min, "maximum": max}),
        SettingKind::OneOfIntegers(allowed) => json!({ "enum": allowed }),
        SettingKind::Text => json!({"type": "string"}),
        SettingKind::TextOrNull => json!({"type": ["string", "null"]}),
        SettingKind::OneOfTexts(allowed) => json!({ "enum": allowed }),
    }
}

/// Forbids further keys in each object of a schema that has properties and does not yet say whether it allows them.
fn forbid_other_keys(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            keys.values_mut().for_each(forbid_other_keys);
            if keys.get("properties").is_some_and(Value::is_object) && !keys.contains_key("additionalProperties") {
                keys.insert("additionalProperties".into(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_other_keys),
        _ => {}
    }
}

fn operation_object(row: &OperationRow, level: i64, generator: &mut SchemaGenerator) -> Value {
    let is_webhook = row.access == Access::KeyHolder;
    let has_query_parameters = row.route.method == "GET" || is_webhook;
    let mut parameters = Vec::new();
    let mut form = Map::new();
    let mut required = Vec::new();
    // The payload is the body, and the key is described by the security scheme.
    let is_parameter = |info: &&ParameterInfo| !is_webhook || !matches!(info.name, "payload" | "api_key");
    for info in row.parameters.iter().filter(is_parameter) {
        let schema = (info.schema)(generator).to_value();
        if info.is_in_path {
            let other_parameters = alternatives(row, level)
                .map(|other| ((other.schema)(generator).to_value(), parameter_description(other)));
            parameters.push(path_parameter(info, schema, other_parameters.collect()));
        } else if has_query_parameters {
            parameters.push(query_parameter(info, schema));
        } else {
            if info.is_required {
                required.push(info.name);
            }
            form.insert(info.name.into(), with_description(schema, info));
        }
    }
    let mut reply = (row.reply_schema)(generator).to_value();
    if row.route == Register::ROUTE {
        let properties = reply["properties"].as_object_mut();
        properties.expect("it is an object").extend(register_state_properties(generator));
    }
    let mut operation = json!({
        "operationId": operation_names::operation_id((row.type_name)()),
        "tags": [operation_names::operation_tag((row.type_name)())],
        "summary": row.docs.summary,
        "description": format!("For: {}.", row.access.description()),
        "parameters": parameters,
        "responses": responses_object(row, &reply),
    });
    if !has_query_parameters && (row.takes_files || !form.is_empty()) {
        operation["requestBody"] = request_body(row, form, required);
    }
    if is_webhook {
        operation["requestBody"] = incoming_webhook::request_body();
    }
    operation["security"] = match row.access {
        Access::Anyone => json!([]),
        Access::KeyHolder => json!([{"key": []}]),
        Access::UserOrSpectator => json!([{"basic": []}, {}]),
        _ => json!([{"basic": []}]),
    };
    operation
}

/// The request body: a form, which is multipart if the operation takes files.
fn request_body(row: &OperationRow, mut form: Map<String, Value>, required: Vec<&str>) -> Value {
    let json_fields = row.parameters.iter().filter(|info| info.is_json && !info.is_in_path);
    let encoding: Map<String, Value> =
        json_fields.map(|info| (info.name.to_owned(), json!({"contentType": "application/json"}))).collect();
    let content_type = if row.takes_files { "multipart/form-data" } else { "application/x-www-form-urlencoded" };
    if row.takes_files {
        let file = json!({"type": "string", "format": "binary", "description": "The file; with any name."});
        form.insert("file".into(), file);
    }
    let schema = json!({"type": "object", "properties": form, "required": required});
    json!({"required": !required.is_empty(), "content": {content_type: {"schema": schema, "encoding": encoding}}})
}

fn query_parameter(info: &ParameterInfo, schema: Value) -> Value {
    let schema = if info.is_json { schema_in_query(schema) } else { schema };
    json!({
        "name": info.name,
        "in": "query",
        "required": info.is_required,
        "description": parameter_description(info),
        "schema": schema,
    })
}

/// The schema of a JSON parameter in a query. Numbers and booleans are the same in JSON and in a query; all other types
/// are strings there, with their schema in `contentSchema`.
fn schema_in_query(schema: Value) -> Value {
    match schema["type"].as_str() {
        Some("boolean" | "integer" | "number") => schema,
        _ => json!({"type": "string", "contentMediaType": "application/json", "contentSchema": schema}),
    }
}

/// A path parameter, with the schemas and descriptions of its alternatives.
fn path_parameter(info: &ParameterInfo, mut schema: Value, alternatives: Vec<(Value, String)>) -> Value {
    let mut text = parameter_description(info);
    if schema["type"] == "integer" && schema.get("minimum").is_none() {
        // Routes match digits only, so a path with a negative number is unknown.
        schema["minimum"] = 0.into();
    }
    if !alternatives.is_empty() {
        let (schemas, descriptions): (Vec<Value>, Vec<String>) = alternatives.into_iter().unzip();
        let all_schemas: Vec<Value> = std::iter::once(schema).chain(schemas).collect();
        schema = json!({ "anyOf": all_schemas });
        text = std::iter::once(text).chain(descriptions).collect::<Vec<_>>().join(" Or: ");
    }
    json!({"name": info.name, "in": "path", "required": true, "description": text, "schema": schema})
}

fn with_description(schema: Value, info: &ParameterInfo) -> Value {
    let mut schema = if schema.is_object() { schema } else { json!({}) };
    schema["description"] = parameter_description(info).into();
    schema
}

/// The meaning of the setting, or the doc comment in one line; then the default, if it is not the empty text.
pub fn parameter_description(info: &ParameterInfo) -> String {
    let text = match meaning::of_parameter(info) {
        Some(meaning) => meaning.to_owned(),
        None => info.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "),
    };
    match info.default {
        Some("") | None => text,
        Some(default) => format!("{text} Default: {default}."),
    }
}

/// The schema of a successful reply, with the keys of the envelope.
fn success_schema(row: &OperationRow, reply: &Value) -> Value {
    let mut schema = reply.clone();
    forbid_other_keys(&mut schema);
    let name_list = json!({"type": "array", "items": {"type": "string"}});
    let message = if row.may_set_msg { json!({"type": "string"}) } else { json!({"const": ""}) };
    let envelope = json!({"result": {"const": "success"}, "msg": message, "ignored_parameters_unsupported": name_list});
    let mut properties = envelope.as_object().cloned().unwrap_or_default();
    properties.extend(schema["properties"].as_object().cloned().unwrap_or_default());
    let mut required = vec![json!("result"), json!("msg")];
    required.extend(schema["required"].as_array().cloned().unwrap_or_default());
    schema["type"] = "object".into();
    schema["properties"] = properties.into();
    schema["required"] = required.into();
    schema
}

fn responses_object(row: &OperationRow, reply: &Value) -> Value {
    let mut schema = success_schema(row, reply);
    let mut error = json!({"$ref": "#/components/schemas/Error"});
    if row.docs.errors.iter().any(|error| error.row().status == 200) {
        schema = json!({"anyOf": [schema, error]});
    }
    if row.access == Access::KeyHolder {
        error = json!({"anyOf": [error, incoming_webhook::refusal_schema()]});
    }
    let mut responses =
        json!({"200": {"description": "Success.", "content": {"application/json": {"schema": schema}}}});
    // Any request may be malformed, name an unknown world, or exceed the rate limit.
    let mut statuses: Vec<u16> = vec![400, 404, 429];
    if row.route.method != "GET" {
        statuses.push(413);
    }
    // With its placeholders filled in, the path may be that of another operation, which has other methods.
    if row.parameters.iter().any(|info| info.is_in_path) {
        statuses.push(405);
    }
    statuses.extend(row.docs.errors.iter().map(|error| error.row().status));
    if row.access != Access::Anyone {
        statuses.push(401);
    }
    statuses.sort_unstable();
    statuses.dedup();
    for status in statuses.into_iter().filter(|status| *status >= 400) {
        responses[status.to_string()] = json!({
            "description": "Refused; nothing was changed.",
            "content": {"application/json": {"schema": error}},
        });
    }
    responses
}

fn error_schema() -> Value {
    let codes: BTreeSet<&str> = Error::TABLE.iter().map(|row| row.code).collect();
    json!({
        "type": "object",
        "description": "A refused request; some errors have further fields.",
        "properties": {
            "result": {"const": "error"},
            "msg": {"type": "string", "description": "Human-readable text."},
            "code": {"enum": codes, "description": "Machine-readable error code."},
        },
        "required": ["result", "msg", "code"],
    })
}
