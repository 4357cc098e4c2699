//! Previews that are put into HTML later: thumbnails in place of spinners, and cards of linked pages.

use super::UploadFacts;
use super::media::{PLACEHOLDER, SPINNER, UPLOADS, path_id};

/// Pages of one text that have cards; of more, none has.
const MAX_CARDS: usize = 24;
/// What a card shows of a page: nothing is asked of it, so that it has no picture of its own.
const CARD_PICTURE: &str = "/static/images/default-icon.png";

/// The HTML with the thumbnail of an uploaded picture wherever a spinner waits for it; None where none does.
pub fn with_thumbnail(html: &str, upload: &str, facts: &UploadFacts) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut link = 0;
    for (start, _) in html.match_indices("<img ") {
        let end = start + html[start..].find('>')? + 1;
        let tag = &html[start..end];
        // Each part is searched once for the link that it may end with.
        link = html[link..start].rfind("<a ").map_or(link, |at| link + at);
        if !tag.contains(PLACEHOLDER) {
            continue;
        }
        let href = attribute(tag, "data-original-src").or_else(|| attribute(&html[link..start], "href"));
        let Some(href) = href.filter(|href| path_id(&unescaped(href)).as_deref() == Some(upload)) else { continue };
        out.push_str(&html[copied..start]);
        out.push_str(&shown(tag, href, facts));
        copied = end;
    }
    (copied > 0).then(|| out + &html[copied..])
}

/// The tag of a picture whose spinner gives way to its thumbnail.
fn shown(tag: &str, href: &str, facts: &UploadFacts) -> String {
    let name = facts.thumbnail_name();
    let path = href.trim_start_matches(UPLOADS).split(['?', '#']).next().unwrap_or_default();
    let source = format!("src=\"/user_uploads/thumbnail/{path}/{name}\"");
    let tag = tag.replace(&format!("class=\"{PLACEHOLDER}\" "), "").replace(&format!("{PLACEHOLDER} "), "");
    let tag = tag.replace(&format!("src=\"{SPINNER}\""), &source);
    match facts.is_animated {
        true => tag.replacen("data-original-content-type", "data-animated=\"true\" data-original-content-type", 1),
        false => tag,
    }
}

/// The HTML with a card for each page that it links; None where it links none, or too many.
pub fn with_page_cards(html: &str) -> Option<String> {
    let pages = pages(html);
    if pages.is_empty() || pages.len() > MAX_CARDS {
        return None;
    }
    let cards = pages.iter().map(|href| card(href));
    Some(std::iter::once(html.to_owned()).chain(cards).collect::<Vec<_>>().join("\n"))
}

/// The addresses of linked pages, as they are in the HTML, each once. What is shown in place has no card.
fn pages(html: &str) -> Vec<&str> {
    let mut pages = Vec::new();
    for (start, _) in html.match_indices("<a ") {
        let Some(end) = html[start..].find('>') else { break };
        let href = attribute(&html[start..start + end], "href").unwrap_or_default();
        let is_page = ["http://", "https://"].iter().any(|scheme| href.starts_with(scheme));
        let is_shown = ["<img", "<video"].iter().any(|shown| html[start + end + 1..].starts_with(shown));
        if is_page && !is_shown && !pages.contains(&href) {
            pages.push(href);
        }
        if pages.len() > MAX_CARDS {
            break;
        }
    }
    pages
}

fn card(href: &str) -> String {
    let title = href.split_once("://").map_or(href, |(_, rest)| rest).split(['?', '#']).next().unwrap_or_default();
    format!(
        "<div class=\"message_embed\"><a class=\"message_embed_image\" href=\"{href}\" \
         style=\"background-image: url(&quot;{CARD_PICTURE}&quot;)\"></a><div class=\"data-container\">\
         <div class=\"message_embed_title\"><a href=\"{href}\" title=\"{title}\">{title}</a></div></div></div>"
    )
}

/// The value of an attribute, as it is in the HTML.
fn attribute<'html>(tag: &'html str, name: &str) -> Option<&'html str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split('"').next()
}

fn unescaped(value: &str) -> String {
    value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITING: &str = "<p><a href=\"/user_uploads/2/a.png\">a</a></p>\n<div class=\"message_inline_image\">\
        <a href=\"/user_uploads/2/a.png\"><img class=\"image-loading-placeholder\" data-original-content-type=\"image/png\" \
        src=\"/static/images/loading/loader-black.svg\"></a></div><img alt=\"b\" class=\"image-loading-placeholder inline-image\" \
        data-original-content-type=\"image/gif\" data-original-src=\"/user_uploads/2/b.gif\" \
        src=\"/static/images/loading/loader-black.svg\">";

    #[test]
    fn spinners_give_way_to_their_own_thumbnails() {
        let facts = UploadFacts::default();

        let html = with_thumbnail(WAITING, "2/a.png", &facts).expect("it waits");

        assert!(html.contains(
            "<a href=\"/user_uploads/2/a.png\"><img data-original-content-type=\"image/png\" src=\"/user_uploads/thumbnail/2/a.png/840x560.webp\"></a>"
        ));
        assert_eq!(html.matches(SPINNER).count(), 1);
        let facts = UploadFacts { is_animated: true, ..facts };
        let html = with_thumbnail(&html, "2/b.gif", &facts).expect("it waits");
        assert!(html.ends_with(
            "<img alt=\"b\" class=\"inline-image\" data-animated=\"true\" data-original-content-type=\"image/gif\" data-original-src=\"/user_uploads/2/b.gif\" src=\"/user_uploads/thumbnail/2/b.gif/840x560-anim.webp\">"
        ));
        assert_eq!(with_thumbnail(&html, "2/a.png", &facts), None);
        assert_eq!(with_thumbnail(WAITING, "2/c.png", &facts), None);
    }

    #[test]
    fn pages_have_a_card_each() {
        let html = "<p><a href=\"https://a.test/x?y=1&amp;z\">a</a> <a href=\"https://a.test/x?y=1&amp;z\">a</a> \
            <a href=\"/#narrow\">b</a></p><div><a href=\"https://a.test/i.png\"><img src=\"x\"></a></div>";

        assert_eq!(pages(html), ["https://a.test/x?y=1&amp;z"]);
        let cards = with_page_cards(html).expect("a page is linked");
        assert!(cards.starts_with(html) && cards.contains("title=\"a.test/x\">a.test/x</a>"), "{cards}");
        assert_eq!(with_page_cards("<p>none</p>"), None);
        let many: String = (0..25).map(|index| format!("<a href=\"http://{index}.test\">x</a>")).collect();
        assert_eq!(with_page_cards(&many), None);
    }
}
