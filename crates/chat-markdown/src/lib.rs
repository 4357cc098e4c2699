//! Renders the Markdown of messages to HTML, and finds the mentions, links and uploads in it.
//!
//! Real servers have a Markdown of their own. This crate renders it in the same steps as they do, because the result of
//! each step determines the input of the next:
//!
//! 1. `lines` normalizes white space and separates lists from the text before them.
//! 2. `fence` removes fenced blocks: code and math become raw HTML (`placeholder`), quotes and spoilers become lines.
//! 3. `block` parses the lines into a tree of blocks (`tree`).
//! 4. `inline` expands the inline markup in the text of each block, one kind after the other.
//! 5. `preview` adds previews of links (`media`).
//! 6. `serialize` converts the tree to HTML and inserts the raw HTML.
//!
//! Texts without markup skip these steps (`plain_text`). The output needs no sanitizing: texts and values of attributes
//! are escaped when they are serialized, URLs are checked, and the names of tags and attributes are constants.
//!
//! The crate is independent of HTTP, clocks and realms: it resolves names through [`Names`]. Source: section 23 of the
//! reference behaviour, and A-182 in docs/assumptions.md.

mod block;
pub mod budget;
mod character;
mod code;
mod context;
pub mod delayed_preview;
pub mod emoji;
mod fence;
mod html;
mod inline;
mod lines;
mod link_encoding;
pub mod linkifier;
mod math;
mod media;
mod mention;
mod output_format;
mod placeholder;
mod plain_text;
mod preview;
mod serialize;
mod tree;
mod visible_text;

use crate::budget::{Budget, Cost, Exhausted};
use crate::linkifier::Linkifier;
use context::Context;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use tree::{ROOT, Tree};

pub use fence::remove_code;
pub use link_encoding::{encode_channel_name, encode_hash_component, encode_link_label};
pub use output_format::OutputFormat;
pub use visible_text::{Piece, pieces, visible_text};

/// Maximum length of a text and of its HTML, in characters. Longer ones are an error.
pub const MAX_CHARACTERS: usize = 1_000_000;

/// The maximum cost of rendering a text of this many bytes (A-320 in docs/assumptions.md). Rendering takes at most
/// about a second then, and a third of that for a message.
pub fn max_cost_of_text(bytes: usize) -> Cost {
    const BASE_STEPS: usize = 30_000_000;
    const STEPS_FOR_EACH_BYTE: usize = 100;
    const MAX_STEPS: usize = 100_000_000;
    const NODES: usize = 100_000;
    let steps = MAX_STEPS.min(BASE_STEPS + STEPS_FOR_EACH_BYTE.saturating_mul(bytes));
    Cost { steps, nodes: NODES, output: MAX_CHARACTERS }
}

/// The HTML of a text without previews has at most this many characters, and [`OUTPUT_PER_BYTE`] more for each byte.
const BASE_OUTPUT: usize = 10_000;
const OUTPUT_PER_BYTE: usize = 100;

/// Steps per byte of source, for all work whose steps are not counted where it is done.
const STEPS_PER_BYTE: usize = 5;

/// Resolves the names in a text from its sender's point of view.
pub trait Names {
    /// The user with this name (case-insensitive) and, if it is Some, this ID. An empty name matches every user. None:
    /// no user, or name and ID don't match.
    fn user(&self, name: &str, id: Option<i64>) -> Option<MentionedUser>;

    /// The user group with this name; system groups have their names on the wire (`role:administrators`).
    fn group(&self, name: &str) -> Option<MentionedGroup>;

    /// The channel with this name, if the sender can see it or [`OutputFormat::links_unseen_channels`] is set.
    fn channel(&self, name: &str) -> Option<LinkedChannel>;

    /// The ID of the oldest message that the sender can see in a topic. None: there is none.
    fn first_message_in_topic(&self, channel: i64, topic: &str) -> Option<i64>;

    /// The active custom emoji with this name. The built-in extra emoji need not be known.
    fn custom_emoji(&self, name: &str) -> Option<CustomEmojiImage>;

