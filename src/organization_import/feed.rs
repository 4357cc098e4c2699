//! The feeds of messages: the narrows by which messages are read, in their order.

use super::ImportOptions;
use super::json::JsonFields;
use super::server::Server;
use serde_json::{Value, json};

/// Messages of one narrow, which are read page by page from the newest to the oldest.
#[derive(Clone, Debug)]
pub struct Feed {
    /// A unique name for the partial file and for notes.
    pub name: String,
    pub narrow: Value,
}

/// The properties of a channel on which feeds depend.
#[derive(Clone, Debug)]
pub struct FeedChannel {
    pub id: i64,
    pub name: String,
    /// Whether the channel is private and the account can read messages from before its subscription.
    pub has_shared_history: bool,
}

/// Returns feeds with all messages that an account sees and few duplicates: one of the public channels with their
/// history (for guests, of the web-public ones), one of the messages of other channels and direct messages, and one of
/// each private channel with shared history. With `--channel`, only one feed of each selected channel.
pub fn feeds(options: &ImportOptions, channels: &[FeedChannel], register_reply: &Value, server: &Server) -> Vec<Feed> {
    let channel_feed = |channel: &FeedChannel| Feed {
        name: format!("channel {}", channel.id),
        narrow: json!([{"operator": operator(server, "channel"), "operand": channel.id}]),
    };
    if !options.channels.is_empty() {
        return channels.iter().map(channel_feed).collect();
    }
    let kind = if register_reply.boolean("is_guest") { "web-public" } else { "public" };
    let narrow_by_kind =
        |negated: bool| json!([{"operator": operator(server, "channels"), "operand": kind, "negated": negated}]);
    let public_feed = Feed { name: "public channels".into(), narrow: narrow_by_kind(false) };
    let other_feed = Feed { name: "other messages".into(), narrow: narrow_by_kind(true) };
    let shared_history_feeds = channels.iter().filter(|channel| channel.has_shared_history).map(channel_feed);
    [public_feed, other_feed].into_iter().chain(shared_history_feeds).collect()
}

/// The name of an operator at the server's level. Below level 250, channels are called streams.
fn operator(server: &Server, newest_name: &'static str) -> &'static str {
    match newest_name {
        _ if server.level >= 250 => newest_name,
        "channel" => "stream",
        _ => "streams",
    }
}
