//! Linkifiers: their changes, what is wrong with them, and what they do to messages.

use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};

async fn linkifiers(user: &User) -> Vec<Value> {
    let reply = user.get("/realm/linkifiers", json!({})).await.success();
    reply["linkifiers"].as_array().cloned().unwrap_or_default()
}

fn record(id: i64, pattern: &str, url_template: &str) -> Value {
    json!({
        "id": id,
        "filter_id": id,
        "pattern": pattern,
        "url_template": url_template,
        "example_input": null,
        "reverse_template": null,
        "alternative_url_templates": [],
    })
}

/// The HTML of a text that is sent now.
async fn rendered(user: &User, text: &str) -> String {
    let reply = user.post("/messages/render", json!({ "content": text })).await.success();
    reply["rendered"].as_str().unwrap_or_default().to_owned()
}

async fn edit(user: &User, id: i64, params: Value) -> Reply {
    user.patch(&format!("/realm/filters/{id}"), params).await
}

/// Asserts a refusal with these messages by field, the first of which is the message.
#[track_caller]
fn refused(reply: Reply, errors: &Value) {
    let first = errors.as_object().and_then(|errors| errors.values().next()).cloned().unwrap_or_default();
    let body = reply.error("BAD_REQUEST", first[0].as_str().unwrap_or_default());
    assert_eq!(&body["errors"], errors);
}

#[tokio::test]
async fn everybody_sees_the_linkifiers_in_their_order() {
    let server = TestServer::start().await;
    let gus = server.user("gus");

    let expected = json!([
        record(1, "#(?P<id>[0-9]+)", "https://tracker.example.com/issues/{id}"),
        {
            "id": 2,
            "filter_id": 2,
            "pattern": "(?P<project>[A-Z]+)-(?P<number>[0-9]+)",
            "url_template": "https://tracker.example.com/{project}/{number}",
            "example_input": "CORE-42",
            "reverse_template": "{project}-{number}",
            "alternative_url_templates": ["https://tracker.example.com/browse/{project}/{number}"],
        },
    ]);
    assert_eq!(json!(linkifiers(&gus).await), expected);
    let state = gus.register(json!({"fetch_event_types": ["realm_linkifiers"]})).await.state;
    assert_eq!(state["realm_linkifiers"], expected);
    let params =
        json!({"fetch_event_types": ["realm_linkifiers"], "client_capabilities": {"notification_settings_null": true}});
    assert_eq!(gus.register(params).await.state["realm_linkifiers"], json!([]));
}

#[tokio::test]
async fn messages_are_rendered_with_a_changed_linkifier_from_then_on() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let before = mel.send_to("general", "links", "See #7").await;

    let params = json!({"pattern": "#(?P<n>[0-9]+)", "url_template": "https://new.example.com/{n}{?n}"});
    edit(&adam, 1, params).await.is(json!({}));

    let after = mel.send_to("general", "links", "See #7").await;
    let content = async |id: i64| {
        let reply = mel.get(&format!("/messages/{id}"), json!({})).await.success();
        reply["message"]["content"].as_str().unwrap_or_default().to_owned()
    };
    let link = |url: &str| format!("<p>See <a href=\"{url}\">#7</a></p>");
    assert_eq!(content(after).await, link("https://new.example.com/7?n=7"));
    assert_eq!(content(before).await, link("https://tracker.example.com/issues/7"), "old messages stay as they are");
}

#[tokio::test]
async fn a_change_of_linkifiers_is_sent_to_all_clients_that_understand_templates() {
    let server = TestServer::start().await;
    let [adam, gus] = server.users(["adam", "gus"]);
    let mut at_gus = gus.events(["realm_linkifiers"]).await;
    let old = json!({"event_types": ["realm_linkifiers"], "client_capabilities": {"linkifier_url_template": false}});
    let mut at_old_client = gus.register(old).await;

    let params = json!({"pattern": " @@(?P<a>[a-z]+) ", "url_template": " https://x.example.com/{a} "});
    adam.post("/realm/filters", params).await.is(json!({"id": 3}));
    edit(&adam, 3, json!({"pattern": "@@(?P<a>[a-c]+)", "url_template": "https://x.example.com/{a}"}))
        .await
        .is(json!({}));
    adam.patch("/realm/linkifiers", json!({"ordered_linkifier_ids": [3, 1, 2]})).await.is(json!({}));
    adam.delete("/realm/filters/2", json!({})).await.is(json!({}));

    let mut seen = Vec::new();
    for event in at_gus.all().await {
        assert_eq!((&event["type"], &event["op"]), (&json!("realm_linkifiers"), &Value::Null));
        let list = event["realm_linkifiers"].as_array().cloned().unwrap_or_default();
        seen.push(list.iter().map(|one| one["id"].as_i64().unwrap_or_default()).collect::<Vec<_>>());
    }
    assert_eq!(seen, [vec![1, 2, 3], vec![1, 2, 3], vec![3, 1, 2], vec![3, 1]]);
    at_old_client.none().await;
    let left = linkifiers(&gus).await;
    assert_eq!(left[0], record(3, "@@(?P<a>[a-c]+)", "https://x.example.com/{a}"));
    assert_eq!(left.len(), 2);
}

