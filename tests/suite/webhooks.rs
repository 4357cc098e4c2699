//! Outgoing webhooks: what is posted where, what becomes of the answer, and how failures are reported.

mod failures;
mod worlds;

use crate::control::Control;
use crate::support::{Queue, Receiver, TestServer, User};
use serde_json::{Value, json};

/// Has out-bot call a URL in the form of an interface.
pub async fn point(server: &TestServer, url: &str, interface: i64) {
    let [mel, out] = server.users(["mel", "out-bot"]);
    let params = json!({"service_payload_url": Value::from(url).to_string(), "service_interface": interface});
    mel.patch(&format!("/bots/{}", out.id()), params).await.success();
}

/// Starts a receiver that answers with these bodies, and has out-bot call it.
async fn called<const N: usize>(server: &TestServer, bodies: [Value; N]) -> Receiver {
    let receiver = Receiver::answering(bodies).await;
    point(server, &receiver.url, 1).await;
    receiver
}

/// The next messages of a queue, waiting for them: who sent them, and what they say.
async fn messages(queue: &mut Queue, count: usize) -> Vec<(i64, String)> {
    let mut came = Vec::new();
    while came.len() < count {
        came.extend(queue.all().await.iter().filter(|event| event["type"] == "message").map(said));
        if came.len() < count {
            queue.wait().await.success();
        }
    }
    came
}

fn said(event: &Value) -> (i64, String) {
    let message = &event["message"];
    (message["sender_id"].as_i64().unwrap_or_default(), message["content"].as_str().unwrap_or_default().to_owned())
}

/// Registers for messages as Markdown.
async fn listen(user: &User) -> Queue {
    user.register(json!({"event_types": ["message"], "fetch_event_types": [], "apply_markdown": false})).await
}

/// What was posted in the default world, as control lists it.
async fn tries(server: &TestServer) -> Vec<Value> {
    let reply = Control::of(server).get("/worlds/default/webhooks").await.success();
    reply["webhooks"].as_array().cloned().unwrap_or_default()
}

const MENTION: &str = "@**Out Bot** how are you?";

#[tokio::test]
async fn a_mention_in_a_channel_is_posted_and_the_answer_sent_to_the_topic() {
    let server = TestServer::start().await;
    let [mel, max, out] = server.users(["mel", "max", "out-bot"]);
    let receiver = called(&server, [json!({"content": "Fine, *thanks*."})]).await;
    let mut at_mel = listen(&mel).await;

    let id = max.send_to("general", "talk", MENTION).await;

    assert_eq!(messages(&mut at_mel, 2).await[1], (out.id(), "Fine, *thanks*.".to_owned()));
    let reply = mel.get("/messages", json!({"anchor": "newest", "num_before": 1, "num_after": 0})).await.success();
    let reply = reply["messages"].as_array().and_then(|all| all.last()).expect("it is there");
    assert_eq!((&reply["display_recipient"], &reply["subject"]), (&json!("general"), &json!("talk")));
    assert_eq!(reply["client"], "OutgoingWebhookResponse");
    let posted = receiver.posted();
    assert_eq!((posted.len(), posted[0].content_type.as_str()), (1, "application/json"));
    let body = posted[0].json();
    let message = json!({
        "id": id, "type": "stream", "sender_id": max.id(), "sender_email": max.email(), "sender_full_name": "Max Mercer",
        "sender_realm_str": "", "display_recipient": "general", "stream_id": server.channel("general"),
        "subject": "talk", "content": MENTION, "content_type": "text/x-markdown", "client": "Python-chatdouble",
        "is_me_message": false, "reactions": [], "submessages": [], "topic_links": [], "timestamp": 1_767_268_800,
    });
    let rendered = body["message"]["rendered_content"].as_str().unwrap_or_default();
    assert!(rendered.contains(&format!("data-user-id=\"{}\"", out.id())) && rendered.ends_with("how are you?</p>"));
    assert!(body["message"]["avatar_url"].is_string() && body["message"]["recipient_id"].is_number());
    for (key, value) in message
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| !["client", "sender_realm_str"].contains(&key.as_str()))
    {
        assert_eq!(&body["message"][key], value, "{key}");
    }
    for (key, value) in [
        ("data", MENTION),
        ("bot_email", out.email()),
        ("bot_full_name", "Out Bot"),
        ("token", "outBotToken00000000000000000000"),
        ("trigger", "mention"),
    ] {
        assert_eq!(body[key], value, "{key}");
    }
    assert_eq!(body.as_object().map(serde_json::Map::len), Some(6));
    assert_eq!(
        tries(&server).await,
        [json!({
            "id": 1, "at": 1_767_268_800.0, "user": out.email(), "url": receiver.url, "body": body, "status": 200,
            "reply": {"content": "Fine, *thanks*."}, "error": null,
        })]
    );
}

