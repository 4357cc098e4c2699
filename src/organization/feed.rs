//! Which messages are read, in which order.

use super::Wanted;
use super::json::Json;
use super::server::Server;
use serde_json::{Value, json};

/// Messages that are read page by page, the newest first.
#[derive(Clone, Debug)]
pub struct Feed {
    /// Tells it from the others.
    pub name: String,
    /// As the API takes it.
    pub narrow: Value,
}

/// Channels as far as feeds depend on them.
#[derive(Clone, Debug)]
pub struct KnownChannel {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Whether only subscribers see it, with messages from before their time.
    pub has_shared_history: bool,
}

/// The feeds that have all that an account sees, each message as seldom as the API allows: public channels with what
/// was sent before the account came; direct messages and private channels; and of these those that show their history.
pub fn feeds(wanted: &Wanted, channels: &[KnownChannel], register: &Value, server: &Server) -> Vec<Feed> {
    let of_channel = |channel: &KnownChannel| Feed {
        name: format!("channel {}", channel.id),
        narrow: json!([{"operator": operator(server, "channel"), "operand": channel.id}]),
    };
    if !wanted.channels.is_empty() {
        return channels.iter().map(of_channel).collect();
    }
    let kind = if register.flag("is_guest") { "web-public" } else { "public" };
    let channels_of_kind =
        |negated: bool| json!([{"operator": operator(server, "channels"), "operand": kind, "negated": negated}]);
    let public = Feed { name: "public channels".into(), narrow: channels_of_kind(false) };
    let own = Feed { name: "other messages".into(), narrow: channels_of_kind(true) };
    let shared = channels.iter().filter(|channel| channel.has_shared_history).map(of_channel);
    [public, own].into_iter().chain(shared).collect()
}

/// The word that the level has for an operator: channels were called streams.
fn operator(server: &Server, word: &'static str) -> &'static str {
    match word {
        _ if server.level >= 250 => word,
        "channel" => "stream",
        _ => "streams",
    }
}