    /// The properties of an uploaded file; `path_id` is its URL path without `/user_uploads/`.
    fn upload(&self, path_id: &str) -> Option<UploadProperties>;

    /// The organization's linkifiers in processing order.
    fn linkifiers(&self) -> Vec<Arc<Linkifier>>;

    /// The number of steps in which all linkifiers search a text once.
    fn steps_to_linkify(&self, text: &str) -> usize;

    /// Whether a linkifier may match in a paragraph. False: none does.
    fn may_linkify(&self, paragraph: &str) -> bool;

    /// The settings of the organization and the sender that affect the output.
    fn settings(&self) -> Settings<'_>;
}

/// A user, as a mention shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionedUser {
    /// The user's ID, for the attribute `data-user-id`.
    pub id: i64,
    /// The user's name, which replaces the name in the source.
    pub full_name: String,
    /// Mentions of deactivated users are always silent.
    pub is_active: bool,
}

/// A user group, as a mention shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionedGroup {
    /// The group's ID, for the attribute `data-user-group-id`.
    pub id: i64,
    /// The displayed name (`Administrators` for `role:administrators`).
    pub display_name: String,
    /// Mentions of deactivated groups are always silent.
    pub is_active: bool,
}

/// A channel, as a link shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedChannel {
    /// The channel's ID, for the URL and the attribute `data-stream-id`.
    pub id: i64,
    /// The channel's name, which replaces the name in the source.
    pub name: String,
}

/// The picture of a custom emoji.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomEmojiImage {
    /// URL of the picture, for the attribute `src`.
    pub src: String,
}

/// What the HTML shows of an uploaded file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UploadProperties {
    /// The media type, such as `image/png`.
    pub content_type: String,
    /// Width and height in pixels. None: not an image.
    pub dimensions: Option<(u32, u32)>,
    /// Whether the image has its thumbnail. Until then, a spinner is shown.
    pub has_thumbnail: bool,
    /// Whether it is an animated image, whose thumbnail is [`ANIMATED_THUMBNAIL`].
    pub is_animated: bool,
    /// Width and height in pixels of the copy in a format that browsers support. None: no copy is needed.
    pub transcoded: Option<(u32, u32)>,
}

/// The file name of thumbnails of animated pictures.
pub const ANIMATED_THUMBNAIL: &str = "840x560-anim.webp";
/// The file name of thumbnails of other pictures.
pub const STILL_THUMBNAIL: &str = "840x560.webp";

impl UploadProperties {
    fn thumbnail_name(&self) -> &'static str {
        if self.is_animated { ANIMATED_THUMBNAIL } else { STILL_THUMBNAIL }
    }
}

/// The settings of the organization and the sender that affect the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings<'a> {
    /// Displayed instead of the empty topic, such as `general chat`.
    pub empty_topic_display_name: &'a str,
    /// The language of fenced code without a language. "": none.
    pub default_code_block_language: &'a str,
    /// Whether emoticons such as `:)` become emoji.
    pub translate_emoticons: bool,
    /// Whether links to images and videos get previews, and images and sound can be embedded in the text.
    pub inline_image_preview: bool,
    /// Whether external pictures and videos are loaded through the server's proxy.
    pub proxies_pictures: bool,
    /// The organization's URL, such as `https://chat.example.org`. Links to its uploads, avatars, thumbnails and
    /// fragments (`/#…`) become relative.
    pub own_url: Option<&'a str>,
    /// Whether all mentions are silent: they are shown, but notify nobody.
    pub mentions_are_silent: bool,
    /// The parts of the output that depend on the feature level.
    pub output_format: OutputFormat,
}

/// The mentions that notify. Silent mentions, mentions in quotes and in code, and mentions of deactivated users and
/// groups are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// IDs of the users who are mentioned by name or ID.
    pub users: BTreeSet<i64>,
    /// IDs of mentioned user groups.
    pub groups: BTreeSet<i64>,
    /// Whether the text has `@**all**` or a synonym.
    pub channel_wildcard: bool,
    /// Whether the text has `@**topic**`.
    pub topic_wildcard: bool,
}

