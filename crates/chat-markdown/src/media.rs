//! Images, videos and sound: previews of linked ones, and those that are part of the text.
//!
//! A choice where the API is silent: A-42 in docs/assumptions.md.

use super::UploadFacts;
use super::context::Context;
use super::inline::{Target, UrlParts};
use super::tree::{Node, NodeId, Tree};
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};

pub(super) const UPLOADS: &str = "/user_uploads/";

/// Shown while a thumbnail is being made.
pub(super) const SPINNER: &str = "/static/images/loading/loader-black.svg";

/// The class of a spinner.
pub(super) const PLACEHOLDER: &str = "image-loading-placeholder";

const IMAGE_ENDINGS: [&str; 8] = [".avif", ".bmp", ".gif", ".jpe", ".jpeg", ".jpg", ".png", ".webp"];
const VIDEO_ENDINGS: [&str; 2] = [".mp4", ".webm"];

/// A site that shows pictures on pages whose addresses end like those of pictures.
const PICTURE_PAGES: &str = "pasteboard.co";

/// Hosts of a site that shows videos itself.
const VIDEO_SITES: [&str; 5] =
    ["m.youtube.com", "www.youtube.com", "www.youtube-nocookie.com", "youtube.com", "youtube-nocookie.com"];
const SHORT_VIDEO_SITE: &str = "youtu.be";

/// Whether a link gives way to its preview, if it is alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replaced {
    Never,
    /// If the link shows the address that it leads to.
    IfAddress,
    Always,
}

/// A preview and how it relates to its link.
#[derive(Debug)]
pub(super) struct Preview {
    pub node: NodeId,
    pub link: Replaced,
    /// Whether it is at the end of the message, wherever its link is.
    pub is_last: bool,
    /// Whether it is a picture, or the still of a video at a video site.
    pub is_image: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Medium {
    Image,
    Video,
    Audio,
}

/// The path of an uploaded file that a link leads to.
pub(super) fn path_id(href: &str) -> Option<String> {
    let path = href.strip_prefix(UPLOADS)?;
    let path = path.split(['?', '#']).next().unwrap_or(path);
    Some(percent_decode_str(path).decode_utf8_lossy().into_owned())
}

fn facts(context: &Context<'_>, href: &str) -> Option<UploadFacts> {
    context.names.upload(&path_id(href)?).filter(|_| context.settings.form.has_thumbnails)
}

fn medium(context: &Context<'_>, href: &str, facts: Option<&UploadFacts>) -> Option<Medium> {
    let ends_with = |text: &str, endings: &[&str]| endings.iter().any(|ending| text.ends_with(ending));
    if ends_with(&href.to_ascii_lowercase(), &VIDEO_ENDINGS) {
        return Some(Medium::Video);
    }
    if href.starts_with(UPLOADS) && context.settings.form.has_thumbnails {
        return match facts?.content_type.split('/').next()? {
            "image" => Some(Medium::Image),
            "audio" => Some(Medium::Audio),
            _ => None,
        };
    }
    let parts = UrlParts::of(href)?;
    let is_image = ends_with(&parts.path.to_ascii_lowercase(), &IMAGE_ENDINGS) && parts.host != PICTURE_PAGES;
    is_image.then_some(Medium::Image)
}

/// The preview of a link, if it leads to something to be shown. `title` is the text of the link, if that is not the
/// address. Sound has no preview.
pub(super) fn preview(context: &Context<'_>, tree: &mut Tree, href: &str, title: Option<&str>) -> Option<Preview> {
    let facts = facts(context, href);
    let parts = UrlParts::of(href)?;
    let of_image = |tree: &mut Tree, link: &str, image: &str, title: Option<&str>| {
        let image = match &facts {
            Some(facts) => thumbnail(href, facts, Vec::new(), ""),
            None => Node { tag: "img", attributes: vec![("src", shown_source(context, image))], ..Node::default() },
        };
        let attributes = [("href", link)].into_iter().chain(title.map(|title| ("title", title)));
        framed(tree, "message_inline_image", attributes, image)
    };
    match medium(context, href, facts.as_ref()) {
        Some(Medium::Audio) => None,
        Some(Medium::Video) => {
            let attributes = vec![("preload", "metadata".to_owned()), ("src", shown_source(context, href))];
            let video = Node { tag: "video", attributes, ..Node::default() };
            let attributes = [("href", href)].into_iter().chain(title.map(|title| ("title", title)));
            let node = framed(tree, "message_inline_image message_inline_video", attributes, video);
            Some(Preview { node, link: Replaced::IfAddress, is_last: false, is_image: false })
        }
        Some(Medium::Image) => {
            if let Some(raw) = raw_of_shared(&parts) {
                let node = of_image(tree, href, &raw, None);
                return Some(Preview { node, link: Replaced::Never, is_last: true, is_image: true });
            }
            if let Some(file) = file_of_page(&parts) {
                let node = of_image(tree, &file, &file, None);
                return Some(Preview { node, link: Replaced::Always, is_last: false, is_image: true });
            }
            let raw = raw_of_repository(&parts).unwrap_or_else(|| href.to_owned());
            let node = of_image(tree, href, &raw, title);
            Some(Preview { node, link: Replaced::IfAddress, is_last: false, is_image: true })
        }
        None => {
            let id = video_id(&parts)?;
            let size = context.settings.form.video_still;
            let still = shown_source(context, &format!("https://i.ytimg.com/vi/{id}/{size}.jpg"));
            let image = Node { tag: "img", attributes: vec![("src", still)], ..Node::default() };
            let attributes = [("data-id", id.as_str()), ("href", href)].into_iter();
            let node = framed(tree, "youtube-video message_inline_image", attributes, image);
            Some(Preview { node, link: Replaced::Never, is_last: false, is_image: true })
        }
    }
}

/// A link around a picture in a frame of a class.
fn framed<'a>(
    tree: &mut Tree,
    class: &str,
    attributes: impl Iterator<Item = (&'static str, &'a str)>,
    picture: Node,
) -> NodeId {
    let picture = tree.add(picture);
    let attributes = attributes.map(|(name, value)| (name, value.to_owned())).collect();
    let link = tree.add(Node { tag: "a", attributes, children: vec![picture], ..Node::default() });
    let attributes = vec![("class", class.to_owned())];
    tree.add(Node { tag: "div", attributes, children: vec![link], ..Node::default() })
}

