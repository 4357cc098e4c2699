//! Worlds for the tests of Rust programs, taken by tests that have a runtime and by such that have none.

use crate::support::User;
use chatdouble::Options;
use chatdouble::fault::{Disturbance, PushRelayFailure};
use chatdouble::testing::{self, Fault, Network, RateLimit, RequestPattern, TestServer, TestWorld, WorldOptions};
use http::Method;
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(5);
/// How many worlds are there at once.
const WORLDS: usize = 300;
/// What each of them may cost, its share of a message included, in programs that are not optimized.
const EACH: Duration = Duration::from_millis(40);

fn user(world: &TestWorld, handle: &str) -> User {
    User::new(world.url().to_owned(), Some(world.user(handle)))
}

fn message(content: &str) -> serde_json::Value {
    json!({"type": "channel", "to": "general", "topic": "greetings", "content": content})
}

/// What a panic says.
fn panic_of(work: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("it should panic");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_world_is_its_tests_own_and_ends_with_it() {
    let (one, other) = (testing::world(), testing::world());
    let row = one.control(Method::GET, "", None).expect("a row");
    assert_eq!(row["world"]["label"], "testing::a_world_is_its_tests_own_and_ends_with_it");

    let _ = user(&one, "mel").post("/messages", message("Hello")).await.success();

    assert_eq!(
        one.journal().verify(RequestPattern::to("/messages").by("mel").param("content", "Hello").status(200)),
        1
    );
    assert_eq!(other.journal().entries(RequestPattern::any()), []);
    let (gone, copy) = (one.url().to_owned(), one.fork());
    drop(one);
    let refused = User::new(gone, None).get("/server_settings", json!({})).await.with_status(404);
    assert_eq!(refused.body["code"], "NONEXISTENT_SUBDOMAIN");
    let newest = json!({"anchor": "newest", "num_before": 1, "num_after": 0});
    assert_eq!(user(&copy, "mel").get("/messages", newest).await.success()["messages"][0]["content"], "<p>Hello</p>");
}

#[test]
fn a_test_without_a_runtime_waits_on_its_own_thread() {
    let world = testing::world();
    let (max, url) = (world.user("max"), world.url().to_owned());
    let polling = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let max = User::new(url, Some(max));
            let queue = max.post("/register", json!({"event_types": ["message"]})).await.success();
            let poll = json!({"queue_id": queue["queue_id"], "last_event_id": -1});
            max.get("/events", poll).await.success()["events"][0]["type"].clone()
        })
    });

    let parked = testing::block_on(world.queues().wait_parked("max", 1, SOON));
    assert_eq!((parked.len(), parked[0].parked, &parked), (1, true, &world.queues().list()));
    let moved = testing::block_on(world.clock().advance(Duration::from_secs(60)));

    assert_eq!((moved.fired[0].kind.as_str(), moved.not_parked.len()), ("heartbeat", 0));
    assert_eq!(polling.join().expect("no panic"), "heartbeat");
    assert_eq!(testing::block_on(world.journal().wait_for(RequestPattern::to("/events").exactly(1), SOON)), 1);
}

#[tokio::test]
async fn the_clock_goes_where_it_is_set() {
    let world = testing::world_with(WorldOptions::new().fixture("cast").clock("2026-01-01T00:00:00Z"));
    assert_eq!((world.clock().now(), world.clock().agenda()), (1_767_225_600.0, vec![]));

    let due = world.clock().now() as i64 + 3_600;
    let mel = user(&world, "mel");
    let id = mel.post("/messages", message("Plan")).await.success()["id"].clone();
    let reminder =
        mel.post("/reminders", json!({"message_id": id, "scheduled_delivery_timestamp": due})).await.success();

    let agenda = world.clock().agenda();
    assert_eq!(agenda[0].ids["reminder_id"], reminder["reminder_id"]);
    let moved = world.clock().to_next().await;
    assert_eq!((moved.now, moved.fired), (due as f64, agenda));
    let moved = world.clock().set("2026-01-02T00:00:00Z").await;
    assert_eq!((moved.now, moved.fired.len()), (1_767_312_000.0, 0));
    let moved = world.clock().advance("1h30m").await;
    assert_eq!(moved.now, 1_767_317_400.0);
    world.clock().run();
    world.clock().freeze();
    assert_eq!(world.clock().now(), world.clock().now());
}

