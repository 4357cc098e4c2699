//! Which probes `--only` selects.

use super::{Change, compare, deviating, written};
use crate::support::TestServer;
use std::sync::Arc;

fn agreeing(said: &str) -> Vec<&str> {
    said.lines().filter_map(|line| line.strip_prefix("agrees     ")?.rsplit_once(" (")).map(|(name, _)| name).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operation_selects_the_probes_with_a_request_for_it() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let change: Change = Arc::new(|method, path, _, body| {
        if method == "POST" && path.ends_with("/reactions") && body["result"] == "success" {
            body["extra"] = true.into();
        }
    });
    let other = deviating(second.url(), change).await;
    for only in ["POST /messages/{message_id}/reactions", "POST /messages/{id}/reactions", "post /messages/1/reactions"]
    {
        let (status, said, errors) = compare(&first.url(), &other, &["--only", only]).await;
        assert_eq!((status, errors.as_str()), (Some(1), ""), "{only}: {said}");
        assert!(said.contains("differs    POST /messages/{message_id}/reactions ("), "{only}: {said}");
    }
    for only in ["GET /users/{user_id}", "PATCH /messages/{message_id}", "DELETE /messages/{message_id}/reactions"] {
        let (status, said, errors) = compare(&first.url(), &second.url(), &["--only", only]).await;
        assert_eq!((status, errors.as_str()), (Some(0), ""), "{only}: {said}");
        assert!(agreeing(&said).contains(&only), "{only}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_of_several_patterns_selects_probes() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let probe = "# Own\n\n## One\n\n```request\nmel: GET /users/{{max.email}}\n```\n\n\
                 ## Two\n\n```request\nmel: GET /users/{{max.user_id}}\n```\n\n\
                 ## Three\n\n```request\nmel: GET /users/me\n```\n";
    let probe = written("several.md", probe);
    let own = ["--probes", probe.to_str().expect("text"), "--read-only"];
    let options = [&own[..], &["--only", "GET /users/{email}", "--only", "## three"]].concat();
    let (status, said, errors) = compare(&first.url(), &second.url(), &options).await;
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    for operation in ["GET /users/me", "GET /users/{email}"] {
        assert!(agreeing(&said).contains(&operation), "{operation}: {said}");
    }
    // The built-in probe "One of each" has the operation too.
    assert!(said.contains("3 probes agree, "), "{said}");

    let options = ["--only", "GET /users/me", "--only", "nixda"];
    let (status, _, errors) = compare(&first.url(), &second.url(), &options).await;
    assert_eq!(status, Some(2), "{errors}");
    assert!(errors.starts_with("error: --only `nixda` fits no probe; "), "{errors}");
    for (pattern, nearest) in [
        ("POST /messages/{message_id}/reaction", "POST /messages/{message_id}/reactions"),
        ("post /message", "POST /messages"),
    ] {
        let (status, _, errors) = compare(&first.url(), &second.url(), &["--only", pattern]).await;
        let expected =
            format!("error: --only: there is no operation `{pattern}`; the nearest operation is {nearest}\n");
        assert_eq!((status, errors), (Some(2), expected));
    }
}
