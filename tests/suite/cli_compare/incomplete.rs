//! What is left of a comparison that a lost reply, a server that is gone or the user ends.

use super::cleanup::signal;
use super::{Change, accounts, compare, comparing, deviating, ended, written};
use crate::support::TestServer;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

fn record(file: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).expect("written")).expect("JSON")
}

fn results<'a>(record: &'a Value, result: &str) -> Vec<&'a str> {
    let operations = record["operations"].as_array().expect("a list").iter();
    let operations = operations.filter(|operation| operation["result"] == result);
    operations.map(|operation| operation["operation"].as_str().expect("a name")).collect()
}

async fn fault(server: &TestServer, rule: Value) {
    let faults = "/control/worlds/default/faults";
    server.request("POST", faults, &[("host", "localhost")], &rule.to_string()).await.success();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_reply_to_a_read_ends_its_probe_and_no_other() {
    for (effect, what) in [
        (json!({"drop": "before"}), "the connection ended without a reply"),
        (json!({"truncate_at": 10}), "the reply broke off after 10 bytes"),
    ] {
        let [first, second] = [TestServer::start().await, TestServer::start().await];
        let path = "/realm/linkifiers";
        fault(&second, json!({"match": {"path": path, "method": "GET"}, "times": 1, "effect": effect})).await;
        let (as_json, as_text) = (written("lost.json", ""), written("lost.txt", ""));
        let mut command = comparing(&first.url(), &second.url(), accounts());
        command.args(["--read-only", "--json"]).arg(&as_json).arg("-o").arg(&as_text);
        let (status, said, errors) = ended(command).await;
        assert_eq!(status, Some(2), "{said}{errors}");
        let lost = "1 request was not compared for want of a reply: ";
        assert!(said.contains(&format!("\n{lost}")) && said.contains(", 1 failed, "), "{said}");
        assert!(errors.starts_with(&format!("error: {lost}")) && errors.contains(what), "{errors}");
        let text = std::fs::read_to_string(&as_text).expect("written");
        assert!(text.contains(lost) && text.contains("agrees     GET /users/me ("), "{text}");
        let record = record(&as_json);
        assert_eq!((&record["incomplete"], &record["probes"]["failed"]), (&Value::Null, &json!(1)));
        assert!(record["lost"][0].as_str().is_some_and(|lost| lost.contains(what)), "{}", record["lost"]);
        assert!(results(&record, "agrees").len() > 5, "{record}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_write_may_have_made_whose_reply_was_lost_is_listed_and_the_files_are_written() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let pattern = json!({"path": "/saved_snippets", "method": "POST"});
    fault(&second, json!({"match": pattern, "times": 1, "effect": {"drop": "after"}})).await;
    let [as_json, as_text] = [written("made.json", ""), written("made.txt", "")];
    let mut command = comparing(&first.url(), &second.url(), accounts());
    command.args(["--only", "POST /saved_snippets", "--json"]).arg(&as_json).arg("-o").arg(&as_text);
    let (status, said, errors) = ended(command).await;
    assert_eq!(status, Some(2), "{said}{errors}");
    let made = format!("what POST /saved_snippets made on {} (perhaps: the reply was lost)", second.url());
    assert!(errors.starts_with(&format!("left behind: {made}; ")), "{errors}");
    let text = std::fs::read_to_string(&as_text).expect("written");
    assert!(text.contains(&format!("left       {made}")) && text.contains("incomplete: ended after "), "{text}");
    assert!(record(&as_json)["incomplete"].is_string());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_write_made_is_listed_if_its_reply_does_not_identify_it() {
    for effect in [json!({"change": {"id": "12"}}), json!({"change": {"id": null}}), json!({"garbage": true})] {
        let [first, second] = [TestServer::start().await, TestServer::start().await];
        fault(&second, json!({"match": {"path": "/messages", "method": "POST"}, "effect": effect})).await;
        let (status, said, errors) = compare(&first.url(), &second.url(), &["--only", "Reactions"]).await;
        assert_eq!(status, Some(1), "{said}{errors}");
        let made = format!("what POST /messages made on {} (the reply does not identify it); ", second.url());
        assert!(errors.starts_with(&format!("left behind: {made}")), "{effect}: {errors}");
        assert!(said.contains(&format!("left       {made}")), "{effect}: {said}");
        assert!(!said.contains(&format!("made on {}", first.url())), "{effect}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_compared_before_a_server_is_gone_is_written() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let is_gone = AtomicBool::new(false);
    let change: Change = Arc::new(move |method, path, _, _| {
        is_gone.fetch_or((method, path) == ("GET", "/realm/linkifiers"), Ordering::Relaxed);
        assert!(!is_gone.load(Ordering::Relaxed), "the connection ends");
    });
    let other = deviating(second.url(), change).await;
    let file = written("gone.json", "");
    let options = ["--read-only", "--json", file.to_str().expect("text")];
    let (status, said, errors) = compare(&first.url(), &other, &options).await;
    assert_eq!(status, Some(2), "{said}{errors}");
    let reason = format!("GET {other}/api/v1/realm/linkifiers: the connection ended without a reply");
    assert!(errors.starts_with(&format!("error: {reason}")), "{errors}");
    let incomplete = said.lines().find(|line| line.starts_with("incomplete: ended after ")).unwrap_or_default();
    assert!(incomplete.contains(&reason), "{said}");
    assert!(said.contains("the comparison ended before ("), "{said}");
    let record = record(&file);
    assert!(record["incomplete"].as_str().is_some_and(|text| text.contains(&reason)), "{}", record["incomplete"]);
    assert!(!results(&record, "agrees").is_empty(), "{record}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_incomplete_result_is_a_baseline_with_a_warning() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let rule = json!({"match": {"path": "/users/me/alert_words", "method": "POST"}, "effect": {"drop": "before"}});
    fault(&second, rule).await;
    let change: Change = Arc::new(|method, path, _, body| {
        if (method, path) == ("GET", "/drafts") {
            body["extra"] = true.into();
        }
    });
    let other = deviating(second.url(), change).await;
    let file = written("part.json", "");
    let name = file.to_str().expect("text");
    let (status, _, errors) = compare(&first.url(), &second.url(), &["--json", name, "--only", "personal.md"]).await;
    assert_eq!(status, Some(2), "{errors}");
    assert!(errors.contains("error: POST ") && record(&file)["incomplete"].is_string(), "{errors}");

    let (status, said, errors) = compare(&first.url(), &other, &["--baseline", name, "--only", "/drafts"]).await;
    let warning = "is the result of an incomplete comparison: differences that it did not come to count as new\n";
    assert_eq!((status, errors), (Some(1), format!("warning: {name} {warning}")), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_compared_before_an_interruption_is_written() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let process: Arc<Mutex<Option<u32>>> = Arc::default();
    let id = process.clone();
    let change: Change = Arc::new(move |method, path, _, _| {
        if (method, path) == ("GET", "/realm/linkifiers")
            && let Some(id) = id.lock().expect("not poisoned").take()
        {
            signal(id);
        }
    });
    let other = deviating(second.url(), change).await;
    let file = written("interrupted.json", "");
    let mut command = comparing(&first.url(), &other, accounts());
    command.args(["--read-only", "--json"]).arg(&file).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    *process.lock().expect("not poisoned") = Some(child.id());
    let output = tokio::task::spawn_blocking(move || child.wait_with_output()).await.expect("it ends");
    let output = output.expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("\nincomplete: ended after ") && said.contains(" probes: interrupted\n"), "{said}");
    assert!(record(&file)["incomplete"].as_str().is_some_and(|text| text.ends_with(": interrupted")), "{said}");
}
