//! The lists of messages to read, and their order.

use super::Wanted;
use super::json::Json;
use super::server::Server;
use serde_json::{Value, json};

/// Messages that are read page by page, the newest first.
#[derive(Clone, Debug)]
pub struct Feed {
    /// A name that no other feed has, for the partial file and for notes.
    pub name: String,
    /// The narrow of the requests.
    pub narrow: Value,
}

/// What feeds depend on of a channel.
#[derive(Clone, Debug)]
pub struct KnownChannel {
    pub id: i64,
    pub name: String,
    /// Whether it is private and shows subscribers the messages from before their subscription.
    pub has_shared_history: bool,
}

/// Feeds with all messages that an account sees, and few messages twice: public channels with their history; direct messages
/// and private channels; and each private channel with shared history.
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

/// The name of an operator at the server's level: before 250 channels were called streams.
fn operator(server: &Server, word: &'static str) -> &'static str {
    match word {
        _ if server.level >= 250 => word,
        "channel" => "stream",
        _ => "streams",
    }
}
