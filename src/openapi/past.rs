//! The document of an older feature level: what came later is taken out of that of the newest, from the table of changes.
//!
//! Names that come and go are exact. An object that a [`Behaviour`](crate::level::Behaviour) changes may have any keys there,
//! since that is code and no table.

use crate::api::NEWEST_FEATURE_LEVEL;
use crate::feature::has_changes_of;
use crate::level::place::{Place, Source, Step};
use crate::level::{Change, ChangeKind, Downgrade, Object, changes};
use crate::realm::event::EventPattern;
use serde_json::{Map, Value, json};
use std::ops::RangeInclusive;

/// A parameter that code, and no table, brings to older levels.
struct FormerParameter {
    levels: RangeInclusive<i64>,
    route: &'static str,
    name: &'static str,
    schema: fn() -> Value,
}

fn boolean() -> Value {
    json!({"type": "boolean"})
}

fn posting_policy() -> Value {
    json!({"type": "integer", "enum": [1, 2, 3, 4]})
}

/// Levels as in the vendor's documents of levels up to 387.
const FORMER_PARAMETERS: &[FormerParameter] = &[
    FormerParameter {
        levels: 1..=332,
        route: "POST /users/me/subscriptions",
        name: "stream_post_policy",
        schema: posting_policy,
    },
    FormerParameter {
        levels: 1..=332,
        route: "PATCH /streams/{stream_id}",
        name: "stream_post_policy",
        schema: posting_policy,
    },
    FormerParameter {
        levels: 0..=332,
        route: "POST /users/me/subscriptions",
        name: "is_announcement_only",
        schema: boolean,
    },
    FormerParameter {
        levels: 0..=332,
        route: "PATCH /streams/{stream_id}",
        name: "is_announcement_only",
        schema: boolean,
    },
    FormerParameter { levels: 0..=387, route: "GET /streams", name: "include_all_active", schema: boolean },
];
/// The first level at which messages may be asked for by their IDs, and so without a range.
const IDS_SINCE: i64 = 300;

/// The name of the schema for events that only older levels have.
const LEGACY_EVENT: &str = "event.legacy";

/// Brings a document, which has the operations of the level, to it.
pub(super) fn bring_to(document: &mut Value, level: i64) {
    if level >= NEWEST_FEATURE_LEVEL {
        return;
    }
    for change in changes().iter().filter(|change| !has_changes_of(level, change.level)) {
        undo(document, &change.kind, level);
    }
    for former in FORMER_PARAMETERS.iter().filter(|former| former.levels.contains(&level)) {
        let parameter = Parameter { schema: (former.schema)(), is_required: false };
        put_parameter(document, former.route, former.name, parameter);
    }
    if level < IDS_SINCE {
        for name in ["num_before", "num_after"] {
            if let Some(parameter) = take_parameter(document, "GET /messages", name) {
                put_parameter(document, "GET /messages", name, Parameter { is_required: true, ..parameter });
            }
        }
    }
    let legacy = json!({
        "type": "object",
        "description": "An event that the newest level does not have.",
        "properties": {"id": {"type": "integer"}, "type": {"type": "string"}},
        "required": ["id", "type"],
    });
    document["components"]["schemas"][LEGACY_EVENT] = legacy;
    if let Some(branches) = document["components"]["schemas"]["Event"]["anyOf"].as_array_mut() {
        branches.push(reference(LEGACY_EVENT));
    }
}

/// Parameters that an operation (`POST /messages`) has at older levels alone: those that had another name or are gone, and
/// all names in the words of what changed in its requests.
pub fn former_parameters(route: &str) -> Vec<&'static str> {
    let of_change = |change: &'static Change| match change.kind {
        ChangeKind::RenamedParameter { route: on, old, .. } if on == route => vec![old],
        ChangeKind::GoneParameter { route: on, name, .. } if on == route => vec![name],
        ChangeKind::Behaviour(behaviour) if behaviour.on.split(", ").any(|on| on == route) => {
            behaviour.words.split('`').skip(1).step_by(2).collect()
        }
        _ => Vec::new(),
    };
    changes().iter().flat_map(of_change).collect()
}

fn undo(document: &mut Value, kind: &ChangeKind, level: i64) {
    match *kind {
        ChangeKind::Parameter { route, name } => drop(take_parameter(document, route, name)),
        ChangeKind::RenamedParameter { route, old, since, new } => {
            let parameter = take_parameter(document, route, new);
            if let Some(parameter) = parameter.filter(|_| level >= since) {
                put_parameter(document, route, old, parameter);
            }
        }
        ChangeKind::GoneParameter { route, name, since } if level >= since => {
            put_parameter(document, route, name, Parameter { schema: json!({}), is_required: false });
        }
        ChangeKind::Field { object, name } => {
            at_objects(document, object, &mut |schema| drop(take_field(schema, name)))
        }
        ChangeKind::RenamedField { object, old, new } => at_objects(document, object, &mut |schema| {
            if let Some((field, is_required)) = take_field(schema, new) {
                put_field(schema, old, field, is_required);
            }
        }),
        ChangeKind::GoneField { object, name, since, .. } if level >= since => {
            at_objects(document, object, &mut |schema| put_field(schema, name, json!({}), false));
        }
        ChangeKind::Event(EventPattern { kind, op, carries: None }) => {
            for name in event_schemas(document, kind, op) {
                let schemas = &mut document["components"]["schemas"];
                schemas.as_object_mut().and_then(|schemas| schemas.shift_remove(&name));
                if let Some(branches) = schemas["Event"]["anyOf"].as_array_mut() {
                    branches.retain(|branch| *branch != reference(&name));
                }
            }
        }
        ChangeKind::Behaviour(behaviour) => {
            if let Downgrade::Objects(object, _) = behaviour.act {
                at_objects(document, object, &mut open);
            }
        }
        _ => {}
    }
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Names of the schemas of a type's events, and of an op's.
fn event_schemas(document: &Value, kind: &str, op: Option<&str>) -> Vec<String> {
    let whole = format!("event.{kind}");
    let with_op = format!("{whole}.{}", op.unwrap_or_default());
    let fits = |name: &&String| match op {
        Some(_) => **name == with_op,
        None => **name == whole || name.starts_with(&with_op),
    };
    document["components"]["schemas"].as_object().into_iter().flat_map(Map::keys).filter(fits).cloned().collect()
}

/// A parameter in a form or query.
struct Parameter {
    schema: Value,
    is_required: bool,
}

/// The schema of an operation's form, or its list of parameters; None where the level does not have the operation.
fn operation<'document>(document: &'document mut Value, route: &str) -> Option<&'document mut Value> {
    let (method, path) = route.split_once(' ')?;
    document["paths"].get_mut(path)?.get_mut(method.to_lowercase())
}

