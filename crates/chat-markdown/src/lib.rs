//! The Markdown of messages: from source to HTML, with what the text means for flags, links and uploads.
//!
//! The rules are those of the service, which has its own dialect of Markdown; they are followed in the same steps,
//! because what one step leaves decides what the next one sees:
//!
//! 1. `lines` makes white space uniform and detaches lists from the text before them.
//! 2. `fence` takes fences out: code and math become raw HTML (`placeholder`), quotes and spoilers become lines.
//! 3. `block` parses the lines into a tree of blocks (`tree`).
//! 4. `inline` looks for one kind of inline markup after the other in the text of each block.
//! 5. `preview` adds previews of links (`media`).
//! 6. `write` turns the tree into HTML, and the raw HTML takes its place.
//!
//! A text without any markup takes none of these steps (`plain`). All text is escaped when it is written, and tags and
//! attributes are constants, so that nothing needs to be sanitized.
//!
//! Nothing here knows HTTP, a clock or a realm: everything is asked through [`Names`]. Source: section 23, and A-182 in
//! docs/assumptions.md.

mod block;
pub mod budget;
mod character;
mod code;
mod context;
pub mod emoji;
mod fence;
mod form;
mod html;
mod inline;
pub mod late;
mod lines;
pub mod linkifier;
mod math;
mod media;
mod mention;
mod placeholder;
mod plain;
mod preview;
mod tree;
mod visible;
mod write;

use crate::budget::{Budget, Cost, Exhausted};
use crate::linkifier::Linkifier;
use context::Context;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use tree::{ROOT, Tree};

pub use fence::without_code;
pub use form::Form;
pub use html::{encode_hash_component, encode_link_label};
pub use visible::{Piece, pieces, visible_text};

/// More characters of HTML than this are refused.
pub const OUTPUT_MAX_CHARS: usize = 1_000_000;

/// What a text of so many bytes may cost (A-320 in docs/assumptions.md): it takes about a second at most, and a message
/// about a third of that.
pub fn cost_of_text(bytes: usize) -> Cost {
    const STEPS: usize = 30_000_000;
    const STEPS_PER_BYTE: usize = 100;
    const STEPS_MAX: usize = 100_000_000;
    const NODES: usize = 100_000;
    let steps = STEPS_MAX.min(STEPS + STEPS_PER_BYTE.saturating_mul(bytes));
    Cost { steps, nodes: NODES, output: OUTPUT_MAX_CHARS }
}

/// Characters of HTML that a byte of a description may become.
const OUTPUT_PER_BYTE: usize = 100;

/// Steps that reading a byte takes, by all kinds of markup together.
const STEPS_PER_BYTE: usize = 5;

/// What the renderer may ask of the realm. All names are resolved as the sender may see them.
pub trait Names {
    /// The user with this name (case-insensitive), with this id if one is given; by the id alone if the name is empty.
    /// None unless name and id agree.
    fn user(&self, name: &str, id: Option<i64>) -> Option<MentionedUser>;

    /// The user group with this name; system groups by their wire name (`role:administrators`).
    fn group(&self, name: &str) -> Option<MentionedGroup>;

    /// The channel with this name, if the sender can see it.
    fn channel(&self, name: &str) -> Option<LinkedChannel>;

    /// The first message in a topic that the sender can see.
    fn first_message_in_topic(&self, channel: i64, topic: &str) -> Option<i64>;

    /// The active custom emoji with this name. The built-in extra emoji is not asked for.
    fn custom_emoji(&self, name: &str) -> Option<CustomEmojiImage>;

    /// What is known of an uploaded file; `path_id` is what is behind `/user_uploads/`.
    fn upload(&self, path_id: &str) -> Option<UploadFacts>;

    /// The organization's linkifiers in processing order.
    fn linkifiers(&self) -> Vec<Arc<Linkifier>>;

    /// The steps in which all of them search a text once.
    fn steps_to_linkify(&self, text: &str) -> usize;

    /// Whether a linkifier's pattern occurs in a paragraph.
    fn may_linkify(&self, paragraph: &str) -> bool;

    /// The settings of organization and sender that change the output.
    fn settings(&self) -> Settings<'_>;
}

/// A user as a mention shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionedUser {
    /// Their id.
    pub id: i64,
    /// Their name as stored, which replaces the typed one.
    pub full_name: String,
    /// Deactivated users are only ever mentioned silently.
    pub is_active: bool,
}

/// A user group as a mention shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionedGroup {
    /// Its id.
    pub id: i64,
    /// Its name as shown (`Administrators` for `role:administrators`).
    pub display_name: String,
    /// Deactivated groups are only ever mentioned silently.
    pub is_active: bool,
}

/// A channel as a link shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedChannel {
    /// Its id.
    pub id: i64,
    /// Its name as stored, which replaces the typed one.
    pub name: String,
}

