//! Renders images, videos and sound: previews of links, and media that are embedded in the text.
//!
//! The specification leaves details open: A-42 in docs/assumptions.md.

use super::UploadProperties;
use super::context::Context;
use super::inline::{Target, UrlParts};
use super::tree::{Node, NodeId, Tree};
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};

pub(super) const UPLOADS_PREFIX: &str = "/user_uploads/";

/// The image that is shown until a thumbnail exists.
pub(super) const SPINNER_URL: &str = "/static/images/loading/loader-black.svg";

/// The CSS class of spinners.
pub(super) const SPINNER_CLASS: &str = "image-loading-placeholder";

const IMAGE_ENDINGS: [&str; 8] = [".avif", ".bmp", ".gif", ".jpe", ".jpeg", ".jpg", ".png", ".webp"];
const VIDEO_ENDINGS: [&str; 2] = [".mp4", ".webm"];

/// A site with web pages whose URLs have file name extensions of images.
const IMAGE_PAGE_SITE: &str = "pasteboard.co";

/// Hosts whose videos have a still image as preview.
const VIDEO_SITES: [&str; 5] =
    ["m.youtube.com", "www.youtube.com", "www.youtube-nocookie.com", "youtube.com", "youtube-nocookie.com"];
/// Host of short URLs, whose path is the ID of a video.
const SHORT_VIDEO_SITE: &str = "youtu.be";

/// Whether a preview replaces its link, if the link is alone in its paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkReplacement {
    Never,
    /// If the text of the link is its URL.
    IfUrl,
    Always,
}

/// A preview, and its position relative to the link.
#[derive(Debug)]
pub(super) struct Preview {
    pub node: NodeId,
    pub replacement: LinkReplacement,
    /// Whether it is at the end of the message instead of near its link.
    pub is_last: bool,
    /// Whether it is an image, or the still image of a video site.
    pub is_image: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Medium {
    Image,
    Video,
    Audio,
}

/// The path ID of the uploaded file that a URL links. None: another URL.
pub(super) fn path_id(href: &str) -> Option<String> {
    let path = href.strip_prefix(UPLOADS_PREFIX)?;
    let path = path.split(['?', '#']).next().unwrap_or(path);
    Some(percent_decode_str(path).decode_utf8_lossy().into_owned())
}

/// The properties of the uploaded file that a URL links. None for other URLs and unknown files, and at levels without
/// thumbnails.
fn upload_properties(context: &Context<'_>, href: &str) -> Option<UploadProperties> {
    context.names.upload(&path_id(href)?).filter(|_| context.settings.output_format.has_thumbnails)
}

fn detect_medium(context: &Context<'_>, href: &str, properties: Option<&UploadProperties>) -> Option<Medium> {
    let ends_with = |text: &str, endings: &[&str]| endings.iter().any(|ending| text.ends_with(ending));
    if ends_with(&href.to_ascii_lowercase(), &VIDEO_ENDINGS) {
        return Some(Medium::Video);
    }
    if href.starts_with(UPLOADS_PREFIX) && context.settings.output_format.has_thumbnails {
        return match properties?.content_type.split('/').next()? {
            "image" => Some(Medium::Image),
            "audio" => Some(Medium::Audio),
            _ => None,
        };
    }
    let parts = UrlParts::parse(href)?;
    let is_image = ends_with(&parts.path.to_ascii_lowercase(), &IMAGE_ENDINGS) && parts.host != IMAGE_PAGE_SITE;
    is_image.then_some(Medium::Image)
}

/// Creates the preview of a link. `title` is the text of the link, if it differs from the URL. None: the target has no
/// preview.
pub(super) fn create_preview(
    context: &Context<'_>,
    tree: &mut Tree,
    href: &str,
    title: Option<&str>,
) -> Option<Preview> {
    let properties = upload_properties(context, href);
    let parts = UrlParts::parse(href)?;
    let image_preview = |tree: &mut Tree, link: &str, image_url: &str, title: Option<&str>| {
        let image = match &properties {
            Some(properties) => thumbnail(href, properties, Vec::new(), ""),
            None => Node { tag: "img", attributes: vec![("src", source_url(context, image_url))], ..Node::default() },
        };
        let attributes = [("href", link)].into_iter().chain(title.map(|title| ("title", title)));
        wrap_in_link(tree, "message_inline_image", attributes, image)
    };
    match detect_medium(context, href, properties.as_ref()) {
        Some(Medium::Audio) => None,
        Some(Medium::Video) => {
            let attributes = vec![("preload", "metadata".to_owned()), ("src", source_url(context, href))];
            let video = Node { tag: "video", attributes, ..Node::default() };
            let attributes = [("href", href)].into_iter().chain(title.map(|title| ("title", title)));
            let node = wrap_in_link(tree, "message_inline_image message_inline_video", attributes, video);
            Some(Preview { node, replacement: LinkReplacement::IfUrl, is_last: false, is_image: false })
        }
        Some(Medium::Image) => {
            if let Some(file_url) = shared_file_url(&parts) {
                let node = image_preview(tree, href, &file_url, None);
                return Some(Preview { node, replacement: LinkReplacement::Never, is_last: true, is_image: true });
            }
            if let Some(image_url) = page_image_url(&parts) {
                let node = image_preview(tree, &image_url, &image_url, None);
                return Some(Preview { node, replacement: LinkReplacement::Always, is_last: false, is_image: true });
            }
            let file_url = repository_file_url(&parts).unwrap_or_else(|| href.to_owned());
            let node = image_preview(tree, href, &file_url, title);
            Some(Preview { node, replacement: LinkReplacement::IfUrl, is_last: false, is_image: true })
        }
        None => {
            let id = video_id(&parts)?;
            let size = context.settings.output_format.video_still_size;
            let still_image_url = source_url(context, &format!("https://i.ytimg.com/vi/{id}/{size}.jpg"));
            let image = Node { tag: "img", attributes: vec![("src", still_image_url)], ..Node::default() };
            let attributes = [("data-id", id.as_str()), ("href", href)].into_iter();
            let node = wrap_in_link(tree, "youtube-video message_inline_image", attributes, image);
            Some(Preview { node, replacement: LinkReplacement::Never, is_last: false, is_image: true })
        }
    }
}

/// Wraps an image or a video in a link and a `div` with a class.
fn wrap_in_link<'a>(
    tree: &mut Tree,
    class: &str,
    attributes: impl Iterator<Item = (&'static str, &'a str)>,
    content: Node,
) -> NodeId {
    let content = tree.add(content);
    let attributes = attributes.map(|(name, value)| (name, value.to_owned())).collect();
    let link = tree.add(Node { tag: "a", attributes, children: vec![content], ..Node::default() });
    let attributes = vec![("class", class.to_owned())];
    tree.add(Node { tag: "div", attributes, children: vec![link], ..Node::default() })
}

