//! Under the dialect `zulip` nothing keeps a neutral name: values, sites of accounts, names in refusals and in the document.

use crate::support::TestServer;
use chatdouble::dialect::Dialect;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Words that the neutral names have and the vendor's do not.
const NEUTRAL: &[&str] = &[
    "service",
    "service_extra_emoji",
    "service_feature_level",
    "service_version",
    "service_merge_base",
    "modern",
    "classic",
    "outline",
    "code_host",
    "microblog",
    "code_host_a",
    "code_host_b",
    "cloud_identity",
    "device_vendor",
    "search_vendor",
    "chat_vendor",
    "service_update_announcements_stream_id",
    "platform_device_token",
    "realm_service_update_announcements_stream_id",
    "service_plan_is_not_limited",
];

async fn start() -> TestServer {
    TestServer::start_with(|options| options.dialect = Dialect::zulip()).await
}

/// Keys and short texts of a reply.
fn words(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| words(item, found)),
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            found.insert(key.clone());
            words(value, found);
        }),
        Value::String(text) => _ = found.insert(text.clone()),
        _ => {}
    }
}

#[tokio::test]
async fn a_register_reply_has_the_vendor_s_values_alone() {
    let server = start().await;
    let mel = server.user("mel");

    let state = mel.post("/register", json!({})).await.success();

    let mut found = BTreeSet::new();
    words(&state, &mut found);
    let neutral: Vec<_> = NEUTRAL.iter().filter(|word| found.contains(**word)).collect();
    assert_eq!(neutral, Vec::<&&str>::new());
    let settings = &state["user_settings"];
    assert_eq!((&settings["emojiset"], &settings["notification_sound"]), (&json!("google"), &json!("zulip")));
    let sets = json!([
        {"key": "google", "text": "Google"}, {"key": "google-blob", "text": "Google blobs"},
        {"key": "twitter", "text": "Twitter"}, {"key": "text", "text": "Plain text"},
    ]);
    assert_eq!(settings["emojiset_choices"], sets);
    let sounds = settings["available_notification_sounds"].as_array().expect("a list");
    assert!(sounds.contains(&json!("zulip")) && sounds.contains(&json!("deep tom")), "{sounds:?}");
    let sites = state["realm_default_external_accounts"].as_object().expect("an object");
    assert_eq!(sites.keys().collect::<Vec<_>>(), ["twitter", "github"]);
    assert_eq!(sites["github"]["url_pattern"], "https://github.com/%(username)s");
}

#[tokio::test]
async fn values_are_taken_and_sent_as_the_vendor_has_them() {
    let server = start().await;
    let [mel, adam] = server.users(["mel", "adam"]);
    let mut at_mel = mel.events(["user_settings"]).await;

    for (name, value) in [("emojiset", "twitter"), ("notification_sound", "bink"), ("notification_sound", "zulip")] {
        mel.patch("/settings", json!({name: value})).await.success();
        at_mel.next().await.has(json!({"op": "update", "property": name, "value": value}));
    }
    let refused = mel.patch("/settings", json!({"notification_sound": "gong"})).await;
    refused.error("BAD_REQUEST", "Invalid notification sound 'gong'");
    mel.patch("/settings", json!({"notification_sound": "none"})).await.success();

    let data = json!({"subtype": "twitter"});
    adam.post("/realm/profile_fields", json!({"field_type": 7, "field_data": data})).await.success();
    let fields = adam.get("/realm/profile_fields", json!({})).await.success()["custom_fields"].clone();
    let is_made = |field: &&Value| field["field_data"].as_str() == Some(r#"{"subtype":"twitter"}"#);
    assert!(fields.as_array().into_iter().flatten().any(|field| is_made(&field)), "{fields}");
}

#[tokio::test]
async fn refusals_name_parameters_as_they_are_on_the_wire() {
    let server = start().await;
    let [olive, mel] = server.users(["olive", "mel"]);

    let name = "zulip_update_announcements_stream_id";
    let refused = olive.patch("/realm", json!({name: "x"})).await;
    let body = refused.body.to_string();
    assert!(refused.status == 400 && body.contains(name) && !body.contains("service_"), "{refused}");
    let reply = mel.get("/users/me", json!({"google": 1, "zulip_version": 2})).await.success();
    assert_eq!(reply["ignored_parameters_unsupported"], json!(["google", "zulip_version"]));
}

#[test]
fn the_document_in_the_dialect_has_no_neutral_name() {
    fn enumerated(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| enumerated(item, found)),
            Value::Object(object) => object.iter().for_each(|(key, value)| match (key.as_str(), value) {
                ("enum", list) => words(list, found),
                ("const", Value::String(text)) => _ = found.insert(text.clone()),
                ("properties", Value::Object(members)) => {
                    found.extend(members.keys().cloned());
                    members.values().for_each(|member| enumerated(member, found));
                }
                ("name", Value::String(name)) if object.contains_key("in") => _ = found.insert(name.clone()),
                ("required", list) => words(list, found),
                (_, value) => enumerated(value, found),
            }),
            _ => {}
        }
    }
    let document = chatdouble::openapi::document(&Dialect::zulip());

    let mut found = BTreeSet::new();
    enumerated(&document, &mut found);

    let neutral: Vec<_> = NEUTRAL.iter().filter(|word| found.contains(**word)).collect();
    assert_eq!(neutral, Vec::<&&str>::new());
    for name in ["zulip_feature_level", "google-blob", "zulip_extra_emoji"] {
        assert!(found.contains(name), "{name}");
    }
    assert!(document["paths"]["/users/me/apns_device_token"].is_object());
    let program = env!("CARGO_BIN_EXE_chatdouble");
    let printed =
        std::process::Command::new(program).args(["openapi", "--dialect", "zulip"]).output().expect("it runs");
    assert_eq!(serde_json::from_slice::<Value>(&printed.stdout).expect("JSON"), document);
}