/// A custom emoji's picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomEmojiImage {
    /// The address of the picture.
    pub src: String,
}

/// What is known of an uploaded file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UploadFacts {
    /// Its media type, such as `image/png`.
    pub content_type: String,
    /// Width and height in pixels, if it is an image.
    pub dimensions: Option<(u32, u32)>,
    /// Whether the image's thumbnail is made; until then a spinner is shown.
    pub has_thumbnail: bool,
    /// Whether it is an image that moves.
    pub is_animated: bool,
    /// Width and height of the copy in a format that browsers know, for images that need one.
    pub transcoded: Option<(u32, u32)>,
}

/// The file name of the smaller copy of a picture that moves.
pub const ANIMATED_THUMBNAIL: &str = "840x560-anim.webp";
/// The file name of the smaller copy of any other picture.
pub const STILL_THUMBNAIL: &str = "840x560.webp";

impl UploadFacts {
    fn thumbnail_name(&self) -> &'static str {
        if self.is_animated { ANIMATED_THUMBNAIL } else { STILL_THUMBNAIL }
    }
}

/// The settings of organization and sender that change the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings<'a> {
    /// What replaces the empty topic, such as `general chat`.
    pub empty_topic_display_name: &'a str,
    /// The language of fenced code that names none; empty for none.
    pub default_code_block_language: &'a str,
    /// Whether the sender wants `:)` to become an emoji.
    pub translate_emoticons: bool,
    /// Whether links to images and videos show them.
    pub inline_image_preview: bool,
    /// Whether pictures from elsewhere are shown by the server's proxy, not by their own addresses.
    pub proxies_pictures: bool,
    /// The organization's own address (`https://chat.example.org`, no slash at the end), links into which become
    /// relative.
    pub own_url: Option<&'a str>,
    /// Whether nobody is notified by a mention, however it is written.
    pub mentions_are_silent: bool,
    /// What of the output depends on the feature level.
    pub form: Form,
}

/// Who is mentioned so that they notice. Silent mentions, those in quotes and in code, and those of deactivated users
/// and groups are not in here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Users mentioned by name.
    pub users: BTreeSet<i64>,
    /// User groups.
    pub groups: BTreeSet<i64>,
    /// `@**all**` and its synonyms.
    pub channel_wildcard: bool,
    /// `@**topic**`.
    pub topic_wildcard: bool,
}

/// A rendered message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The HTML: block elements joined by newlines, empty for an empty source.
    pub html: String,
    /// Who is mentioned.
    pub mentions: Mentions,
    /// Whether it is a status such as `/me waves`.
    pub is_me_message: bool,
    /// Whether it has a link to an address (not just to a channel, topic or message).
    pub has_link: bool,
    /// Whether it shows or links an image.
    pub has_image: bool,
    /// The uploaded files that it links, as path ids; nobody has checked that they exist.
    pub uploads: BTreeSet<String>,
}

/// The HTML of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<Box<str>>", into = "Option<Box<str>>")]
pub enum Html {
    /// The text has no markup, so that its HTML follows from it at once.
    OfPlainText,
    /// Kept.
    Written(Box<str>),
}

impl Html {
    /// The HTML of this text, whose own this is.
    pub fn of(&self, text: &str) -> Cow<'_, str> {
        match self {
            Html::OfPlainText => Cow::Owned(plain::html(text)),
            Html::Written(html) => Cow::Borrowed(html),
        }
    }

    /// What is read of the HTML of this text, whose own this is.
    pub fn visible_text<'text>(&self, text: &'text str) -> Cow<'text, str> {
        match self {
            Html::OfPlainText => Cow::Borrowed(text),
            Html::Written(html) => Cow::Owned(visible_text(html)),
        }
    }
}

impl Default for Html {
    fn default() -> Self {
        Html::Written(Box::default())
    }
}

impl From<Option<Box<str>>> for Html {
    fn from(written: Option<Box<str>>) -> Self {
        written.map_or(Html::OfPlainText, Html::Written)
    }
}

impl From<Html> for Option<Box<str>> {
    fn from(html: Html) -> Self {
        match html {
            Html::OfPlainText => None,
            Html::Written(html) => Some(html),
        }
    }
}

/// The text or the output is longer than [`OUTPUT_MAX_CHARS`], or costs more than [`cost_of_text`]. Reported as
/// `Unable to render message`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl From<Exhausted> for TooLarge {
    fn from(_: Exhausted) -> Self {
        Self
    }
}

/// A link in a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicLink {
    /// The text in the topic.
    pub text: String,
    /// The URL.
    pub url: String,
}

