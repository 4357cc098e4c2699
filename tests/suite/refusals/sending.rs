//! Sending: what is scheduled, changed to be sent later, or being typed is refused as a message would be.

use super::{group, refuse, send};
use crate::statuses::limit_guests;
use crate::support::TestServer;
use chatdouble::realm::group::SystemGroup;
use serde_json::{Value, json};

/// An hour after the frozen clock, UNIX seconds.
const LATER: i64 = 1_767_272_400;

fn to_channel(channel: i64, topic: &str, content: &str) -> Value {
    json!({"type": "channel", "to": channel, "topic": topic, "content": content})
}

fn to_people(people: &[i64]) -> Value {
    json!({"type": "direct", "to": people, "content": "x"})
}

/// Each message must be refused when it is scheduled, and when what mel scheduled becomes it.
async fn refuse_to_send<const N: usize>(server: &TestServer, rows: [(Value, &str); N]) {
    let mel = server.user("mel").id();
    let realm = server.server().world("default").snapshot();
    let own = realm.scheduled_messages.values().find(|message| message.sender.0 == mel);
    let own = own.expect("mel has scheduled one").id.0;
    for (message, refusal) in rows {
        let [mut scheduled, mut changed] = [message.clone(), message];
        scheduled["scheduled_delivery_timestamp"] = LATER.into();
        changed["scheduled_message_id"] = own.into();
        refuse(
            server,
            [
                ("mel", "POST /scheduled_messages", scheduled, refusal),
                ("mel", "PATCH /scheduled_messages/{scheduled_message_id}", changed, refusal),
            ],
        )
        .await;
    }
}

/// Each topic must be refused when somebody types there too.
async fn refuse_in_topics<const N: usize>(server: &TestServer, rows: [(i64, &str, &str); N]) {
    for (channel, topic, refusal) in rows {
        let typing = json!({"op": "start", "type": "channel", "stream_id": channel, "topic": topic});
        refuse(server, [("mel", "POST /typing", typing, refusal)]).await;
        refuse_to_send(server, [(to_channel(channel, topic, "x"), refusal)]).await;
    }
}

#[tokio::test]
async fn places_that_nobody_sends_to() {
    let server = TestServer::start().await;
    server.allow_in("general", "can_create_topic_group", SystemGroup::Administrators).await;
    server.change_channel("town-square", json!({"topics_policy": "disable_empty_topic"})).await;
    server.empty_topics("engineering");
    let names = ["general", "leadership", "announcements", "town-square", "engineering", "design"];
    let [general, leadership, announcements, square, engineering, design] = names.map(|name| server.channel(name));
    server.user("adam").delete(&format!("/streams/{design}"), json!({})).await.success();
    let unseen = format!("Channel with ID '{leadership}' does not exist");
    let dana = server.user("dana").id();
    let two = json!({"type": "channel", "to": [general, engineering], "topic": "x", "content": "x"});

    refuse_to_send(
        &server,
        [
            (two, "Invalid data type for channel ID"),
            (to_channel(general, "lunch", " "), "Message must not be empty"),
            (to_channel(general, "lunch", "a\0b"), "Message must not contain null bytes"),
            (to_channel(999, "x", "x"), "Channel with ID '999' does not exist"),
            (to_channel(leadership, "x", "x"), &unseen),
            (to_channel(design, "x", "x"), "Not authorized to send to channel 'design'"),
            (to_channel(announcements, "x", "x"), "You do not have permission to post in this channel."),
            (to_people(&[]), "Message must have recipients"),
            (to_people(&[999]), "Invalid user ID 999"),
            (to_people(&[dana]), "'dana@chat.test' is no longer using the service."),
        ],
    )
    .await;
    refuse_in_topics(
        &server,
        [
            (general, "a\u{7}b", "Invalid character in topic, at position 2!"),
            (general, "new", "You do not have permission to create new topics in this channel."),
            (square, "", "Sending messages to the general chat is not allowed in this channel."),
            (engineering, "x", "Only the general chat topic is allowed in this channel."),
        ],
    )
    .await;
}

#[tokio::test]
async fn people_who_are_not_written_to() {
    let server = TestServer::start().await;
    let [adam, max] = server.users(["adam", "max"]).map(|user| user.id());

    server.allow("direct_message_permission_group", SystemGroup::Nobody).await;
    refuse_to_send(&server, [(to_people(&[max]), "Direct messages are disabled in this organization.")]).await;
    server.allow("direct_message_permission_group", SystemGroup::Owners).await;
    let message = "This conversation does not include any users who can authorize it.";
    refuse_to_send(&server, [(to_people(&[max]), message)]).await;
    server.allow("direct_message_permission_group", SystemGroup::Everyone).await;
    server.allow("direct_message_initiator_group", SystemGroup::Owners).await;
    let message = "You do not have permission to initiate direct message conversations.";
    refuse_to_send(&server, [(to_people(&[adam]), message)]).await;
}

#[tokio::test]
async fn people_a_guest_may_not_know_are_not_written_to() {
    let server = TestServer::start().await;
    let [gus, mel, nora] = server.users(["gus", "mel", "nora"]);
    limit_guests(&server, &nora).await;
    let mut scheduled = to_people(&[mel.id()]);
    scheduled["scheduled_delivery_timestamp"] = LATER.into();
    let id = send(&gus, "POST /scheduled_messages", scheduled.clone()).await.success()["scheduled_message_id"].take();

    let mut changed = to_people(&[nora.id()]);
    changed["scheduled_message_id"] = id;
    scheduled["to"] = json!([nora.id()]);
    let message = "You do not have permission to access some of the recipients.";
    refuse(
        &server,
        [
            ("gus", "POST /scheduled_messages", scheduled, message),
            ("gus", "PATCH /scheduled_messages/{scheduled_message_id}", changed, message),
        ],
    )
    .await;
}

#[tokio::test]
async fn texts_that_nobody_sends() {
    let server = TestServer::start().await;
    server.crowd("general");
    server.lengthen_links();
    for number in 0..20 {
        server.user(&format!("crowd{number}")).send_to("general", "busy", "here").await;
    }
    let admins = json!({"new": group(&server, "role:administrators")});
    let closed = json!({"user_group_id": group(&server, "engineers"), "can_mention_group": admins});
    send(&server.user("adam"), "PATCH /user_groups/{user_group_id}", closed).await.success();
    let general = server.channel("general");
    let text = |content: &str| to_channel(general, "busy", content);

    refuse_to_send(
        &server,
        [
            (text(&"x ".repeat(2_000)), "Unable to render message"),
            (text("@**all**"), "You do not have permission to use channel wildcard mentions in this channel."),
            (text("@**topic**"), "You do not have permission to use topic wildcard mentions in this topic."),
            (text("@*engineers*"), "You are not allowed to mention user group 'engineers'."),
        ],
    )
    .await;
}
