//! Logging in with a signed token.

use crate::support::{Reply, TestServer, User};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chatdouble::api::server::token::TOKEN_SIGNING_KEY;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

const NOW: i64 = 1_767_268_800;

/// A token that claims this, signed by a key.
fn signed(claims: &Value, key: &str) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(&json!({"alg": "HS256", "typ": "JWT"})), part(claims));
    let mut signature = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("keys have any length");
    signature.update(text.as_bytes());
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature.finalize().into_bytes()))
}

/// A good token of an account.
pub fn token_of(email: &str) -> String {
    signed(&json!({"email": email}), TOKEN_SIGNING_KEY)
}

async fn log_in(anybody: &User, token: &str) -> Reply {
    anybody.post("/jwt/fetch_api_key", json!({"token": token})).await
}

#[tokio::test]
async fn a_token_with_somebodys_address_gives_their_key() {
    let server = TestServer::start().await;
    let (mel, anybody) = (server.user("mel"), server.anonymous());
    let key = json!({"api_key": mel.credentials().api_key, "email": mel.email()});

    log_in(&anybody, &token_of("MEL@chat.test")).await.is(key.clone());
    log_in(&anybody, &signed(&json!({"email": mel.email(), "exp": NOW + 1, "nbf": NOW}), TOKEN_SIGNING_KEY))
        .await
        .is(key.clone());
    let params = json!({"token": token_of(mel.email()), "include_profile": true});
    let mut reply = anybody.post("/jwt/fetch_api_key", params).await.success();
    let shown = mel.get(&format!("/users/{}", mel.id()), json!({"client_gravatar": false})).await.success();
    assert_eq!(reply["user"].take(), shown["user"]);
}

#[tokio::test]
async fn a_first_login_with_a_token_is_one() {
    let server = TestServer::start().await;
    let params = json!({"token": token_of("ivy@chat.test"), "include_profile": true});

    let reply = server.anonymous().post("/jwt/fetch_api_key", params).await.success();

    assert_eq!(reply["user"]["is_imported_stub"], false);
    assert_eq!(reply["user"]["date_joined"], "2026-01-01T12:00+00:00");
}

#[tokio::test]
async fn other_tokens_are_refused() {
    let server = TestServer::start().await;
    let anybody = server.anonymous();
    let mel = json!({"email": "mel@chat.test"});
    let good = token_of("mel@chat.test");
    let unsigned = good.rsplit_once('.').expect("three parts").0;

    log_in(&anybody, "").await.error("BAD_REQUEST", "No JSON web token passed in request");
    for token in [
        "nonsense".to_owned(),
        unsigned.to_owned(),
        format!("{unsigned}."),
        signed(&mel, "another-key-that-is-long-enough-to-be-one"),
        signed(&json!({"email": "mel@chat.test", "exp": NOW}), TOKEN_SIGNING_KEY),
        signed(&json!({"email": "mel@chat.test", "exp": "tomorrow"}), TOKEN_SIGNING_KEY),
        signed(&json!({"email": "mel@chat.test", "nbf": NOW + 1}), TOKEN_SIGNING_KEY),
    ] {
        log_in(&anybody, &token).await.with_status(400).error("BAD_REQUEST", "Bad JSON web token");
    }
    let of_nobody = log_in(&anybody, &signed(&json!({"sub": "mel"}), TOKEN_SIGNING_KEY)).await;
    of_nobody.error("BAD_REQUEST", "No email specified in JSON web token claims");
    let unknown = log_in(&anybody, &token_of("nobody@chat.test")).await.with_status(401);
    unknown.error("AUTHENTICATION_FAILED", "Your username or password is incorrect");
    let gone = log_in(&anybody, &token_of("dana@chat.test")).await.with_status(401);
    gone.error("USER_DEACTIVATED", "Account is deactivated");
}
