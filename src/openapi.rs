//! The OpenAPI 3.1 document of every operation served, made from the table of operations.
//!
//! Replies are described strictly: with a key that is missing, of another type or not named they don't fit.

mod delivery;
mod dialect;
mod event;
pub mod meaning;
mod names;
mod past;
mod resumable;
pub mod shape;
pub mod tooling;

pub use names::names;
pub use past::former_parameters;

use crate::api::parameter::ParameterInfo;
use crate::api::register::{ROWS, Register};
use crate::api::{Access, NEWEST_FEATURE_LEVEL, OPERATIONS, Operation, Row};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::permission::{GroupSettingValue, REALM_PERMISSIONS};
use crate::realm::setting::{Kind, REALM_SETTINGS, Setting, USER_SETTINGS};
use crate::record;
use crate::record::own_lists::OWN_LISTS;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The document: paths without `/api/v1`, newest level, the dialect's names.
pub fn document(dialect: &Dialect) -> Value {
    document_at(NEWEST_FEATURE_LEVEL, dialect)
}

/// The document of a feature level.
pub fn document_at(level: i64, dialect: &Dialect) -> Value {
    let mut document = neutral_document(level);
    past::bring_to(&mut document, level);
    dialect::rename_document(&mut document, dialect);
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
    add_records(&mut generator);
    let mut events = event::schemas(&mut generator);
    let mut paths: Map<String, Value> = Map::new();
    for row in served(level).filter(|row| is_first_of_template(row, level)) {
        let path = row.route.path.replace("{*", "{");
        let operation = operation(row, level, &mut generator);
        let entry = paths.entry(path).or_insert_with(|| json!({}));
        entry[row.route.method.to_lowercase()] = operation;
    }
    if Feature::ResumableUploads.is_at(level) {
        paths.extend(resumable::paths());
    }
    let mut schemas = generator.take_definitions(true);
    schemas.values_mut().for_each(close);
    schemas.extend(shape::records());
    let one = |name: &String| json!({"$ref": format!("#/components/schemas/{name}")});
    let any = json!({"anyOf": events.keys().map(one).collect::<Vec<_>>()});
    events.values_mut().for_each(close);
    schemas.extend(events);
    schemas.insert("Event".into(), any);
    schemas.insert("Error".into(), error_schema());
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Team chat API",
            "version": env!("CARGO_PKG_VERSION"),
            "license": license(),
            "description": format!("Every operation that chatdouble serves at {}, with neutral names.", name_of(level)),
        },
        "servers": [{"url": "/api/v1"}],
        "tags": tooling::tags(&paths),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {"RefusedUpload": resumable::refusal()},
            "securitySchemes": {
                "basic": {"type": "http", "scheme": "basic", "description": "An account's real address and its API key."},
                "key": delivery::security(),
            },
        },
    });
    tooling::spell_out(&mut document);
    document
}

/// The licence of the documents, which is the program's.
pub fn license() -> Value {
    json!({"name": "MIT", "identifier": "MIT"})
}

fn name_of(level: i64) -> String {
    if level >= NEWEST_FEATURE_LEVEL { "the newest feature level".to_owned() } else { format!("feature level {level}") }
}

/// Operations that a level has; above the newest, its.
fn served(level: i64) -> impl Iterator<Item = &'static Row> {
    OPERATIONS.iter().filter(move |row| row.is_at(level.min(NEWEST_FEATURE_LEVEL)))
}

/// Whether the paths of two rows differ by the names of placeholders alone: documents can't have both.
fn have_same_template(one: &Row, other: &Row) -> bool {
    let template = |row: &Row| row.route.path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    one.route.method == other.route.method && template(one).eq(template(other))
}

/// Whether no row before it has the same template.
fn is_first_of_template(row: &Row, level: i64) -> bool {
    served(level).find(|one| have_same_template(one, row)).is_none_or(|first| std::ptr::eq(first, row))
}

/// The other ways to fill in the placeholder of a path: the parameters of rows with the same template.
fn alternatives(row: &Row, level: i64) -> impl Iterator<Item = &'static ParameterInfo> {
    let is_other = move |one: &&Row| !std::ptr::eq(*one, row) && have_same_template(one, row);
    served(level).filter(is_other).flat_map(|one| one.parameters).filter(|info| info.is_in_path)
}

/// Records that the notation of the state names, whether or not a reply or an event has them.
fn add_records(generator: &mut SchemaGenerator) {
    generator.subschema_for::<GroupSettingValue>();
    generator.subschema_for::<record::channel::NeverSubscribedRecord>();
    generator.subschema_for::<record::personal::DeviceRecord>();
    generator.subschema_for::<record::user::StatusRecord>();
}

