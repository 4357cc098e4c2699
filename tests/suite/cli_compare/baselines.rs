//! Which differences a baseline has, and which files are none.

use super::{Change, compare, deviating, written};
use crate::support::TestServer;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ONLY: [&str; 2] = ["--only", "Reactions"];

/// Adds a field to the reply to one of the requests that add a reaction, counted from 0.
fn field_at(position: usize) -> Change {
    let count = AtomicUsize::new(0);
    Arc::new(move |method, path, _, body| {
        if method == "POST" && path.ends_with("/reactions") && count.fetch_add(1, Ordering::Relaxed) == position {
            body["extra"] = "more".into();
        }
    })
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

/// Compares with a baseline: the exit status, and the lines of requests that are in the baseline or new.
async fn compared(first: &str, second: &str, baseline: &Path) -> (Option<i32>, Vec<String>) {
    let options = [&ONLY[..], &["--baseline", text(baseline)]].concat();
    let (status, said, errors) = compare(first, second, &options).await;
    let is_counted = |line: &&str| line.ends_with(", in the baseline)") || line.ends_with(", new)");
    let lines: Vec<String> = said.lines().filter(is_counted).map(str::to_owned).collect();
    assert!(!lines.is_empty(), "{said}{errors}");
    (status, lines)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn differences_of_the_baseline_that_are_gone_are_named() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let [file, result] = [written("gone.json", ""), written("gone-result.json", "")];
    let other = deviating(second.url(), field_at(0)).await;
    let (status, said, _) = compare(&first.url(), &other, &[&ONLY[..], &["--json", text(&file)]].concat()).await;
    assert!(status == Some(1) && said.contains("curl"), "{said}");
    // What is known is one line.
    let same = deviating(second.url(), field_at(0)).await;
    let options = [&ONLY[..], &["--baseline", text(&file)]].concat();
    let (status, said, _) = compare(&first.url(), &same, &options).await;
    assert!(status == Some(0) && said.contains(", in the baseline)\n") && !said.contains("curl"), "{said}");

    let options = [&ONLY[..], &["--baseline", text(&file), "--json", text(&result)]].concat();
    let (status, said, errors) = compare(&first.url(), &second.url(), &options).await;
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    let line = said.lines().find(|line| line.starts_with("gone ")).expect("a line");
    let place = line.strip_prefix("gone       POST /messages/{message_id}/reactions (").expect("the operation");
    assert!(place.ends_with(", Reactions): reply.extra"), "{line}");
    let counts = "\n0 requests that differ are in the baseline, 0 are new; 1 difference of the baseline is gone\n";
    assert!(said.ends_with(counts), "{said}");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(&result).expect("written")).expect("JSON");
    assert_eq!(record["gone"], json!([line.trim_start_matches("gone").trim()]));

    // Nothing is known of requests that were not compared.
    let options = ["--only", "Alert words", "--baseline", text(&file)];
    let (status, said, errors) = compare(&first.url(), &second.url(), &options).await;
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    assert!(said.ends_with(", 0 are new\n") && !said.contains("gone"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_request_of_the_probe_and_the_other_server_are_new() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let file = written("places.json", "");
    let other = deviating(second.url(), field_at(0)).await;
    let (status, said, _) = compare(&first.url(), &other, &[&ONLY[..], &["--json", text(&file)]].concat()).await;
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("reply.extra\n    - absent\n    + \"more\"\n"), "{said}");

    let same = deviating(second.url(), field_at(0)).await;
    let (status, lines) = compared(&first.url(), &same, &file).await;
    assert_eq!(status, Some(0), "{lines:?}");
    // The same user again, and another user.
    for position in [1, 2] {
        let elsewhere = deviating(second.url(), field_at(position)).await;
        let (status, lines) = compared(&first.url(), &elsewhere, &file).await;
        assert_eq!(status, Some(1), "request {position}: {lines:?}");
        assert!(lines.iter().all(|line| line.ends_with(", new)")), "request {position}: {lines:?}");
    }
    // Now the second server lacks what the first lacked.
    let reversed = deviating(first.url(), field_at(0)).await;
    let (status, lines) = compared(&reversed, &second.url(), &file).await;
    assert_eq!(status, Some(1), "{lines:?}");
    assert!(lines.iter().all(|line| line.ends_with(", new)")), "{lines:?}");
}

/// Adds items to the list of alert words that `GET /users/me/alert_words` sends.
fn alert_words(items: Value) -> Change {
    Arc::new(move |method, path, _, body| {
        if method == "GET" && path.ends_with("/alert_words") {
            let list = body["alert_words"].as_array_mut().expect("a list");
            list.extend(items.as_array().expect("a list").iter().cloned());
        }
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn further_items_of_a_list_and_items_of_another_type_are_new() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let file = written("items.json", "");
    let only = ["--only", "GET /users/me/alert_words", "--read-only"];
    let known = deviating(second.url(), alert_words(json!(["x"]))).await;
    let (status, said, _) = compare(&first.url(), &known, &[&only[..], &["--json", text(&file)]].concat()).await;
    assert_eq!(status, Some(1), "{said}");
    let cases = [
        (json!(["x"]), Some(0)),
        (json!(["other"]), Some(0)),
        (json!(["x", "y"]), Some(1)),
        (json!([7]), Some(1)),
        (json!([null]), Some(1)),
    ];
    for (items, expected) in cases {
        let changed = deviating(second.url(), alert_words(items.clone())).await;
        let options = [&only[..], &["--baseline", text(&file)]].concat();
        let (status, said, _) = compare(&first.url(), &changed, &options).await;
        assert_eq!(status, expected, "{items}: {said}");
    }
}

/// A report of `exec` in a file of this name.
fn report(name: &str) -> PathBuf {
    let file = written(name, "");
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(["exec", "--report", text(&file), "--", "true"]).env_clear();
    let output = command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    file
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_of_another_kind_is_named_with_the_one_that_is_wanted() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let (as_json, as_text) = (written("kind.json", ""), written("kind.txt", ""));
    let options = [&ONLY[..], &["--json", text(&as_json), "-o", text(&as_text)]].concat();
    assert_eq!(compare(&first.url(), &second.url(), &options).await.0, Some(0));
    let wanted = "--baseline takes the result of an earlier comparison in JSON, as --json writes it\n";
    let reports = [("json", "in JSON"), ("xml", "as test results"), ("sarif", "in SARIF")];
    let mut others: Vec<(PathBuf, String)> = reports
        .map(|(end, form)| {
            let is = format!("is a report on clients {form}, as exec --report FILE.{end} writes it");
            (report(&format!("kind-report.{end}")), is)
        })
        .into();
    others.push((as_text, "is the result of a comparison as text, as compare -o writes it".to_owned()));
    others.push((written("kind-other.json", "{}"), "$: `servers` is missing".to_owned()));
    for (file, is) in &others {
        let (status, _, errors) = compare(&first.url(), &second.url(), &["--baseline", text(file)]).await;
        assert_eq!((status, errors), (Some(2), format!("error: {}: {is}; {wanted}", file.display())));
    }

    let mut result: Value = serde_json::from_str(&std::fs::read_to_string(&as_json).expect("there")).expect("JSON");
    result["operations"][0].as_object_mut().expect("an object").shift_remove("result");
    let former = written("kind-former.json", &result.to_string());
    let (status, _, errors) = compare(&first.url(), &second.url(), &["--baseline", text(&former)]).await;
    let remedy = "$.operations[0]: `result` is missing; write the file again with --json, as this version does";
    assert_eq!((status, errors), (Some(2), format!("error: {}: {remedy}\n", former.display())));

    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(["exec", "--report", "-", "--report-baseline", text(&as_json), "--", "true"]).env_clear();
    let output = command.output().expect("it starts");
    let is = "is the result of a comparison in JSON, as compare --json writes it";
    let wanted = "--report-baseline takes a report in JSON, as --report FILE.json writes it";
    let expected = format!("error: {}: {is}; {wanted}\n", as_json.display());
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), expected.as_str()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_earlier_probes_used_agrees_with_a_fresh_one() {
    let [used, fresh] = [TestServer::start().await, TestServer::start().await];
    let adam = used.user("adam");
    for name in ["One", "Two"] {
        let field = json!({"name": name, "field_type": 1});
        let id = adam.post("/realm/profile_fields", field).await.success()["id"].clone();
        adam.delete(&format!("/realm/profile_fields/{id}"), json!({})).await.success();
    }
    let (status, said, errors) = compare(&used.url(), &fresh.url(), &["--only", "Profile fields"]).await;
    assert_eq!(status, Some(0), "{said}{errors}");
}
