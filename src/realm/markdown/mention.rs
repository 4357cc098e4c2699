//! Mentions of users, groups and everybody, and links to channels, topics and messages.

use super::context::Context;
use super::html::{self, encode_hash_component};
use crate::realm::id::UserId;

/// What `@**…**` calls everybody in a channel.
const CHANNEL_WILDCARDS: [&str; 4] = ["all", "everyone", "channel", "stream"];

/// What `@**…**` calls the participants of a topic.
const TOPIC_WILDCARD: &str = "topic";

/// What stands behind a link to a message.
const MESSAGE_SIGN: &str = "💬";

/// Whether a mention or channel link may start behind this text.
fn may_start(before: &str) -> bool {
    let boundary = |char: char| char.is_whitespace() || matches!(char, '\'' | '"' | '(' | '{' | '[' | '/' | '<');
    before.chars().next_back().is_none_or(boundary)
}

/// The name between marks at the start of a text, and the length of both with the name. A name has no `*` and is on
/// one line.
fn marked<'t>(text: &'t str, mark: &str) -> Option<(&'t str, usize)> {
    let inside = text.strip_prefix(mark)?;
    let end = inside.find(['*', '\n'])?;
    (end > 0 && inside[end..].starts_with(mark)).then(|| (&inside[..end], end + 2 * mark.len()))
}

/// A mention at the start of `text`: its HTML and its length.
pub(super) fn user_or_group(context: &mut Context<'_>, before: &str, text: &str) -> Option<(String, usize)> {
    if !may_start(before) {
        return None;
    }
    let behind = text.strip_prefix('@')?;
    let name = behind.strip_prefix('_').unwrap_or(behind);
    let start = text.len() - name.len();
    let silent = start == 2 || context.quotes > 0 || context.settings.mentions_are_silent;
    if let Some((name, length)) = marked(name, "**") {
        let html = wildcard(context, name, silent).or_else(|| user(context, name, silent))?;
        return Some((html, start + length));
    }
    let (name, length) = marked(name, "*")?;
    Some((group(context, name, silent)?, start + length))
}

fn wildcard(context: &mut Context<'_>, name: &str, silent: bool) -> Option<String> {
    if name == TOPIC_WILDCARD {
        context.found.mentions.topic_wildcard |= !silent;
        let class = if silent { "topic-mention silent" } else { "topic-mention" };
        return Some(html::element("span", &[("class", class)], &shown(name, silent)));
    }
    if !CHANNEL_WILDCARDS.contains(&name) {
        return None;
    }
    context.found.mentions.channel_wildcard |= !silent;
    let class =
        if silent { "user-mention channel-wildcard-mention silent" } else { "user-mention channel-wildcard-mention" };
    Some(html::element("span", &[("class", class), ("data-user-id", "*")], &shown(name, silent)))
}

fn user(context: &mut Context<'_>, text: &str, silent: bool) -> Option<String> {
    let with_id = text.rsplit_once('|').and_then(|(name, id)| {
        let id = if id.bytes().all(|byte| byte.is_ascii_digit()) {
            id.parse().ok()?
        } else {
            return None;
        };
        context.names.user(name, Some(UserId(id)))
    });
    let user = with_id.or_else(|| context.names.user(text, None))?;
    let silent = silent || !user.is_active;
    if !silent {
        context.found.mentions.users.insert(user.id);
    }
    let class = if silent { "user-mention silent" } else { "user-mention" };
    let id = user.id.to_string();
    Some(html::element("span", &[("class", class), ("data-user-id", &id)], &shown(&user.full_name, silent)))
}

fn group(context: &mut Context<'_>, name: &str, silent: bool) -> Option<String> {
    let group = context.names.group(name)?;
    let silent = silent || !group.is_active;
    if !silent {
        context.found.mentions.groups.insert(group.id);
    }
    let class = if silent { "user-group-mention silent" } else { "user-group-mention" };
    let id = group.id.to_string();
    Some(html::element("span", &[("class", class), ("data-user-group-id", &id)], &shown(&group.display_name, silent)))
}

fn shown(name: &str, silent: bool) -> String {
    let name = html::text(name);
    if silent { name } else { format!("@{name}") }
}

/// A link to a channel, topic or message at the start of `text`: its HTML and its length.
pub(super) fn channel(context: &mut Context<'_>, before: &str, text: &str) -> Option<(String, usize)> {
    if !may_start(before) {
        return None;
    }
    let (inside, length) = marked(text.strip_prefix('#')?, "**")?;
    let html = match inside.split_once('>') {
        Some((channel, topic)) => self::topic(context, channel, topic)?,
        None => {
            let channel = context.names.channel(inside)?;
            let id = channel.id.to_string();
            let href = channel_href(&id, &channel.name);
            let attributes = [("class", "stream"), ("data-stream-id", id.as_str()), ("href", &href)];
            html::element("a", &attributes, &html::text(&format!("#{}", channel.name)))
        }
    };
    Some((html, length + 1))
}

fn topic(context: &Context<'_>, channel: &str, topic: &str) -> Option<String> {
    let channel = context.names.channel(channel)?;
    let id = channel.id.to_string();
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (topic, message) = match topic.rsplit_once('@') {
        Some((topic, message)) if number(message) => (topic, Some(message)),
        _ => (topic, None),
    };
    let mut href = format!("{}/topic/{}", channel_href(&id, &channel.name), encode_hash_component(topic));
    let mut shown = html::text(&format!("#{} > ", channel.name));
    if topic.is_empty() {
        shown += &html::element("em", &[], &html::text(context.settings.empty_topic_display_name));
    } else {
        shown += &html::text(topic);
    }
    if let Some(message) = message {
        href += &format!("/near/{message}");
        shown += &format!(" @ {MESSAGE_SIGN}");
        return Some(html::element("a", &[("class", "message-link"), ("href", &href)], &shown));
    }
    if let Some(newest) = context.names.newest_message_in_topic(channel.id, topic) {
        href += &format!("/with/{newest}");
    }
    Some(html::element("a", &[("class", "stream-topic"), ("data-stream-id", &id), ("href", &href)], &shown))
}

fn channel_href(id: &str, name: &str) -> String {
    format!("/#narrow/channel/{id}-{}", encode_hash_component(&name.replace(' ', "-")))
}