#[tokio::test]
async fn earlier_linkifiers_win() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let params = json!({"pattern": "C(?P<rest>[A-Z]+-[0-9]+)", "url_template": "https://first.example.com/{rest}"});
    adam.post("/realm/filters", params).await.success();
    assert!(rendered(&adam, "CORE-1").await.contains("tracker.example.com/CORE/1"));

    adam.patch("/realm/linkifiers", json!({"ordered_linkifier_ids": [3, 2, 1]})).await.is(json!({}));

    assert!(rendered(&adam, "CORE-1").await.contains("first.example.com/ORE-1"));
}

#[tokio::test]
async fn what_is_not_given_stays_and_an_empty_text_is_null() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let pattern = "(?P<project>[A-Z]+)-(?P<number>[0-9]+)";
    let template = "https://tracker.example.com/{project}/{number}";
    let with = async |more: Value| {
        let mut params = json!({"pattern": pattern, "url_template": template});
        for (key, value) in more.as_object().expect("an object") {
            params[key] = value.clone();
        }
        edit(&adam, 2, params).await
    };
    let before = linkifiers(&adam).await[1].clone();

    with(json!({})).await.is(json!({}));
    with(json!({"example_input": null, "reverse_template": null})).await.is(json!({}));
    assert_eq!(linkifiers(&adam).await[1], before);
    with(json!({"example_input": "X-1", "reverse_template": ""})).await.is(json!({}));
    let changed = linkifiers(&adam).await[1].clone();
    assert_eq!((&changed["example_input"], &changed["reverse_template"]), (&json!("X-1"), &Value::Null));
    assert_eq!(changed["alternative_url_templates"], before["alternative_url_templates"]);
    with(json!({"example_input": "", "alternative_url_templates": []})).await.is(json!({}));
    assert_eq!(linkifiers(&adam).await[1], record(2, pattern, template));
}

#[tokio::test]
async fn the_server_checks_that_the_example_comes_back_from_the_reverse_template() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let with = async |example: &str, reverse: &str| {
        let params = json!({
            "pattern": "(?P<project>[A-Z]+)-(?P<number>[0-9]+)",
            "url_template": "https://x.example.com/{project}/{number}",
            "example_input": example,
            "reverse_template": reverse,
        });
        edit(&adam, 2, params).await
    };
    let all = |message: &str| json!({"__all__": [message]});

    with("A-1", "{project}-{number}").await.is(json!({}));
    refused(with("A-1", "{number}-{project}").await, &all("Example text does not match auto-conversion field."));
    refused(with("none", "{project}").await, &all("Example input does not match the linkifier pattern."));
    refused(with("A-1", "{project").await, &all("Invalid auto-conversion field: missing '}' character."));
    refused(with("A-1", "{}").await, &all("Invalid auto-conversion field: empty field name."));
    let unknown = "Group 'team' in auto-conversion field is not present in linkifier pattern.";
    refused(with("A-1", "{team}").await, &all(unknown));
    let params = json!({
        "pattern": "(?P<a>\\{[0-9]+\\})",
        "url_template": "https://x.example.com/{a}",
        "example_input": "{1}",
        "reverse_template": "{a}",
    });
    edit(&adam, 1, params.clone()).await.is(json!({}));
    let mut braces = params;
    braces["pattern"] = "\\{(?P<a>[0-9]+)\\}".into();
    braces["reverse_template"] = "{{{a}}}".into();
    edit(&adam, 1, braces).await.is(json!({}));
}

#[tokio::test]
async fn alternative_templates_do_not_change_the_links() {
    let server = TestServer::start().await;
    let adam = server.user("adam");

    let html = rendered(&adam, "CORE-42").await;

    assert!(html.contains("href=\"https://tracker.example.com/CORE/42\""), "{html}");
    assert!(!html.contains("browse"), "{html}");
}

#[tokio::test]
async fn everything_wrong_with_a_linkifier_is_reported_by_field() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let before = linkifiers(&adam).await;
    let blank = "This field cannot be blank.";
    let duplicate = "Realm filter with this Realm and Pattern already exists.";

    for (pattern, template, errors) in [
        (" ", "", json!({"pattern": [blank], "url_template": [blank]})),
        ("a", "https://x/{a", json!({"url_template": ["Invalid URL template."]})),
        ("(a", "https://x/", json!({"__all__": ["Bad regular expression: missing ): (a"]})),
        (
            "(?P<a>b)",
            "https://x/{c}",
            json!({"__all__": ["Group 'c' in URL template is not present in linkifier pattern."]}),
        ),
        (
            "(?P<a>b)",
            "https://x/",
            json!({"__all__": ["Group 'a' in linkifier pattern is not present in URL template."]}),
        ),
        ("#(?P<id>[0-9]+)", "https://x/{id}", json!({ "__all__": [duplicate] })),
        (
            "#(?P<id>[0-9]+)",
            "https://x/",
            json!({"__all__": ["Group 'id' in linkifier pattern is not present in URL template.", duplicate]}),
        ),
    ] {
        let params = json!({"pattern": pattern, "url_template": template});
        refused(adam.post("/realm/filters", params.clone()).await, &errors);
        let mut params = params;
        params["example_input"] = "".into();
        params["reverse_template"] = "".into();
        refused(edit(&adam, 2, params).await, &errors);
    }
    let alone = json!({"pattern": "a", "url_template": "https://x/", "reverse_template": "a"});
    let needed = "Example text is required when an auto-conversion field is given.";
    refused(adam.post("/realm/filters", alone).await, &json!({"__all__": [needed]}));
    let alternative = json!({"pattern": "a", "url_template": "https://x/", "alternative_url_templates": ["{"]});
    let errors = json!({"alternative_url_templates": ["Invalid URL template."]});
    refused(adam.post("/realm/filters", alternative).await, &errors);
    assert_eq!(linkifiers(&adam).await, before);
}

