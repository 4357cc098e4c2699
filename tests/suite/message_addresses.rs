//! The addresses of a message in the reply to its sender.

use crate::support::{TestServer, User};
use chatdouble::realm::channel::Privacy;
use serde_json::{Value, json};

/// What the reply to a message says of its address: URL and link.
async fn addresses(user: &User, message: Value) -> (i64, String, String) {
    let reply = user.post("/messages", message).await.success();
    let text = |key: &str| reply[key].as_str().expect("a text").to_owned();
    (reply["id"].as_i64().expect("an ID"), text("message_url"), text("message_link"))
}

fn to(channel: &str, topic: &str) -> Value {
    json!({"type": "channel", "to": channel, "topic": topic, "content": "x"})
}

#[tokio::test]
async fn senders_learn_the_address_below_the_one_that_they_used() {
    let server = TestServer::start().await;
    let (mel, channel) = (server.user("mel"), server.channel("town-square"));
    let (base, by_name) = (server.url(), server.url().replace("127.0.0.1", "localhost"));
    let through_name = User::new(by_name.clone(), Some(mel.credentials().clone()));
    let in_world = User::new(format!("{base}/w/default"), Some(mel.credentials().clone()));
    for (user, base) in [(&mel, base.clone()), (&through_name, by_name), (&in_world, format!("{base}/w/default"))] {
        let (id, url, link) = addresses(user, to("town-square", "tea & *cake*")).await;
        let expected = format!("{base}/#narrow/channel/{channel}-town-square/topic/tea.20.26.20*cake*/near/{id}");
        assert_eq!(url, expected);
        assert_eq!(link, format!("[#town-square > tea &amp; &#42;cake&#42; @ 💬]({expected})"));
    }

    let (id, url, link) = addresses(&mel, to("town-square", "")).await;
    assert_eq!(url, format!("{base}/#narrow/channel/{channel}-town-square/topic//near/{id}"));
    assert_eq!(link, format!("[#town-square > general chat @ 💬]({url})"));

    // A direct message has no name.
    let max = server.user("max");
    let direct = json!({"type": "direct", "to": json!([max.id()]).to_string(), "content": "x"});
    let (id, url, link) = addresses(&mel, direct).await;
    let ids = [mel.id().min(max.id()), mel.id().max(max.id())];
    assert_eq!(url, format!("{base}/#narrow/dm/{},{}/near/{id}", ids[0], ids[1]));
    assert_eq!(link, url);

    // The link leads to the message, and is one in HTML too.
    let (_, url, link) = addresses(&mel, to("town-square", "[a] `b`")).await;
    let rendered = mel.post("/messages/render", json!({"content": link})).await.success();
    let html = rendered["rendered"].as_str().expect("a text").to_owned();
    let href = url.strip_prefix(&format!("{base}/")).expect("it is below the address");
    let shown = "#town-square &gt; &#91;a&#93; &#96;b&#96; @ 💬";
    assert_eq!(html, format!("<p><a href=\"{href}\">{shown}</a></p>"));
}

#[tokio::test]
async fn who_posts_where_they_see_nothing_learns_no_name() {
    let server = TestServer::start().await;
    // Bots post to the channels of their owners, without seeing them.
    let (mel, bot) = (server.user("mel"), server.user("build-bot"));
    let made = json!({"subscriptions": [{"name": "secret plan"}], "invite_only": true});
    mel.post("/users/me/subscriptions", made).await.success();
    let channel = server.channel("secret plan");
    let realm = server.server().world("default").snapshot();
    let secret = &realm.channels[&chatdouble::realm::id::ChannelId(channel)];
    assert!(
        secret.privacy == Privacy::PrivateProtectedHistory
            && !realm.can_see(&realm.users[&chatdouble::realm::id::UserId(bot.id())], secret)
    );

    let (id, url, link) = addresses(&bot, to("secret plan", "x")).await;
    assert_eq!(url, format!("{}/#narrow/channel/{channel}/topic/x/near/{id}", server.url()));
    assert_eq!(link, url);
    let (id, url, link) = addresses(&mel, to("secret plan", "x")).await;
    assert_eq!(url, format!("{}/#narrow/channel/{channel}-secret-plan/topic/x/near/{id}", server.url()));
    assert_eq!(link, format!("[#secret plan > x @ 💬]({url})"));
}

#[tokio::test]
async fn other_senders_learn_none() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let later = json!({
        "type": "channel", "to": server.channel("general"), "topic": "x", "content": "x",
        "scheduled_delivery_timestamp": 4_000_000_000_i64,
    });
    let reply = mel.post("/scheduled_messages", later).await.success();
    assert_eq!((reply.get("message_url"), reply.get("message_link")), (None, None));
}
