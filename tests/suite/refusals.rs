//! Refusals that follow from nothing more than a request, in tables: who sends what, and the message that comes back.
//! `tests/table` finds what operations declare that they refuse with and no test sees.

mod accounts;
mod bots;
mod channels;
mod groups;
mod messages;
mod organization;
mod permissions;
mod personal;
mod sending;

use crate::support::{Reply, TestServer, User, form};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// Who, method and path as the table of operations has them, parameters that also fill the path's braces, message.
type Row<'a> = (&'a str, &'a str, Value, &'a str);

/// Sends each row's request, which must be refused with its message.
async fn refuse<'a>(server: &TestServer, rows: impl IntoIterator<Item = Row<'a>>) {
    refuse_to(|handle| server.user(handle), rows).await;
}

/// As [`refuse`], to the users of some world.
async fn refuse_to<'a>(user: impl Fn(&str) -> User, rows: impl IntoIterator<Item = Row<'a>>) {
    let mut faults = Vec::new();
    for (by, way, params, message) in rows {
        let reply = send(&user(by), way, params).await;
        if reply.status < 400 || reply.body["msg"] != message {
            faults.push(format!("{by} should be refused with {message:?}:\n{reply}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

async fn send(user: &User, way: &str, mut params: Value) -> Reply {
    let (method, route) = way.split_once(' ').expect("a method and a path");
    let mut path = String::new();
    for part in route.split('/').skip(1) {
        let filled = part.strip_prefix('{').and_then(|name| name.strip_suffix('}')).map(|name| {
            let value = params.as_object_mut().and_then(|params| params.shift_remove(name));
            let value = value.unwrap_or_else(|| panic!("{way} lacks {name}"));
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string()
        });
        path += "/";
        path += filled.as_deref().unwrap_or(part);
    }
    if method == "GET" {
        return user.get(&path, params).await;
    }
    let body = form(&params).into_bytes();
    user.send(method, &path, &params, body, Some("application/x-www-form-urlencoded")).await
}

/// The id of a user group.
fn group(server: &TestServer, name: &str) -> i64 {
    let realm = server.server().world("default").snapshot();
    realm.group_by_name(name).unwrap_or_else(|| panic!("no group is called {name}")).id.0
}

/// The id of a custom profile field.
fn field(server: &TestServer, name: &str) -> i64 {
    let realm = server.server().world("default").snapshot();
    let field = realm.profile_fields.values().find(|field| field.name == name);
    field.unwrap_or_else(|| panic!("no field is called {name}")).id.0
}
