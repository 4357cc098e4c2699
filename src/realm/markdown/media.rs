//! Images, videos and sound: previews of linked ones, and those that are part of the text.
//!
//! A choice where the API is silent: A-42 in docs/assumptions.md.

use super::UploadFacts;
use super::context::Context;
use super::html;
use super::link::Target;
use crate::realm::hexadecimal;
use crate::realm::picture::{ANIMATED_THUMBNAIL, STILL_THUMBNAIL};
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// A message has no more previews than this.
const PREVIEWS_MAX: usize = 24;

/// Shown while a thumbnail is being made.
const SPINNER: &str = "/static/images/loading/loader-black.svg";

const IMAGE_ENDINGS: [&str; 8] = [".avif", ".bmp", ".gif", ".jpe", ".jpeg", ".jpg", ".png", ".webp"];
const VIDEO_ENDINGS: [&str; 2] = [".mp4", ".webm"];

/// What a video site calls the id of a video in its addresses.
const VIDEO_SITE_PREFIXES: [&str; 4] =
    ["youtube.com/watch?v=", "youtu.be/", "youtube.com/embed/", "youtube.com/shorts/"];

/// The length of such an id.
const VIDEO_ID_BYTES: usize = 11;

/// The previews of a message.
#[derive(Debug)]
pub(super) struct Previews {
    enabled: bool,
    shown: HashSet<String>,
    waiting: Vec<String>,
}

impl Previews {
    pub fn new(enabled: bool) -> Self {
        Self { enabled, shown: HashSet::new(), waiting: Vec::new() }
    }

    /// Whether this address may be shown: previews are on, it was not shown yet, and there are not too many.
    fn have_room_for(&self, href: &str) -> bool {
        self.enabled && self.shown.len() < PREVIEWS_MAX && !self.shown.contains(href)
    }

    /// The previews that belong behind the block just written.
    pub fn flush(&mut self) -> Vec<String> {
        std::mem::take(&mut self.waiting)
    }
}

enum Medium {
    Image,
    Video,
    Audio,
    /// A video on a site that shows it itself, with its id there.
    SiteVideo(String),
}

/// Notes an image and prepares its preview, if the target has one: previews are on, it is not in a quote, was not
/// shown yet, and the message does not have too many. `title` is the text of the link.
pub(super) fn preview(context: &mut Context<'_>, target: &Target, title: Option<&str>) {
    let facts = target.upload.as_deref().and_then(|path_id| context.names.upload(path_id));
    let Some(medium) = medium(target, facts.as_ref()) else {
        return;
    };
    context.found.has_image |= matches!(medium, Medium::Image);
    if context.quotes > 0 || !context.previews.have_room_for(&target.href) {
        return;
    }
    let Some(html) = shown(target, facts.as_ref(), &medium, title) else {
        return;
    };
    context.previews.shown.insert(target.href.clone());
    context.previews.waiting.push(html);
}

/// The preview of a link. Sound has none.
fn shown(target: &Target, facts: Option<&UploadFacts>, medium: &Medium, title: Option<&str>) -> Option<String> {
    let href = target.href.as_str();
    let src = if target.upload.is_some() { href.to_owned() } else { proxied(href) };
    let (class, media) = match medium {
        Medium::Audio => return None,
        Medium::Image => {
            let image = match facts {
                Some(facts) => thumbnail(target, facts, &[], ""),
                None => html::void("img", &[("src", &src)]),
            };
            ("message_inline_image", image)
        }
        Medium::Video => {
            let video = html::element("video", &[("preload", "metadata"), ("src", &src)], "");
            ("message_inline_image message_inline_video", video)
        }
        Medium::SiteVideo(id) => {
            let still = proxied(&format!("https://i.ytimg.com/vi/{id}/mqdefault.jpg"));
            let image = html::void("img", &[("src", &still)]);
            ("youtube-video message_inline_image", image)
        }
    };
    let attributes = match (medium, title) {
        (Medium::SiteVideo(id), _) => vec![("data-id", id.as_str()), ("href", href)],
        (_, Some(title)) => vec![("href", href), ("title", title)],
        (_, None) => vec![("href", href)],
    };
    let link = html::element("a", &attributes, &media);
    Some(html::element("div", &[("class", class)], &link))
}

