//! The OpenAPI documents: of control, and of the API in a dialect's names.

use super::Control;
use crate::support::TestServer;
use jsonschema::Validator;
use serde_json::{Value, json};

/// What a schema of the document says against a value.
fn mistakes(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut schema = schema.clone();
    schema["components"] = document["components"].clone();
    let validator: Validator = jsonschema::validator_for(&schema).expect("a schema");
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[tokio::test]
async fn the_document_of_control_describes_what_control_replies() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let document = control.get("/openapi.json?control=true").await.body;
    control.post("/worlds", json!({"name": "blue", "label": "x"})).await.success();
    control.post("/worlds/blue/snapshots", json!({"name": "s"})).await.success();
    control.fault(json!({"match": {"path": "/users"}, "times": 1, "effect": {"garbage": true}})).await;
    let mel = server.user("mel");
    let _ = mel.events(["message"]).await;
    mel.post("/mobile_push/e2ee/test_notification", json!({})).await.success();
    let mut seen = 0;
    for path in document["paths"].as_object().expect("paths").keys() {
        let schema = &document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        if schema.is_null() || path.ends_with("/watch") {
            continue;
        }
        let asked = path.replace("{name}", "default").replace("/control", "");
        let reply = control.get(&asked).await.with_status(200);
        assert_eq!(mistakes(&document, schema, &reply.body), Vec::<String>::new(), "{path}: {reply}");
        seen += 1;
    }
    assert!(seen >= 12, "{seen} calls");
    let world = "/control/worlds/{name}";
    for (path, asked, body) in [
        ("/control/worlds", "/worlds", json!({"fork_of": "default", "idle_ttl_seconds": "1h"})),
        (&format!("{world}/clock"), "/worlds/default/clock", json!({"advance_seconds": "1m"})),
        (&format!("{world}/journal/verify"), "/worlds/default/journal/verify", json!({"user": "mel"})),
        (&format!("{world}/journal/wait"), "/worlds/default/journal/wait", json!({"user": "mel", "timeout_ms": 1})),
        (&format!("{world}/queues/wait"), "/worlds/default/queues/wait", json!({"user": "mel", "timeout_ms": 1})),
        (&format!("{world}/pushes/wait"), "/worlds/default/pushes/wait", json!({"user": "mel", "timeout_ms": 1})),
        (&format!("{world}/faults"), "/worlds/default/faults", json!({"effect": {"delay_ms": 1}})),
        (&format!("{world}/reset"), "/worlds/default/reset", json!({"keep": ["journal"]})),
    ] {
        let operation = &document["paths"][path]["post"];
        let takes = &operation["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(mistakes(&document, takes, &body), Vec::<String>::new(), "{path}");
        assert_ne!(mistakes(&document, takes, &json!({"no_such_key": 1})), Vec::<String>::new(), "{path}");
        let reply = control.post(asked, body).await.with_status(200);
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        assert_eq!(mistakes(&document, schema, &reply.body), Vec::<String>::new(), "{path}: {reply}");
    }
}

#[tokio::test]
async fn the_document_of_the_api_has_the_names_of_the_dialect() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let neutral = control.get("/openapi.json").await.body.to_string();
    let renamed = control.get("/openapi.json?dialect=zulip").await.body.to_string();
    for (name, other) in [
        ("service_feature_level", "zulip_feature_level"),
        ("service_extra_emoji", "zulip_extra_emoji"),
        ("realm_service_update_announcements_stream_id", "realm_zulip_update_announcements_stream_id"),
        ("/users/me/platform_device_token", "/users/me/apns_device_token"),
    ] {
        let quoted = |name: &str| format!("\"{name}\"");
        assert!(neutral.contains(&quoted(name)) && !neutral.contains(&quoted(other)), "{name}");
        assert!(renamed.contains(&quoted(other)) && !renamed.contains(&quoted(name)), "{other}");
    }
    let old = control.get("/openapi.json?feature_level=247").await.body;
    assert!(old["paths"]["/saved_snippets"].is_null() && !old["paths"]["/messages"]["post"].is_null());
    assert!(neutral.contains("/saved_snippets"));
    control.get("/openapi.json?feature_level=-1").await.refused("feature_level: takes a whole number");
    let zulip = TestServer::start_with(|options| options.dialect = chatdouble::dialect::Dialect::zulip()).await;
    let zulip = Control::of(&zulip);
    assert_eq!(zulip.get("/openapi.json").await.body.to_string(), renamed, "the server's own dialect");
    assert_eq!(zulip.get("/openapi.json?dialect=neutral").await.body.to_string(), neutral);
    control.get("/openapi.json?dialect=klingon").await.refused("dialect: takes neutral or zulip");
    control.get("/openapi.json?control=yes").await.refused("control: takes true or false");
}

