//! Converts the document of the newest level to that of an older one, by the table of changes.
//!
//! Added, renamed and removed names are exact. Fields whose type a [`Behaviour`] changes may have any values, because
//! the change is code.

use super::former_codes;
use super::reference::reference_to;
use crate::api::NEWEST_FEATURE_LEVEL;
use crate::feature::{FeatureChange, has_changes_of};
use crate::level::place::{Place, Source, Step};
use crate::level::{Behaviour, Change, ChangeKind, ChangedFields, Downgrade, ObjectKind, changes};
use crate::realm::event::EventPattern;
use serde_json::{Map, Value, json};
use std::ops::RangeInclusive;

/// A parameter of older levels that the table of changes does not have, because code converts it.
struct CodeConvertedParameter {
    levels: RangeInclusive<i64>,
    route: &'static str,
    name: &'static str,
    schema: fn() -> Value,
}

fn boolean_schema() -> Value {
    json!({"type": "boolean"})
}

fn posting_policy_schema() -> Value {
    json!({"type": "integer", "enum": [1, 2, 3, 4]})
}

/// From the vendor's documentation of levels up to 387.
const CODE_CONVERTED_PARAMETERS: &[CodeConvertedParameter] = &[
    CodeConvertedParameter {
        levels: 1..=332,
        route: "POST /users/me/subscriptions",
        name: "stream_post_policy",
        schema: posting_policy_schema,
    },
    CodeConvertedParameter {
        levels: 1..=332,
        route: "PATCH /streams/{stream_id}",
        name: "stream_post_policy",
        schema: posting_policy_schema,
    },
    CodeConvertedParameter {
        levels: 0..=332,
        route: "POST /users/me/subscriptions",
        name: "is_announcement_only",
        schema: boolean_schema,
    },
    CodeConvertedParameter {
        levels: 0..=332,
        route: "PATCH /streams/{stream_id}",
        name: "is_announcement_only",
        schema: boolean_schema,
    },
    CodeConvertedParameter {
        levels: 0..=387,
        route: "GET /streams",
        name: "include_all_active",
        schema: boolean_schema,
    },
];

/// The first level at which messages may be fetched by IDs, so that the range is optional.
const MESSAGE_IDS_SINCE: i64 = 300;

/// The name of the schema for all events that only older levels have.
const LEGACY_EVENT: &str = "event.legacy";

/// Converts a document that already has only the operations of the level.
pub(super) fn downgrade(document: &mut Value, level: i64) {
    if level >= NEWEST_FEATURE_LEVEL {
        return;
    }
    for change in changes().iter().filter(|change| !has_changes_of(level, change.level)) {
        undo_change(document, &change.kind, level);
    }
    for converted in CODE_CONVERTED_PARAMETERS.iter().filter(|parameter| parameter.levels.contains(&level)) {
        let parameter = Parameter { schema: (converted.schema)(), is_required: false };
        add_parameter(document, converted.route, converted.name, parameter);
    }
    if level < MESSAGE_IDS_SINCE {
        for name in ["num_before", "num_after"] {
            if let Some(parameter) = take_parameter(document, "GET /messages", name) {
                add_parameter(document, "GET /messages", name, Parameter { is_required: true, ..parameter });
            }
        }
    }
    let legacy_event = json!({
        "type": "object",
        "description": "An event that the newest level does not have.",
        "properties": {"id": {"type": "integer"}, "type": {"type": "string"}},
        "required": ["id", "type"],
    });
    document["components"]["schemas"][LEGACY_EVENT] = legacy_event;
    if let Some(alternatives) = document["components"]["schemas"]["Event"]["anyOf"].as_array_mut() {
        alternatives.push(reference_to(LEGACY_EVENT));
    }
}

/// The names of parameters that an operation such as `POST /messages` may have only at older levels: former names,
/// removed ones, and every text between backticks in the descriptions of its changes.
pub fn possible_former_names(route: &str) -> Vec<&'static str> {
    let former_names = |change: &'static Change| match change.kind {
        ChangeKind::RenamedParameter { route: changed_route, old, .. } if changed_route == route => vec![old],
        ChangeKind::RemovedParameter { route: changed_route, name, .. } if changed_route == route => vec![name],
        ChangeKind::Behaviour(Behaviour { subject, description, .. })
        | ChangeKind::Feature(_, FeatureChange { subject, description, .. })
            if subject.split(", ").any(|changed_route| changed_route == route) =>
        {
            description.split('`').skip(1).step_by(2).collect()
        }
        _ => Vec::new(),
    };
    changes().iter().flat_map(former_names).collect()
}

