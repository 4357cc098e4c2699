//! Replies and events held against the OpenAPI document that is served.

use chatdouble::api::{NEWEST_FEATURE_LEVEL, OPERATIONS, OperationRow};
use chatdouble::dialect::Dialect;
use chatdouble::journal::Entry;
use chatdouble::openapi;
use chatdouble::world::World;
use jsonschema::{Registry, Validator};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

/// A document with what of it was compiled.
pub struct Documented {
    document: Value,
    /// The document, as schemas refer to it.
    registry: Registry<'static>,
    /// Schemas by where they stand in the document.
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

static NEWEST: LazyLock<Documented> = LazyLock::new(|| Documented::at(NEWEST_FEATURE_LEVEL));

impl Documented {
    /// The document of a level.
    pub fn at(level: i64) -> Self {
        let document = openapi::document_at(level, &Dialect::neutral());
        let resource = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": document["components"],
            "paths": document["paths"],
        });
        let registry = Registry::new().add("urn:document", resource).and_then(|registry| registry.prepare());
        let registry = registry.expect("the document refers to itself alone");
        Self { document, registry, validators: Mutex::default() }
    }

    /// A path with its placeholders; one that has none, or has them already, as it is.
    pub fn template(&self, path: &str) -> String {
        let parts: Vec<&str> = path.split('/').collect();
        let fits = |template: &&String| {
            let own: Vec<&str> = template.split('/').collect();
            own.len() == parts.len() && own.iter().zip(&parts).all(|(own, part)| own.starts_with('{') || own == part)
        };
        let paths = self.document["paths"].as_object().expect("paths");
        if paths.contains_key(path) {
            path.to_owned()
        } else {
            paths.keys().find(fits).cloned().unwrap_or(path.to_owned())
        }
    }

    /// What of a reply the document does not have, a sentence each.
    pub fn faults(&self, method: &str, path: &str, status: u16, body: &Value) -> Vec<String> {
        // What an address may stand for as well as an id is documented once.
        let path = path.replace("/users/{email}", "/users/{user_id}");
        let path = path.replace("{*", "{").replace('~', "~0").replace('/', "~1");
        let method = method.to_lowercase();
        let place = format!("/paths/{path}/{method}/responses/{status}/content/application~1json/schema");
        self.mistakes(&place, body)
    }

    /// What of an event the document does not have, a sentence each.
    pub fn event_faults(&self, event: &Value) -> Vec<String> {
        let op = event["op"].as_str().map(|op| format!(".{op}")).unwrap_or_default();
        self.mistakes(&format!("/components/schemas/event.{}{op}", event["type"].as_str().unwrap_or_default()), event)
    }

    /// Likewise of one that only older levels may have, and the document as they do.
    pub fn event_faults_of_any_age(&self, event: &Value) -> Vec<String> {
        self.mistakes("/components/schemas/Event", event)
    }

    fn mistakes(&self, place: &str, value: &Value) -> Vec<String> {
        if self.document.pointer(place).is_none() {
            return vec![format!("the document has no {place} for {value}")];
        }
        let validator = {
            let mut validators = self.validators.lock().expect("nobody panics here");
            validators.entry(place.to_owned()).or_insert_with(|| Arc::new(self.compiled(place))).clone()
        };
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }

    fn compiled(&self, place: &str) -> Validator {
        let place = place.replace('{', "%7B").replace('}', "%7D");
        let schema = json!({ "$ref": format!("urn:document#{place}") });
        let validator = jsonschema::draft202012::options().with_registry(&self.registry).build(&schema);
        validator.expect("the document's schemas are well-formed")
    }
}

/// What of a reply the newest level's document does not have, a sentence each.
pub fn faults(row: &OperationRow, status: u16, body: &Value) -> Vec<String> {
    NEWEST.faults(row.route.method, row.route.path, status, body)
}

/// What of an event it does not have, a sentence each.
pub fn event_faults(event: &Value) -> Vec<String> {
    NEWEST.event_faults(event)
}

/// What the document does not have of the replies that a world's journal has whole: a sentence each. Only worlds that
/// speak as the document does are looked at.
pub fn faults_of_world(world: &World) -> Vec<String> {
    let settings = world.settings();
    if settings.feature_level != NEWEST_FEATURE_LEVEL || !settings.dialect.is_neutral() {
        return Vec::new();
    }
    let of_entry = |entry: Arc<Entry>| {
        let row = OPERATIONS.iter().find(|row| Some(row.route.path) == entry.route && row.route.method == entry.method);
        let faults = match row {
            // A browser without credentials is led away rather than answered.
            Some(_) if entry.status == 302 => Vec::new(),
            // In a session, of which the document says nothing.
            Some(_) if entry.reply.value()["code"] == "CSRF_FAILED" => Vec::new(),
            Some(row) if entry.fault.is_none() && !entry.truncated => faults(row, entry.status, &entry.reply.value()),
            _ => Vec::new(),
        };
        faults.into_iter().map(|fault| format!("{} {}: {fault}", entry.method, entry.path)).collect::<Vec<_>>()
    };
    world.journal().all().into_iter().flat_map(of_entry).collect()
}

