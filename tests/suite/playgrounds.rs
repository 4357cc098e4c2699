//! Code playgrounds, and the language of code that says none.

use crate::organization::{change, state};
use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn playgrounds_are_added_for_languages_and_removed() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let mut queue = mel.events(["realm_playgrounds"]).await;
    let add = async |name: &str, language: &str, template: &str| {
        let params = json!({"name": name, "pygments_language": language, "url_template": template});
        adam.post("/realm/playgrounds", params).await
    };
    const TEMPLATE: &str = "https://play.example.com/?code={code}";

    let id = add("Play", "Rust", TEMPLATE).await.success()["id"].clone();
    let taken = "Realm playground with this Realm, Pygments language and Name already exists.";
    let refused = add("Play", "Rust", TEMPLATE).await;
    assert_eq!(refused.body["errors"], json!({"__all__": [taken]}));
    refused.error("BAD_REQUEST", taken);
    let blank = "This field cannot be blank.";
    let refused = add(" ", "", TEMPLATE).await;
    assert_eq!(refused.body["errors"], json!({"name": [blank], "pygments_language": [blank]}));
    refused.error("BAD_REQUEST", blank);
    let long = "x".repeat(41);
    add("Play", &long, TEMPLATE).await.error("BAD_REQUEST", "pygments_language is too long (limit: 40 characters)");
    add("Play", "C<", TEMPLATE).await.error("BAD_REQUEST", "Invalid characters in pygments language");
    add("Play", "C", "https://x.test/{").await.error("BAD_REQUEST", "Invalid URL template.");
    for (template, message) in [
        ("https://x.test/", "Missing the required variable \"code\" in the URL template"),
        ("https://x.test/{code}{user}", "\"code\" should be the only variable present in the URL template"),
    ] {
        add("Play", "C", template).await.error("BAD_REQUEST", message);
    }

    let all = json!([{"id": id, "name": "Play", "pygments_language": "Rust", "url_template": TEMPLATE}]);
    queue.next().await.is(json!({"type": "realm_playgrounds", "realm_playgrounds": all}));
    assert_eq!(state(&mel, json!(["realm_playgrounds"])).await["realm_playgrounds"], all);
    let path = format!("/realm/playgrounds/{id}");
    adam.delete(&path, json!({})).await.is(json!({}));
    adam.delete(&path, json!({})).await.error("BAD_REQUEST", "Invalid playground");
    queue.next().await.is(json!({"type": "realm_playgrounds", "realm_playgrounds": []}));
    queue.none().await;
}

#[tokio::test]
async fn the_language_of_code_that_says_none_goes_with_its_playground() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    change(&adam, json!({"default_code_block_language": "Rust"})).await.success();
    let params =
        json!({"name": "Play", "pygments_language": "Rust", "url_template": "https://play.example.com/{code}"});
    let id = adam.post("/realm/playgrounds", params).await.success()["id"].clone();
    let mut queue = mel.events(["realm", "realm_playgrounds"]).await;

    adam.delete(&format!("/realm/playgrounds/{id}"), json!({})).await.success();

    let none = json!({"type": "realm", "op": "update", "property": "default_code_block_language", "value": ""});
    queue.next().await.is(none);
    queue.next().await.is(json!({"type": "realm_playgrounds", "realm_playgrounds": []}));
    queue.none().await;
}