/// All schemas within a value, with the place of each.
fn schemas_within<'a>(value: &'a Value, place: String, found: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(keys) => {
            found.push((place.clone(), value));
            keys.iter().for_each(|(key, value)| schemas_within(value, format!("{place}/{key}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| schemas_within(item, format!("{place}/{at}"), found));
        }
        _ => {}
    }
}

#[tokio::test]
async fn the_document_of_control_says_what_generators_of_clients_need() {
    let server = TestServer::start().await;
    let document = Control::of(&server).get("/openapi.json?control=true").await.body;
    let schemas = &document["components"]["schemas"];
    let mut all = Vec::new();
    schemas_within(&document, String::new(), &mut all);
    for (place, schema) in all {
        // Of a choice of types generators make a class without fields.
        let types = schema["type"].as_array().into_iter().flatten().filter(|kind| **kind != "null").count();
        assert!(types <= 1, "{place}: {schema}");
        // Of keys of which only some are known, generators make a map, and lose those.
        assert!(schema["properties"].is_null() || schema["additionalProperties"] != true, "{place}: {schema}");
        let format = schema["format"].as_str();
        assert!(format.is_none_or(|format| ["int32", "int64", "double"].contains(&format)), "{place}: {schema}");
    }
    for name in ["Seconds", "Instant", "Clock"] {
        assert!(schemas[name].get("type").is_none() && schemas[name]["description"].is_string(), "{name}");
    }
    for (name, required) in [
        ("AwaitedRequests", json!(["timeout_ms"])),
        ("AwaitedQueues", json!(["timeout_ms"])),
        ("AwaitedPushes", json!(["timeout_ms"])),
        ("SnapshotName", json!(["name"])),
        ("FaultRule", json!(["effect"])),
        ("Upgrade", json!(["to"])),
    ] {
        assert_eq!(schemas[name]["required"], required, "{name}");
    }
    assert!(
        schemas["Assertion"].get("required").is_none() && schemas["Assertion"]["properties"]["timeout_ms"].is_null()
    );
    for (path, method, is_required) in [
        ("snapshots", "post", true),
        ("upgrade", "post", true),
        ("faults", "post", true),
        ("clock", "post", true),
        ("journal/wait", "post", true),
        ("journal/verify", "post", false),
        ("reset", "post", false),
    ] {
        let body = &document["paths"][format!("/control/worlds/{{name}}/{path}")][method]["requestBody"];
        assert_eq!(body["required"], is_required, "{path}");
    }
    for (schema, part, expected) in [
        ("SnapshotName", "/properties/name/pattern", json!("^[^/]+$")),
        ("FaultRule", "/properties/effect/minProperties", json!(1)),
        ("FaultRule", "/properties/effect/maxProperties", json!(2)),
        // Of a map that may not be null, generators make one that is empty, and is sent.
        ("FaultRule", "/properties/effect/properties/change/type", json!(["object", "null"])),
        ("ClockChange", "/minProperties", json!(1)),
        ("ClockChange", "/maxProperties", json!(2)),
        ("Reset", "/properties/keep/items/enum", json!(["faults", "journal", "report"])),
    ] {
        assert_eq!(schemas[schema].pointer(part), Some(&expected), "{schema}{part}");
    }
    let parameter = |path: &str, method: &str, name: &str| {
        let parameters = document["paths"][path][method]["parameters"].as_array().cloned().unwrap_or_default();
        parameters.into_iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{path} {name}"))["schema"]
            .clone()
    };
    assert_eq!(parameter("/control/worlds", "delete", "prefix")["minLength"], 1);
    assert_eq!(parameter("/control/worlds/{name}/journal", "get", "since")["minimum"], 0);
    assert_eq!(parameter("/control/openapi.json", "get", "dialect")["enum"], json!(["neutral", "zulip"]));
    for methods in document["paths"].as_object().expect("paths").values() {
        for operation in methods.as_object().expect("methods").values() {
            let reply = &operation["responses"]["200"]["content"]["application/json"]["schema"];
            let name = reply["$ref"].as_str().and_then(|name| name.rsplit('/').next());
            assert!(reply["type"] == "object" || name.is_some_and(|name| schemas[name].is_object()), "{operation}");
        }
    }
}

#[tokio::test]
async fn documents_of_older_levels_have_the_parameters_of_their_time() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    for (level, has_policy, has_switch, has_active, is_needed) in [
        (0, false, true, true, true),
        (247, true, true, true, true),
        (299, true, true, true, true),
        (300, true, true, true, false),
        (332, true, true, true, false),
        (333, false, false, true, false),
        (387, false, false, true, false),
        (388, false, false, false, false),
        (chatdouble::api::NEWEST_FEATURE_LEVEL, false, false, false, false),
    ] {
        let document = control.get(&format!("/openapi.json?feature_level={level}")).await.body;
        for (path, method) in [("/users/me/subscriptions", "post"), ("/streams/{stream_id}", "patch")] {
            let content = document["paths"][path][method]["requestBody"]["content"].as_object().expect("a form");
            let form = content.values().next().expect("one")["schema"]["properties"].clone();
            assert_eq!(form["stream_post_policy"].is_object(), has_policy, "{level} {path}");
            assert_eq!(form["is_announcement_only"].is_object(), has_switch, "{level} {path}");
        }
        let query = |path: &str, name: &str| {
            let all = document["paths"][path]["get"]["parameters"].as_array().cloned().unwrap_or_default();
            all.into_iter().find(|one| one["name"] == name)
        };
        assert_eq!(query("/streams", "include_all_active").is_some(), has_active, "{level}");
        for name in ["num_before", "num_after"] {
            let required = query("/messages", name).expect("there is a range")["required"] == true;
            assert_eq!(required, is_needed, "{level} {name}");
        }
    }
}