#[tokio::test]
async fn direct_messages_to_a_bot_and_to_a_group_with_it_are_posted() {
    let server = TestServer::start().await;
    let [mel, max, out] = server.users(["mel", "max", "out-bot"]);
    let receiver = called(&server, [json!({"content": "one"}), json!({"content": "all"})]).await;
    let (mut at_mel, mut at_max) = (listen(&mel).await, listen(&max).await);

    max.send_direct(&[out.id()], "psst").await;
    assert_eq!(messages(&mut at_max, 2).await[1], (out.id(), "one".to_owned()));
    at_mel.none().await;
    max.send_direct(&[out.id(), mel.id()], "Hello, both").await;

    assert_eq!(messages(&mut at_mel, 2).await[1], (out.id(), "all".to_owned()));
    assert_eq!(messages(&mut at_max, 2).await[1], (out.id(), "all".to_owned()));
    let bodies: Vec<Value> = receiver.posted().iter().map(|posted| posted.json()).collect();
    let people = |body: &Value| {
        let people = body["message"]["display_recipient"].as_array().cloned().unwrap_or_default();
        people.iter().filter_map(|person| person["id"].as_i64()).collect::<Vec<_>>()
    };
    let mut pair = vec![max.id(), out.id()];
    let mut group = vec![max.id(), out.id(), mel.id()];
    pair.sort_unstable();
    group.sort_unstable();
    assert_eq!((people(&bodies[0]), people(&bodies[1])), (pair, group));
    for body in &bodies {
        assert_eq!((&body["trigger"], &body["message"]["type"]), (&json!("direct_message"), &json!("private")));
    }
    assert_eq!(bodies[0]["data"], "psst");
}