/// What registering gives besides the queue, with the meaning of each: which keys there are depends on what was asked for.
pub fn state() -> Map<String, Value> {
    described_state(&mut generator())
}

fn described_state(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut properties = state_properties(generator);
    for (key, schema) in &mut properties {
        describe(schema, meaning::of_state(key));
    }
    properties
}

/// Says in a schema what the value means.
fn describe(schema: &mut Value, meaning: Option<&str>) {
    if let (Value::Object(keys), Some(meaning)) = (schema, meaning) {
        keys.insert("description".into(), meaning.into());
    }
}

fn state_properties(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let group = json!({"$ref": "#/components/schemas/GroupSettingValue"});
    let own = OWN_LISTS.iter().map(|own| (own.list.key, own.schema));
    let typed = own.chain(ROWS.iter().filter_map(|row| Some((row.key, row.schema?))));
    let typed = typed.map(|(key, schema)| (key.to_owned(), schema(generator).to_value()));
    let sorted: BTreeMap<String, Value> = shape::state().chain(typed).collect();
    let mut properties: Map<String, Value> = sorted.into_iter().collect();
    properties.extend(REALM_SETTINGS.iter().map(|one| (one.state_key(), setting_schema(one))));
    properties.extend(REALM_PERMISSIONS.iter().map(|one| (format!("realm_{}", one.name), group.clone())));
    let mut settings: Map<String, Value> =
        USER_SETTINGS.iter().map(|one| (one.name.to_owned(), setting_schema(one))).collect();
    settings.insert("email_address_visibility".into(), json!({"enum": [1, 2, 3, 4, 5]}));
    settings.insert("emojiset_choices".into(), shape::schema(&json!([{"key": "string", "text": "string"}])));
    settings.insert("available_notification_sounds".into(), shape::schema(&json!("string[]")));
    for (name, schema) in &mut settings {
        describe(schema, meaning::Table::UserSettings.meaning(name));
    }
    let all = |settings: &Map<String, Value>| {
        let required: Vec<&String> = settings.keys().collect();
        json!({"type": "object", "properties": settings, "required": required, "additionalProperties": false})
    };
    properties.insert("realm_user_settings_defaults".into(), all(&settings));
    settings.insert("timezone".into(), json!({"type": "string"}));
    properties.insert("user_settings".into(), all(&settings));
    properties
}

