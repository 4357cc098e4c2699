//! Null, in a body of control, is as if the key were left out.

use super::Control;
use crate::support::TestServer;
use serde_json::{Map, Value, json};

/// A body that each call takes, without its optional keys.
const BODIES: &[(&str, &str, &str)] = &[
    ("/worlds", "post", "{}"),
    ("/worlds/{name}/reset", "post", "{}"),
    ("/worlds/{name}/upgrade", "post", r#"{"to": 100000}"#),
    ("/worlds/{name}/snapshots", "post", r#"{"name": "s"}"#),
    ("/worlds/{name}/clock", "post", r#"{"to_next": true, "wait_for_clients_ms": 0}"#),
    ("/worlds/{name}/faults", "post", r#"{"effect": {"drop": "after"}}"#),
    ("/worlds/{name}/journal/verify", "post", r#"{"at_least": 0}"#),
    ("/worlds/{name}/journal/wait", "post", r#"{"at_least": 0, "timeout_ms": 1}"#),
    ("/worlds/{name}/network", "post", r#"{"loss": 0}"#),
    ("/worlds/{name}/previews", "post", "{}"),
    ("/worlds/{name}/rate_limit", "post", r#"{"requests": 1000000, "seconds": 1}"#),
    ("/worlds/{name}/queues/wait", "post", r#"{"timeout_ms": 1}"#),
    ("/worlds/{name}/pushes/wait", "post", r#"{"at_least": 0, "timeout_ms": 1}"#),
    ("/worlds/{name}/invites/{key}/accept", "post", r#"{"email": "n@example.com", "full_name": "N"}"#),
];

#[tokio::test]
async fn null_is_as_if_a_key_were_left_out() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let document = control.get("/openapi.json?control=true").await.body;
    let mut keys = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) else { continue };
            let path = path.strip_prefix("/control").expect("control's");
            let body = BODIES.iter().find(|(on, by, _)| (*on, *by) == (path, method));
            let body: Map<String, Value> =
                serde_json::from_str(body.unwrap_or_else(|| panic!("{path}")).2).expect("JSON");
            let schema = &document["components"]["schemas"][name];
            // A reset ends queues, and faults drop what is asked.
            control.delete("/worlds/default/faults").await.success();
            server.user("mel").events(["message"]).await;
            for key in schema["properties"].as_object().expect("properties").keys() {
                if schema["required"].as_array().is_some_and(|required| required.contains(&json!(key)))
                    || body.contains_key(key)
                {
                    continue;
                }
                let mut body = body.clone();
                body.insert(key.clone(), Value::Null);
                let asked = path.replace("{name}", "default").replace("{key}", "everlastinglinkkeyaaaaaa");
                let reply =
                    control.send(&method.to_uppercase(), &asked, Value::from(body).to_string().into_bytes()).await;
                assert_eq!(reply.status, 200, "{method} {path}: {key}: {reply}");
                keys += 1;
            }
        }
    }
    assert!(keys >= 40, "{keys} keys");
}

#[tokio::test]
async fn null_within_a_fault_is_left_out_of_the_rule_too() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let rule = json!({"match": {"method": null, "path": "/messages", "params": null}, "times": null,
        "effect": {"drop": "after", "retries": null, "garbage": null}});

    control.fault(rule).await;

    let faults = control.get("/worlds/default/faults").await.success()["faults"].clone();
    assert_eq!(faults[0]["match"], json!({"path": "/messages"}));
    assert_eq!(faults[0]["effect"], json!({"drop": "after"}));
    assert!(faults[0].get("times").is_none(), "{faults}");
}
