//! Reminders.

use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};

/// Noon of the day on which every test begins.
const NOW: i64 = 1_767_268_800;

async fn remind(user: &User, message: i64, after_seconds: i64, note: &str) -> Reply {
    let params = json!({"message_id": message, "scheduled_delivery_timestamp": NOW + after_seconds, "note": note});
    user.post("/reminders", params).await
}

async fn reminders(user: &User) -> Vec<Value> {
    let reply = user.get("/reminders", json!({})).await.success();
    reply["reminders"].as_array().cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_reminder_has_its_id_message_time_and_note() {
    let server = TestServer::start().await;
    let [nora, mel] = server.users(["nora", "mel"]);
    let mut at_nora = nora.events(["reminders"]).await;
    let mut at_mel = mel.events(["reminders"]).await;
    let message = server.message("Pizza or pasta?");
    let channel = server.channel("general");

    let made = remind(&nora, message, 3_600, "\nBring money \n").await.success();
    let id = made["reminder_id"].as_i64().expect("an id");

    let listed = reminders(&nora).await;
    let content = format!(
        "You requested a reminder for #**general>lunch@{message}**. Note:\n > Bring money\n\n\
         @_**Max Mercer|{}** [said](#narrow/channel/{channel}-general/topic/lunch/near/{message}):\n\
         ```quote\nPizza or pasta?\n```",
        server.user("max").id()
    );
    let record = json!({
        "reminder_id": id,
        "message_id": message,
        "type": "private",
        "to": [nora.id()],
        "content": content,
        "rendered_content": listed[0]["rendered_content"],
        "scheduled_delivery_timestamp": NOW + 3_600,
        "failed": false,
        "reminder_target_message_id": message,
        "note": "Bring money",
    });
    assert_eq!(listed, std::slice::from_ref(&record));
    assert!(record["rendered_content"].as_str().is_some_and(|html| html.contains("<blockquote>")), "{record}");
    at_nora.next().await.is(json!({"type": "reminders", "op": "add", "reminders": [record]}));
    at_nora.none().await;
    at_mel.none().await;
    let state = nora.register(json!({"fetch_event_types": ["reminders"]})).await.state;
    assert_eq!(state["reminders"], json!([record]));
}

#[tokio::test]
async fn at_its_time_the_notification_bot_sends_it_to_its_user_and_it_is_gone() {
    let server = TestServer::start().await;
    let [nora, mel] = server.users(["nora", "mel"]);
    let message = server.message("Pizza or pasta?");
    let id = remind(&nora, message, 60, "Bring money").await.success()["reminder_id"].clone();
    let mut at_nora = nora.events(["message", "reminders"]).await;
    let mut at_mel = mel.events(["message", "reminders"]).await;

    server.advance(59).await;
    at_nora.none().await;
    server.advance(1).await;

    let sent = at_nora.next().await.has(json!({"type": "message"}));
    let text = sent["message"]["content"].as_str().unwrap_or_default();
    assert!(text.contains(&format!("#**general>lunch@{message}**. Note:\n > Bring money")), "{text}");
    assert_eq!(sent["message"]["type"], "private");
    assert_eq!(sent["message"]["sender_full_name"], "Notification Bot");
    assert_eq!(sent["message"]["timestamp"], NOW + 60);
    at_nora.next().await.is(json!({"type": "reminders", "op": "remove", "reminder_id": id}));
    at_nora.none().await;
    at_mel.none().await;
    assert!(reminders(&nora).await.is_empty());
}

#[tokio::test]
async fn direct_messages_polls_and_lists_have_words_of_their_own() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    for (text, ending) in [
        ("Who said ```this```?", "[said]({link}):\n````quote\nWho said ```this```?\n````"),
        ("/poll Tea?\ncoffee", "[sent]({link}) a poll."),
        ("/todo Shopping\nmilk", "[sent]({link}) a to-do list."),
    ] {
        let id = max.send_direct(&[mel.id()], text).await;
        remind(&mel, id, 60, "").await.success();

        let link = format!("#narrow/dm/{},{}/near/{id}", mel.id(), max.id());
        let expected = format!(
            "You requested a reminder for the following direct message.\n\n@_**Max Mercer|{}** {}",
            max.id(),
            ending.replace("{link}", &link)
        );
        let all = reminders(&mel).await;
        assert!(all.iter().any(|reminder| reminder["content"] == expected.as_str()), "{expected}\n{all:#?}");
    }
}

