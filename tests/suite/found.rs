//! Failures that the properties found, one by one: changes of the state for which users got no event, or not all of them did.

use crate::support::TestServer;
use chatdouble::realm::group::SystemGroup;
use chatdouble::reducer::State;
use serde_json::json;

#[tokio::test]
async fn a_message_received_through_a_mention_alone_is_the_newest() {
    let server = TestServer::start().await;
    let [nora, mel] = server.users(["nora", "mel"]);

    let id = nora.send_to("quiet", "hush", "@**Mel Marsh** look").await;

    let state = mel.register(json!({"fetch_event_types": ["message"]})).await.state;
    assert_eq!(state["max_message_id"], id);
}

#[tokio::test]
async fn the_older_list_of_muted_topics_has_no_empty_topic_for_clients_that_do_not_know_it() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let plain = json!({"event_types": ["muted_topics"], "client_capabilities": {}});
    let mut queue = mel.register(plain.clone()).await;

    let mute = json!({"stream_id": server.channel("announcements"), "topic": "", "visibility_policy": 1});
    mel.post("/user_topics", mute).await.success();

    let event = queue.next().await.has(json!({"type": "muted_topics"}));
    assert_eq!(event["muted_topics"][1][1], "general chat", "{event}");
    assert_eq!(mel.register(plain).await.state["muted_topics"], event["muted_topics"]);
}

#[tokio::test]
async fn a_move_is_sent_to_those_who_have_only_some_of_the_messages() {
    let server = TestServer::start().await;
    let [olive, mona] = server.users(["olive", "mona"]);
    let (old, new) = (server.message("Before Mona joined"), server.message("@**Mona Maddox** can see"));
    let mut events = mona.events(["update_message"]).await;

    let params = json!({"topic": "money", "propagate_mode": "change_later"});
    olive.patch(&format!("/messages/{old}"), params).await.success();

    events.next().await.has(json!({"orig_subject": "budget", "subject": "money", "message_ids": [old, new]}));
    events.none().await;
}

#[tokio::test]
async fn those_who_are_unsubscribed_together_hear_of_each_other() {
    let server = TestServer::start().await;
    let [olive, adam, max] = server.users(["olive", "adam", "max"]);
    let mut events = max.events(["subscription"]).await;

    let params = json!({"subscriptions": ["announcements"], "principals": [adam.id(), max.id()]});
    olive.delete("/users/me/subscriptions", params).await.success();

    let channel = server.channel("announcements");
    events.next().await.has(json!({"op": "peer_remove", "stream_ids": [channel], "user_ids": [adam.id()]}));
    events.next().await.has(json!({"op": "remove"}));
    events.none().await;
}

#[tokio::test]
async fn presence_may_be_asked_for_of_any_number_of_days() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    for (days, is_anybody_there) in [(i64::MAX, true), (0, false)] {
        let params = json!({"fetch_event_types": ["presence"], "presence_history_limit_days": days});
        let state = mel.register(params).await.state;
        let presences = state["presences"].as_object().expect("there is such a key");
        assert_eq!(!presences.is_empty(), is_anybody_there, "{days} days: {presences:?}");
    }
}

#[tokio::test]
async fn a_peer_who_is_subscribed_already_is_not_counted_again() {
    let server = TestServer::start().await;
    let [olive, adam, gus] = server.users(["olive", "adam", "gus"]);
    let members = server.server().world("default").snapshot().system_group(SystemGroup::Members).0;
    let limited = json!({"can_access_all_users_group": {"new": members}});
    olive.patch("/realm", limited).await.success();
    for (viewer, include_subscribers) in [(&gus, true), (&gus, false), (&olive, true), (&olive, false)] {
        let registering = json!({ "include_subscribers": include_subscribers });
        let mut queue = viewer.register(registering.clone()).await;
        let mut state = State::from_register(queue.state.clone());

        olive.post(&format!("/users/{}/reactivate", adam.id()), json!({})).await.success();

        let again = json!({"type": "subscription", "op": "peer_add", "user_ids": [adam.id()]});
        let received = queue.all().await;
        assert!(
            received.iter().any(|event| again
                .as_object()
                .into_iter()
                .flatten()
                .all(|(key, value)| event[key] == *value))
        );
        assert!(received.iter().all(|event| state.apply(event)));
        let differences = state.differences(&viewer.register(registering).await.state);
        assert!(differences.is_empty(), "{}: {differences:#?}", viewer.email());
    }
}
