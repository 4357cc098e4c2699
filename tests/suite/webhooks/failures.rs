//! Failures: how they are reported, and how often a call is tried again.

use super::{MENTION, listen, messages, point, tries};
use crate::support::{Receiver, TestServer};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The explanation in the direct message to mel, the bot's owner, after the link to the message.
fn explanation(text: &str) -> &str {
    let (link, rest) =
        text.split_once(") to your bot @_**Out Bot** triggered an outgoing webhook.\n").expect("a notice");
    assert!(link.starts_with("[A message](#narrow/"), "{link}");
    rest
}

/// A user mentions a bot that calls a URL: the bot's answer there, and the explanation that its owner gets.
async fn failing(server: &TestServer, url: &str) -> (String, String) {
    point(server, url, 1).await;
    let [mel, max, out] = server.users(["mel", "max", "out-bot"]);
    let mut at_mel = listen(&mel).await;
    max.send_to("general", "talk", MENTION).await;
    let came = messages(&mut at_mel, 3).await;
    assert_eq!((came[1].0, came[2].0), (out.id(), out.id()));
    (came[1].1.clone(), explanation(&came[2].1).to_owned())
}

#[tokio::test]
async fn a_refusal_is_reported_at_once() {
    let server = TestServer::start().await;
    let receiver = Receiver::replying([(404, "it's \"gone\"\n\u{e9}".to_owned())]).await;

    let (said, notice) = failing(&server, &receiver.url).await;

    assert_eq!(said, "Failure! Third party responded with 404");
    assert_eq!(
        notice,
        "The webhook got a response with status code *404*.\nThe response contains the following payload:\n```\n\
         b'it\\'s \"gone\"\\n\\xc3\\xa9'\n```"
    );
    assert_eq!(receiver.posted().len(), 1);
    let tries = tries(&server).await;
    assert_eq!((tries.len(), &tries[0]["status"], &tries[0]["error"]), (1, &json!(404), &Value::Null));
    assert_eq!(tries[0]["reply"], "it's \"gone\"\n\u{e9}");
}

#[tokio::test]
async fn a_failure_of_the_receiver_is_tried_again_until_it_is_none() {
    let server = TestServer::start().await;
    let answer = json!({"content": "at last"}).to_string();
    let receiver = Receiver::replying([(500, "no".into()), (503, "no".into()), (200, answer)]).await;
    point(&server, &receiver.url, 1).await;
    let [max, out] = server.users(["max", "out-bot"]);
    let mut at_max = listen(&max).await;
    let began = Instant::now();

    max.send_to("general", "talk", MENTION).await;

    assert_eq!(messages(&mut at_max, 2).await[1], (out.id(), "at last".to_owned()));
    assert!(began.elapsed() >= Duration::from_secs(2), "two tries are a second apart");
    let posted = receiver.posted();
    assert!(posted.len() == 3 && posted.iter().all(|other| other.text == posted[0].text));
    let tries = tries(&server).await;
    assert_eq!(tries.iter().map(|tried| tried["status"].clone()).collect::<Vec<_>>(), [500, 503, 200]);
}

#[tokio::test]
async fn what_stays_broken_is_given_up_after_four_tries() {
    let server = TestServer::start().await;
    let receiver = Receiver::replying([(502, String::new())]).await;

    let (said, notice) = failing(&server, &receiver.url).await;

    assert_eq!(said, "Failure! Third party responded with 502");
    assert_eq!(notice, "The webhook got a response with status code *502*.");
    assert_eq!((receiver.posted().len(), tries(&server).await.len()), (4, 4));
}