fn form(operation: &mut Value) -> Option<&mut Value> {
    let content = operation.get_mut("requestBody")?.get_mut("content")?.as_object_mut()?;
    content.values_mut().next()?.get_mut("schema")
}

fn take_parameter(document: &mut Value, route: &str, name: &str) -> Option<Parameter> {
    let operation = operation(document, route)?;
    if let Some(parameters) = operation["parameters"].as_array_mut()
        && let Some(at) = parameters.iter().position(|one| one["in"] == "query" && one["name"] == name)
    {
        let mut taken = parameters.remove(at);
        return Some(Parameter { schema: taken["schema"].take(), is_required: taken["required"] == true });
    }
    let (schema, is_required) = take_field(form(operation)?.as_object_mut()?, name)?;
    Some(Parameter { schema, is_required })
}

fn put_parameter(document: &mut Value, route: &str, name: &str, parameter: Parameter) {
    let Some(operation) = operation(document, route) else { return };
    let Parameter { schema, is_required } = parameter;
    if let Some(form) = form(operation).and_then(Value::as_object_mut) {
        put_field(form, name, schema, is_required);
    } else if let Some(parameters) = operation["parameters"].as_array_mut() {
        parameters.push(json!({"name": name, "in": "query", "required": is_required, "schema": schema}));
    }
}

/// The schema of a field, and whether it was required.
fn take_field(schema: &mut Map<String, Value>, name: &str) -> Option<(Value, bool)> {
    let field = schema.get_mut("properties")?.as_object_mut()?.shift_remove(name)?;
    let required = schema.get_mut("required").and_then(Value::as_array_mut);
    let is_required = required.is_some_and(|required| {
        let before = required.len();
        required.retain(|one| one != name);
        required.len() < before
    });
    Some((field, is_required))
}

fn put_field(schema: &mut Map<String, Value>, name: &str, field: Value, is_required: bool) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(name.to_owned(), field);
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut).filter(|_| is_required) {
        required.push(name.into());
    }
}

/// Lets an object have any keys, and any values in those that it has.
fn open(schema: &mut Map<String, Value>) {
    schema.insert("additionalProperties".to_owned(), true.into());
    schema.shift_remove("required");
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if !["result", "msg", "type", "op", "id"].contains(&name.as_str()) {
            *property = json!({});
        }
    }
}

/// Does something to the schemas of all objects of a kind.
fn at_objects(document: &mut Value, object: &Object, act: &mut dyn FnMut(&mut Map<String, Value>)) {
    for place in object.places.iter().map(|place| Place::parse(place)) {
        let roots = match place.source {
            // What every reply may have is optional in all of them.
            Source::EveryReply => Vec::new(),
            Source::Reply(method, path) => {
                let path = path.replace('~', "~0").replace('/', "~1");
                let method = method.to_lowercase();
                vec![format!("/paths/{path}/{method}/responses/200/content/application~1json/schema")]
            }
            Source::Event(kind, op) => {
                let names = event_schemas(document, kind, op);
                names.into_iter().map(|name| format!("/components/schemas/{name}")).collect()
            }
        };
        for root in roots {
            visit(document, &root, &place.path, act);
        }
    }
}

/// Follows a path from the schema at `pointer`, through references and branches.
fn visit(document: &mut Value, pointer: &str, path: &[Step], act: &mut dyn FnMut(&mut Map<String, Value>)) {
    let Some(schema) = document.pointer(pointer) else { return };
    if let Some(target) = schema["$ref"].as_str().and_then(|target| target.strip_prefix('#')) {
        let target = target.to_owned();
        return visit(document, &target, path, act);
    }
    for branches in ["anyOf", "oneOf", "allOf"] {
        let count = document.pointer(pointer).and_then(|schema| schema[branches].as_array()).map_or(0, Vec::len);
        (0..count).for_each(|at| visit(document, &format!("{pointer}/{branches}/{at}"), path, act));
    }
    match path.split_first() {
        None => {
            let schema = document.pointer_mut(pointer).and_then(Value::as_object_mut);
            if let Some(schema) = schema.filter(|schema| schema.contains_key("properties")) {
                act(schema);
            }
        }
        Some((Step::Key(key), rest)) => visit(document, &format!("{pointer}/properties/{key}"), rest, act),
        Some((Step::Each, rest)) => {
            visit(document, &format!("{pointer}/items"), rest, act);
            visit(document, &format!("{pointer}/additionalProperties"), rest, act);
        }
    }
}
