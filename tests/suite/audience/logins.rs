//! First logins, which take channels out of sight.

use super::case::{Case, group};
use crate::support::TestServer;
use crate::tokens::token_of;
use serde_json::{Value, json};

type Params = fn(&TestServer) -> Value;

pub fn cases() -> Vec<Case> {
    vec![
        // A stub that becomes a new member at the first login is no full one any more.
        first_login("POST /dev_fetch_api_key", |_| json!({"username": "ivy@chat.test"})),
        first_login("POST /fetch_api_key", |_| json!({"username": "ivy@chat.test", "password": "ivy-password-7421"})),
        first_login("POST /jwt/fetch_api_key", |_| json!({"token": token_of("ivy@chat.test")})),
    ]
}

fn first_login(way: &'static str, params: Params) -> Case {
    Case::of(way, "mel", params)
        .after(
            "PATCH /streams/{stream_id}",
            "mona",
            |s| json!({"stream_id": s.channel("design"), "can_subscribe_group": {"new": group(s, "role:fullmembers")}}),
        )
        .sends("realm_user update is_imported_stub", "everyone")
        .sends("realm_user update date_joined", "everyone")
        .sends("user_group remove_members", "everyone")
        .sends("stream delete", "ivy")
}