#[test]
fn what_is_missing_mistyped_or_unknown_is_noticed() {
    let row = OPERATIONS.iter().find(|row| row.route.path == "/messages/{message_id}/history").expect("it is served");
    let sound = json!({"result": "success", "msg": "", "message_history": []});
    let event = json!({"id": 0, "type": "user_group", "op": "remove", "group_id": 1});
    assert_eq!((faults(row, 200, &sound), event_faults(&event)), (vec![], vec![]));

    for (key, value) in [("msg", json!(1)), ("message_history", json!([{}])), ("more", json!(1))] {
        let mut broken = sound.clone();
        broken[key] = value;
        assert!(!faults(row, 200, &broken).is_empty(), "{broken}");
    }
    for (key, value) in [("id", Value::Null), ("group_id", json!("1")), ("op", json!("no such")), ("more", json!(1))] {
        let mut broken = event.clone();
        broken[key] = value;
        assert!(!event_faults(&broken).is_empty(), "{broken}");
    }
    let refused = json!({"result": "error", "msg": "No", "code": "NO_SUCH_CODE"});
    assert!(!faults(row, 400, &refused).is_empty());
    assert!(!faults(row, 418, &refused).is_empty());
}

/// All operations of a document, by method and path.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let mut found = Vec::new();
    for (path, item) in paths {
        let members = item.as_object().expect("operations").iter();
        found.extend(
            members
                .filter(|(_, one)| one["operationId"].is_string())
                .map(|(method, one)| (format!("{method} {path}"), one)),
        );
    }
    found
}

#[test]
fn the_documents_are_such_as_generators_of_clients_read() {
    for document in [&NEWEST.document, &chatdouble::control::openapi::control_document()] {
        let mut names = std::collections::HashSet::new();
        for (place, operation) in operations(document) {
            let name = operation["operationId"].as_str().expect("a name");
            let is_well_named = name.starts_with(|first: char| first.is_ascii_lowercase());
            let is_well_named = is_well_named && name.chars().all(|one| one.is_ascii_alphabetic());
            assert!(is_well_named && names.insert(name.to_owned()), "{place}: {name}");
            assert!(operation["tags"][0].is_string(), "{place} has no tag");
            assert!(operation["security"].is_array() || document["security"].is_array(), "{place} says not who may");
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert!(parameter["schema"].is_object(), "{place}: {parameter}");
            }
        }
        assert!(names.contains("sendMessage") || names.contains("verifyJournal"), "{names:?}");
    }
    let upload = &NEWEST.document["paths"]["/user_uploads"]["post"]["requestBody"]["content"];
    assert_eq!(upload["multipart/form-data"]["schema"]["properties"]["file"]["format"], "binary");
    let user = &NEWEST.document["paths"]["/users/{user_id}"]["get"]["parameters"][0]["schema"]["anyOf"];
    assert_eq!((user[0]["type"].clone(), user[1]["type"].clone()), (json!("integer"), json!("string")));
    assert_eq!(NEWEST.document["paths"]["/users/{email}"], Value::Null);
}

#[test]
fn numbers_in_paths_are_digits() {
    let mut seen = 0;
    for (place, operation) in operations(&NEWEST.document) {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        for schema in parameters.filter(|one| one["in"] == "path").map(|one| &one["schema"]) {
            seen += 1;
            assert!(schema["type"] != "integer" || schema["minimum"] == 0, "{place}: {schema}");
        }
    }
    assert!(seen > 50, "{seen} placeholders");
}

#[test]
fn refusals_that_had_no_code_need_none_at_their_levels() {
    let refused = json!({"result": "error", "msg": "No"});
    let coded = json!({"result": "error", "msg": "No", "code": "BAD_REQUEST"});
    for (level, uncoded) in
        [(35, vec![404, 405, 429]), (36, vec![404, 405]), (421, vec![404, 405]), (496, vec![404, 405]), (497, vec![])]
    {
        let document = Documented::at(level);
        for status in [400, 401, 404, 405, 429] {
            let faults = |body| document.faults("GET", "/messages/{message_id}", status, body);
            assert_eq!(faults(&coded), Vec::<String>::new(), "{status} at {level}");
            assert_eq!(faults(&refused).is_empty(), uncoded.contains(&status), "{status} at {level}");
        }
        let webhook = document.faults("POST", "/external/{integration}", 404, &refused);
        assert_eq!(webhook.is_empty(), !uncoded.is_empty(), "{webhook:?} at {level}");
    }
}

#[test]
fn refusals_with_another_status_have_it_at_their_levels() {
    let refused = json!({"result": "error", "msg": "No", "code": "USER_DEACTIVATED"});
    for (level, is_documented) in [(75, true), (76, false)] {
        let faults = Documented::at(level).faults("GET", "/users", 403, &refused);
        assert_eq!(faults.is_empty(), is_documented, "{level}: {faults:?}");
    }
}

#[test]
fn a_document_names_its_level() {
    for dialect in [Dialect::neutral(), Dialect::zulip()] {
        for (level, shown) in [(387, 387), (NEWEST_FEATURE_LEVEL, NEWEST_FEATURE_LEVEL), (9_999, NEWEST_FEATURE_LEVEL)]
        {
            let document = openapi::document_at(level, &dialect);
            let info = &document["info"];
            assert_eq!(info["x-feature-level"], shown);
            let description = info["description"].as_str().expect("a text");
            assert!(description.contains(&format!("feature level {shown}")), "{description}");
            assert_eq!(description.contains("newest"), shown == NEWEST_FEATURE_LEVEL, "{description}");
            assert_eq!(description.contains("neutral names"), dialect.is_neutral(), "{description}");
        }
    }
}
