//! Whether addresses stay with those who may see them, by a table of its own.

use chatdouble::realm::Realm;
use chatdouble::realm::user::{EmailVisibility, User};
use serde_json::Value;
use std::sync::Arc;

/// Whether a reply tells no address that the caller may not see, but those that the request had.
pub fn discreet(realm: &Realm, caller: &User, asked: &str, body: &Value) -> Result<(), String> {
    let rank = realm.users[&caller.id].role.number();
    let is_hidden = |user: &&Arc<User>| {
        let lowest = match user.email_visibility {
            EmailVisibility::Everyone => i64::MAX,
            EmailVisibility::Members => 400,
            EmailVisibility::Moderators => 300,
            EmailVisibility::Administrators => 200,
            EmailVisibility::Nobody => 0,
        };
        user.id != caller.id && !user.is_bot() && rank > lowest
    };
    let body = body.to_string();
    let is_sent = |user: &&Arc<User>| body.contains(&format!("\"{}\"", user.email)) && !asked.contains(&user.email);
    match realm.users.values().filter(is_hidden).find(is_sent) {
        None => Ok(()),
        Some(user) => Err(format!("{} learns of {}: {body}", caller.email, user.email)),
    }
}
