//! Probes of the user: what both servers refuse alike is no proof, and equal differences are one.

use super::{Change, compare, deviating, written};
use crate::support::TestServer;
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_path_that_neither_server_knows_is_warned_of() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let probe = written("misspelt.md", "# Own\n\n## Own paths\n\n```request\nmel: GET /user/me\n```\n");
    let name = probe.to_str().expect("text");
    let result = written("misspelt.json", "");
    let warning = format!(
        "warning: {name}:5: neither server knows the path of GET /user/me; the nearest operation is GET /users/me"
    );
    let options = ["--only", "Own paths", "--probes", name, "--json", result.to_str().expect("text")];
    let (status, said, errors) = compare(&first.url(), &second.url(), &options).await;
    assert_eq!((status, errors), (Some(0), format!("{warning}\n")), "{said}");
    assert!(said.contains(&format!("\n{warning}\n")) && !said.contains("agrees  "), "{said}");
    let counts = "0 probes agree, 0 differ in a reply or an event, 1 was not played\n\
                  0 operations agree, 0 differ, 0 were not tried\n";
    assert!(said.ends_with(counts), "{said}");
    let result: Value = serde_json::from_str(&std::fs::read_to_string(result).expect("written")).expect("JSON");
    assert_eq!(result["operations"][0]["result"], "unknown");

    let options = ["--only", "Own paths", "--probes", name, "--fail-on-skip"];
    let (status, said, errors) = compare(&first.url(), &second.url(), &options).await;
    assert_eq!(status, Some(2), "{said}");
    assert!(errors.starts_with(&warning) && errors.ends_with(", which --fail-on-skip does not allow\n"), "{errors}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_misspelt_user_has_the_nearest() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let probe = written("misspelt_user.md", "# Own\n\n## Own users\n\n```request\nmell: GET /users/me\n```\n");
    let options = ["--only", "Own users", "--probes", probe.to_str().expect("text")];
    let (status, said, errors) = compare(&first.url(), &second.url(), &options).await;
    assert_eq!(status, Some(2), "{said}");
    assert!(errors.contains("has no account `mell`; did you mean `mel`?"), "{errors}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_path_that_no_server_knows_is_compared_and_no_operation() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let (status, said, errors) = compare(&first.url(), &second.url(), &["--only", "/no/such/path"]).await;
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    assert!(said.starts_with("first") && !said.contains("agrees     GET /no/such/path"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_both_servers_refuse_is_named() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let probe = "# Own\n\n## Own refusals\n\n```request\nmel: GET /users/999999\n```\n```request\n\
                 mel: GET /users/{{mel.user_id}}\n```\n```request\nmel: GET /streams/999999\n```\n\
                 ```request\nmel: DELETE /server_settings\n```\n";
    let probe = written("refused.md", probe);
    let options = ["--only", "Own refusals", "--probes", probe.to_str().expect("text")];
    let (status, said, errors) = compare(&first.url(), &second.url(), &options).await;
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    for line in [
        "agrees     GET /users/{user_id} (2 requests, both refuse 1: BAD_REQUEST No such user)\n",
        "agrees     GET /streams/{stream_id} (1 request, both refuse: BAD_REQUEST Invalid channel ID)\n",
        "agrees     DELETE /server_settings (1 request, both refuse: BAD_REQUEST Method Not Allowed)\n",
    ] {
        assert!(said.contains(line), "{line}{said}");
    }
    assert_eq!(said.matches("\nagrees  ").count(), 3, "{said}");
    assert!(said.ends_with("\n3 operations agree, 0 differ, 0 were not tried\n"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_differences_of_a_request_are_one_with_their_number() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let twice: Change = Arc::new(|_, path, _, body| {
        if path == "/events"
            && let Some(events) = body.get_mut("events").and_then(Value::as_array_mut)
            && let Some(id) =
                events.iter().find(|event| event["type"] == "alert_words").map(|event| event["id"].clone())
        {
            (0..2).for_each(|_| events.push(json!({"type": "news", "id": id})));
        }
    });
    let other = deviating(second.url(), twice).await;
    let (status, said, _) = compare(&first.url(), &other, &["--only", "Alert words"]).await;
    assert_eq!(status, Some(1), "{said}");
    let group = "    event news of mel (2 times)\n    - absent\n    + {\"type\":\"news\"}\n";
    assert!(said.contains(group) && !said.contains("    event news of mel\n"), "{said}");
}
