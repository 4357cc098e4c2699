//! What of a probe is compared after a reply with another status.

use super::{Change, accounts, compare, comparing, deviating, ended, written};
use crate::support::TestServer;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Answers one request with status 400, and adds a field to the replies to others.
fn refusing(method: &'static str, path: &'static str, changed_paths: &'static [&'static str]) -> Change {
    Arc::new(move |sent_method, sent_path, status, body| {
        if (sent_method, sent_path) == (method, path) {
            *status = 400;
            *body = json!({"result": "error", "msg": "No.", "code": "BAD_REQUEST"});
        } else if sent_method == "GET" && changed_paths.contains(&sent_path) {
            body["extra"] = true.into();
        }
    })
}

fn operations_with(file: &Path, result: &str) -> Vec<String> {
    let record: Value = serde_json::from_str(&std::fs::read_to_string(file).expect("written")).expect("JSON");
    let operations = record["operations"].as_array().expect("a list").iter();
    let operations = operations.filter(|operation| operation["result"] == result);
    operations.map(|operation| operation["operation"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_after_a_read_with_another_status_are_compared() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let file = written("status.json", "");
    let name = file.to_str().expect("text");
    let known = deviating(second.url(), refusing("GET", "/realm/linkifiers", &[])).await;
    let (status, said, errors) = compare(&first.url(), &known, &["--read-only", "--json", name]).await;
    assert_eq!((status, errors.as_str()), (Some(1), ""), "{said}");
    assert_eq!(operations_with(&file, "differs"), ["GET /realm/linkifiers"]);
    assert!(!said.contains("an earlier reply differed"), "{said}");

    let later = &["/scheduled_messages", "/navigation_views", "/users/me/alert_words"];
    let new = deviating(second.url(), refusing("GET", "/realm/linkifiers", later)).await;
    let result = written("status-new.json", "");
    let options = ["--read-only", "--baseline", name, "--json", result.to_str().expect("text")];
    let (status, said, errors) = compare(&first.url(), &new, &options).await;
    assert_eq!((status, errors.as_str()), (Some(1), ""), "{said}");
    let expected =
        ["GET /navigation_views", "GET /realm/linkifiers", "GET /scheduled_messages", "GET /users/me/alert_words"];
    assert_eq!(operations_with(&result, "differs"), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_needs_a_value_of_a_differing_read_is_not_tried() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let probe = "# Own\n\n## Own words\n\n```request\nmel: GET /users/me\n```\n```reply\n\
                 {\"user_id\": \"{{id := int}}\"}\n```\n```request\nmel: GET /users/{{id}}\n```\n\
                 ```request\nmel: GET /users/me/alert_words\n```\n";
    let probe = written("lost.md", probe);
    let other = deviating(
        second.url(),
        Arc::new(|_, path, status, body| {
            // The accounts are read first, which the other replies have to allow.
            if path == "/users/me" && body["delivery_email"] == "mel@chat.test" {
                *status = 202;
            }
        }),
    )
    .await;
    let options = ["--only", "Own words", "--probes", probe.to_str().expect("text")];
    let (status, said, errors) = compare(&first.url(), &other, &options).await;
    assert_eq!((status, errors.as_str()), (Some(1), ""), "{said}");
    assert!(said.contains("agrees     GET /users/me/alert_words ("), "{said}");
    let reason =
        "not tried  GET /users/{user_id}: Own words: the two replies to GET /users/me have different statuses\n";
    assert!(said.contains(reason), "{said}");
    let last_line = "1 request was not tried since an earlier reply differed: Own words: GET /users/me (1)";
    assert_eq!(said.lines().last(), Some(last_line), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_after_a_write_with_another_status_are_counted_and_can_be_a_failure() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let file = written("write.json", "");
    let name = file.to_str().expect("text");
    let other = deviating(second.url(), refusing("POST", "/users/me/alert_words", &[])).await;
    let (status, said, errors) = compare(&first.url(), &other, &["--only", "Alert words", "--json", name]).await;
    assert_eq!((status, errors.as_str()), (Some(1), ""), "{said}");
    let last_line = said.lines().last().unwrap_or_default();
    let cut = " not tried since an earlier reply differed: Alert words: POST /users/me/alert_words (";
    assert!(last_line.contains(cut), "{said}");
    for (options, expected_status) in [(vec![], 0), (vec!["--fail-on-skip"], 2)] {
        let mut command = comparing(&first.url(), &other, accounts());
        command.args(["--only", "Alert words", "--baseline", name]).args(options);
        let (status, said, errors) = ended(command).await;
        assert_eq!(status, Some(expected_status), "{said}{errors}");
        assert_eq!(errors.contains(cut), expected_status == 2, "{errors}");
    }
}