fn undo_change(document: &mut Value, kind: &ChangeKind, level: i64) {
    match *kind {
        ChangeKind::Parameter { route, name } => drop(take_parameter(document, route, name)),
        ChangeKind::RenamedParameter { route, old, since, new } => {
            let parameter = take_parameter(document, route, new);
            if let Some(parameter) = parameter.filter(|_| level >= since) {
                add_parameter(document, route, old, parameter);
            }
        }
        ChangeKind::RemovedParameter { route, name, since } if level >= since => {
            add_parameter(document, route, name, Parameter { schema: json!({}), is_required: false });
        }
        ChangeKind::Field { object, name } => {
            visit_schemas_of(document, object, &mut |schema| drop(take_field(schema, name)))
        }
        ChangeKind::RenamedField { object, old, new } => visit_schemas_of(document, object, &mut |schema| {
            if let Some((field, is_required)) = take_field(schema, new) {
                add_field(schema, old, field, is_required);
            }
        }),
        ChangeKind::RemovedField { object, name, since, .. } if level >= since => {
            visit_schemas_of(document, object, &mut |schema| add_field(schema, name, json!({}), false));
        }
        ChangeKind::Event(EventPattern { kind, op, carries: None }) => {
            for name in event_schema_names(document, kind, op) {
                let schemas = &mut document["components"]["schemas"];
                schemas.as_object_mut().and_then(|schemas| schemas.shift_remove(&name));
                if let Some(alternatives) = schemas["Event"]["anyOf"].as_array_mut() {
                    alternatives.retain(|alternative| *alternative != reference_to(&name));
                }
            }
        }
        ChangeKind::Behaviour(behaviour) => match behaviour.downgrade {
            Downgrade::Objects(object, fields, _) => {
                visit_schemas_of(document, object, &mut |schema| allow_any_values(schema, object, fields));
            }
            Downgrade::Code { errors, routes, status, code } => {
                former_codes::undo_code_change(document, errors, routes, status, code);
            }
            _ => {}
        },
        _ => {}
    }
}

/// The names of the schemas for events with this type and `op`; None for any `op`.
fn event_schema_names(document: &Value, kind: &str, op: Option<&str>) -> Vec<String> {
    let without_op = format!("event.{kind}");
    let with_op = format!("{without_op}.{}", op.unwrap_or_default());
    let matches = |name: &&String| match op {
        Some(_) => **name == with_op,
        None => **name == without_op || name.starts_with(&with_op),
    };
    document["components"]["schemas"].as_object().into_iter().flat_map(Map::keys).filter(matches).cloned().collect()
}

struct Parameter {
    schema: Value,
    is_required: bool,
}

/// None if the level does not have the operation.
fn operation<'document>(document: &'document mut Value, route: &str) -> Option<&'document mut Value> {
    let (method, path) = route.split_once(' ')?;
    document["paths"].get_mut(path)?.get_mut(method.to_lowercase())
}

fn form_schema(operation: &mut Value) -> Option<&mut Value> {
    let content = operation.get_mut("requestBody")?.get_mut("content")?.as_object_mut()?;
    content.values_mut().next()?.get_mut("schema")
}

fn take_parameter(document: &mut Value, route: &str, name: &str) -> Option<Parameter> {
    let operation = operation(document, route)?;
    if let Some(parameters) = operation["parameters"].as_array_mut()
        && let Some(index) =
            parameters.iter().position(|parameter| parameter["in"] == "query" && parameter["name"] == name)
    {
        let mut removed_parameter = parameters.remove(index);
        return Some(Parameter {
            schema: removed_parameter["schema"].take(),
            is_required: removed_parameter["required"] == true,
        });
    }
    let (schema, is_required) = take_field(form_schema(operation)?.as_object_mut()?, name)?;
    Some(Parameter { schema, is_required })
}

fn add_parameter(document: &mut Value, route: &str, name: &str, parameter: Parameter) {
    let Some(operation) = operation(document, route) else { return };
    let Parameter { schema, is_required } = parameter;
    if let Some(form) = form_schema(operation).and_then(Value::as_object_mut) {
        add_field(form, name, schema, is_required);
    } else if let Some(parameters) = operation["parameters"].as_array_mut() {
        parameters.push(json!({"name": name, "in": "query", "required": is_required, "schema": schema}));
    }
}

