//! What other servers ask the push relay for.

use crate::support::{Reply, TestServer};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

const NOW: i64 = 1_767_268_800;
const ORGANIZATION: &str = "5b1f3c62-7d0e-4a53-9a55-0c1de3a7f100";

async fn register(server: &TestServer, change: Value) -> Reply {
    let mut params = json!({
        "realm_uuid": ORGANIZATION,
        "token_id": crate::push::TOKEN_ID,
        "encrypted_push_registration": STANDARD.encode([7; 90]),
        "bouncer_public_key": STANDARD.encode([9; 32]),
    });
    for (name, value) in change.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    server.anonymous().post("/remotes/push/e2ee/register", params).await
}

fn open(registration: &Value) -> Value {
    json!({"encrypted_push_registration": STANDARD.encode(registration.to_string())})
}

#[tokio::test]
async fn a_server_registers_a_device_of_the_organization() {
    let server = TestServer::start().await;

    register(&server, json!({})).await.is(json!({}));
    register(&server, json!({"realm_uuid": ORGANIZATION.to_uppercase()})).await.is(json!({}));
    register(&server, open(&json!({"token": "c0ffee", "timestamp": NOW - 86_400}))).await.is(json!({}));
}

#[tokio::test]
async fn what_the_relay_can_not_take_is_refused() {
    let server = TestServer::start().await;

    let unknown = json!({"realm_uuid": "00000000-0000-4000-8000-000000000000"});
    register(&server, unknown).await.with_status(403).error("MISSING_REMOTE_REALM", "Organization not registered");
    for key in ["", "no base64", &STANDARD.encode([9; 31])] {
        let refused = register(&server, json!({"bouncer_public_key": key})).await.with_status(400);
        refused.error("INVALID_BOUNCER_PUBLIC_KEY", "Invalid bouncer_public_key");
    }
    for sealed in ["", "no base64", &STANDARD.encode([7; 48]), &STANDARD.encode("{}")] {
        let refused = register(&server, json!({"encrypted_push_registration": sealed})).await.with_status(400);
        refused.error("BAD_REQUEST", "Invalid encrypted_push_registration");
    }
    let late = register(&server, open(&json!({"timestamp": NOW - 86_401}))).await.with_status(400);
    late.error("REQUEST_EXPIRED", "Request expired");
}