#[tokio::test]
async fn a_long_message_is_cut_so_that_the_reminder_fits() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let id = max.send_direct(&[mel.id()], &"é".repeat(10_000)).await;
    remind(&mel, id, 60, &"n".repeat(1_000)).await.success();

    let content = reminders(&mel).await[0]["content"].as_str().unwrap_or_default().to_owned();

    assert_eq!(content.chars().count(), 10_000);
    assert!(content.ends_with("é\n[message truncated]\n```"));
}

#[tokio::test]
async fn without_a_message_it_is_of_the_note_and_without_a_time_in_an_hour() {
    let server = TestServer::start().await;
    let nora = server.user("nora");
    let listening = json!({"event_types": ["message", "reminders"], "idle_queue_timeout": 7_200});
    let mut queue = nora.register(listening).await;

    nora.post("/reminders", json!({"note": "Bring money"})).await.success();
    nora.post("/reminders", json!({})).await.success();

    let [of_note, of_nothing] = <[Value; 2]>::try_from(reminders(&nora).await).expect("both are listed");
    assert_eq!((of_note.get("message_id"), of_note.get("reminder_target_message_id")), (None, None));
    assert_eq!(of_note["content"], "You requested a reminder. Note:\n > Bring money");
    assert_eq!((&of_nothing["content"], &of_nothing["note"]), (&json!("You requested a reminder."), &json!("")));
    for _ in 0..2 {
        queue.next().await.has(json!({"type": "reminders", "op": "add"}));
    }
    server.advance(3_599).await;
    queue.none().await;
    server.advance(1).await;
    let sent = queue.next().await.has(json!({"type": "message"}));
    assert_eq!(sent["message"]["content"], of_note["content"]);
}

#[tokio::test]
async fn the_time_must_be_later_and_the_message_visible() {
    let server = TestServer::start().await;
    let [nora, bot] = server.users(["nora", "build-bot"]);
    let message = server.message("Pizza or pasta?");

    let late = "Scheduled delivery time must be in the future.";
    remind(&nora, message, 0, "").await.error("BAD_REQUEST", late);
    let milliseconds = remind(&nora, message, 1_767_268_800_000, "").await;
    assert!(milliseconds.header("x-chatdouble-hint").is_some_and(|hint| hint.contains("takes UNIX seconds")));
    milliseconds.error("BAD_REQUEST", "scheduled_delivery_timestamp is too large");
    // The time is looked at before the message, the message before the note.
    remind(&nora, 999_999, -5, "").await.error("BAD_REQUEST", late);
    let secret = server.message("Before Mona joined");
    remind(&nora, secret, 60, &"n".repeat(1_001)).await.error("BAD_REQUEST", "Invalid message(s)");
    let long = remind(&nora, message, 60, &"é".repeat(1_001)).await;
    long.error("BAD_REQUEST", "Maximum reminder note length: 1000 characters");
    remind(&nora, message, 60, &"é".repeat(1_000)).await.success();
    remind(&bot, message, 60, "").await.success();
    assert_eq!(reminders(&bot).await[0]["note"], "");
}

#[tokio::test]
async fn a_removed_reminder_is_never_sent() {
    let server = TestServer::start().await;
    let [nora, max] = server.users(["nora", "max"]);
    let message = server.message("Pizza or pasta?");
    let later = remind(&nora, message, 120, "").await.success()["reminder_id"].clone();
    let id = remind(&nora, message, 60, "").await.success()["reminder_id"].clone();
    let ids: Vec<Value> = reminders(&nora).await.iter().map(|one| one["reminder_id"].clone()).collect();
    assert_eq!(ids, [id.clone(), later.clone()], "the next one comes first");
    let mut events = nora.events(["reminders", "message"]).await;
    let path = format!("/reminders/{id}");

    let message = "Reminder does not exist";
    max.delete(&path, json!({})).await.with_status(404).error("BAD_REQUEST", message);
    nora.delete(&path, json!({})).await.is(json!({}));
    nora.delete(&path, json!({})).await.with_status(404).error("BAD_REQUEST", message);

    events.next().await.is(json!({"type": "reminders", "op": "remove", "reminder_id": id}));
    server.advance(100).await;
    events.none().await;
    server.advance(20).await;
    events.next().await.has(json!({"type": "message"}));
    events.next().await.is(json!({"type": "reminders", "op": "remove", "reminder_id": later}));
}