/// `![label](…)` of an uploaded image or sound. None for everything else, and where nothing is to be shown.
pub(super) fn inline(context: &mut Context<'_>, target: &Target, label: &str) -> Option<String> {
    if !context.previews.enabled {
        return None;
    }
    let path_id = target.upload.as_deref()?;
    let facts = context.names.upload(path_id)?;
    let html = match medium(target, Some(&facts))? {
        Medium::Image => {
            context.found.has_image = true;
            thumbnail(target, &facts, &[("alt", label)], "inline-image")
        }
        Medium::Audio => {
            let mut out = String::from("<audio controls");
            let attributes = [("preload", "metadata"), ("src", target.href.as_str()), ("title", label)];
            out.push_str(html::element("audio", &attributes, "").trim_start_matches("<audio"));
            out
        }
        Medium::Video | Medium::SiteVideo(_) => return None,
    };
    context.found.uploads.insert(path_id.to_owned());
    Some(html)
}

fn medium(target: &Target, facts: Option<&UploadFacts>) -> Option<Medium> {
    if target.upload.is_some() {
        let kind = facts?.content_type.split('/').next()?;
        return match kind {
            "image" => Some(Medium::Image),
            "video" => Some(Medium::Video),
            "audio" => Some(Medium::Audio),
            _ => None,
        };
    }
    let href = &target.href;
    let rest = href.strip_prefix("https://").or_else(|| href.strip_prefix("http://"))?;
    let site = rest.strip_prefix("www.").unwrap_or(rest);
    let id = VIDEO_SITE_PREFIXES.iter().find_map(|prefix| site.strip_prefix(prefix)?.get(..VIDEO_ID_BYTES));
    if let Some(id) = id.filter(|id| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))) {
        return Some(Medium::SiteVideo(id.to_owned()));
    }
    let (_, path) = rest.split(['?', '#']).next()?.split_once('/')?;
    let path = path.to_ascii_lowercase();
    if IMAGE_ENDINGS.iter().any(|ending| path.ends_with(ending)) {
        Some(Medium::Image)
    } else if VIDEO_ENDINGS.iter().any(|ending| path.ends_with(ending)) {
        Some(Medium::Video)
    } else {
        None
    }
}

/// The picture of an uploaded image, with attributes in alphabetical order: `first`, the class, what is known of the
/// original.
fn thumbnail(target: &Target, facts: &UploadFacts, first: &[(&'static str, &str)], class: &str) -> String {
    let size = |(width, height): (u32, u32)| format!("{width}x{height}");
    let original = facts.dimensions.map(size);
    // The section shows the transcoded copy under its size in the format that browsers know.
    let transcoded = facts.transcoded.filter(|_| facts.has_thumbnail).map(|it| size(it) + ".webp");
    let name = if facts.is_animated { ANIMATED_THUMBNAIL.name } else { STILL_THUMBNAIL.name };
    let path = target.href.trim_start_matches("/user_uploads/").split(['?', '#']).next().unwrap_or_default();
    let src = if facts.has_thumbnail { format!("/user_uploads/thumbnail/{path}/{name}") } else { SPINNER.to_owned() };
    let class = match (facts.has_thumbnail, class) {
        (true, class) => class.to_owned(),
        (false, "") => "image-loading-placeholder".to_owned(),
        (false, class) => format!("image-loading-placeholder {class}"),
    };

    let mut attributes = first.to_vec();
    if !class.is_empty() {
        attributes.push(("class", &class));
    }
    if facts.is_animated && facts.has_thumbnail {
        attributes.push(("data-animated", "true"));
    }
    attributes.push(("data-original-content-type", &facts.content_type));
    attributes.extend(original.as_deref().map(|size| ("data-original-dimensions", size)));
    if !first.is_empty() {
        attributes.push(("data-original-src", &target.href));
    }
    attributes.extend(transcoded.as_deref().map(|name| ("data-transcoded-image", name)));
    attributes.push(("src", &src));
    html::void("img", &attributes)
}

/// Where the organization's proxy would serve a picture from elsewhere: a digest and the address in hexadecimal.
pub(super) fn proxied(address: &str) -> String {
    let digest = Sha256::digest(address.as_bytes());
    format!("/external_content/{}/{}", hexadecimal(&digest[..20]), hexadecimal(address.as_bytes()))
}
