//! Tests that a team may have for its client.

use chatdouble::testing::{self, Fault, RequestPattern, TestWorld, WorldOptions};
use chatdouble_example::Chat;
use reqwest::Method;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(5);

fn client(world: &TestWorld, handle: &str) -> Chat {
    let user = world.user(handle);
    Chat::new(world.url(), &user.email, &user.api_key)
}

#[tokio::test]
async fn a_message_arrives_in_the_client_that_waits_for_it() {
    let world = testing::world();
    let max = client(&world, "max");
    let awaited = tokio::spawn(async move { max.next_message().await });
    world.queues().wait_parked("max", 1, SOON).await;

    client(&world, "mel").send("general", "greetings", "Hello").await.expect("a reply");

    let message = awaited.await.expect("no panic").expect("a reply");
    assert_eq!(message["content"], "Hello");
    world.journal().verify(RequestPattern::to("/messages").method("POST").by("mel").exactly(1));
}

#[tokio::test]
async fn a_reminder_comes_tomorrow() {
    let world = testing::world();
    let mel = client(&world, "mel");
    let sent = mel.send("general", "greetings", "Plan").await.expect("a reply");
    let due = (world.clock().now() as i64 + 86_400).to_string();
    let params = [("message_id", &*sent["id"].to_string()), ("scheduled_delivery_timestamp", &due)];
    mel.call(Method::POST, "/reminders", &params).await.expect("a reply");

    let moved = world.clock().advance("1d").await;

    assert!(moved.fired.iter().any(|due| due.kind == "reminder"));
}

#[tokio::test]
async fn a_rate_limited_message_is_sent_again() {
    let world = testing::world();
    world.faults().add(Fault::rate_limit(Duration::ZERO).on(RequestPattern::to("/messages")).times(1));

    let reply = client(&world, "mel").send("general", "greetings", "Hello").await.expect("a reply");

    assert_eq!(reply["result"], "success");
    world.journal().verify(RequestPattern::to("/messages").param("content", "Hello").exactly(2));
}

#[tokio::test]
async fn a_lost_reply_is_shown_and_nothing_is_sent_twice() {
    let world = testing::world();
    world.faults().add(Fault::drop_after_and_again().on(RequestPattern::to("/messages")).times(1));

    client(&world, "mel").send("general", "greetings", "Hello").await.expect_err("no reply");

    world.journal().verify(RequestPattern::to("/messages").param("content", "Hello").exactly(1));
}

#[tokio::test]
async fn servers_of_older_levels_are_understood() {
    for level in [200, 250, 300] {
        let world = testing::world_with(WorldOptions::new().fixture("cast").feature_level(level).dialect("zulip"));

        let settings = client(&world, "mel").call(Method::GET, "/server_settings", &[]).await.expect("a reply");

        assert_eq!(settings["zulip_feature_level"], level);
    }
}
