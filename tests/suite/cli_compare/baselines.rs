//! Which differences a baseline has.

use super::{Change, compare, deviating, written};
use crate::support::TestServer;
use std::path::Path;
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
