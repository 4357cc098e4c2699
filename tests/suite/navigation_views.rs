//! The left sidebar.

use crate::support::TestServer;
use serde_json::json;

const CUSTOM: &str = "narrow/channel/1-general/topic/lunch";

#[tokio::test]
async fn views_come_in_the_order_of_their_making_and_built_in_ones_without_a_name() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);

    let engineering = format!("narrow/channel/{}-engineering/is/unread", server.channel("engineering"));
    mel.get("/navigation_views", json!({})).await.is(json!({"navigation_views": [
        {"fragment": "inbox", "is_pinned": true},
        {"fragment": "narrow/is/starred", "is_pinned": false},
        {"fragment": engineering, "is_pinned": true, "name": "Engineering news"},
    ]}));
    max.get("/navigation_views", json!({})).await.is(json!({"navigation_views": []}));
}

#[tokio::test]
async fn a_view_has_a_fragment_a_pin_and_for_custom_ones_a_name() {
    let server = TestServer::start().await;
    let max = server.user("max");

    let custom = json!({"fragment": format!(" {CUSTOM} "), "is_pinned": true, "name": " Lunch "});
    max.post("/navigation_views", custom).await.is(json!({}));
    let built_in = json!({"fragment": "recent", "is_pinned": false, "name": null});
    max.post("/navigation_views", built_in).await.is(json!({}));

    let views = json!([
        {"fragment": CUSTOM, "is_pinned": true, "name": "Lunch"},
        {"fragment": "recent", "is_pinned": false},
    ]);
    max.get("/navigation_views", json!({})).await.is(json!({"navigation_views": views}));
    let state = max.register(json!({"fetch_event_types": ["navigation_views"]})).await.state;
    assert_eq!(state["navigation_views"], views);
}

#[tokio::test]
async fn adding_changing_and_removing_a_view_is_sent_only_to_its_user() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    let mut at_max = max.events(["navigation_view"]).await;
    let mut at_mel = mel.events(["navigation_view"]).await;
    let encoded = format!("/navigation_views/{}", CUSTOM.replace('/', "%2F"));
    let plain = format!("/navigation_views/{CUSTOM}");

    let view = json!({"fragment": CUSTOM, "is_pinned": true, "name": "Lunch"});
    max.post("/navigation_views", view.clone()).await.is(json!({}));
    max.patch(&encoded, json!({"is_pinned": false})).await.is(json!({}));
    max.patch(&plain, json!({"name": "Dinner"})).await.is(json!({}));
    max.patch(&plain, json!({})).await.is(json!({}));
    max.delete(&encoded, json!({})).await.is(json!({}));

    at_max.next().await.is(json!({"type": "navigation_view", "op": "add", "navigation_view": view}));
    for data in [json!({"is_pinned": false}), json!({"name": "Dinner"}), json!({})] {
        let event = json!({"type": "navigation_view", "op": "update", "fragment": CUSTOM, "data": data});
        at_max.next().await.is(event);
    }
    at_max.next().await.is(json!({"type": "navigation_view", "op": "remove", "fragment": CUSTOM}));
    at_max.none().await;
    at_mel.none().await;
    max.get("/navigation_views", json!({})).await.is(json!({"navigation_views": []}));
}

#[tokio::test]
async fn a_blank_fragment_is_refused_and_so_is_a_missing_fragment_or_pin() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let add = async |params| max.post("/navigation_views", params).await;

    add(json!({"fragment": "  ", "is_pinned": true})).await.error("BAD_REQUEST", "fragment cannot be blank");
    let missing = "REQUEST_VARIABLE_MISSING";
    add(json!({"is_pinned": true})).await.error(missing, "Missing 'fragment' argument");
    add(json!({"fragment": "inbox"})).await.error(missing, "Missing 'is_pinned' argument");
    let pin = add(json!({"fragment": "inbox", "is_pinned": "yes"})).await;
    pin.error("BAD_REQUEST", "is_pinned is not valid JSON");
    let name = add(json!({"fragment": CUSTOM, "is_pinned": true, "name": ""})).await;
    name.error("BAD_REQUEST", "name cannot be blank");
}

#[tokio::test]
async fn names_belong_to_custom_views_and_nothing_is_there_twice() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let add = async |params| mel.post("/navigation_views", params).await;
    let engineering =
        format!("/navigation_views/narrow/channel/{}-engineering/is/unread", server.channel("engineering"));

    let named = add(json!({"fragment": "recent", "is_pinned": true, "name": "Mine"})).await;
    named.error("BAD_REQUEST", "Built-in views cannot have a custom name.");
    let unnamed = add(json!({"fragment": CUSTOM, "is_pinned": true})).await;
    unnamed.error("BAD_REQUEST", "Custom views must have a valid name.");
    let exists = "Navigation view already exists.";
    add(json!({"fragment": "inbox", "is_pinned": false})).await.error("BAD_REQUEST", exists);
    let same_name = json!({"fragment": CUSTOM, "is_pinned": false, "name": "Engineering news"});
    add(same_name).await.error("BAD_REQUEST", exists);
    mel.patch(&engineering, json!({"name": "Engineering news"})).await.error("BAD_REQUEST", exists);
    let renamed = mel.patch("/navigation_views/inbox", json!({"name": "Mine"})).await;
    renamed.error("BAD_REQUEST", "Built-in views cannot have a custom name.");
}

#[tokio::test]
async fn views_that_do_not_exist_are_not_found() {
    let server = TestServer::start().await;
    let max = server.user("max");

    // Mel has it, Max has not.
    let message = "Navigation view does not exist.";
    let path = "/navigation_views/inbox";
    max.patch(path, json!({"is_pinned": true})).await.with_status(404).error("BAD_REQUEST", message);
    max.delete(path, json!({})).await.with_status(404).error("BAD_REQUEST", message);
}

#[tokio::test]
async fn the_texts_of_a_view_have_a_limit() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let [fits, long] = [10_000, 10_001].map(|length| "é".repeat(length));

    for (name, view) in [
        ("fragment", json!({"fragment": long, "is_pinned": true, "name": "Lunch"})),
        ("name", json!({"fragment": CUSTOM, "is_pinned": true, "name": long})),
    ] {
        let message = format!("{name} is too long (limit: 10000 characters)");
        max.post("/navigation_views", view).await.error("BAD_REQUEST", &message);
    }
    max.post("/navigation_views", json!({"fragment": fits, "is_pinned": true, "name": fits})).await.is(json!({}));
    let renamed = max.patch(&format!("/navigation_views/{CUSTOM}"), json!({"name": long})).await;
    renamed.error("BAD_REQUEST", "name is too long (limit: 10000 characters)");
}
