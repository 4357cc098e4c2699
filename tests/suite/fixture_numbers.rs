//! Organizations whose fixture gives things their numbers.

use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn an_organization_keeps_the_numbers_of_its_fixture() {
    let fixture = json!({
        "users": [
            {"id": 4, "handle": "notices", "full_name": "Notices", "bot": {"kind": "generic", "system": "notification"}},
            {"id": 1, "handle": "welcome", "full_name": "Welcome", "bot": {"kind": "generic", "system": "welcome"}},
            {"id": 9, "handle": "olive", "full_name": "Olive", "role": "owner", "api_key": "oliveKey000000000000000000000000"},
            {"id": 100, "handle": "mel", "full_name": "Mel"}
        ],
        "groups": [{"id": 14, "name": "role:members"}, {"id": 24, "name": "writers", "members": ["mel"]}],
        "channels": [{"id": 17, "name": "general", "subscribers": ["olive", "mel"]}],
        "messages": [
            {"id": 5000, "ref": "hello", "from": "mel", "channel": "general", "topic": "hi", "content": "Hello @**Olive**"}
        ]
    });
    let server = TestServer::start_with(|options| options.fixture = fixture.to_string().into()).await;
    let olive = server.user("olive");

    let message = olive.get("/messages/5000", json!({})).await.success();
    assert_eq!(message["message"]["sender_id"], 100);
    assert_eq!(message["message"]["stream_id"], 17);
    assert_eq!(
        message["message"]["content"],
        "<p>Hello <span class=\"user-mention\" data-user-id=\"9\">@Olive</span></p>"
    );
    let members = olive.get("/user_groups/14/members", json!({})).await.success();
    assert_eq!(members["members"], json!([9, 100]));
    let made =
        olive.post("/user_groups/create", json!({"name": "a", "description": "", "members": [9]})).await.success();
    assert_eq!(made["group_id"], 25);
    assert_eq!(olive.send_to("general", "hi", "Hello").await, 5001);
    let channel = json!([{"name": "second"}]);
    olive.post("/users/me/subscriptions", json!({"subscriptions": channel})).await.success();
    let second = olive.get("/get_stream_id", json!({"stream": "second"})).await.success();
    assert_eq!(second["stream_id"], 18);
    let newest = json!({"anchor": "newest", "num_before": 1, "num_after": 0});
    let notice = olive.get("/messages", newest).await.success();
    assert_eq!(notice["messages"][0]["sender_id"], 4);
}