/// The HTML of a message, and what was found in the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedMessage {
    /// Block elements joined by newlines. Empty for a blank source.
    pub html: String,
    /// The mentions that notify.
    pub mentions: Mentions,
    /// Whether it is a status message such as `/me waves`.
    pub is_me_message: bool,
    /// Whether it has a link: to a URL, a channel, a topic or a message.
    pub has_link: bool,
    /// Whether it shows an image, a preview of one, or the still image of a video on a video site.
    pub has_image: bool,
    /// Path IDs of the uploaded files that it links or embeds. Linked files need not exist.
    pub uploads: BTreeSet<String>,
}

/// The HTML of a text, stored compactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<Box<str>>", into = "Option<Box<str>>")]
pub enum Html {
    /// The text has no markup, so that its HTML is generated on demand.
    PlainText,
    /// The HTML of a text that may have markup.
    Stored(Box<str>),
}

impl Html {
    /// The HTML. `text` must be the text that it was rendered from.
    pub fn for_text(&self, text: &str) -> Cow<'_, str> {
        match self {
            Html::PlainText => Cow::Owned(plain_text::render(text)),
            Html::Stored(html) => Cow::Borrowed(html),
        }
    }

    /// The visible text of the HTML. `text` must be the text that it was rendered from.
    pub fn visible_text<'text>(&self, text: &'text str) -> Cow<'text, str> {
        match self {
            Html::PlainText => Cow::Borrowed(text),
            Html::Stored(html) => Cow::Owned(visible_text(html)),
        }
    }
}

impl Default for Html {
    fn default() -> Self {
        Html::Stored(Box::default())
    }
}

impl From<Option<Box<str>>> for Html {
    fn from(html: Option<Box<str>>) -> Self {
        html.map_or(Html::PlainText, Html::Stored)
    }
}

impl From<Html> for Option<Box<str>> {
    fn from(html: Html) -> Self {
        match html {
            Html::PlainText => None,
            Html::Stored(html) => Some(html),
        }
    }
}

/// The text or the output is longer than [`MAX_CHARACTERS`], rendering costs more than [`max_cost_of_text`], or
/// elements are nested too deeply. The API reports it as `Unable to render message`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl From<Exhausted> for TooLarge {
    fn from(_: Exhausted) -> Self {
        Self
    }
}

/// A part of a topic that clients show as a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicLink {
    /// The linked part of the topic.
    pub text: String,
    /// The linkifier's URL, or the bare URL, with `https://` before it if it has no scheme.
    pub url: String,
}

/// Renders a message.
///
/// # Errors
///
/// [`TooLarge`].
pub fn render(source: &str, names: &dyn Names) -> Result<RenderedMessage, TooLarge> {
    let (html, rendered) = render_for_storage(source, names)?;
    Ok(RenderedMessage { html: html.for_text(source).into_owned(), ..rendered })
}

/// As [`render`], for storing the HTML next to its text. The `html` of the result is empty.
///
/// # Errors
///
/// As [`render`].
pub fn render_for_storage(source: &str, names: &dyn Names) -> Result<(Html, RenderedMessage), TooLarge> {
    let budget = Budget::new(max_cost_of_text(source.len()));
    // The HTML of plain text has at most eight characters per character: `<p>a</p>`.
    if source.len() <= MAX_CHARACTERS / 8 && plain_text::is_plain(source, names, &budget)? {
        return Ok((Html::PlainText, RenderedMessage::default()));
    }
    // HTML is hardly ever shorter than its source.
    if source.len() > MAX_CHARACTERS && source.chars().count() > MAX_CHARACTERS {
        return Err(TooLarge);
    }
    let mut rendered = render_markup(source, names, budget)?;
    Ok((Html::Stored(std::mem::take(&mut rendered.html).into()), rendered))
}

