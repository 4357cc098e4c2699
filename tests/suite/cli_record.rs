//! `chatdouble scenario record`: what passes through it, and the scenario that it writes.

mod upstreams;

use crate::support::{Program, TestServer, User};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A recording that runs.
struct Recorder {
    program: Program,
    file: PathBuf,
    upstream: String,
}

impl Recorder {
    fn start(name: &str, upstream: &str, options: &[&str]) -> Self {
        Self::start_with(name, upstream, options, &[])
    }

    fn start_with(name: &str, upstream: &str, options: &[&str], environment: &[(&str, &str)]) -> Self {
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-record-{name}.md", std::process::id()));
        let _ = std::fs::remove_file(&file);
        let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
        command.args(["scenario", "record", "--upstream", upstream, "-o"]).arg(&file).args(options).env_clear();
        command.envs(environment.iter().copied());
        Self { program: Program::start(&mut command), file, upstream: upstream.to_owned() }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.program.port)
    }

    /// A user whose requests pass through the recorder.
    fn user(&self, user: &User) -> User {
        User::new(self.url(), Some(user.credentials().clone()))
    }

    /// Ends it; the exit status, the scenario, and what it printed on standard error.
    fn end(mut self) -> (Option<i32>, String, String) {
        let (status, _) = self.program.signal("-TERM");
        let mut errors = String::new();
        self.program.child.stderr.take().expect("piped").read_to_string(&mut errors).expect("text");
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        assert!(!text.contains(&format!("{}.partial", self.file.display())), "{}", self.upstream);
        (status, text, errors)
    }

    /// Ends it and plays the scenario, which must fit; the scenario and what it printed on standard error.
    fn end_and_play(self) -> (String, String) {
        let file = self.file.clone();
        let (status, text, errors) = self.end();
        assert_eq!(status, Some(0), "{errors}");
        let mut run = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
        let played =
            run.args(["scenario", "run"]).arg(file).env_clear().stdin(Stdio::null()).output().expect("it runs");
        let said = String::from_utf8_lossy(&played.stdout).into_owned() + &String::from_utf8_lossy(&played.stderr);
        assert!(said.contains("1 played, 0 skipped, 0 differ"), "{said}\n{text}");
        (text, errors)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_written_as_a_scenario_that_plays() {
    let server = TestServer::start().await;
    let recorder = Recorder::start("session", &server.url(), &[]);
    assert!(recorder.program.ready.contains(&format!("listening on {}", recorder.url())), "{}", recorder.program.ready);
    let [mel, max] = server.users(["mel", "max"]).map(|user| recorder.user(&user));
    mel.get("/users/me", json!({})).await.success();
    max.get("/users/me", json!({})).await.success();
    mel.get("/streams", json!({})).await.success();
    let mut queue = max.events(["message", "reaction", "update_message"]).await;
    let general = server.channel("general");
    let content = "Soup? {{braces}}\n\n- of lentils\n- of beans";
    let params = json!({"type": "channel", "to": general, "topic": "lunch", "content": content});
    let sent = mel.post("/messages", params).await.success();
    let id = sent["id"].as_i64().expect("an id");
    queue.next().await.has(json!({"type": "message"}));
    max.post(&format!("/messages/{id}/reactions"), json!({"emoji_name": "octopus"})).await.success();
    queue.next().await.has(json!({"type": "reaction"}));
    mel.post("/messages", json!({"type": "direct", "to": [server.user("max").id()], "content": " blanks around "}))
        .await
        .success();
    queue.next().await.has(json!({"type": "message"}));
    mel.patch(&format!("/messages/{id}"), json!({"content": "No soup."})).await.success();
    queue.next().await.has(json!({"type": "update_message"}));
    mel.get(
        "/messages",
        json!({"anchor": "newest", "num_before": 2, "num_after": 0, "narrow": [{"operator": "channel", "operand": general}]}),
    )
    .await
    .success();
    mel.delete("/messages/999999", json!({})).await.error("BAD_REQUEST", "Invalid message(s)");
    mel.with_key("short")
        .get("/users/me", json!({}))
        .await
        .with_status(401)
        .error("INVALID_API_KEY", "Malformed API key");
    let subscriptions = json!({"subscriptions": [{"name": "soups"}]});
    mel.post("/users/me/subscriptions", subscriptions).await.success();

    let (text, errors) = recorder.end_and_play();

    for part in [
        "```request\nmel: POST /messages\n",
        "to: {{channel general}}\n",
        "content:\n  Soup? \\{{braces}}\n\n  - of lentils\n  - of beans\n",
        "\"id\": \"{{message1 := int}}\"",
        "max: POST /messages/{{message1}}/reactions\n",
        "```queue max\n",
        "```event max\n",
        "\"user_id\": \"{{max.user_id}}\"",
        "\"{{mel.user_id}}\": [",
        "body application/x-www-form-urlencoded: type=direct",
        "```reply 400\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("/events"), "polls are events\n{text}");
    for secret in [&mel, &max].map(|user| &user.credentials().api_key) {
        assert!(!text.contains(secret.as_str()), "a key is in the file");
    }
    assert!(errors.contains("requests and 4 events"), "{errors}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_and_passwords_are_never_in_the_file() {
    let server = TestServer::start().await;
    let recorder = Recorder::start("secrets", &server.url(), &[]);
    let [mel, olive] = server.users(["mel", "olive"]).map(|user| recorder.user(&user));
    let anyone = User::new(recorder.url(), None);
    anyone.post("/dev_fetch_api_key", json!({"username": mel.email()})).await.success();
    anyone.post("/fetch_api_key", json!({"username": mel.email(), "password": "mel-password-7421"})).await.success();
    let made = json!({"email": "zoe@chat.test", "full_name": "Zoe", "password": "correct horse battery staple 9"});
    let zoe = olive.post("/users", made).await.success();
    let login = json!({"username": "zoe@chat.test", "password": "correct horse battery staple 9"});
    let key = anyone.post("/fetch_api_key", login).await.success()["api_key"].as_str().expect("a key").to_owned();
    mel.get(&format!("/users/{}", zoe["user_id"]), json!({})).await.success();
    let renewed = mel.post("/users/me/api_key/regenerate", json!({})).await.success();
    let renewed = renewed["api_key"].as_str().expect("a key").to_owned();
    mel.with_key(&renewed).get("/users/me", json!({})).await.success();
    assert_eq!(mel.get("/users/me", json!({})).await.status, 401);
    mel.with_key(&renewed).post("/messages/render", json!({"content": format!("My key is {renewed}")})).await.success();

    let (text, errors) = recorder.end_and_play();

    let old = mel.credentials().api_key.clone();
    for secret in [old.as_str(), &renewed, &key, "mel-password-7421", "correct horse"] {
        assert!(!text.contains(secret) && !errors.contains(secret), "{secret}\n{text}\n{errors}");
    }
    assert!(text.contains("zoe@chat.test"), "{text}");
    assert!(text.contains("mel with key wrongKey"), "{text}");
    assert!(errors.contains("leaves out: POST /api/v1/fetch_api_key: its parameter password is a secret"), "{errors}");
    assert!(errors.contains("leaves out: POST /api/v1/messages/render: a key or password would be in it"), "{errors}");
    assert!(text.contains("## What this leaves out\n\n- POST /api/v1/fetch_api_key"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_pass_unchanged_and_are_written() {
    let server = TestServer::start().await;
    let recorder = Recorder::start("files", &server.url(), &[]);
    let mel = recorder.user(&server.user("mel"));
    let bytes: Vec<u8> = (0..=255).collect();
    let large = vec![b'x'; 5 << 20];
    let uploaded = mel.upload("/user_uploads", "all bytes.bin", "application/octet-stream", &bytes).await.success();
    let url = uploaded["url"].as_str().expect("an address").to_owned();
    mel.upload("/user_uploads", "list.txt", "text/plain", b"milk\n\nbread").await.success();
    mel.upload("/user_uploads", "large.txt", "text/plain", &large).await.success();
    let got = http_get(&recorder.url(), &url, &mel).await;
    assert_eq!(got, bytes, "a file comes back as it was sent");
    let content = format!("See [it]({url})");
    mel.post("/messages", json!({"type": "channel", "to": "general", "topic": "files", "content": content}))
        .await
        .success();
    let page = http_get(&recorder.url(), "/accounts/login/", &mel).await;
    assert!(String::from_utf8_lossy(&page).contains("<html"), "a page passes");

    let (text, errors) = recorder.end_and_play();

    assert!(text.contains("file all bytes.bin base64: AAECAw"), "{text}");
    assert!(text.contains("file list.txt:\n  milk\n\n  bread\n"), "{text}");
    assert!(text.contains("content: See [it]({{file1}})"), "{text}");
    assert!(text.contains("mel: GET {{origin}}{{file1}}"), "{text}");
    assert!(errors.contains("leaves out: POST /api/v1/user_uploads: its body is too large"), "{errors}");
}

async fn http_get(url: &str, path: &str, user: &User) -> Vec<u8> {
    let credentials = user.credentials();
    let output = Command::new("curl")
        .args(["-s", "-u", &format!("{}:{}", credentials.email, credentials.api_key), &format!("{url}{path}")])
        .output()
        .expect("curl runs");
    output.stdout
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_below_a_path_is_recorded() {
    let server = TestServer::start().await;
    crate::levels::control(&server, "/control/worlds", &json!({"name": "blue", "fork_of": "default"})).await;
    let there = format!("{}/w/blue", server.url());
    let recorder = Recorder::start("path", &format!("{there}/"), &[]);
    let mel = recorder.user(&server.user_at(&there, "blue", "mel"));
    mel.post("/messages", json!({"type": "channel", "to": "general", "topic": "lunch", "content": "Blue?"}))
        .await
        .success();
    let settings = mel.get("/server_settings", json!({})).await.success();
    assert_eq!(settings["realm_url"], format!("{}/w/blue", recorder.url()), "addresses lead through the proxy");
    let through = User::new(format!("{}/w/blue", recorder.url()), Some(mel.credentials().clone()));
    through.get("/users/me", json!({})).await.success();
    assert_eq!(
        server
            .user("mel")
            .get("/messages", json!({"anchor": "newest", "num_before": 1, "num_after": 0}))
            .await
            .success()["messages"][0]["content"]
            .as_str()
            .map(|text| text.contains("Blue?")),
        Some(false)
    );

    let (text, _) = recorder.end_and_play();

    assert!(text.contains("mel: GET /users/me"), "{text}");
}

/// The URL of a server that answers so many connections, and is gone then.
fn server_for(connections: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let body = json!({"result": "success", "msg": "", "service_feature_level": 300}).to_string();
        for _ in 0..connections {
            let (mut stream, _) = listener.accept().expect("a connection");
            let _ = stream.read(&mut [0; 4_096]);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
            let _ = write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len());
        }
    });
    url
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_answer_is_named() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(["scenario", "record", "--upstream", "http://127.0.0.1:1", "-o", "/dev/null"]).env_clear();
    let ended = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("error: GET http://127.0.0.1:1/api/v1/server_settings: no connection to the server: "),
        "{said}"
    );

    let upstream = server_for(2);
    let recorder = Recorder::start("down", &upstream, &[]);
    // A connection that waits to be accepted when the server ends would be lost instead of refused.
    while TcpStream::connect(upstream.trim_start_matches("http://")).is_ok() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let anyone = User::new(recorder.url(), None);
    let reply = anyone.get("/server_settings", json!({})).await;
    let file = recorder.file.clone();
    let (status, _, errors) = recorder.end();
    assert_eq!(status, Some(1), "{errors}");
    assert!(errors.contains("nothing was recorded"), "{errors}");
    assert!(!file.exists(), "no file is written");
    assert_eq!(reply.status, 502, "{reply}");
    assert!(reply.body["msg"].as_str().is_some_and(|msg| msg.contains("does not answer")), "{reply}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_the_fixture_lacks_is_reported_before_anything_is_recorded() {
    let server = TestServer::start().await;
    let fixture = format!("{}-record-names.json", std::process::id());
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(&fixture);
    let ada = r#"{"users": [{"handle": "ada", "full_name": "Ada", "role": "owner"}]}"#;
    std::fs::write(&file, ada).expect("written");
    let warnings = |name: &str, options: &[&str]| {
        let (_, _, errors) = Recorder::start(name, &server.url(), options).end();
        errors.lines().filter(|line| line.starts_with("warning: ")).map(str::to_owned).collect::<Vec<_>>()
    };

    let known = ["--as", "m@example.com=mel", "--as", "d@example.com=deleteduser10", "--as", "x@y=mel@chat.test"];
    assert_eq!(warnings("names-known", &known), Vec::<String>::new());
    assert_eq!(
        warnings("names-default", &["--as", "m@example.com=mle", "--as", "z@example.com=zzz"]),
        [
            "warning: --as m@example.com=mle: the fixture default has no user mle; did you mean mel?",
            "warning: --as z@example.com=zzz: the fixture default has no user zzz",
        ]
    );
    let expected = format!("warning: --as m@example.com=mel: the fixture {fixture} has no user mel");
    let of_file = ["--fixture", &fixture, "--as", "a@example.com=ada", "--as", "m@example.com=mel"];
    assert_eq!(warnings("names-file", &of_file), [expected]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_time_brings_moves_the_clock() {
    let server = TestServer::start().await;
    let recorder = Recorder::start("time", &server.url(), &["--as", "mel@chat.test=mel", "--fixture", "default"]);
    let mel = recorder.user(&server.user("mel"));
    let mut queue = mel.events(["message"]).await;
    let at = crate::control::START_SECONDS + 60;
    let params = json!({"type": "channel", "to": server.channel("general"), "topic": "later", "content": "Now?", "scheduled_delivery_timestamp": at});
    let _ = mel.post("/scheduled_messages", params).await;
    tokio::time::sleep(std::time::Duration::from_millis(3_200)).await;
    server.advance(60).await;
    queue.all().await;
    let (status, text, errors) = recorder.end();
    assert_eq!(status, Some(0), "{errors}");
    assert!(text.contains("fixture: default\n"), "{text}");
    assert!(text.contains("scheduled_delivery_timestamp: {{now "), "{text}");
    assert!(text.contains("```control\nclock +4s\n```\n```event mel\n"), "{text}");
}