/// Removes a field and returns its schema and whether it was required.
fn take_field(schema: &mut Map<String, Value>, name: &str) -> Option<(Value, bool)> {
    let field = schema.get_mut("properties")?.as_object_mut()?.shift_remove(name)?;
    let required = schema.get_mut("required").and_then(Value::as_array_mut);
    let is_required = required.is_some_and(|names| {
        let previous_count = names.len();
        names.retain(|other| other != name);
        names.len() < previous_count
    });
    Some((field, is_required))
}

fn add_field(schema: &mut Map<String, Value>, name: &str, field: Value, is_required: bool) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(name.to_owned(), field);
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut).filter(|_| is_required) {
        required.push(name.into());
    }
}

/// Allows any values for the fields that a change concerns, and makes them optional.
fn allow_any_values(schema: &mut Map<String, Value>, object: &ObjectKind, fields: ChangedFields) {
    match fields {
        ChangedFields::Values => {}
        ChangedFields::Additions => _ = schema.insert("additionalProperties".to_owned(), true.into()),
        ChangedFields::Fields(names) => {
            for name in names {
                let name = name_at_change(schema, object, name);
                if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
                    required.retain(|required_name| required_name != name);
                }
                add_field(schema, name, json!({}), false);
            }
        }
    }
}

/// The name that a schema has for a field: its former one if the renaming was undone before.
fn name_at_change(schema: &Map<String, Value>, object: &ObjectKind, name: &'static str) -> &'static str {
    let has = |name: &str| schema.get("properties").is_some_and(|properties| properties.get(name).is_some());
    let former_name = changes().iter().find_map(|change| match change.kind {
        ChangeKind::RenamedField { object: renamed_in, old, new }
            if renamed_in == object && new == name && has(old) =>
        {
            Some(old)
        }
        _ => None,
    });
    former_name.filter(|_| !has(name)).unwrap_or(name)
}

/// Calls a function for the schemas of a kind of object.
fn visit_schemas_of(document: &mut Value, object: &ObjectKind, change_schema: &mut dyn FnMut(&mut Map<String, Value>)) {
    for place in object.places.iter().map(|place| Place::parse(place)) {
        let roots = match place.source {
            // Nothing to change: fields that every reply may have are optional in the schemas.
            Source::EveryReply => Vec::new(),
            Source::Reply(method, path) => {
                let path = path.replace('~', "~0").replace('/', "~1");
                let method = method.to_lowercase();
                vec![format!("/paths/{path}/{method}/responses/200/content/application~1json/schema")]
            }
            Source::Event(kind, op) => {
                let names = event_schema_names(document, kind, op);
                names.into_iter().map(|name| format!("/components/schemas/{name}")).collect()
            }
        };
        for root in roots {
            visit_at_path(document, &root, &place.path, change_schema);
        }
    }
}

/// Follows a path from the schema at a JSON pointer, through references and alternatives, and calls a function for the
/// schemas at its end.
fn visit_at_path(
    document: &mut Value,
    pointer: &str,
    path: &[Step],
    change_schema: &mut dyn FnMut(&mut Map<String, Value>),
) {
    let Some(schema) = document.pointer(pointer) else { return };
    if let Some(target) = schema["$ref"].as_str().and_then(|target| target.strip_prefix('#')) {
        let target = target.to_owned();
        return visit_at_path(document, &target, path, change_schema);
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let count = document.pointer(pointer).and_then(|schema| schema[keyword].as_array()).map_or(0, Vec::len);
        (0..count)
            .for_each(|index| visit_at_path(document, &format!("{pointer}/{keyword}/{index}"), path, change_schema));
    }
    match path.split_first() {
        None => {
            let schema = document.pointer_mut(pointer).and_then(Value::as_object_mut);
            if let Some(schema) = schema.filter(|schema| schema.contains_key("properties")) {
                change_schema(schema);
            }
        }
        Some((Step::Key(key), remaining)) => {
            visit_at_path(document, &format!("{pointer}/properties/{key}"), remaining, change_schema)
        }
        Some((Step::Each, remaining)) => {
            visit_at_path(document, &format!("{pointer}/items"), remaining, change_schema);
            visit_at_path(document, &format!("{pointer}/additionalProperties"), remaining, change_schema);
        }
    }
}