fn setting_schema(setting: &Setting) -> Value {
    match setting.kind {
        Kind::Bool => json!({"type": "boolean"}),
        Kind::BoolOrNull => json!({"type": ["boolean", "null"]}),
        Kind::Integer => json!({"type": "integer"}),
        Kind::IntegerOrNull => json!({"type": ["integer", "null"]}),
        Kind::Within(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::OneOfIntegers(allowed) => json!({ "enum": allowed }),
        Kind::Text => json!({"type": "string"}),
        Kind::TextOrNull => json!({"type": ["string", "null"]}),
        Kind::OneOf(allowed) => json!({ "enum": allowed }),
    }
}

/// Lets every object in a schema have the keys named in it and no others.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            keys.values_mut().for_each(close);
            if keys.get("properties").is_some_and(Value::is_object) && !keys.contains_key("additionalProperties") {
                keys.insert("additionalProperties".into(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn operation(row: &Row, level: i64, generator: &mut SchemaGenerator) -> Value {
    let is_delivery = row.access == Access::KeyHolder;
    let in_query = row.route.method == "GET" || is_delivery;
    let mut parameters = Vec::new();
    let mut form = Map::new();
    let mut required = Vec::new();
    // What is the body, or among the credentials, is no parameter.
    let is_listed = |info: &&ParameterInfo| !is_delivery || !matches!(info.name, "payload" | "api_key");
    for info in row.parameters.iter().filter(is_listed) {
        let schema = (info.schema)(generator).to_value();
        if info.is_in_path {
            let others =
                alternatives(row, level).map(|other| ((other.schema)(generator).to_value(), description(other)));
            parameters.push(in_path(info, schema, others.collect()));
        } else if in_query {
            parameters.push(parameter(info, schema));
        } else {
            if info.is_required {
                required.push(info.name);
            }
            form.insert(info.name.into(), described(schema, info));
        }
    }
    let mut reply = (row.reply)(generator).to_value();
    if row.route == Register::ROUTE {
        let properties = reply["properties"].as_object_mut();
        properties.expect("it has some of its own").extend(described_state(generator));
    }
    let mut operation = json!({
        "operationId": tooling::function_name((row.name)()),
        "tags": [tooling::family((row.name)())],
        "summary": row.about.summary,
        "description": format!("For: {}.", row.access.words()),
        "parameters": parameters,
        "responses": responses(row, &reply),
    });
    if !in_query && (row.takes_files || !form.is_empty()) {
        operation["requestBody"] = request_body(row, form, required);
    }
    if is_delivery {
        operation["requestBody"] = delivery::body();
    }
    operation["security"] = match row.access {
        Access::Anyone => json!([]),
        Access::KeyHolder => json!([{"key": []}]),
        Access::UserOrVisitor => json!([{"basic": []}, {}]),
        _ => json!([{"basic": []}]),
    };
    operation
}

/// A form; in several parts where files may be among them.
fn request_body(row: &Row, mut form: Map<String, Value>, required: Vec<&str>) -> Value {
    let json_fields = row.parameters.iter().filter(|info| info.is_json && !info.is_in_path);
    let encoding: Map<String, Value> =
        json_fields.map(|info| (info.name.to_owned(), json!({"contentType": "application/json"}))).collect();
    let kind = if row.takes_files { "multipart/form-data" } else { "application/x-www-form-urlencoded" };
    if row.takes_files {
        let file = json!({"type": "string", "format": "binary", "description": "The file; with any name."});
        form.insert("file".into(), file);
    }
    let schema = json!({"type": "object", "properties": form, "required": required});
    json!({"required": !required.is_empty(), "content": {kind: {"schema": schema, "encoding": encoding}}})
}

fn parameter(info: &ParameterInfo, schema: Value) -> Value {
    let schema = if info.is_json { tooling::in_query(schema) } else { schema };
    json!({
        "name": info.name,
        "in": "query",
        "required": info.is_required,
        "description": description(info),
        "schema": schema,
    })
}

/// A placeholder, with the schemas and descriptions of what else may be in its place.
fn in_path(info: &ParameterInfo, mut schema: Value, others: Vec<(Value, String)>) -> Value {
    let mut about = description(info);
    if schema["type"] == "integer" && schema.get("minimum").is_none() {
        // Routes have digits alone: another number leads elsewhere, or nowhere.
        schema["minimum"] = 0.into();
    }
    if !others.is_empty() {
        let (others, descriptions): (Vec<Value>, Vec<String>) = others.into_iter().unzip();
        let all: Vec<Value> = std::iter::once(schema).chain(others).collect();
        schema = json!({ "anyOf": all });
        about = std::iter::once(about).chain(descriptions).collect::<Vec<_>>().join(" Or: ");
    }
    json!({"name": info.name, "in": "path", "required": true, "description": about, "schema": schema})
}

fn described(schema: Value, info: &ParameterInfo) -> Value {
    let mut schema = if schema.is_object() { schema } else { json!({}) };
    schema["description"] = description(info).into();
    schema
}

/// The lines of a parameter's doc comment as one text, with its default.
pub fn description(info: &ParameterInfo) -> String {
    let text = match meaning::of_parameter(info) {
        Some(meaning) => meaning.to_owned(),
        None => info.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "),
    };
    match info.default {
        Some("") | None => text,
        Some(default) => format!("{text} Default: {default}."),
    }
}

/// A successful reply: the envelope's keys and the operation's own.
fn success_schema(row: &Row, reply: &Value) -> Value {
    let mut schema = reply.clone();
    close(&mut schema);
    let unsupported = json!({"type": "array", "items": {"type": "string"}});
    let message = if row.says_something { json!({"type": "string"}) } else { json!({"const": ""}) };
    let envelope =
        json!({"result": {"const": "success"}, "msg": message, "ignored_parameters_unsupported": unsupported});
    let mut properties = envelope.as_object().cloned().unwrap_or_default();
    properties.extend(schema["properties"].as_object().cloned().unwrap_or_default());
    let mut required = vec![json!("result"), json!("msg")];
    required.extend(schema["required"].as_array().cloned().unwrap_or_default());
    schema["type"] = "object".into();
    schema["properties"] = properties.into();
    schema["required"] = required.into();
    schema
}

fn responses(row: &Row, reply: &Value) -> Value {
    let mut schema = success_schema(row, reply);
    let mut error = json!({"$ref": "#/components/schemas/Error"});
    if row.about.errors.iter().any(|kind| kind.row().status == 200) {
        schema = json!({"anyOf": [schema, error]});
    }
    if row.access == Access::KeyHolder {
        error = json!({"anyOf": [error, delivery::refusal()]});
    }
    let mut responses =
        json!({"200": {"description": "Success.", "content": {"application/json": {"schema": schema}}}});
    // Any request may be malformed, name no world, or meet a fault that limits the rate.
    let mut statuses: Vec<u16> = vec![400, 404, 429];
    if row.route.method != "GET" {
        statuses.push(413);
    }
    // A placeholder may be filled so that another path is meant.
    if row.parameters.iter().any(|info| info.is_in_path) {
        statuses.push(405);
    }
    statuses.extend(row.about.errors.iter().map(|kind| kind.row().status));
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