fn is_host_in_site(host: &str, site: &str) -> bool {
    host.strip_suffix(site).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// The URL of the file that a page of a file sharing site shows.
fn shared_file_url(parts: &UrlParts<'_>) -> Option<String> {
    let is_shared = ["/s/", "/sh/"].iter().any(|start| parts.path.starts_with(start));
    let is_dropbox = is_host_in_site(parts.host, "dropbox.com");
    (is_dropbox && is_shared).then(|| UrlParts { query: "raw=1", ..parts.clone() }.join())
}

/// The URL of the image that a page of an encyclopedia or a screenshot site shows.
fn page_image_url(parts: &UrlParts<'_>) -> Option<String> {
    if parts.host == "linx.li" {
        return Some(format!("https://linx.li/s{}", parts.path));
    }
    let file = parts.path.strip_prefix("/wiki/File:")?;
    let path = format!("/wiki/Special:FilePath/File:{file}");
    parts.host.to_lowercase().ends_with(".wikipedia.org").then(|| UrlParts { path: &path, ..parts.clone() }.join())
}

/// The URL of the file that a page of a source repository shows.
fn repository_file_url(parts: &UrlParts<'_>) -> Option<String> {
    let path: Vec<&str> = parts.path.split('/').collect();
    let is_page = is_host_in_site(parts.host, "github.com") && path.get(3) == Some(&"blob");
    is_page.then(|| format!("https://raw.githubusercontent.com{}", [&path[..3], &path[4..]].concat().join("/")))
}

/// The ID of the video that a URL of a video site links.
fn video_id(parts: &UrlParts<'_>) -> Option<String> {
    if !matches!(parts.scheme.as_str(), "http" | "https") {
        return None;
    }
    let host = parts.host.rsplit('@').next()?.split(':').next()?.to_ascii_lowercase();
    let query_parameter = |name: &str| {
        form_urlencoded::parse(parts.query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    };
    let id = if host == SHORT_VIDEO_SITE {
        parts.path.strip_prefix('/')?.to_owned()
    } else if !VIDEO_SITES.contains(&host.as_str()) {
        return None;
    } else {
        match parts.path {
            "/watch" | "/watch_popup" => query_parameter("v")?,
            "/watch_videos" => query_parameter("video_ids")?.split(',').next()?.to_owned(),
            path => {
                let following = ["/embed/", "/shorts/", "/v/"].iter().find_map(|start| path.strip_prefix(start))?;
                following.split('/').next()?.to_owned()
            }
        }
    };
    let is_valid = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    is_valid.then_some(id)
}

/// Renders `![label](…)` of an uploaded image or sound. None: the target is no such upload, or previews are disabled.
pub(super) fn render_embedded_media(context: &mut Context<'_>, target: &Target, label: &str) -> Option<Node> {
    if !context.shows_previews {
        return None;
    }
    let href = target.href.as_str();
    let path_id = path_id(href)?;
    let properties = context.names.upload(&path_id)?;
    let node = match detect_medium(context, href, Some(&properties))? {
        Medium::Image => {
            context.rendered.has_image = true;
            thumbnail(href, &properties, vec![("alt", label.to_owned())], "inline-image")
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
    context.rendered.uploads.insert(path_id);
    Some(node)
}

/// The thumbnail of an uploaded image, or a spinner. Only images that are embedded in text have `leading_attributes`.
/// `class` is "" for none.
fn thumbnail(
    href: &str,
    properties: &UploadProperties,
    leading_attributes: Vec<(&'static str, String)>,
    class: &str,
) -> Node {
    let size = |(width, height): (u32, u32)| format!("{width}x{height}");
    // The file name of the transcoded copy is its size.
    let transcoded_name =
        properties.transcoded.filter(|_| properties.has_thumbnail).map(|dimensions| size(dimensions) + ".webp");
    let name = properties.thumbnail_name();
    let path = href.trim_start_matches(UPLOADS_PREFIX).split(['?', '#']).next().unwrap_or_default();
    let src = if properties.has_thumbnail {
        format!("/user_uploads/thumbnail/{path}/{name}")
    } else {
        SPINNER_URL.to_owned()
    };
    let all_classes = match (properties.has_thumbnail, class) {
        (true, class) => class.to_owned(),
        (false, "") => SPINNER_CLASS.to_owned(),
        (false, class) => format!("{SPINNER_CLASS} {class}"),
    };
    let is_in_text = !leading_attributes.is_empty();
    let mut attributes = leading_attributes;
    if !all_classes.is_empty() {
        attributes.push(("class", all_classes));
    }
    if properties.is_animated && properties.has_thumbnail {
        attributes.push(("data-animated", "true".to_owned()));
    }
    attributes.push(("data-original-content-type", properties.content_type.clone()));
    attributes.extend(properties.dimensions.map(|dimensions| ("data-original-dimensions", size(dimensions))));
    attributes.extend(is_in_text.then(|| ("data-original-src", href.to_owned())));
    attributes.extend(transcoded_name.map(|name| ("data-transcoded-image", name)));
    attributes.push(("src", src));
    Node { tag: "img", attributes, ..Node::default() }
}

/// The URL from which an image or a video is loaded: for external ones that of the proxy, if the organization has one.
fn source_url(context: &Context<'_>, url: &str) -> String {
    let is_local = url.starts_with('/') && !url.starts_with("//");
    if is_local || !context.settings.proxies_pictures { url.to_owned() } else { proxy_url(url) }
}

/// The URL of an external image or video on the proxy: the first 20 bytes of the URL's SHA-256 digest, and the URL,
/// in hexadecimal.
pub(super) fn proxy_url(url: &str) -> String {
    let hexadecimal = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let digest = Sha256::digest(url.as_bytes());
    format!("/external_content/{}/{}", hexadecimal(&digest[..20]), hexadecimal(url.as_bytes()))
}
