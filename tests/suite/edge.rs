//! The way of a request: routes, methods, credentials, parameters, envelopes.

use crate::support::TestServer;
use serde_json::json;

#[tokio::test]
async fn server_settings_answer_without_credentials_and_with_wrong_ones() {
    let server = TestServer::start().await;

    let reply = server.anonymous().get("/server_settings", json!({})).await.success();
    assert_eq!(reply["realm_uri"], server.url());

    let wrong = server.user("mel").with_key("wrong");
    assert_eq!(wrong.get("/server_settings", json!({})).await.success(), reply);
}
