//! `chatdouble compare`: nothing between servers that are alike, and each planted deviation.

mod baselines;
mod cleanup;
mod failures;
mod incomplete;
mod later_requests;
mod own_probes;
mod result_files;
mod secrets;
mod selection;

use crate::support::TestServer;
use bytes::Bytes;
use chatdouble::{Options, Server};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

/// What happens to a reply on its way: status and body, by method and path.
type Change = Arc<dyn Fn(&str, &str, &mut u16, &mut Value) + Send + Sync>;

/// The URL of a server that passes requests on to another, and changes replies.
async fn deviating(upstream: String, change: Change) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let client: Client<HttpConnector, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    tokio::spawn(async move {
        loop {
            let Ok((stream, _)) = listener.accept().await else { return };
            let (client, upstream, change) = (client.clone(), upstream.clone(), change.clone());
            tokio::spawn(async move {
                let service = service_fn(move |request: http::Request<Incoming>| {
                    let (client, upstream, change) = (client.clone(), upstream.clone(), change.clone());
                    async move { Ok::<_, std::convert::Infallible>(pass(client, &upstream, &change, request).await) }
                });
                let _ =
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    url
}

async fn pass(
    client: Client<HttpConnector, Full<Bytes>>,
    upstream: &str,
    change: &Change,
    request: http::Request<Incoming>,
) -> http::Response<Full<Bytes>> {
    let (mut head, body) = request.into_parts();
    let (method, path) = (head.method.to_string(), head.uri.path().trim_start_matches("/api/v1").to_owned());
    head.uri = format!("{upstream}{}", head.uri.path_and_query().expect("a path")).parse().expect("a URL");
    head.headers.remove("host");
    // Replies are read to be changed.
    head.headers.remove("accept-encoding");
    let body = body.collect().await.expect("a body").to_bytes();
    let reply = client.request(http::Request::from_parts(head, Full::new(body))).await.expect("a reply");
    let (mut head, body) = reply.into_parts();
    let bytes = body.collect().await.expect("a body").to_bytes();
    let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) else {
        return http::Response::from_parts(head, Full::new(bytes));
    };
    let mut status = head.status.as_u16();
    change(&method, &path, &mut status, &mut value);
    head.status = http::StatusCode::from_u16(status).expect("a status");
    head.headers.remove("content-length");
    http::Response::from_parts(head, Full::new(Bytes::from(value.to_string())))
}

/// Roles in a file of accounts, with the handle of the account on a double.
const ACCOUNTS: [(&str, &str); 6] =
    [("owner", "olive"), ("admin", "adam"), ("moderator", "mona"), ("member", "mel"), ("max", "max"), ("guest", "gus")];

fn accounts() -> &'static Path {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    FILE.get_or_init(|| {
        let account = |(role, handle): (&str, &str)| (role.to_owned(), json!({"email": format!("{handle}@chat.test")}));
        let accounts: serde_json::Map<String, Value> = ACCOUNTS.into_iter().map(account).collect();
        written("accounts.json", &Value::Object(accounts).to_string())
    })
}

/// A file with this text.
fn written(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-compare-{name}", std::process::id()));
    std::fs::write(&path, text).expect("written");
    path
}

/// The program, about to compare two servers.
fn comparing(first: &str, second: &str, accounts: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(["compare", first, second, "--accounts"]).arg(accounts).env_clear();
    command
}

