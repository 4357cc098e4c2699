//! Servers that can't be compared, and mistakes on the command line and in the file of accounts.

use super::{accounts, compare, comparing, ended, written};
use crate::support::TestServer;
use chatdouble::tls::Tls;
use chatdouble::{Options, Server};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpListener;

async fn fault(server: &TestServer, path: &str, effect: &serde_json::Value) {
    let faults = "/control/worlds/default/faults";
    server.request("DELETE", faults, &[("host", "localhost")], "").await.success();
    let rule = json!({"match": {"path": path}, "effect": effect}).to_string();
    server.request("POST", faults, &[("host", "localhost")], &rule).await.success();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_answer_is_named() {
    let server = TestServer::start().await;
    let (status, _, errors) = compare(&server.url(), "http://127.0.0.1:1", &[]).await;
    assert_eq!(status, Some(2));
    let start = "error: GET http://127.0.0.1:1/api/v1/server_settings: no connection to the server: ";
    assert!(errors.starts_with(start), "{errors}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_server_is_reported_in_a_line_and_leaves_no_file() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    for (effect, expected) in [
        (json!({"garbage": true}), "the reply is a page in HTML instead of JSON"),
        (json!({"truncate_at": 50}), "the reply broke off after 50 bytes"),
        (json!({"drop": "before"}), "the connection ended without a reply"),
        (json!({"delay_ms": 4_000}), "no reply within 1 s (--timeout)"),
        (json!({"error": {"status": 503, "code": "X", "msg": "Upgrading"}}), "status 503, X: Upgrading"),
    ] {
        fault(&second, "/server_settings", &effect).await;
        let file = written("result.txt", "mine");
        let mut command = comparing(&first.url(), &second.url(), accounts());
        command.args(["--timeout", "1", "--only", "Alert words", "-o"]).arg(&file);
        let (status, said, errors) = ended(command).await;
        assert_eq!((status, said.as_str()), (Some(2), ""), "{errors}");
        let start = format!("error: GET {}/api/v1/server_settings: ", second.url());
        assert!(errors.starts_with(&start) && errors.contains(expected) && errors.lines().count() == 1, "{errors}");
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "mine");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_without_an_integer_as_its_id_is_not_called_refused() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    for (change, expected) in [
        (json!({"user_id": "12"}), "has the user_id \"12\", which is no integer: without it, nothing can be compared"),
        (json!({"user_id": null}), "has no user_id: without it, nothing can be compared"),
    ] {
        fault(&second, "/users/me", &json!({"change": change})).await;
        let (status, said, errors) = compare(&first.url(), &second.url(), &["--only", "Alert words"]).await;
        let account = "GET /users/me of the account 'adam' (admin)";
        assert_eq!((status, said.as_str()), (Some(2), ""));
        assert_eq!(errors, format!("error: {}: {account} {expected}\n", second.url()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_of_a_server_that_is_no_url_differs() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    fault(&second, "/server_settings", &json!({"change": {"realm_url": "nonsense"}})).await;
    let (status, said, errors) = compare(&first.url(), &second.url(), &["--only", "The server"]).await;
    assert_eq!((status, errors.as_str()), (Some(1), ""), "{said}");
    assert!(said.contains("reply.realm_url\n"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_and_failures_in_place_of_replies_are_differences() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    for (effect, expected) in [
        (json!({"garbage": true}), "\"text/html\""),
        (json!({"error": {"status": 502, "code": "X", "msg": "Bad gateway"}}), "    + 502 Bad gateway"),
    ] {
        fault(&second, "/users/me/alert_words", &effect).await;
        let (status, said, errors) = compare(&first.url(), &second.url(), &["--only", "Alert words"]).await;
        assert_eq!((status, errors.as_str()), (Some(1), ""), "{said}");
        assert!(said.contains(expected), "{expected}\n{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_trusted_by_the_given_authority() {
    let plain = TestServer::start().await;
    let options = Options { tls: Some(Tls::Made { names: Vec::new() }), ..Options::default() };
    let secure = Server::start_with(options).await.expect("it starts");
    let (status, _, errors) = compare(&plain.url(), secure.url(), &["--only", "Alert words"]).await;
    assert_eq!(status, Some(2), "{errors}");
    assert!(errors.contains("the server's certificate is not trusted") && errors.contains("--tls-ca"), "{errors}");
    let authority = written("authority.pem", secure.trusted_certificate().expect("TLS"));
    let authority = authority.to_str().expect("text");
    let options = ["--only", "Alert words", "--tls-ca", authority];
    let (status, said, errors) = compare(&plain.url(), secure.url(), &options).await;
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_below_a_path_is_compared() {
    let server = TestServer::start().await;
    // Another seed: random parts of paths differ.
    let world = r#"{"name": "blue", "seed": 7}"#;
    server.request("POST", "/control/worlds", &[("host", "localhost")], world).await.success();
    let below = format!("{}/w/blue/", server.url());
    let options = ["--only", "personal.md"];
    let (status, said, errors) = compare(&server.url(), &below, &options).await;
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    assert!(said.contains("agrees     POST /user_uploads ("), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_go_through_the_proxy_of_the_environment() {
    let server = TestServer::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let proxy = format!("http://{}", listener.local_addr().expect("an address"));
    let seen = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().expect("a connection");
        let mut request = [0; 1_024];
        let read = connection.read(&mut request).unwrap_or_default();
        let _ = connection.write_all(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        String::from_utf8_lossy(&request[..read]).into_owned()
    });
    let mut command = comparing(&server.url(), "http://chat.example.org", accounts());
    command.env("HTTP_PROXY", proxy).env("NO_PROXY", "127.0.0.1");
    let (status, _, errors) = ended(command).await;
    assert_eq!(status, Some(2), "{errors}");
    assert!(errors.starts_with("error: GET http://chat.example.org/api/v1/server_settings: "), "{errors}");
    let request = seen.join().expect("seen");
    assert!(request.starts_with("GET http://chat.example.org/api/v1/server_settings HTTP/1.1"), "{request}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_accounts_lack_is_named_and_can_be_a_failure() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let account = |handle: &str| json!({"email": format!("{handle}@chat.test")});
    let thin = written("thin.json", &json!({"admin": account("adam"), "member": account("mel")}).to_string());
    let reason = format!("{} has no account `other_member`", thin.display());
    for (options, expected_status) in [(vec![], 0), (vec!["--fail-on-skip"], 2)] {
        let mut command = comparing(&first.url(), &second.url(), &thin);
        command.args(["--only", "Reactions"]).args(&options);
        let (status, said, errors) = ended(command).await;
        assert_eq!(status, Some(expected_status), "{said}{errors}");
        assert!(said.contains(&format!("Reactions: {reason}")), "{said}");
        let last_line = said.lines().last().unwrap_or_default();
        assert!(last_line.contains("not played: ") && last_line.contains(&reason), "{said}");
        let is_refused = errors.ends_with(", which --fail-on-skip does not allow\n");
        assert_eq!(is_refused, expected_status == 2, "{errors}");
    }
    // Only reads are played on purpose.
    let (status, _, errors) = compare(&first.url(), &second.url(), &["--read-only", "--fail-on-skip"]).await;
    assert_eq!((status, errors.as_str()), (Some(0), ""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_without_a_role_is_no_member() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    fault(&second, "/users/me", &json!({"change": {"role": null}})).await;
    let (_, said, errors) = compare(&first.url(), &second.url(), &["--read-only", "--only", "GET /users/me"]).await;
    let expected = format!("the account moderator is a moderator on {}, but without a role on ", first.url());
    assert!(errors.contains(&expected), "{said}{errors}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_name_of_the_same_account_differs_where_it_is() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let change = json!({"change": {"full_name": "Melanie Marsh"}});
    fault(&second, "/users/me", &change).await;
    let (status, said, errors) = compare(&first.url(), &second.url(), &["--read-only"]).await;
    assert_eq!(status, Some(1), "{said}");
    assert!(errors.starts_with("warning: full names differ between ") && errors.lines().count() == 1, "{errors}");
    let differing: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("differs    ")).collect();
    assert!(differing.len() == 1 && differing[0].starts_with("GET /users/me ("), "{differing:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_of_two_dialects_are_warned_of_before_the_differences() {
    let first = TestServer::start().await;
    let second = TestServer::start_with(|options| options.dialect = chatdouble::Dialect::zulip()).await;
    let (status, _, errors) = compare(&first.url(), &second.url(), &["--only", "Alert words"]).await;
    assert_eq!(status, Some(0), "{errors}");
    let expected = format!(
        "warning: {} has `service_feature_level` where {} has `zulip_feature_level`: replies differ in all such names; ",
        first.url(),
        second.url()
    );
    assert!(errors.starts_with(&expected) && errors.contains("--dialect zulip"), "{errors}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_misspelt_name_is_reported_with_the_nearest() {
    let [server, other] = [TestServer::start().await, TestServer::start().await];
    let parts = "it takes an operation, such as POST /typing, or a part of the name of a probe, of a file (accounts.md, \
                 channels.md, groups.md, messages.md, organization.md, personal.md, reads.md, refusals.md) or of a \
                 request";
    for (only, expected) in [
        ("nixda", format!("error: --only `nixda` fits no probe; {parts}\n").as_str()),
        ("Alert wrods", "error: --only `Alert wrods` fits no probe; did you mean `Alert words`?\n"),
        ("mesages.md", "error: --only `mesages.md` fits no probe; did you mean `messages.md`?\n"),
        (
            "GET /user/{user_id}",
            "error: --only: there is no operation `GET /user/{user_id}`; the nearest operation is GET /users/{user_id}\n",
        ),
        ("PUT /scim", "error: --only: there is no operation `PUT /scim`; no operation has a path like this\n"),
        ("POST /export/realm", "error: --only: no probe plays POST /export/realm\n"),
    ] {
        let (status, _, errors) = compare(&server.url(), &other.url(), &["--only", only]).await;
        assert_eq!((status, errors.as_str()), (Some(2), expected));
    }
    let account = json!({"email": "mel@chat.test"});
    for (name, text, status, expected) in [
        ("memebr", json!({"memebr": account}), 2, "$.memebr: there is no role `memebr`; did you mean `member`?"),
        ("admn", json!({"admn": account, "member": account}), 2, "did you mean `admin`?"),
        ("mell", json!({"mell": account}), 2, "did you mean `mel`?"),
        ("robot", json!({"robot": account}), 2, "has no accounts that probes use"),
        ("twice", json!({"member": account, "mel": account}), 2, "the account for mel is given twice"),
        ("half", json!({"member": {"first": account}}), 2, "$.member: has \"first\", and lacks \"second\""),
        ("third", json!({"member": {"frist": account, "second": account}}), 2, "$.member: takes {\"email\": …"),
        (
            "key",
            json!({"member": {"email": "a@b", "apikey": "x"}}),
            2,
            "there is no key `apikey`; did you mean `api_key`?",
        ),
        ("short", json!({"member": {"email": "a@b", "key": "x"}}), 2, "there is no key `key`; did you mean `api_key`?"),
        (
            "other",
            json!({"zed": account, "member": account}),
            0,
            "$.zed: no probe uses this account; roles are owner, ",
        ),
        ("list", json!([account]), 2, "takes an object of accounts by role, such as {\"member\": "),
        ("dana", json!({"member": {"email": "dana@chat.test"}}), 2, "the account dana@chat.test is deactivated"),
    ]
    .map(|(name, accounts, status, expected)| (name, accounts.to_string(), status, expected))
    .into_iter()
    .chain([("again", format!(r#"{{"member": {account}, "member": {account}}}"#), 2, "`member` is here twice")])
    {
        let file = written(&format!("{name}.json"), &text);
        let mut command = comparing(&server.url(), &other.url(), &file);
        command.args(["--only", "Alert words"]);
        let (ended, _, errors) = ended(command).await;
        assert_eq!(ended, Some(status), "{name}: {errors}");
        assert!(errors.contains(expected), "{name}: {errors}");
        let start = if status == 0 { "warning" } else { "error" };
        let place = if name == "dana" { server.url() } else { file.display().to_string() };
        assert!(errors.contains(&format!("{start}: {place}: ")), "{name}: {errors}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_adds_an_event_to_each_poll_does_not_hold_the_comparison_up() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    fault(&second, "/events", &json!({"events": "unknown"})).await;
    let started_at = std::time::Instant::now();

    let (status, said, errors) = compare(&first.url(), &second.url(), &["--only", "messages.md"]).await;

    assert_eq!(status, Some(1), "{errors}");
    assert!(said.contains("event_of_a_later_level"), "{said}");
    let took = started_at.elapsed();
    assert!(took < std::time::Duration::from_secs(120), "{took:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_comparison_of_nothing_says_why() {
    let [server, other] = [TestServer::start().await, TestServer::start().await];
    let (status, _, errors) = compare(&server.url(), &other.url(), &["--only", "Alert words", "--read-only"]).await;
    let reason = "Alert words: changes something, and only reads are played";
    assert_eq!(status, Some(2), "{errors}");
    assert!(errors.starts_with("error: nothing was compared: ") && errors.contains(reason), "{errors}");

    let over_tls = server.url().replace("http:", "https:");
    let (status, _, errors) = compare(&over_tls, &other.url(), &[]).await;
    assert_eq!(status, Some(2), "{errors}");
    assert!(errors.ends_with("no connection to the server: it does not speak TLS; did you mean http?\n"), "{errors}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_server_has_more_is_the_only_difference() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let [mel] = first.users(["mel"]);
    let subscriptions = json!([{"name": "fresh"}]).to_string();
    mel.post("/users/me/subscriptions", json!({"subscriptions": subscriptions})).await.success();
    let message = json!({"type": "channel", "to": "\"fresh\"", "topic": "x", "content": "hi"});
    mel.post("/messages", message).await.success();
    let (status, said, errors) = compare(&first.url(), &second.url(), &["--only", "reads.md"]).await;
    assert_eq!(status, Some(1), "{said}{errors}");
    let values: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("    - ")).collect();
    assert!(!values.is_empty(), "{said}");
    for value in values {
        let is_of_the_channel = ["fresh", "<p>hi</p>", "channel created by"].iter().any(|text| value.contains(text));
        assert!(is_of_the_channel, "{value}\n{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_with_another_role_than_their_name_are_warned_of() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let email = |handle: &str| json!({"email": format!("{handle}@chat.test")});
    let both = json!({"first": email("mona"), "second": email("mel")});
    let text = json!({"admin": email("gus"), "guest": email("gus"), "member": both, "owner": email("olive")});
    let file = written("roles.json", &text.to_string());
    let result = written("roles-result.json", "");
    let mut command = comparing(&first.url(), &second.url(), &file);
    command.args(["--only", "Profile fields", "--json"]).arg(&result);
    let (status, said, errors) = ended(command).await;
    assert_eq!(status, Some(0), "{said}{errors}");
    let [one, two] = [first.url(), second.url()];
    let refused = "where its requests are refused on both servers, that they agree says little";
    let warnings = [
        format!("warning: admin and guest are the same account on {one}"),
        format!("warning: admin and guest are the same account on {two}"),
        format!("warning: the account admin is a guest, not an administrator: {refused}"),
        format!("warning: the account member is a moderator on {one}, but a member on {two}: replies differ for that"),
    ];
    assert_eq!(errors.lines().collect::<Vec<_>>(), warnings);
    let counts = "0 probes agree, 1 was cut short, since a reply or the accounts lack what the next request needs, \
                  0 differ in a reply or an event, 0 were not played\n";
    assert!(said.contains(counts), "{said}");
    let result = std::fs::read_to_string(result).expect("written");
    let result: serde_json::Value = serde_json::from_str(&result).expect("JSON");
    assert_eq!(result["probes"], json!({"agreeing": 0, "differing": 0, "cut_short": 1, "failed": 0, "not_played": 0}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_name_that_differs_is_warned_of() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let olive = second.user("olive");
    let max_id = second.user("max").id();
    olive.patch(&format!("/users/{max_id}"), json!({"full_name": "Maxine"})).await.success();
    let (status, said, errors) = compare(&first.url(), &second.url(), &["--only", "Profile fields"]).await;
    assert_eq!(status, Some(0), "{said}{errors}");
    let expected = format!(
        "warning: full names differ between {} and {}: other_member (\"Max Mercer\", \"Maxine\"): replies differ for that, \
         and so may replies to requests that mention these accounts\n",
        first.url(),
        second.url()
    );
    assert_eq!(errors, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_server_twice_is_refused() {
    let server = TestServer::start().await;
    let (status, _, errors) = compare(&server.url(), &format!("{}/", server.url()), &[]).await;
    assert_eq!((status, errors), (Some(2), format!("error: takes two servers, not {} twice\n", server.url())));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_that_is_not_there_and_a_reply_that_cannot_be_read_are_named() {
    let [first, second] = [TestServer::start().await, TestServer::start().await];
    let missing = written("missing.json", &json!({"moderator": {"email": "nobody@chat.test"}}).to_string());
    let (status, _, errors) = ended(comparing(&first.url(), &second.url(), &missing)).await;
    assert_eq!(status, Some(2), "{errors}");
    let start = format!("error: {} has no account nobody@chat.test: ", first.url());
    assert!(errors.starts_with(&start) && errors.contains("hidden"), "{errors}");
    assert!(errors.contains("give one as `first` and the other as `second`"), "{errors}");

    let [one, two] = ["one@chat.test", "two@chat.test"].map(|email| json!({"email": email}));
    let several = json!({"moderator": one, "guest": two, "member": {"email": "mel@chat.test"}});
    let several = written("several.json", &several.to_string());
    let (status, _, errors) = ended(comparing(&first.url(), &second.url(), &several)).await;
    assert_eq!(status, Some(2), "{errors}");
    let start = format!("error: {} has no accounts two@chat.test, one@chat.test: give the addresses", first.url());
    assert!(errors.starts_with(&start) && !errors.contains("api_key"), "{errors}");

    let wrong = written("wrong.json", &json!({"member": {"email": "mel@chat.test", "api_key": "x"}}).to_string());
    let (status, _, errors) = ended(comparing(&first.url(), &second.url(), &wrong)).await;
    assert_eq!(status, Some(2), "{errors}");
    assert!(errors.contains(" refuses the account 'mel' (member): ") && !errors.contains("null"), "{errors}");

    let known = written("any-key.json", &json!({"member": {"email": "mel@chat.test", "api_key": "key"}}).to_string());
    let (status, _, errors) = ended(comparing(&encoding(), &first.url(), &known)).await;
    assert_eq!(status, Some(2), "{errors}");
    assert!(errors.contains("encoded with br, which was not asked for"), "{errors}");
}

/// A server that answers `GET /server_settings` as servers do, and all else in Brotli, which nobody asked for.
fn encoding() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.expect("a connection");
            let mut request = [0; 4_096];
            let read = connection.read(&mut request).unwrap_or_default();
            let settings = r#"{"result":"success","msg":"","zulip_feature_level":387}"#;
            let (kind, body) = match request[..read].starts_with(b"GET /api/v1/server_settings") {
                true => ("", settings.as_bytes()),
                false => ("Content-Encoding: br\r\n", &[0x1f, 0x8b, 8, 0][..]),
            };
            let head = format!("HTTP/1.1 200 OK\r\n{kind}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = connection.write_all(head.as_bytes()).and_then(|()| connection.write_all(body));
        }
    });
    url
}
