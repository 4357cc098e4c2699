//! What the framework can do: bare warp, with as little as a server of this kind needs.
//!
//! `/static` answers fixed bytes. `/full` reads credentials, looks into one map and serializes 15 fields; as a POST it
//! also appends a message to what clients wait for. `/users` serializes 10,000 users of 15 fields, `/poll` waits.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock, Mutex};
use tokio::sync::watch;
use warp::Filter;
use warp::http::Response;

/// A record as long as a user's.
#[derive(Clone, Serialize)]
struct Record {
    user_id: u64,
    full_name: String,
    email: String,
    delivery_email: String,
    avatar_url: Option<String>,
    avatar_version: u32,
    timezone: String,
    date_joined: String,
    role: u32,
    is_active: bool,
    is_admin: bool,
    is_owner: bool,
    is_guest: bool,
    is_bot: bool,
    bot_type: Option<u32>,
}

fn record(id: u64) -> Record {
    Record {
        user_id: id,
        full_name: format!("User Number {id}"),
        email: format!("user{id}@chat.test"),
        delivery_email: format!("user{id}@chat.test"),
        avatar_url: Some(format!("https://pictures.example.com/avatar/{id:032x}?version=1")),
        avatar_version: 1,
        timezone: "Europe/Berlin".into(),
        date_joined: "2026-01-01T00:00:00+00:00".into(),
        role: 400,
        is_active: true,
        is_admin: false,
        is_owner: false,
        is_guest: false,
        is_bot: false,
        bot_type: None,
    }
}

struct State {
    by_key: HashMap<String, Record>,
    /// Made by the first request for them, so that no other figure contains their making.
    users: LazyLock<Vec<Record>>,
    messages: Mutex<Vec<String>>,
    newest: watch::Sender<usize>,
}

impl State {
    fn caller(&self, header: &str) -> Option<&Record> {
        let pair = STANDARD.decode(header.strip_prefix("Basic ")?).ok()?;
        self.by_key.get(std::str::from_utf8(&pair).ok()?.split_once(':')?.1)
    }
}

fn json(value: &impl Serialize) -> Response<Vec<u8>> {
    let body = serde_json::to_vec(value).unwrap_or_default();
    Response::builder().header("content-type", "application/json").body(body).unwrap_or_default()
}

/// Serves on a free port until it is killed, and prints it as the program does.
pub async fn serve() -> ExitCode {
    let by_key = HashMap::from([(crate::figures::KEY.to_owned(), record(4))]);
    let users: LazyLock<Vec<Record>> = LazyLock::new(|| (0..10_000).map(record).collect());
    let state = Arc::new(State { by_key, users, messages: Mutex::default(), newest: watch::channel(0).0 });
    let with_state = warp::any().map({
        let state = state.clone();
        move || state.clone()
    });
    let fixed = warp::path("static").and(warp::get()).map(|| "{\"result\":\"success\",\"msg\":\"\"}");
    let full = warp::path("full").and(warp::header("authorization")).and(with_state.clone());
    let read = full.clone().and(warp::get()).map(|header: String, state: Arc<State>| json(&state.caller(&header)));
    let write = full.and(warp::post()).and(warp::body::form()).map(
        |header: String, state: Arc<State>, form: HashMap<String, String>| {
            let reply = json(&state.caller(&header));
            let mut messages = state.messages.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            messages.push(form.get("content").cloned().unwrap_or_default());
            state.newest.send_replace(messages.len());
            reply
        },
    );
    let users = warp::path("users").and(with_state.clone()).map(|state: Arc<State>| json(&*state.users));
    let poll = warp::path("poll").and(with_state).then(|state: Arc<State>| async move {
        let mut newest = state.newest.subscribe();
        let _ = newest.changed().await;
        json(&*newest.borrow())
    });
    let routes = fixed.or(read).or(write).or(users).or(poll);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port is free");
    println!("listening on http://{}", listener.local_addr().expect("it has an address"));
    warp::serve(routes).incoming(listener).run().await;
    ExitCode::SUCCESS
}
