//! Mentions of people, groups and everybody, and links to channels, topics and messages.

use super::{Inline, Rewriting};
use crate::LinkedChannel;
use crate::html::encode_hash_component;
use crate::mention::{Named, has_topic, named, named_if};
use crate::tree::{Node, Text};

/// What `@**…**` calls everybody in a channel.
const CHANNEL_WILDCARDS: [&str; 4] = ["all", "everyone", "channel", "stream"];

/// What `@**…**` calls the participants of a topic.
const TOPIC_WILDCARD: &str = "topic";

/// What is behind a link to a message.
const MESSAGE_SIGN: &str = "💬";

fn replaced<'t>(
    inline: &mut Inline<'_, '_>,
    text: &'t str,
    found: impl Iterator<Item = Named<'t>>,
    element: impl Fn(&mut Inline<'_, '_>, Named<'t>) -> Option<Node>,
) -> Option<String> {
    let mut out = Rewriting::new(text);
    let are_silent = inline.context.settings.mentions_are_silent;
    for mut it in found {
        it.is_silent |= are_silent;
        if let Some(element) = element(inline, it) {
            let mark = inline.element(element);
            out.replace(it.start..it.end, &mark);
        }
    }
    out.finish()
}

/// `@**King Hamlet**`
pub(super) fn users(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    replaced(inline, text, named(text, b'@', "**"), |inline, it| wildcard(inline, it).or_else(|| user(inline, it)))
}

/// `@*group*`
pub(super) fn groups(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    replaced(inline, text, named(text, b'@', "*"), group)
}

/// `#**channel>topic**`
pub(super) fn topics(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    replaced(inline, text, named_if(text, b'#', "**", has_topic), topic)
}

/// `#**channel**`
pub(super) fn channels(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    replaced(inline, text, named(text, b'#', "**"), |inline, it| {
        let channel = linked_channel(inline, it.name)?;
        let href = channel_href(inline, &channel);
        Some(link("stream", Some(&channel), href, format!("#{}", channel.name)))
    })
}

fn wildcard(inline: &mut Inline<'_, '_>, it: Named<'_>) -> Option<Node> {
    let mentions = &mut inline.context.found.mentions;
    let class = if it.name == TOPIC_WILDCARD {
        mentions.topic_wildcard |= !it.is_silent;
        "topic-mention"
    } else if CHANNEL_WILDCARDS.contains(&it.name) {
        mentions.channel_wildcard |= !it.is_silent;
        if inline.context.settings.form.marks_channel_wildcards {
            "user-mention channel-wildcard-mention"
        } else {
            "user-mention"
        }
    } else {
        return None;
    };
    let id = (it.name != TOPIC_WILDCARD).then(|| ("data-user-id", "*".to_owned()));
    Some(mention(class, id, it.name, it.is_silent))
}

fn user(inline: &mut Inline<'_, '_>, it: Named<'_>) -> Option<Node> {
    let context = &mut *inline.context;
    let user = context.candidates.user(it.name, context.names)?;
    let is_silent = it.is_silent || !user.is_active;
    if !is_silent {
        context.found.mentions.users.insert(user.id);
    }
    Some(mention("user-mention", Some(("data-user-id", user.id.to_string())), &user.full_name, is_silent))
}

fn group(inline: &mut Inline<'_, '_>, it: Named<'_>) -> Option<Node> {
    let context = &mut *inline.context;
    let group = context.candidates.group(it.name, context.names)?;
    let is_silent = it.is_silent || !group.is_active;
    if !is_silent {
        context.found.mentions.groups.insert(group.id);
    }
    let id = ("data-user-group-id", group.id.to_string());
    Some(mention("user-group-mention", Some(id), &group.display_name, is_silent))
}

fn mention(class: &str, id: Option<(&'static str, String)>, name: &str, is_silent: bool) -> Node {
    let (class, shown) =
        if is_silent { (format!("{class} silent"), name.to_owned()) } else { (class.to_owned(), format!("@{name}")) };
    let attributes = std::iter::once(("class", class)).chain(id).collect();
    Node { tag: "span", attributes, text: Text::literal(shown), ..Node::default() }
}

/// A channel that the sender may link, if its name is written as it is.
fn linked_channel(inline: &Inline<'_, '_>, name: &str) -> Option<LinkedChannel> {
    let is_written = inline.context.candidates.has_channel(name);
    let channel = is_written.then(|| inline.context.names.channel(name)).flatten()?;
    (channel.name == name).then_some(channel)
}

fn topic(inline: &mut Inline<'_, '_>, it: Named<'_>) -> Option<Node> {
    let (channel, topic) = it.name.split_once('>').filter(|(channel, _)| !channel.is_empty())?;
    let form = inline.context.settings.form;
    if topic.is_empty() && !form.links_empty_topics {
        return None;
    }
    let channel = linked_channel(inline, channel)?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (topic, message) = match topic.rsplit_once('@').filter(|_| form.links_messages) {
        Some((topic, message)) if is_number(message) => (topic, Some(message)),
        _ => (topic, None),
    };
    let mut href = format!("{}/topic/{}", channel_href(inline, &channel), encode_hash_component(topic));
    let mut shown = format!("#{} > ", channel.name);
    if topic.is_empty() {
        let name = Text::literal(inline.context.settings.empty_topic_display_name);
        shown.push_str(&inline.element(Node { tag: "em", text: name, ..Node::default() }));
    } else {
        shown.push_str(topic);
    }
    if let Some(message) = message {
        href.push_str(&format!("/near/{message}"));
        shown.push_str(&format!(" @ {MESSAGE_SIGN}"));
        return Some(link("message-link", None, href, shown));
    }
    let first = || inline.context.names.first_message_in_topic(channel.id, topic);
    if let Some(first) = form.links_first_message.then(first).flatten() {
        href.push_str(&format!("/with/{first}"));
    }
    Some(link("stream-topic", Some(&channel), href, shown))
}

fn link(class: &str, channel: Option<&LinkedChannel>, href: String, shown: String) -> Node {
    let id = channel.map(|channel| ("data-stream-id", channel.id.to_string()));
    let attributes = [("class", class.to_owned())].into_iter().chain(id).chain([("href", href)]).collect();
    Node { tag: "a", attributes, text: Text::literal(shown), ..Node::default() }
}

fn channel_href(inline: &Inline<'_, '_>, channel: &LinkedChannel) -> String {
    let place = inline.context.settings.form.channel_path;
    format!("/#narrow/{place}/{}-{}", channel.id, encode_hash_component(&channel.name.replace(' ', "-")))
}