/// The exit status of a command, its standard output and its standard error.
async fn ended(mut command: Command) -> (Option<i32>, String, String) {
    let output = tokio::task::spawn_blocking(move || command.output().expect("it runs")).await.expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Compares two servers: the exit status, standard output and standard error.
async fn compare(first: &str, second: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let mut command = comparing(first, second, accounts());
    command.args(options);
    ended(command).await
}

async fn at_level(feature_level: i64) -> Server {
    Server::start_with(Options { feature_level, ..Options::default() }).await.expect("it starts")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_doubles_at_one_level_agree() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let (status, said, errors) = compare(&first.url(), &second.url(), &[]).await;
    assert_eq!(status, Some(0), "{said}\n{errors}");
    assert!(said.contains("agrees     POST /messages ("), "{said}");
    assert!(said.contains("agrees     GET /messages/{message_id} ("), "{said}");
    assert!(said.contains("not tried  "), "{said}");
    assert!(said.contains(" probes agree, 0 differ in a reply or an event, 0 were not played\n"), "{said}");
    assert!(said.contains(" operations agree, 0 differ, "), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_of_single_objects_are_played_where_nothing_may_change() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let other_channel: Change = Arc::new(|_, path, status, body| {
        if path == "/get_stream_id" && *status == 200 {
            body["stream_id"] = json!(2);
        }
    });
    let second = deviating(second.url(), other_channel).await;
    let (status, said, errors) = compare(&first.url(), &second, &["--read-only"]).await;
    assert_eq!((status, errors.as_str()), (Some(1), ""), "{said}");
    assert!(said.contains("differs    GET /get_stream_id (1 of 3 requests)"), "{said}");
    for operation in ["GET /messages/{message_id}/history", "GET /users/{user_id}", "GET /streams/{stream_id}/members"]
    {
        assert!(said.contains(&format!("agrees     {operation} (")), "{operation}\n{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operation_that_neither_server_has_at_its_level_is_not_tried() {
    let [first, second] = [at_level(387).await, at_level(387).await];
    let (status, said, errors) = compare(first.url(), second.url(), &["--read-only"]).await;
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    for (operation, level) in [("GET /channel_folders", 389), ("GET /navigation_views", 390)] {
        let line = said.lines().find(|line| line.starts_with(&format!("not tried  {operation}: ")));
        let reason = format!("Lists: needs feature level {level}; one of the servers has 387");
        assert!(line.is_some_and(|line| line.contains(&reason)), "{operation}\n{said}");
    }
    let newer = at_level(389).await;
    let (status, said, errors) = compare(first.url(), newer.url(), &["--only", "Lists"]).await;
    assert_eq!((status, errors.as_str()), (Some(1), ""), "{said}");
    assert!(said.contains("differs    GET /channel_folders (1 of 1 request)"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_reads_are_played_where_nothing_may_change() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let file = written("read-only.json", "");
    let options = ["--read-only", "--json", file.to_str().expect("text")];
    let (status, said, errors) = compare(&first.url(), &second.url(), &options).await;
    assert_eq!(status, Some(0), "{said}\n{errors}");
    let journal = first.request("GET", "/control/worlds/default/journal", &[], "").await.success();
    let entries = journal["entries"].as_array().expect("a list");
    assert!(entries.len() > 50, "{} requests", entries.len());
    assert!(
        entries.iter().all(|entry| entry["method"] == "GET" || entry["path"] == "/dev_fetch_api_key"),
        "{entries:?}"
    );
    let result: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("written")).expect("JSON");
    let operations = result["operations"].as_array().expect("a list");
    let untried: Vec<&Value> = operations.iter().filter(|operation| operation["result"] == "not tried").collect();
    let count = |reason: &str| {
        let has_reason =
            |operation: &&&Value| operation["not_tried"][0].as_str().is_some_and(|it| it.ends_with(reason));
        untried.iter().filter(has_reason).count()
    };
    let (changing, unprobed) = (count("changes something, and only reads are played"), count("no probe has it"));
    assert!(changing > 50 && unprobed > 10 && changing + unprobed == untried.len(), "{untried:?}");
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("not tried  ")).collect();
    let total = untried.len();
    let line = format!(
        "not tried  {total} operations: changes something, and only reads are played ({changing}), \
         no probe has it ({unprobed}); --json FILE lists them"
    );
    assert_eq!(lines, [line], "{said}");
    assert!(said.contains(&format!(" operations agree, 0 differ, {total} were not tried\n")), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn levels_differ_by_rows_of_the_table() {
    let [older, newer] = [at_level(247).await, at_level(387).await];
    let (status, said, errors) = compare(older.url(), newer.url(), &["--only", "messages.md"]).await;
    assert_eq!(status, Some(1), "{said}\n{errors}");
    assert!(said.contains("differs    GET /messages ("), "{said}");
    assert!(said.contains("\n    level "), "rows of the table follow\n{said}");
    let (status, said, _) = compare(at_level(387).await.url(), newer.url(), &["--only", "Reactions"]).await;
    assert_eq!(status, Some(0), "{said}");
}

/// A deviation: what it is called, the operation that it is found at, and what it does.
type Deviation = (&'static str, &'static str, fn(&str, &str, &mut u16, &mut Value));

fn each_event(path: &str, body: &mut Value, kind: &str, change: impl Fn(&mut Value)) {
    if path == "/events" {
        for event in body
            .get_mut("events")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
            .filter(|event| event["type"] == kind)
        {
            change(event);
        }
    }
}

const DEVIATIONS: &[Deviation] = &[
    ("another code", "POST /messages/{message_id}/reactions", |method, path, _, body| {
        if method == "POST" && path.ends_with("/reactions") && body["result"] == "error" {
            body["code"] = "BAD_REQUEST".into();
        }
    }),
    ("another status", "DELETE /messages/{message_id}/reactions", |method, path, status, body| {
        if method == "DELETE" && path.ends_with("/reactions") && body["result"] == "error" {
            *status = 404;
        }
    }),
    ("another message", "POST /typing", |_, path, _, body| {
        if path == "/typing" && body["result"] == "error" {
            body["msg"] = "No.".into();
        }
    }),
    ("a missing field", "GET /users/{user_id_or_email}/presence", |_, path, _, body| {
        if path.ends_with("/presence") && path != "/realm/presence" && path != "/users/me/presence" {
            body["presence"].as_object_mut().map(|presence| presence.shift_remove("aggregated"));
        }
    }),
    ("a further field", "GET /drafts", |method, path, _, body| {
        if (method, path) == ("GET", "/drafts") {
            body["total"] = 1.into();
        }
    }),
    ("a type", "GET /saved_snippets", |_, path, _, body| {
        if path == "/saved_snippets" && body.pointer("/saved_snippets/0").is_some() {
            body["saved_snippets"][0]["title"] = 5.into();
        }
    }),
    ("null for a value", "GET /realm/linkifiers", |_, path, _, body| {
        if path == "/realm/linkifiers" && body.pointer("/linkifiers/0").is_some() {
            body["linkifiers"][0]["pattern"] = Value::Null;
        }
    }),
    ("a value", "GET /realm/profile_fields", |_, path, _, body| {
        if path == "/realm/profile_fields" && body.pointer("/custom_fields/0").is_some() {
            body["custom_fields"][0]["name"] = "Other".into();
        }
    }),
    ("a number", "GET /server_settings", |_, path, _, body| {
        if path == "/server_settings" {
            body["push_notifications_enabled"] =
                json!(!body["push_notifications_enabled"].as_bool().unwrap_or_default());
        }
    }),
    ("an item that is not there", "GET /user_groups", |_, path, _, body| {
        if path == "/user_groups" {
            body["user_groups"].as_array_mut().map(|groups| groups.pop());
        }
    }),
    ("an item too many", "GET /users/me/alert_words", |method, path, _, body| {
        if method == "GET" && path == "/users/me/alert_words" && body["alert_words"].is_array() {
            body["alert_words"].as_array_mut().expect("a list").push("more".into());
        }
    }),
    ("the order of messages", "GET /messages", |_, path, _, body| {
        if path == "/messages" && body.get("messages").is_some() {
            body["messages"].as_array_mut().expect("a list").reverse();
        }
    }),
    ("rendered HTML", "POST /messages/render", |_, path, _, body| {
        if path == "/messages/render"
            && let Some(text) = body["rendered"].as_str()
        {
            body["rendered"] = text.replace("<strong>", "<b>").into();
        }
    }),
    ("success for a refusal", "DELETE /drafts/{draft_id}", |method, path, status, body| {
        if method == "DELETE" && path.starts_with("/drafts/") && *status != 200 {
            *status = 200;
            *body = json!({"result": "success", "msg": ""});
        }
    }),
    ("an event that does not come", "POST /users/me/muted_users/{muted_user_id}", |_, path, _, body| {
        if path == "/events"
            && let Some(events) = body.get_mut("events").and_then(Value::as_array_mut)
        {
            events.retain(|event| {
                event["type"] != "muted_users" || event["muted_users"].as_array().is_some_and(Vec::is_empty)
            });
        }
    }),
    ("a field of an event", "POST /users/me/status", |_, path, _, body| {
        each_event(path, body, "user_status", |event| {
            if event.get("status_text").is_some_and(|text| text != "") {
                event["status_text"] = "busy".into();
            }
        });
    }),
    ("another id in an event", "DELETE /messages/{message_id}", |_, path, _, body| {
        each_event(path, body, "delete_message", |event| {
            if event["message_ids"].is_array() {
                event["message_ids"] = json!([1]);
            }
        });
    }),
    ("the operation of an event", "DELETE /realm/profile_fields/{field_id}", |_, path, _, body| {
        each_event(path, body, "custom_profile_fields", |event| {
            if !event["fields"].to_string().contains("probe") {
                event["fields"] = json!([]);
            }
        });
    }),
    ("an event twice", "POST /users/me/status", |_, path, _, body| {
        if path == "/events"
            && let Some(events) = body.get_mut("events").and_then(Value::as_array_mut)
            && let Some(event) = events.iter().find(|event| event.get("status_text").is_some()).cloned()
        {
            events.push(event);
        }
    }),
    ("presence", "PATCH /settings", |_, path, _, body| {
        each_event(path, body, "presence", |event| event["server_timestamp"] = "now".into());
    }),
    ("a user's id", "GET /messages/{message_id}/read_receipts", |_, path, _, body| {
        if path.ends_with("/read_receipts") && body.get("user_ids").is_some() {
            body["user_ids"] = json!([999]);
        }
    }),
];

/// What is looked for in one run with all probes, which takes ten seconds; the others with those of their operation.
const WITH_ALL_PROBES: [&str; 3] = ["another code", "an event twice", "a user's id"];

/// Compares two servers, of which the second deviates. Returns a text unless exactly these operations differ.
async fn find_fault(change: Change, options: &[&str], operations: &[&str]) -> Option<String> {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let proxy = deviating(second.url(), change).await;
    let (status, said, errors) = compare(&first.url(), &proxy, options).await;
    let found: BTreeSet<&str> = said
        .lines()
        .filter_map(|line| line.strip_prefix("differs    ")?.rsplit_once(" ("))
        .map(|(operation, _)| operation)
        .collect();
    // `  mel: POST /typing (messages.md:316, Typing)`
    let probes: BTreeSet<&str> = said
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.rsplit_once(" (").map(|(_, place)| place.split_once(", ").unwrap_or_default().1))
        .collect();
    let verb = if probes.len() == 1 { "differs" } else { "differ" };
    let is_counted = said.contains(&format!(" {} {verb} in a reply or an event, ", probes.len()));
    let are_they = found == operations.iter().copied().collect();
    let is_right = status == Some(1) && are_they && is_counted && said.contains("    first : curl ");
    let differing: Vec<&str> = said.lines().take_while(|line| !line.starts_with("agrees")).take(60).collect();
    (!is_right)
        .then(|| format!("{operations:?}: status {status:?}, found {found:?}\n{}\n{errors}", differing.join("\n")))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_planted_deviation_is_found_and_nothing_else() {
    assert_eq!(DEVIATIONS.len(), 21);
    let mut faults = Vec::new();
    let is_for_all = |what: &str| WITH_ALL_PROBES.contains(&what);
    for (_, operation, change) in DEVIATIONS.iter().filter(|(what, ..)| !is_for_all(what)) {
        let only = operation.split(['{', '}']).step_by(2).collect::<Vec<_>>().join("*");
        faults.extend(find_fault(Arc::new(*change), &["--only", &only], &[operation]).await);
    }
    let all: Vec<_> = DEVIATIONS.iter().filter(|(what, ..)| is_for_all(what)).collect();
    let operations: Vec<&str> = all.iter().map(|(_, operation, _)| *operation).collect();
    let change: Change = Arc::new(|method, path, status, body| {
        for (.., change) in DEVIATIONS.iter().filter(|(what, ..)| WITH_ALL_PROBES.contains(what)) {
            change(method, path, status, body);
        }
    });
    faults.extend(find_fault(change, &[], &operations).await);
    assert!(faults.is_empty(), "{}", faults.join("\n=====\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_probe_of_older_servers_lacks_what_it_needs() {
    for level in [247, 387] {
        let [first, second] = [at_level(level).await, at_level(level).await];
        for only in ["messages.md", "channels.md"] {
            let options = ["--only", only, "--fail-on-skip"];
            let (status, said, errors) = compare(first.url(), second.url(), &options).await;
            assert_eq!(status, Some(0), "{level}, {only}: {said}{errors}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_in_json_is_the_baseline_of_later_runs() {
    let code = |code: &'static str| -> Change {
        Arc::new(move |method, path, _, body| {
            if method == "POST" && path.ends_with("/reactions") && body["result"] == "error" {
                body["code"] = code.into();
            }
        })
    };
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let (other, another) =
        (deviating(second.url(), code("OTHER")).await, deviating(second.url(), code("ANOTHER")).await);
    let file = written("known.json", "");
    let name = file.to_str().expect("text");
    let only = ["--only", "Reactions"];

    let (status, said, errors) = compare(&first.url(), &other, &[&only[..], &["--json", name]].concat()).await;
    assert_eq!(status, Some(1), "{said}{errors}");
    assert!(!said.contains("no probe has it"), "{said}");
    let result: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("written")).expect("JSON");
    assert_eq!(result["servers"][0]["url"], json!(first.url()));
    assert!(result["probes"]["differing"].as_u64() >= Some(1), "{}", result["probes"]);
    let operations = result["operations"].as_array().expect("a list");
    let differing: Vec<&Value> = operations.iter().filter(|operation| operation["result"] == "differs").collect();
    assert_eq!(differing[0]["operation"], "POST /messages/{message_id}/reactions");
    assert_eq!(differing[0]["differences"][0]["differences"][0]["at"], "reply.code");

    let with_baseline = [&only[..], &["--baseline", name]].concat();
    let (status, said, _) = compare(&first.url(), &other, &with_baseline).await;
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains(", in the baseline)") && said.contains(" in the baseline, 0 are new\n"), "{said}");
    let (status, said, _) = compare(&first.url(), &another, &with_baseline).await;
    assert_eq!(status, Some(1), "it is another code: {said}");
    assert!(said.contains(", new)") && !said.contains(", 0 are new\n"), "{said}");

    let xml = written("known.xml", "<testsuites/>");
    let (status, _, errors) = compare(&first.url(), &other, &["--baseline", xml.to_str().expect("text")]).await;
    assert_eq!(status, Some(2));
    assert!(errors.contains("takes the result of an earlier comparison in JSON, as --json writes it"), "{errors}");
}