#[tokio::test]
async fn where_nobody_answers_the_bot_is_unavailable() {
    let server = TestServer::start().await;
    let receiver = Receiver::answering([json!({})]).await;
    let url = receiver.url.clone();
    drop(receiver);

    let (said, notice) = failing(&server, &url).await;

    assert_eq!(said, "Failure! Bot is unavailable");
    assert_eq!(notice, "A connection error occurred. Is my bot server down?");
    let tries = tries(&server).await;
    assert_eq!(tries.len(), 4);
    for tried in &tries {
        assert_eq!(
            (&tried["status"], &tried["reply"], &tried["body"]["trigger"]),
            (&Value::Null, &Value::Null, &json!("mention"))
        );
        assert!(tried["error"].as_str().is_some_and(|error| error.starts_with("no connection: ")), "{tried}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_is_reported_with_the_reason() {
    let server = TestServer::start().await;
    for (reply, problem, payload) in [
        ("<html>", "Invalid JSON in response", "'<html>'"),
        ("[1]", "Invalid response format", "'[1]'"),
        (r#"{"content": "a\u0000b"}"#, "Message must not contain null bytes", r#"'{"content": "a\\u0000b"}'"#),
        (
            r#"{"content": "x", "widget_content": {}}"#,
            "Widgets: API programmer sent invalid JSON content",
            r#"'{"content": "x", "widget_content": {}}'"#,
        ),
    ] {
        let receiver = Receiver::replying([(200, reply.to_owned())]).await;

        let (said, notice) = failing(&server, &receiver.url).await;

        assert_eq!(said, format!("Failure! {problem}"));
        assert_eq!(
            notice,
            format!(
                "The outgoing webhook server attempted to send a message, but that request resulted in the following \
                 error:\n> {problem}\nThe response contains the following payload:\n```\n{payload}\n```"
            )
        );
        assert_eq!(receiver.posted().len(), 1);
        let last = tries(&server).await.pop().expect("it is listed");
        assert_eq!((&last["status"], &last["error"]), (&json!(200), &json!(problem)));
    }
}

#[tokio::test]
async fn only_this_machine_is_posted_to_unless_an_option_allows_more() {
    let server = TestServer::start().await;
    for url in [
        "https://hooks.example.com/out",
        "http://10.1.2.3/",
        "http://[2001:db8::1]:80/",
        "http://localhost.example.com/",
    ] {
        let (said, notice) = failing(&server, url).await;

        assert_eq!(said, "Failure! Third party responded with 407");
        assert_eq!(notice, "The URL configured for the webhook is for a private or disallowed network.");
        let last = tries(&server).await.pop().expect("it is listed");
        assert_eq!((&last["url"], &last["status"], &last["body"]), (&json!(url), &Value::Null, &Value::Null));
        assert!(last["error"].as_str().is_some_and(|error| error.contains("--webhooks anywhere")), "{last}");
    }
    assert_eq!(tries(&server).await.len(), 4);

    let far = TestServer::start_with(|options| options.webhooks = chatdouble::realm::webhook::Reach::Anywhere).await;
    let (said, _) = failing(&far, "http://nowhere.invalid/").await;
    assert_eq!(said, "Failure! Bot is unavailable", "it was looked for");
}

#[tokio::test]
async fn names_of_this_machine_need_no_looking_up() {
    let server = TestServer::start().await;
    let receiver = Receiver::answering([json!({"content": "here"})]).await;
    let [max, out] = server.users(["max", "out-bot"]);
    let mut at_max = listen(&max).await;
    for (host, path) in [("localhost", "/a?b=c"), ("bots.my.localhost", "/d")] {
        let url = receiver.url.replace("127.0.0.1", host).trim_end_matches('/').to_owned() + path;
        // What the API takes for a URL is another matter.
        server.arrange(|tx| {
            let bot = tx.user_mut(chatdouble::realm::id::UserId(out.id())).bot.as_mut().expect("it is a bot");
            bot.services[0]["base_url"] = url.clone().into();
        });
        max.send_to("general", "talk", MENTION).await;
        assert_eq!(messages(&mut at_max, 2).await[1], (out.id(), "here".to_owned()), "{url}");
    }
    assert_eq!(receiver.posted().iter().map(|posted| posted.path.as_str()).collect::<Vec<_>>(), ["/a", "/d"]);
}

#[tokio::test]
async fn a_bot_without_a_url_fails_as_such() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let made = json!({"full_name": "Idle", "short_name": "idle", "bot_type": 3});
    let bot = mel.post("/bots", made).await.success()["user_id"].as_i64().expect("an id");
    let (mut at_mel, mut at_max) = (listen(&mel).await, listen(&max).await);

    max.send_direct(&[bot], "anybody?").await;

    let problem = "Failure! An exception of type *MissingSchema* occurred for message `anybody?`! See the server logs for \
                   more information.";
    assert_eq!(messages(&mut at_max, 2).await[1], (bot, problem.to_owned()));
    let notice = messages(&mut at_mel, 1).await.remove(0).1;
    assert!(
        notice.contains("an exception of type MissingSchema occurred:\n```\nInvalid URL '': No scheme supplied."),
        "{notice}"
    );
}

#[tokio::test]
async fn a_bot_without_an_owner_tells_nobody_and_a_deactivated_one_is_not_called() {
    let server = TestServer::start().await;
    let [mel, adam, max, out] = server.users(["mel", "adam", "max", "out-bot"]);
    let receiver = Receiver::replying([(400, String::new())]).await;
    point(&server, &receiver.url, 1).await;
    server.arrange(|tx| {
        tx.user_mut(chatdouble::realm::id::UserId(out.id())).bot.as_mut().expect("it is a bot").owner = None;
    });
    let (mut at_mel, mut at_max) = (listen(&mel).await, listen(&max).await);

    max.send_direct(&[out.id()], "psst").await;
    assert_eq!(messages(&mut at_max, 2).await[1].1, "Failure! Third party responded with 400");
    adam.delete(&format!("/bots/{}", out.id()), json!({})).await.success();
    max.send_to("general", "talk", MENTION).await;

    assert_eq!(messages(&mut at_mel, 1).await[0].1, MENTION);
    at_mel.none().await;
    assert_eq!(receiver.posted().len(), 1);
}

#[tokio::test]
async fn redirects_are_followed_as_real_servers_follow_them() {
    let answer = || (200, json!({"content": "here"}).to_string());
    for (statuses, methods) in [
        (vec![301], ["POST", "GET"].as_slice()),
        (vec![302], &["POST", "GET"]),
        (vec![303], &["POST", "GET"]),
        (vec![307], &["POST", "POST"]),
        (vec![308, 302, 307], &["POST", "POST", "GET", "GET"]),
    ] {
        let server = TestServer::start().await;
        let target = Receiver::replying([answer()]).await;
        let receiver = match statuses.as_slice() {
            [one] => Receiver::replying([(*one, format!("{}there?a=ä b#c", target.url))]).await,
            _ => {
                Receiver::replying([(308, "/next".into()), (302, "../other".into()), (307, "?x".into()), answer()])
                    .await
            }
        };
        point(&server, &receiver.url, 1).await;
        let [max, out] = server.users(["max", "out-bot"]);
        let mut at_max = listen(&max).await;

        max.send_to("general", "talk", MENTION).await;

        assert_eq!(messages(&mut at_max, 2).await[1], (out.id(), "here".to_owned()), "{statuses:?}");
        let posted: Vec<_> = receiver.posted().into_iter().chain(target.posted()).collect();
        assert_eq!(posted.iter().map(|one| one.method.as_str()).collect::<Vec<_>>(), methods, "{statuses:?}");
        for one in &posted {
            let has_body = one.method == "POST";
            assert_eq!((one.text.is_empty(), one.content_type.is_empty()), (!has_body, !has_body), "{one:?}");
        }
    }
}

#[tokio::test]
async fn redirects_end_at_the_thirtieth_and_at_other_machines() {
    let server = TestServer::start().await;
    let circle = Receiver::replying([(307, "/again".to_owned())]).await;

    let (said, notice) = failing(&server, &circle.url).await;

    assert_eq!(
        said,
        format!(
            "Failure! An exception of type *TooManyRedirects* occurred for message `{MENTION}`! See the server logs for more information."
        )
    );
    assert!(notice.ends_with("```\nExceeded 30 redirects.\n```"), "{notice}");
    assert_eq!((circle.posted().len(), tries(&server).await.len()), (31, 1));
    for (place, reason) in [
        ("http://192.0.2.1/x", "192.0.2.1 is not this machine"),
        ("//chat.example.com/x", "chat.example.com is not this machine"),
        ("ftp://localhost/x", "ftp URLs can't be posted to"),
    ] {
        let server = TestServer::start().await;
        let receiver = Receiver::replying([(302, place.to_owned())]).await;
        failing(&server, &receiver.url).await;
        let error = tries(&server).await[0]["error"].clone();
        assert!(error.as_str().is_some_and(|error| error.starts_with(reason)), "{error}");
        assert_eq!(receiver.posted().len(), 1);
    }
}