/// Renders a message.
///
/// # Errors
///
/// [`TooLarge`] if the text or the HTML has more than [`OUTPUT_MAX_CHARS`] characters, or making it costs more than
/// [`cost_of_text`].
pub fn render(source: &str, names: &dyn Names) -> Result<Rendered, TooLarge> {
    let (html, rendered) = render_to_keep(source, names)?;
    Ok(Rendered { html: html.of(source).into_owned(), ..rendered })
}

/// Renders a message whose text is kept too: the HTML comes next to the rest.
///
/// # Errors
///
/// As [`render`].
pub fn render_to_keep(source: &str, names: &dyn Names) -> Result<(Html, Rendered), TooLarge> {
    let budget = Budget::new(cost_of_text(source.len()));
    // A paragraph's tags are eight characters longer than the line ends between two.
    if source.len() <= OUTPUT_MAX_CHARS / 8 && plain::is_plain(source, names, &budget)? {
        return Ok((Html::OfPlainText, Rendered::default()));
    }
    // Hardly any text becomes shorter.
    if source.len() > OUTPUT_MAX_CHARS && source.chars().count() > OUTPUT_MAX_CHARS {
        return Err(TooLarge);
    }
    let mut rendered = render_markup(source, names, budget)?;
    Ok((Html::Written(std::mem::take(&mut rendered.html).into()), rendered))
}

fn render_markup(source: &str, names: &dyn Names, budget: Budget) -> Result<Rendered, TooLarge> {
    let mut context = Context::new(source, names, names.settings().inline_image_preview, Rc::new(budget));
    let html = document(&mut context, source)?;
    let mut rendered = context.found;
    rendered.is_me_message = source.starts_with("/me ") && html.starts_with("<p>") && html.ends_with("</p>");
    rendered.html = html;
    Ok(rendered)
}

fn document(context: &mut Context<'_>, source: &str) -> Result<String, TooLarge> {
    if lines::is_blank(source) {
        return Ok(String::new());
    }
    context.budget.spend_steps(STEPS_PER_BYTE * source.len())?;
    let text = fence::take_out(context, lines::prepare(source)).join("\n");
    let mut tree = Tree::new(context.budget.clone());
    block::parse(&mut tree, ROOT, text);
    context.budget.check()?;
    code::highlight(context, &mut tree);
    inline::expand(context, &mut tree)?;
    write::set_line_ends(&mut tree, ROOT);
    preview::add(context, &mut tree);
    context.budget.check()?;
    let html = context.stash.restore(&write::inner_html(&tree, ROOT));
    let html = html.trim_matches(character::is_space);
    if html.chars().count() > OUTPUT_MAX_CHARS { Err(TooLarge) } else { Ok(html.to_owned()) }
}

/// Renders the description of a channel or a folder, or a value of a profile field: like a message, but without
/// previews (A-430 in docs/assumptions.md). The budget is for all that one request renders.
///
/// What would be too large for a message, or takes more than a hundred times the characters of its source, becomes an
/// empty string; so does what the budget does not suffice for.
pub fn render_inline(source: &str, names: &dyn Names, request: &Budget) -> String {
    let limit = cost_of_text(source.len());
    let output = limit.output.min(OUTPUT_PER_BYTE * (OUTPUT_PER_BYTE + source.len()));
    let budget = Rc::new(request.part(Cost { output, ..limit }));
    let mut context = Context::new(source, names, false, budget.clone());
    let html = document(&mut context, source);
    request.settle(&budget);
    html.unwrap_or_default()
}

/// The links of a topic, from left to right: what linkifiers match, the earlier linkifier first where two overlap, then
/// bare addresses. Source: section 16.
///
/// Beyond a budget, linkifiers match nothing.
pub fn topic_links(topic: &str, names: &dyn Names) -> Vec<TopicLink> {
    let mut found: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    let budget = Budget::new(cost_of_text(topic.len()));
    let linkifiers = names.linkifiers().into_iter();
    let linkified = linkifiers.flat_map(|linkifier| linkifier.matches(topic, 0, &budget).unwrap_or_default());
    let linkified = linkified.map(|it| (it.range, it.url));
    let bare = inline::bare_addresses(topic).into_iter().map(|range| {
        let address = &topic[range.clone()];
        let url = if address.contains("://") { address.to_owned() } else { format!("https://{address}") };
        (range, url)
    });
    // Overlaps are looked for among neighbours only, so that many links don't cost the square of their number.
    let mut taken = std::collections::BTreeMap::<usize, usize>::new();
    for (range, url) in linkified.chain(bare).filter(|(_, url)| inline::is_safe(url)) {
        let before = taken.range(..range.end).next_back();
        if before.is_none_or(|(_, &end)| end <= range.start) {
            taken.insert(range.start, range.end);
            found.push((range, url));
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found.into_iter().map(|(range, url)| TopicLink { text: topic[range].to_owned(), url }).collect()
}

#[cfg(test)]
mod tests;