#[tokio::test]
async fn pattern_and_template_are_required_and_the_linkifier_must_exist() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let missing = "REQUEST_VARIABLE_MISSING";

    edit(&adam, 1, json!({})).await.error(missing, "Missing 'pattern' argument");
    edit(&adam, 1, json!({"pattern": "a"})).await.error(missing, "Missing 'url_template' argument");
    edit(&adam, 9, json!({"pattern": "("})).await.error(missing, "Missing 'url_template' argument");
    let unknown = edit(&adam, 9, json!({"pattern": "(", "url_template": ""})).await;
    unknown.error("BAD_REQUEST", "Linkifier not found.");
    adam.delete("/realm/filters/9", json!({})).await.error("BAD_REQUEST", "Linkifier not found.");
    let wrong = json!({"pattern": "a", "url_template": "https://x", "alternative_url_templates": "y"});
    edit(&adam, 1, wrong).await.error("BAD_REQUEST", "alternative_url_templates is not valid JSON");
}

#[tokio::test]
async fn an_order_has_each_linkifier_once() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let order = async |ids: Value| adam.patch("/realm/linkifiers", json!({ "ordered_linkifier_ids": ids })).await;

    let twice = "The ordered list must not contain duplicated linkifiers";
    order(json!([1, 1])).await.error("BAD_REQUEST", twice);
    let incomplete = "The ordered list must enumerate all existing linkifiers exactly once";
    for ids in [json!([]), json!([1]), json!([1, 2, 3])] {
        order(ids).await.error("BAD_REQUEST", incomplete);
    }
    for id in [1, 2] {
        adam.delete(&format!("/realm/filters/{id}"), json!({})).await.is(json!({}));
    }
    let mut events = adam.events(["realm_linkifiers"]).await;
    order(json!([])).await.is(json!({}));
    events.none().await;
}

#[tokio::test]
async fn only_administrators_change_linkifiers() {
    let server = TestServer::start().await;
    let [mona, olive] = server.users(["mona", "olive"]);
    let (code, message) = ("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");

    mona.post("/realm/filters", json!({})).await.error(code, message);
    edit(&mona, 1, json!({})).await.error(code, message);
    mona.delete("/realm/filters/1", json!({})).await.error(code, message);
    mona.patch("/realm/linkifiers", json!({})).await.error(code, message);
    olive.delete("/realm/filters/1", json!({})).await.is(json!({}));
}

#[tokio::test]
async fn templates_may_have_any_characters_around_their_groups() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let made = json!({"pattern": "T(?P<id>[0-9]+)", "url_template": "https://x.test/a b|{id}/é"});
    adam.post("/realm/filters", made).await.success();

    let html = rendered(&adam, "T12").await;

    assert_eq!(html, "<p><a href=\"https://x.test/a%20b%7C12/%C3%A9\">T12</a></p>");
}

#[tokio::test]
async fn the_texts_of_a_linkifier_have_a_limit() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    let before = linkifiers(&olive).await;
    let (group, template) = ("#(?P<id>[0-9]+)!", "https://example.com/{id}");
    let lengthened = |text: &str| format!("{text}{}", "x".repeat(20_001 - text.len()));
    let message = "Ensure this value has at most 20000 characters (it has 20001).";

    let pattern = json!({"pattern": lengthened(group), "url_template": template});
    refused(olive.post("/realm/filters", pattern).await, &json!({"pattern": [message]}));
    let address = json!({"pattern": group, "url_template": lengthened(template)});
    refused(olive.post("/realm/filters", address.clone()).await, &json!({"url_template": [message]}));
    refused(edit(&olive, 1, address).await, &json!({"url_template": [message]}));
    let several = json!({
        "pattern": group, "url_template": template,
        "alternative_url_templates": vec!["https://example.com/{id}"; 1_000],
    });
    let message = "Ensure this value has at most 20000 characters (it has 25000).";
    refused(olive.post("/realm/filters", several).await, &json!({"alternative_url_templates": [message]}));
    assert_eq!(linkifiers(&olive).await, before);
}