#[tokio::test]
async fn faults_do_what_they_are_called_after() {
    let world = testing::world();
    let mel = user(&world, "mel");
    let status_under = |fault: Fault| {
        let (world, mel) = (&world, &mel);
        async move {
            world.faults().clear();
            world.faults().add(fault.on(RequestPattern::to("/users/me").method("GET").by("mel")));
            mel.get("/users/me", json!({})).await.status
        }
    };

    assert_eq!(status_under(Fault::error(503, "TRY_LATER", "Try later")).await, 503);
    assert_eq!(status_under(Fault::rate_limit(Duration::from_millis(1_500))).await, 429);
    assert_eq!(status_under(Fault::garbage()).await, 200);
    assert_eq!(status_under(Fault::gateway(502)).await, 502);
    assert_eq!(status_under(Fault::delay(Duration::from_millis(1))).await, 200);
    assert_eq!(status_under(Fault::lose_queue()).await, 200);
    assert_eq!(status_under(Fault::error(500, "A", "a").after(1).times(1)).await, 200);
    assert_eq!(mel.get("/users/me", json!({})).await.status, 500);
    assert_eq!(mel.get("/users/me", json!({})).await.status, 200);
    assert_eq!((world.faults().list()[0]["passed"].clone(), world.faults().list().len()), (json!(1), 1));
    assert_eq!(status_under(Fault::error(500, "A", "a").probability(0.0)).await, 200);
    for fault in [
        Fault::change(json!({"email": null})),
        Fault::pseudo_localize(),
        Fault::drop_before(),
        Fault::drop_after(),
        Fault::drop_after_and_again(),
        Fault::truncate_at(3),
        Fault::bouncer(PushRelayFailure::Unreachable),
        Fault::bouncer(PushRelayFailure::ServerError),
        Fault::bouncer(PushRelayFailure::AdminActionRequired),
        Fault::events(Disturbance::Repeat),
        Fault::events(Disturbance::Hold),
        Fault::events(Disturbance::OneByOne),
        Fault::events(Disturbance::Unknown),
    ] {
        let id = world.faults().add(fault);
        world.faults().remove(&id);
    }
    world.faults().add(json!({"effect": {"garbage": true}}));
    assert_eq!(world.faults().list().len(), 2);
}

#[tokio::test]
async fn networks_and_rate_limits_are_set_listed_and_ended() {
    let world = testing::world();
    let mel = user(&world, "mel");
    world.network().set(Network::profile("wifi").of("mel").latency(Duration::from_millis(150)).loss(0.0));
    world
        .network()
        .set(Network::with_latency(Duration::ZERO).jitter(Duration::from_millis(1)).bytes_per_second(1_000_000));
    assert_eq!(world.network().list()[0]["bytes_per_second"], 5_000_000);
    assert!(world.network().list()[1]["user"].is_null());
    let began = Instant::now();
    mel.get("/users/me", json!({})).await.success();
    assert!(began.elapsed() >= Duration::from_millis(150));
    world.network().clear();
    assert_eq!(world.network().list(), [json!(null); 0]);

    world.rate_limit().set(RateLimit::new(1, Duration::from_secs(30)).of("mel"));
    assert_eq!(world.rate_limit().list(), [json!({"user": "mel@chat.test", "requests": 1, "seconds": 30.0})]);
    assert_eq!(mel.get("/users/me", json!({})).await.status, 200);
    assert_eq!(mel.get("/users/me", json!({})).await.status, 429);
    world.clock().advance("30s").await;
    assert_eq!(mel.get("/users/me", json!({})).await.status, 200);
    world.rate_limit().clear();
    assert_eq!(mel.get("/users/me", json!({})).await.status, 200);
}

#[tokio::test]
async fn what_does_not_hold_is_a_panic_with_the_nearest() {
    let world = testing::world();
    let _ = user(&world, "mel").post("/messages", message("Hello")).await.success();
    let sent = || RequestPattern::to("/messages").method("POST");

    let said = panic_of(|| _ = world.journal().verify(sent().param("content", "Hallo").exactly(1)));
    assert!(said.starts_with("Expected exactly 1 such request, found 0\n\nnear it:\n"), "{said}");
    assert!(said.contains("Hallo") && said.contains("Hello"), "{said}");
    let said = panic_of(|| _ = world.journal().verify(sent().exactly(2)));
    let line = "  200 POST /messages mel@chat.test content=Hello to=general topic=greetings type=channel";
    assert_eq!(said, format!("Expected exactly 2 such requests, found 1\n\nthe requests that match:\n{line}"));
    let _ = user(&world, "mel").get("/users/me", json!({})).await.success();
    let said = panic_of(|| _ = world.journal().verify(sent().exactly(0)));
    assert_eq!(said, format!("Expected exactly 0 such requests, found 1\n\nthe requests that match:\n{line}"));
    let late = tokio::spawn(world.journal().wait_for(sent().at_least(2), Duration::from_millis(1))).await;
    let said = late.expect_err("it should panic").into_panic().downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(said.starts_with("Expected at least 2 such requests, found 1") && said.contains("tests/suite/testing.rs:"));
    let said = panic_of(|| _ = world.journal().verify(sent().by("nobody")));
    assert!(said.contains("nobody"), "{said}");
    let said = panic_of(|| _ = world.user("mell"));
    assert_eq!(said, format!("no user of the world '{}' is called 'mell'; the nearest is 'mel'", world.name()));
    let said = panic_of(|| _ = testing::world_with(WorldOptions::new().fixture("no-such")));
    assert!(said.contains("There is no fixture 'no-such'"), "{said}");
    let refusal = world.control(Method::POST, "/clock", Some(json!({"advance_seconds": -1}))).expect_err("refused");
    assert_eq!((refusal.status, &refusal.body["code"]), (400, &json!("BAD_REQUEST")));
    let entry = &world.journal().entries(RequestPattern::to("/messages").newest(1))[0];
    assert_eq!(
        entry.to_string(),
        "200 POST /messages mel@chat.test content=Hello to=general topic=greetings type=channel"
    );
}

