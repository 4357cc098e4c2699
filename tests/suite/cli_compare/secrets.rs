//! No secret is in a result: neither keys of accounts and bots, nor tokens in addresses and parameters.

use super::{Change, compare, deviating, written};
use crate::support::TestServer;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a comparison prints and writes, in one text.
async fn outputs(first: &str, second: &str, name: &str, options: &[&str]) -> (Option<i32>, String) {
    let (as_json, as_text) = (written(&format!("{name}.json"), ""), written(&format!("{name}.txt"), ""));
    let files = [as_json.to_str().expect("text"), as_text.to_str().expect("text")];
    let (status, said, errors) = compare(first, second, &[options, &["--json", files[0]]].concat()).await;
    let (_, counts, _) = compare(first, second, &[options, &["-o", files[1]]].concat()).await;
    let [as_json, as_text] = [as_json, as_text].map(|file| std::fs::read_to_string(file).expect("written"));
    (status, format!("{said}\n{errors}\n{counts}\n{as_json}\n{as_text}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_a_bot_that_one_server_has_are_left_out() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let [mel] = second.users(["mel"]);
    let bot = json!({"full_name": "Helper", "short_name": "helper"});
    let key = mel.post("/bots", bot).await.success()["api_key"].clone();
    let key = key.as_str().expect("a key");
    let (status, said) = outputs(&first.url(), &second.url(), "bot", &["--only", "reads.md", "--read-only"]).await;
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("Helper") && said.contains(r#""api_key":"left-out""#), "{said}");
    assert!(!said.contains(key), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_of_another_type_differs_without_its_value() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let keys = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = keys.clone();
    let change: Change = Arc::new(move |method, path, _, body| {
        if (method, path) == ("POST", "/bots") && body["api_key"].is_string() {
            let key = std::mem::replace(&mut body["api_key"], Value::Null);
            seen.lock().expect("not poisoned").push(key.as_str().expect("text").to_owned());
        }
    });
    let other = deviating(second.url(), change).await;
    let (status, said) = outputs(&first.url(), &other, "null", &["--only", "A bot is made"]).await;
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("    reply.api_key\n    - \"left-out\"\n    + null\n"), "{said}");
    let keys = keys.lock().expect("not poisoned");
    assert!(!keys.is_empty() && keys.iter().all(|key| !said.contains(key)), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_in_texts_parameters_and_events_are_left_out() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let [mel] = first.users(["mel"]);
    let key = mel.credentials().api_key.clone();
    let echoed = key.clone();
    let change: Change = Arc::new(move |_, path, _, body| {
        if path == "/users/me/alert_words" {
            body["note"] = format!("the key is {echoed}").into();
            body["url"] = "/user_uploads/temporary/tokenOfAFile/notes.txt".into();
        }
        if path == "/events"
            && let Some(events) = body.get_mut("events").and_then(Value::as_array_mut)
            && let Some(event) = events.iter_mut().find(|event| event["type"] == "alert_words")
        {
            *event = json!({"type": "news", "id": event["id"], "bot": {"api_key": "keyOfAnEvent"}});
        }
    });
    let other = deviating(second.url(), change).await;
    let probe = "# Own\n\n## Own secrets\n\n```request\nmel: POST /users/me/alert_words\nalert_words: [\"probe\"]\n\
        password: wordOfTheProbe\nservice: {\"token\": \"tokenOfTheProbe\"}\n```\n\
        ```request\nmel: GET /users/me/alert_words\napi_key: keyOfTheProbe\n```\n\
        ```request\nmel: DELETE /users/me/alert_words\nalert_words: [\"probe\"]\n```\n";
    let probe = written("secrets.md", probe);
    let options = ["--only", "Own secrets", "--probes", probe.to_str().expect("text")];
    let (status, said) = outputs(&first.url(), &other, "texts", &options).await;
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("password=left-out") && said.contains("api_key=left-out"), "{said}");
    assert!(said.contains("event news of mel") && said.contains("the key is left-out"), "{said}");
    let secrets = [&key, "tokenOfAFile", "keyOfAnEvent", "wordOfTheProbe", "tokenOfTheProbe", "keyOfTheProbe"];
    assert!(secrets.iter().all(|secret| !said.contains(secret)), "{said}");
}