fn is_host_of(host: &str, site: &str) -> bool {
    host.strip_suffix(site).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// The picture that a page of a site for sharing files shows.
fn raw_of_shared(parts: &UrlParts<'_>) -> Option<String> {
    let is_shared = ["/s/", "/sh/"].iter().any(|start| parts.path.starts_with(start));
    let is_site = is_host_of(parts.host, "dropbox.com");
    (is_site && is_shared).then(|| UrlParts { query: "raw=1", ..parts.clone() }.join())
}

/// The picture that a page of an encyclopedia describes, or one of a site for screenshots.
fn file_of_page(parts: &UrlParts<'_>) -> Option<String> {
    if parts.host == "linx.li" {
        return Some(format!("https://linx.li/s{}", parts.path));
    }
    let file = parts.path.strip_prefix("/wiki/File:")?;
    let path = format!("/wiki/Special:FilePath/File:{file}");
    parts.host.to_lowercase().ends_with(".wikipedia.org").then(|| UrlParts { path: &path, ..parts.clone() }.join())
}

/// The picture that a page of a source repository shows.
fn raw_of_repository(parts: &UrlParts<'_>) -> Option<String> {
    let path: Vec<&str> = parts.path.split('/').collect();
    let is_page = is_host_of(parts.host, "github.com") && path.get(3) == Some(&"blob");
    is_page.then(|| format!("https://raw.githubusercontent.com{}", [&path[..3], &path[4..]].concat().join("/")))
}

/// What a video site calls the video that an address leads to.
fn video_id(parts: &UrlParts<'_>) -> Option<String> {
    if !matches!(parts.scheme.as_str(), "http" | "https") {
        return None;
    }
    let host = parts.host.rsplit('@').next()?.split(':').next()?.to_ascii_lowercase();
    let query = |name: &str| {
        form_urlencoded::parse(parts.query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    };
    let id = if host == SHORT_VIDEO_SITE {
        parts.path.strip_prefix('/')?.to_owned()
    } else if !VIDEO_SITES.contains(&host.as_str()) {
        return None;
    } else {
        match parts.path {
            "/watch" | "/watch_popup" => query("v")?,
            "/watch_videos" => query("video_ids")?.split(',').next()?.to_owned(),
            path => {
                let behind = ["/embed/", "/shorts/", "/v/"].iter().find_map(|start| path.strip_prefix(start))?;
                behind.split('/').next()?.to_owned()
            }
        }
    };
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    is_id.then_some(id)
}

/// `![label](…)` of an uploaded image or sound. None for everything else, and where nothing is to be shown.
pub(super) fn inline(context: &mut Context<'_>, target: &Target, label: &str) -> Option<Node> {
    if !context.previews {
        return None;
    }
    let href = target.href.as_str();
    let path_id = path_id(href)?;
    let facts = context.names.upload(&path_id)?;
    let node = match medium(context, href, Some(&facts))? {
        Medium::Image => {
            context.found.has_image = true;
            thumbnail(href, &facts, vec![("alt", label.to_owned())], "inline-image")
        }
        Medium::Audio => {
            let attributes = vec![
                ("controls", "controls".to_owned()),
                ("preload", "metadata".to_owned()),
                ("src", href.to_owned()),
                ("title", label.to_owned()),
            ];
            Node { tag: "audio", attributes, ..Node::default() }
        }
        Medium::Video => return None,
    };
    context.found.uploads.insert(path_id);
    Some(node)
}

/// The picture of an uploaded image: `first`, the class, and what is known of the original.
fn thumbnail(href: &str, facts: &UploadFacts, first: Vec<(&'static str, String)>, class: &str) -> Node {
    let size = |(width, height): (u32, u32)| format!("{width}x{height}");
    // The transcoded copy is shown under its size in the format that browsers know.
    let transcoded = facts.transcoded.filter(|_| facts.has_thumbnail).map(|it| size(it) + ".webp");
    let name = facts.thumbnail_name();
    let path = href.trim_start_matches(UPLOADS).split(['?', '#']).next().unwrap_or_default();
    let src = if facts.has_thumbnail { format!("/user_uploads/thumbnail/{path}/{name}") } else { SPINNER.to_owned() };
    let class = match (facts.has_thumbnail, class) {
        (true, class) => class.to_owned(),
        (false, "") => PLACEHOLDER.to_owned(),
        (false, class) => format!("{PLACEHOLDER} {class}"),
    };
    let is_in_text = !first.is_empty();
    let mut attributes = first;
    if !class.is_empty() {
        attributes.push(("class", class));
    }
    if facts.is_animated && facts.has_thumbnail {
        attributes.push(("data-animated", "true".to_owned()));
    }
    attributes.push(("data-original-content-type", facts.content_type.clone()));
    attributes.extend(facts.dimensions.map(|it| ("data-original-dimensions", size(it))));
    attributes.extend(is_in_text.then(|| ("data-original-src", href.to_owned())));
    attributes.extend(transcoded.map(|name| ("data-transcoded-image", name)));
    attributes.push(("src", src));
    Node { tag: "img", attributes, ..Node::default() }
}

/// Where a picture is loaded from: by the proxy, if the organization has one and the picture is not here.
fn shown_source(context: &Context<'_>, address: &str) -> String {
    let is_here = address.starts_with('/') && !address.starts_with("//");
    if is_here || !context.settings.proxies_pictures { address.to_owned() } else { proxied(address) }
}

/// Where the organization's proxy would serve a picture from elsewhere: a digest and the address in hexadecimal.
pub(super) fn proxied(address: &str) -> String {
    let hexadecimal = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let digest = Sha256::digest(address.as_bytes());
    format!("/external_content/{}/{}", hexadecimal(&digest[..20]), hexadecimal(address.as_bytes()))
}
