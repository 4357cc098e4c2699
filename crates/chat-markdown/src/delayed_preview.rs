//! Adds delayed previews to rendered HTML: thumbnails that replace spinners, and cards of linked pages. They are ready
//! only some time after a message was sent.

use super::UploadProperties;
use super::media::{SPINNER_CLASS, SPINNER_URL, UPLOADS_PREFIX, path_id};

/// The maximum number of linked pages: texts with more have no cards.
const MAX_CARDS: usize = 24;
/// The picture of all cards, because pages are not fetched.
const CARD_PICTURE: &str = "/static/images/default-icon.png";

/// Replaces the spinners of an uploaded picture by its thumbnail. `uploaded_path_id` is its path
/// ID, as in [`super::Names::upload`]. None: the HTML has no spinner for it.
pub fn replace_spinners(html: &str, uploaded_path_id: &str, properties: &UploadProperties) -> Option<String> {
    let mut output = String::new();
    let mut copy_start = 0;
    let mut link_start = 0;
    for (start, _) in html.match_indices("<img ") {
        let end = start + html[start..].find('>')? + 1;
        let tag = &html[start..end];
        // Only the text since the previous link is searched.
        link_start = html[link_start..start].rfind("<a ").map_or(link_start, |offset| link_start + offset);
        if !tag.contains(SPINNER_CLASS) {
            continue;
        }
        let href = attribute(tag, "data-original-src").or_else(|| attribute(&html[link_start..start], "href"));
        let Some(href) = href.filter(|href| path_id(&unescape_attribute(href)).as_deref() == Some(uploaded_path_id))
        else {
            continue;
        };
        output.push_str(&html[copy_start..start]);
        output.push_str(&thumbnail_tag(tag, href, properties));
        copy_start = end;
    }
    (copy_start > 0).then(|| output + &html[copy_start..])
}

/// The tag of a picture with its thumbnail instead of the spinner.
fn thumbnail_tag(tag: &str, href: &str, properties: &UploadProperties) -> String {
    let name = properties.thumbnail_name();
    let path = href.trim_start_matches(UPLOADS_PREFIX).split(['?', '#']).next().unwrap_or_default();
    let source = format!("src=\"/user_uploads/thumbnail/{path}/{name}\"");
    let tag = tag.replace(&format!("class=\"{SPINNER_CLASS}\" "), "").replace(&format!("{SPINNER_CLASS} "), "");
    let tag = tag.replace(&format!("src=\"{SPINNER_URL}\""), &source);
    match properties.is_animated {
        true => tag.replacen("data-original-content-type", "data-animated=\"true\" data-original-content-type", 1),
        false => tag,
    }
}

/// Appends a card for each linked page. None: there are no linked pages, or too many.
pub fn append_page_cards(html: &str) -> Option<String> {
    let pages = linked_pages(html);
    if pages.is_empty() || pages.len() > MAX_CARDS {
        return None;
    }
    let cards = pages.iter().map(|href| card_html(href));
    Some(std::iter::once(html.to_owned()).chain(cards).collect::<Vec<_>>().join("\n"))
}

/// The URLs of linked pages, escaped as in the HTML, without duplicates. Links around pictures and videos are left out.
fn linked_pages(html: &str) -> Vec<&str> {
    let mut linked_pages = Vec::new();
    for (start, _) in html.match_indices("<a ") {
        let Some(end) = html[start..].find('>') else { break };
        let href = attribute(&html[start..start + end], "href").unwrap_or_default();
        let is_page = ["http://", "https://"].iter().any(|scheme| href.starts_with(scheme));
        let is_media = ["<img", "<video"].iter().any(|tag| html[start + end + 1..].starts_with(tag));
        if is_page && !is_media && !linked_pages.contains(&href) {
            linked_pages.push(href);
        }
        if linked_pages.len() > MAX_CARDS {
            break;
        }
    }
    linked_pages
}

fn card_html(href: &str) -> String {
    let title =
        href.split_once("://").map_or(href, |(_, address)| address).split(['?', '#']).next().unwrap_or_default();
    format!(
        "<div class=\"message_embed\"><a class=\"message_embed_image\" href=\"{href}\" \
         style=\"background-image: url(&quot;{CARD_PICTURE}&quot;)\"></a><div class=\"data-container\">\
         <div class=\"message_embed_title\"><a href=\"{href}\" title=\"{title}\">{title}</a></div></div></div>"
    )
}

/// The value of an attribute, escaped as in the HTML.
fn attribute<'html>(tag: &'html str, name: &str) -> Option<&'html str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split('"').next()
}

fn unescape_attribute(value: &str) -> String {
    value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH_SPINNERS: &str = "<p><a href=\"/user_uploads/2/a.png\">a</a></p>\n<div class=\"message_inline_image\">\
        <a href=\"/user_uploads/2/a.png\"><img class=\"image-loading-placeholder\" data-original-content-type=\"image/png\" \
        src=\"/static/images/loading/loader-black.svg\"></a></div><img alt=\"b\" class=\"image-loading-placeholder inline-image\" \
        data-original-content-type=\"image/gif\" data-original-src=\"/user_uploads/2/b.gif\" \
        src=\"/static/images/loading/loader-black.svg\">";

    #[test]
    fn spinners_are_replaced_by_thumbnails() {
        let properties = UploadProperties::default();

        let html = replace_spinners(WITH_SPINNERS, "2/a.png", &properties).expect("the HTML has its spinner");

        assert!(html.contains(
            "<a href=\"/user_uploads/2/a.png\"><img data-original-content-type=\"image/png\" src=\"/user_uploads/thumbnail/2/a.png/840x560.webp\"></a>"
        ));
        assert_eq!(html.matches(SPINNER_URL).count(), 1);
        let properties = UploadProperties { is_animated: true, ..properties };
        let html = replace_spinners(&html, "2/b.gif", &properties).expect("the HTML has its spinner");
        assert!(html.ends_with(
            "<img alt=\"b\" class=\"inline-image\" data-animated=\"true\" data-original-content-type=\"image/gif\" data-original-src=\"/user_uploads/2/b.gif\" src=\"/user_uploads/thumbnail/2/b.gif/840x560-anim.webp\">"
        ));
        assert_eq!(replace_spinners(&html, "2/a.png", &properties), None);
        assert_eq!(replace_spinners(WITH_SPINNERS, "2/c.png", &properties), None);
    }

    #[test]
    fn each_linked_page_has_a_card() {
        let html = "<p><a href=\"https://a.test/x?y=1&amp;z\">a</a> <a href=\"https://a.test/x?y=1&amp;z\">a</a> \
            <a href=\"/#narrow\">b</a></p><div><a href=\"https://a.test/i.png\"><img src=\"x\"></a></div>";

        assert_eq!(linked_pages(html), ["https://a.test/x?y=1&amp;z"]);
        let cards = append_page_cards(html).expect("a page is linked");
        assert!(cards.starts_with(html) && cards.contains("title=\"a.test/x\">a.test/x</a>"), "{cards}");
        assert_eq!(append_page_cards("<p>none</p>"), None);
        let links: String = (0..25).map(|index| format!("<a href=\"http://{index}.test\">x</a>")).collect();
        assert_eq!(append_page_cards(&links), None);
    }
}
