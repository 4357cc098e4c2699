//! Expands mentions of users, groups and everyone, and links to channels, topics and messages.

use super::InlineExpander;
use super::text_rewriter::TextRewriter;
use crate::LinkedChannel;
use crate::link_encoding::{encode_channel_name, encode_hash_component};
use crate::mention::{NameReference, filtered_references, has_topic, name_references};
use crate::tree::{Node, Text};

/// Names in `@**…**` that mention everyone in a channel.
const CHANNEL_WILDCARDS: [&str; 4] = ["all", "everyone", "channel", "stream"];

/// The name in `@**…**` that mentions the participants of a topic.
const TOPIC_WILDCARD: &str = "topic";

/// Ends the text of links to messages.
const MESSAGE_SIGN: &str = "💬";

fn replace_references<'t>(
    inline: &mut InlineExpander<'_, '_>,
    text: &'t str,
    references: impl Iterator<Item = NameReference<'t>>,
    build_element: impl Fn(&mut InlineExpander<'_, '_>, NameReference<'t>) -> Option<Node>,
) -> Option<String> {
    let mut rewriter = TextRewriter::new(text);
    let mentions_are_silent = inline.context.settings.mentions_are_silent;
    for mut reference in references {
        reference.is_silent |= mentions_are_silent;
        if let Some(element) = build_element(inline, reference) {
            let placeholder = inline.stash_element(element);
            rewriter.replace(reference.start..reference.end, &placeholder);
        }
    }
    rewriter.finish()
}

/// Expands `@**King Hamlet**`, and mentions of everyone such as `@**all**`.
pub(super) fn expand_user_mentions(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    replace_references(inline, text, name_references(text, b'@', "**"), |inline, mention| {
        build_wildcard_mention(inline, mention).or_else(|| build_user_mention(inline, mention))
    })
}

/// Expands `@*group*`.
pub(super) fn expand_group_mentions(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    replace_references(inline, text, name_references(text, b'@', "*"), build_group_mention)
}

/// Expands `#**channel>topic**`.
pub(super) fn expand_topic_links(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    replace_references(inline, text, filtered_references(text, b'#', "**", has_topic), build_topic_link)
}

/// Expands `#**channel**`.
pub(super) fn expand_channel_links(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    replace_references(inline, text, name_references(text, b'#', "**"), |inline, link| {
        let channel = linked_channel(inline, link.name)?;
        let href = channel_href(inline, &channel);
        Some(link_node("stream", Some(&channel), href, format!("#{}", channel.name)))
    })
}

/// Builds the element of a mention of everybody, and records the mention unless it is silent.
fn build_wildcard_mention(inline: &mut InlineExpander<'_, '_>, mention: NameReference<'_>) -> Option<Node> {
    let mentions = &mut inline.context.rendered.mentions;
    let class = if mention.name == TOPIC_WILDCARD {
        mentions.topic_wildcard |= !mention.is_silent;
        "topic-mention"
    } else if CHANNEL_WILDCARDS.contains(&mention.name) {
        mentions.channel_wildcard |= !mention.is_silent;
        if inline.context.settings.output_format.marks_channel_wildcards {
            "user-mention channel-wildcard-mention"
        } else {
            "user-mention"
        }
    } else {
        return None;
    };
    let id = (mention.name != TOPIC_WILDCARD).then(|| ("data-user-id", "*".to_owned()));
    Some(mention_node(class, id, mention.name, mention.is_silent))
}

/// Builds the element of a mention of a user, and records the mention unless it is silent.
fn build_user_mention(inline: &mut InlineExpander<'_, '_>, mention: NameReference<'_>) -> Option<Node> {
    let context = &mut *inline.context;
    let user = context.candidates.user(mention.name, context.names)?;
    let is_silent = mention.is_silent || !user.is_active;
    if !is_silent {
        context.rendered.mentions.users.insert(user.id);
    }
    Some(mention_node("user-mention", Some(("data-user-id", user.id.to_string())), &user.full_name, is_silent))
}

/// Builds the element of a mention of a group, and records the mention unless it is silent.
fn build_group_mention(inline: &mut InlineExpander<'_, '_>, mention: NameReference<'_>) -> Option<Node> {
    let context = &mut *inline.context;
    let group = context.candidates.group(mention.name, context.names)?;
    let is_silent = mention.is_silent || !group.is_active;
    if !is_silent {
        context.rendered.mentions.groups.insert(group.id);
    }
    let id = ("data-user-group-id", group.id.to_string());
    Some(mention_node("user-group-mention", Some(id), &group.display_name, is_silent))
}

fn mention_node(class: &str, id: Option<(&'static str, String)>, name: &str, is_silent: bool) -> Node {
    let (class, text) =
        if is_silent { (format!("{class} silent"), name.to_owned()) } else { (class.to_owned(), format!("@{name}")) };
    let attributes = std::iter::once(("class", class)).chain(id).collect();
    Node { tag: "span", attributes, text: Text::literal(text), ..Node::default() }
}

/// The channel with exactly this name, if the sender may link it.
fn linked_channel(inline: &InlineExpander<'_, '_>, name: &str) -> Option<LinkedChannel> {
    let is_in_source = inline.context.candidates.has_channel(name);
    let channel = is_in_source.then(|| inline.context.names.channel(name)).flatten()?;
    (channel.name == name).then_some(channel)
}

fn build_topic_link(inline: &mut InlineExpander<'_, '_>, link: NameReference<'_>) -> Option<Node> {
    let (channel, topic) = link.name.split_once('>').filter(|(channel, _)| !channel.is_empty())?;
    let format = inline.context.settings.output_format;
    if topic.is_empty() && !format.links_empty_topics {
        return None;
    }
    let channel = linked_channel(inline, channel)?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (topic, message) = match topic.rsplit_once('@').filter(|_| format.links_messages) {
        Some((topic, message)) if is_number(message) => (topic, Some(message)),
        _ => (topic, None),
    };
    let mut href = format!("{}/topic/{}", channel_href(inline, &channel), encode_hash_component(topic));
    let mut text = format!("#{} > ", channel.name);
    if topic.is_empty() {
        let name = Text::literal(inline.context.settings.empty_topic_display_name);
        text.push_str(&inline.stash_element(Node { tag: "em", text: name, ..Node::default() }));
    } else {
        text.push_str(topic);
    }
    if let Some(message) = message {
        href.push_str(&format!("/near/{message}"));
        text.push_str(&format!(" @ {MESSAGE_SIGN}"));
        return Some(link_node("message-link", None, href, text));
    }
    let first_message = || inline.context.names.first_message_in_topic(channel.id, topic);
    if let Some(first_message) = format.links_first_message.then(first_message).flatten() {
        href.push_str(&format!("/with/{first_message}"));
    }
    Some(link_node("stream-topic", Some(&channel), href, text))
}

fn link_node(class: &str, channel: Option<&LinkedChannel>, href: String, text: String) -> Node {
    let id = channel.map(|channel| ("data-stream-id", channel.id.to_string()));
    let attributes = [("class", class.to_owned())].into_iter().chain(id).chain([("href", href)]).collect();
    Node { tag: "a", attributes, text: Text::literal(text), ..Node::default() }
}

fn channel_href(inline: &InlineExpander<'_, '_>, channel: &LinkedChannel) -> String {
    let path = inline.context.settings.output_format.channel_path;
    format!("/#narrow/{path}/{}-{}", channel.id, encode_channel_name(&channel.name))
}