#[tokio::test]
async fn the_slack_interface_posts_a_form_and_knows_no_direct_messages() {
    let server = TestServer::start().await;
    let [mel, max, out] = server.users(["mel", "max", "out-bot"]);
    let receiver = Receiver::answering([json!({"text": "ok & done"})]).await;
    point(&server, &receiver.url, 2).await;
    let (mut at_mel, mut at_max) = (listen(&mel).await, listen(&max).await);

    max.send_to("general", "talk", MENTION).await;

    assert_eq!(messages(&mut at_max, 2).await[1], (out.id(), "ok & done".to_owned()));
    let posted = receiver.posted();
    assert_eq!(posted[0].content_type, "application/x-www-form-urlencoded");
    let form: Vec<(String, String)> = form_urlencoded::parse(posted[0].text.as_bytes()).into_owned().collect();
    let organization = server.server().world("default").snapshot().organization.id;
    let expected = [
        ("token", "outBotToken00000000000000000000".to_owned()),
        ("team_id", format!("T{organization}")),
        ("team_domain", "chat.test".to_owned()),
        ("channel_id", format!("C{}", server.channel("general"))),
        ("channel_name", "general".to_owned()),
        ("thread_ts", "1767268800".to_owned()),
        ("timestamp", "1767268800".to_owned()),
        ("user_id", format!("U{}", max.id())),
        ("user_name", "Max Mercer".to_owned()),
        ("text", MENTION.to_owned()),
        ("trigger_word", "mention".to_owned()),
        ("service_id", out.id().to_string()),
    ];
    let names = |(name, value): &(&str, String)| ((*name).to_owned(), value.clone());
    assert_eq!(form, expected.iter().map(names).collect::<Vec<_>>());

    messages(&mut at_mel, 2).await;
    max.send_direct(&[out.id()], "psst").await;
    let failure = "Failure! Slack outgoing webhooks don't support direct messages.";
    assert_eq!(messages(&mut at_max, 2).await[1], (out.id(), failure.to_owned()));
    at_mel.none().await;
    assert_eq!(receiver.posted().len(), 1);
    let last = tries(&server).await.pop().expect("it is listed");
    assert_eq!((&last["status"], &last["body"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn an_answer_may_say_nothing_or_say_it_in_several_ways() {
    let server = TestServer::start().await;
    let [max, out] = server.users(["max", "out-bot"]);
    let choice = json!({"type": "multiple_choice", "short_name": "Y", "long_name": "Yes", "reply": "yes"});
    let widget =
        json!({"widget_type": "zform", "extra_data": {"type": "choices", "heading": "Tea?", "choices": [choice]}});
    let silent = [
        json!({"response_not_required": true, "content": "not this"}),
        json!({}),
        json!(""),
        json!({"content": " \n"}),
        json!({"text": "that is the other interface"}),
    ];
    let telling = [
        (json!({"response_string": "old way", "content": "not this"}), "old way"),
        (json!({"response_not_required": false, "content": "both"}), "both"),
        (json!({"content": 7}), "7"),
        (json!({"content": {"a": [null, true, "it's"]}}), r#"{'a': [None, True, "it's"]}"#),
        (json!({"content": "Tea?", "widget_content": widget.to_string()}), "Tea?"),
    ];
    let mut replies: Vec<(u16, String)> = silent.iter().map(|reply| (200, reply.to_string())).collect();
    replies.extend(telling.iter().map(|(reply, _)| (201, reply.to_string())));
    let replies: [(u16, String); 10] = replies.try_into().expect("ten");
    let receiver = Receiver::replying(replies).await;
    point(&server, &receiver.url, 1).await;
    let mut at_max = listen(&max).await;

    for _ in 0..10 {
        max.send_direct(&[out.id()], "psst").await;
    }

    let came = messages(&mut at_max, 15).await;
    let answers: Vec<&str> = came.iter().filter(|(id, _)| *id == out.id()).map(|(_, text)| text.as_str()).collect();
    assert_eq!(answers, telling.iter().map(|(_, text)| *text).collect::<Vec<_>>());
    let newest = max.get("/messages", json!({"anchor": "newest", "num_before": 1, "num_after": 0})).await.success();
    let answer = newest["messages"].as_array().and_then(|all| all.last()).expect("the answer");
    let shown = answer["submessages"][0]["content"].as_str().expect("a widget");
    assert_eq!(serde_json::from_str::<Value>(shown).expect("JSON"), widget);
    assert!(tries(&server).await.iter().all(|tried| tried["error"].is_null()));
    assert_eq!(receiver.posted().len(), 10);
}

#[tokio::test]
async fn only_people_who_mean_the_bot_call_it() {
    let server = TestServer::start().await;
    let [mel, build, hook, out, nora] = server.users(["mel", "build-bot", "hook-bot", "out-bot", "nora"]);
    let receiver = called(&server, [json!({"content": "yes?"})]).await;
    let mut at_nora = listen(&nora).await;

    build.send_to("general", "talk", MENTION).await;
    build.send_direct(&[out.id()], "I am a bot too").await;
    hook.send_to("general", "talk", MENTION).await;
    out.send_to("general", "talk", "@**Out Bot** says this itself").await;
    for text in ["@_**Out Bot** silently", "`@**Out Bot**` as code", "@**all** wake up", "Out Bot"] {
        mel.send_to("general", "talk", text).await;
    }
    let id = mel.send_to("general", "talk", "nothing yet").await;
    mel.patch(&format!("/messages/{id}"), json!({"content": MENTION})).await.success();
    // Where the bot is not, it is called all the same; a notice about a message says nothing by itself.
    nora.send_to("general", "talk", "@**Out Bot** at last").await;

    receiver.until_posted(1).await;
    let texts: Vec<Value> = receiver.posted().iter().map(|posted| posted.json()["data"].clone()).collect();
    assert_eq!(texts, ["@**Out Bot** at last"]);
    let came = messages(&mut at_nora, 1).await;
    assert!(came.len() >= 5);
}

#[tokio::test]
async fn a_bot_answers_where_it_may_not_post_by_itself() {
    let server = TestServer::start().await;
    let [olive, out] = server.users(["olive", "out-bot"]);
    let receiver = called(&server, [json!({"content": "psst"})]).await;
    let mut at_olive = listen(&olive).await;
    let params = json!({"type": "channel", "to": "leadership", "topic": "budget", "content": "Hi"});
    assert_eq!(out.post("/messages", params).await.status, 400);

    olive.send_to("leadership", "budget", MENTION).await;

    assert_eq!(messages(&mut at_olive, 2).await[1], (out.id(), "psst".to_owned()));
    assert_eq!(receiver.posted().len(), 1);
}

#[tokio::test]
async fn calls_are_posted_in_the_order_of_the_messages() {
    let server = TestServer::start().await;
    let [max, out] = server.users(["max", "out-bot"]);
    let receiver = called(&server, [json!({"content": "answer"})]).await;
    let mut at_max = listen(&max).await;
    let texts: Vec<String> = (0..20).map(|number| format!("number {number}")).collect();

    for text in &texts {
        max.send_direct(&[out.id()], text).await;
    }

    messages(&mut at_max, 40).await;
    let posted: Vec<Value> = receiver.posted().iter().map(|posted| posted.json()["data"].clone()).collect();
    assert_eq!(posted, texts);
}

#[tokio::test]
async fn a_message_that_is_sent_later_calls_when_it_is_sent() {
    let server = TestServer::start().await;
    let [max, out] = server.users(["max", "out-bot"]);
    let receiver = called(&server, [json!({"content": "answer"})]).await;
    let mut at_max = listen(&max).await;
    let at = 1_767_268_800 + 360;
    let params = json!({"type": "direct", "to": [out.id()], "content": "later", "scheduled_delivery_timestamp": at});
    max.post("/scheduled_messages", params).await.success();
    assert!(receiver.posted().is_empty());

    server.advance(420).await;

    messages(&mut at_max, 2).await;
    assert_eq!(receiver.posted()[0].json()["message"]["timestamp"], at);
}

#[tokio::test]
async fn the_url_form_and_token_of_a_bot_are_kept_and_reported() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let receiver = Receiver::answering([json!({"text": "made"})]).await;
    let made = json!({
        "full_name": "Tea Bot", "short_name": "tea", "bot_type": 3, "interface_type": 2,
        "payload_url": Value::from(receiver.url.as_str()).to_string(),
    });
    let id = mel.post("/bots", made).await.success()["user_id"].as_i64().expect("an id");
    let service = || async {
        let state = mel.register(json!({"fetch_event_types": ["realm_bot"]})).await.state;
        let bots = state["realm_bots"].as_array().cloned().unwrap_or_default();
        let bot = bots.into_iter().find(|bot| bot["user_id"] == id).expect("mel's own");
        bot["services"][0].clone()
    };
    let first = service().await;
    assert_eq!((&first["base_url"], &first["interface"]), (&json!(receiver.url), &json!(2)));

    mel.post(&format!("/bots/{id}/api_key/regenerate"), json!({})).await.success();

    assert_eq!(service().await, first, "the token is not the API key");
    mel.send_to("general", "talk", "@**Tea Bot**").await;
    let posted = receiver.until_posted(1).await;
    let token = form_urlencoded::parse(posted[0].text.as_bytes()).find(|(name, _)| name == "token");
    assert_eq!(token.map(|(_, token)| Value::from(token.into_owned())), Some(first["token"].clone()));
}