#[tokio::test]
async fn an_entry_says_why_the_request_was_refused() {
    let world = testing::world();
    let mel = user(&world, "mel");
    let _ = mel.get("/mesages", json!({})).await;
    let _ = mel.post("/drafts", json!({"drafts": "x"})).await;

    let lines: Vec<String> = world.journal().entries(RequestPattern::any()).iter().map(ToString::to_string).collect();

    assert_eq!(
        lines,
        [
            "404 GET /mesages mel@chat.test\n    Unknown path\n    The nearest operation is GET /api/v1/messages.",
            "400 POST /drafts mel@chat.test drafts=x\n    drafts is not valid JSON\n    drafts takes a list in JSON.",
        ]
    );
}

#[tokio::test]
async fn a_world_is_kept_and_put_back() {
    let world = testing::world();
    let (mel, before) = (user(&world, "mel"), world.state());
    world.snapshots().save("before");
    let _ = mel.post("/messages", message("litter")).await.success();
    assert_ne!(world.state(), before);

    world.snapshots().restore("before");

    assert_eq!(world.state(), before);
    let _ = mel.post("/messages", message("litter")).await.success();
    let first = world.fork_with(WorldOptions::new().snapshot("before").seed(7).label("first").name("kept-first"));
    assert_eq!((first.name(), first.journal().entries(RequestPattern::any()).len()), ("kept-first", 0));
    world.put_state(&before);
    assert_eq!(world.state(), before);
    world.reset();
    assert_eq!(
        (world.snapshots().list(), world.journal().entries(RequestPattern::any())),
        (vec!["before".into()], vec![])
    );
    world.snapshots().remove("before");
    assert_eq!((world.snapshots().list(), world.violations()), (vec![], vec![]));
}

#[tokio::test]
async fn a_world_is_upgraded_on_a_port_of_its_own() {
    let world = testing::world_with(WorldOptions::new().feature_level(200).dialect("zulip").listen());
    assert!(!world.url().contains("/w/"), "{}", world.url());
    let level = |world: &TestWorld| {
        let anybody = User::new(world.url().to_owned(), None);
        async move { anybody.get("/server_settings", json!({})).await.success()["zulip_feature_level"].clone() }
    };
    assert_eq!(level(&world).await, 200);

    world.upgrade(300);

    assert_eq!(level(&world).await, 300);
    assert_eq!(world.pushes().list("mel"), []);
    world.pushes().clear();
}

#[tokio::test]
async fn a_server_of_ones_own_ends_with_its_last_world() {
    let options = Options { control_token: Some("secret".into()), ..Options::default() };
    let server = TestServer::start(options).expect("a server");
    let world = server.world();
    let url = server.server().url().to_owned();
    assert!(world.url().starts_with(&url));
    drop(server);
    assert_eq!(User::new(url.clone(), None).get("/server_settings", json!({})).await.status, 200);

    drop(world);

    let address = url.trim_start_matches("http://");
    let began = Instant::now();
    while std::net::TcpStream::connect(address).is_ok() {
        assert!(began.elapsed() < SOON, "the server is still there");
    }
}

#[tokio::test]
async fn the_report_says_what_clients_did() {
    let world = testing::world();
    user(&world, "mel").get("/users/me", json!({})).await.success();
    world.assert_no_findings();
    user(&world, "mel").get("/users/me", json!({"colour": "red"})).await.success();

    let [client] = world.report().try_into().expect("one client");

    assert_eq!((client.user.as_deref(), client.requests), (Some("mel@chat.test"), 2));
    assert_eq!((client.findings[0].rule.as_str(), client.findings[0].first.journal_id), ("ignored-parameter", Some(2)));
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.assert_no_findings()));
    let message = panicked.expect_err("it panics").downcast::<String>().expect("a text");
    assert!(message.contains("warning ignored-parameter: Sent a parameter that is ignored: colour"), "{message}");
    world.reset();
    world.assert_no_findings();
}

#[test]
fn hundreds_of_worlds_are_there_at_once() {
    let began = Instant::now();
    let worlds: Vec<TestWorld> = (0..WORLDS).map(|_| testing::world()).collect();
    let made = began.elapsed();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let sent = worlds.iter().enumerate().map(|(at, world)| async move {
            user(world, "mel").post("/messages", message(&format!("in {at}"))).await.success()["id"].clone()
        });
        let ids = futures_util::future::join_all(sent).await;
        assert!(ids.iter().all(|id| *id == ids[0]), "no world sees another's messages");
    });
    for (at, world) in worlds.iter().enumerate() {
        world.journal().verify(RequestPattern::to("/messages").param("content", format!("in {at}")).exactly(1));
        assert_eq!(world.journal().entries(RequestPattern::any()).len(), 1);
    }
    drop(worlds);
    let took = began.elapsed();
    println!("{WORLDS} worlds made in {made:.2?}, used, asserted on and ended within {took:.2?}");
    assert!(took < EACH * u32::try_from(WORLDS).expect("few"), "{took:?}");
}