fn render_markup(source: &str, names: &dyn Names, budget: Budget) -> Result<RenderedMessage, TooLarge> {
    let mut context = Context::new(source, names, names.settings().inline_image_preview, Rc::new(budget));
    let html = render_document(&mut context, source)?;
    let mut rendered = context.rendered;
    rendered.is_me_message = source.starts_with("/me ") && html.starts_with("<p>") && html.ends_with("</p>");
    rendered.html = html;
    Ok(rendered)
}

fn render_document(context: &mut Context<'_>, source: &str) -> Result<String, TooLarge> {
    if lines::is_blank(source) {
        return Ok(String::new());
    }
    context.budget.spend_steps(STEPS_PER_BYTE * source.len())?;
    let text = fence::replace_fenced_blocks(context, lines::prepare(source)).join("\n");
    let mut tree = Tree::new(context.budget.clone());
    block::parse(&mut tree, ROOT, text);
    context.budget.check()?;
    code::store_indented_code(context, &mut tree);
    inline::expand(context, &mut tree)?;
    serialize::add_line_ends(&mut tree, ROOT);
    preview::add_previews(context, &mut tree);
    context.budget.check()?;
    let html = context.raw_html.restore(&serialize::inner_html(&tree, ROOT));
    let html = html.trim_matches(character::is_space);
    if html.chars().count() > MAX_CHARACTERS { Err(TooLarge) } else { Ok(html.to_owned()) }
}

/// Renders the description of the organization, a channel or a folder, or the value of a profile field: as a message,
/// but without previews (A-430 in docs/assumptions.md). All texts of a request share a budget.
///
/// Returns an empty string if rendering costs more than [`max_cost_of_text`], elements are nested too deeply, the HTML
/// has more than 10,000 characters and 100 for each byte of the source, or the budget is exhausted.
pub fn render_without_previews(source: &str, names: &dyn Names, request_budget: &Budget) -> String {
    let limit = max_cost_of_text(source.len());
    let output = limit.output.min(BASE_OUTPUT + OUTPUT_PER_BYTE * source.len());
    let budget = Rc::new(request_budget.part(Cost { output, ..limit }));
    let mut context = Context::new(source, names, false, budget.clone());
    let html = render_document(&mut context, source);
    request_budget.settle(&budget);
    html.unwrap_or_default()
}

/// The links of a topic, from left to right: matches of linkifiers and bare URLs. Of overlapping links, the earlier
/// linkifier has precedence, and linkifiers precede bare URLs. Source: section 16 of the reference behaviour.
///
/// A linkifier that exceeds the budget matches nothing, and neither do those after it.
pub fn topic_links(topic: &str, names: &dyn Names) -> Vec<TopicLink> {
    let mut links: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    let budget = Budget::new(max_cost_of_text(topic.len()));
    let linkifiers = names.linkifiers().into_iter();
    let linkifier_matches = linkifiers.flat_map(|linkifier| linkifier.matches(topic, 0, &budget).unwrap_or_default());
    let linkifier_links = linkifier_matches.map(|link| (link.range, link.url));
    let bare_links = inline::find_bare_addresses(topic).into_iter().map(|range| {
        let address = &topic[range.clone()];
        let url = if address.contains("://") { address.to_owned() } else { format!("https://{address}") };
        (range, url)
    });
    // Only neighbours are checked for overlaps, so that the time is not quadratic in the number of links.
    let mut taken_ranges = std::collections::BTreeMap::<usize, usize>::new();
    for (range, url) in linkifier_links.chain(bare_links).filter(|(_, url)| inline::is_safe_url(url)) {
        let before = taken_ranges.range(..range.end).next_back();
        if before.is_none_or(|(_, &end)| end <= range.start) {
            taken_ranges.insert(range.start, range.end);
            links.push((range, url));
        }
    }
    links.sort_by_key(|(range, _)| range.start);
    links.into_iter().map(|(range, url)| TopicLink { text: topic[range].to_owned(), url }).collect()
}

#[cfg(test)]
mod tests;
