//! Tests of images, videos and sound (reference behaviour, section 23).

use super::*;

const IMAGE: &str = "<img data-original-content-type=\"image/png\" data-original-dimensions=\"1920x1080\" \
                     src=\"/user_uploads/thumbnail/2/ab/xyz/image.png/840x560.webp\">";

#[test]
fn uploaded_images_have_previews() {
    let preview = |attributes: &str, image: &str| {
        format!("<div class=\"message_inline_image\"><a href=\"{attributes}>{image}</a></div>")
    };
    let titled_preview = preview("/user_uploads/2/ab/xyz/image.png\" title=\"image.png\"", IMAGE);
    let link = "<a href=\"/user_uploads/2/ab/xyz/image.png\">image.png</a>";
    let url = "https://chat.example.org/user_uploads/2/ab/xyz/image.png";
    assert_html(&[
        ("[image.png](/user_uploads/2/ab/xyz/image.png)", &format!("<p>{link}</p>\n{titled_preview}")),
        (
            "https://chat.example.org/user_uploads/2/ab/xyz/image.png",
            &format!(
                "<p><a href=\"/user_uploads/2/ab/xyz/image.png\">{url}</a></p>\n{}",
                preview(&format!("/user_uploads/2/ab/xyz/image.png\" title=\"{url}\""), IMAGE)
            ),
        ),
        ("- [image.png](/user_uploads/2/ab/xyz/image.png)", &format!("<ul>\n<li>{link}{titled_preview}</li>\n</ul>")),
        ("> [image.png](/user_uploads/2/ab/xyz/image.png)", &format!("<blockquote>\n<p>{link}</p>\n</blockquote>")),
        (
            "[image.png](/user_uploads/2/ab/xyz/image.png) [image.png](/user_uploads/2/ab/xyz/image.png)",
            &format!("<p>{link} {link}</p>\n{titled_preview}"),
        ),
    ]);
    let message = render_source("[image.png](/user_uploads/2/ab/xyz/image.png)");
    assert!(message.has_image && message.has_link);
    assert_eq!(message.uploads, ["2/ab/xyz/image.png".to_owned()].into());
}

#[test]
fn previews_are_in_the_order_of_the_links() {
    let image = |name: &str| {
        let href = format!("https://x.y/{name}.png");
        let src = crate::media::proxy_url(&href);
        let preview = format!("<div class=\"message_inline_image\"><a href=\"{href}\"><img src=\"{src}\"></a></div>");
        (format!("<a href=\"{href}\">{href}</a>"), preview)
    };
    let [(a, preview_a), (b, preview_b)] = ["a", "b"].map(image);
    assert_html(&[
        ("x https://x.y/a.png https://x.y/b.png", &format!("<p>x {a} {b}</p>\n{preview_a}{preview_b}")),
        ("https://x.y/a.png\n\nhttps://x.y/b.png\n\nx", &format!("{preview_a}{preview_b}<p>x</p>")),
        (
            "* x https://x.y/a.png\n* https://x.y/b.png\n* x",
            &format!("<ul>\n<li>x {a}{preview_a}</li>\n<li>{preview_b}</li>\n<li>x</li>\n</ul>"),
        ),
        (
            "* x https://x.y/a.png\n  * y\n* z",
            &format!("<ul>\n<li>x {a}<ul>\n<li>y</li>\n</ul>\n{preview_a}</li>\n<li>z</li>\n</ul>"),
        ),
        (
            "* x https://x.y/a.png\n\n* y",
            &format!("<ul>\n<li>\n<p>x {a}</p>\n{preview_a}</li>\n<li>\n<p>y</p>\n</li>\n</ul>"),
        ),
        (
            "```spoiler\nx https://x.y/a.png\n```",
            &format!(
                "<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n</div>\
                 <div class=\"spoiler-content\" aria-hidden=\"true\">\n<p>x {a}</p>\n{preview_a}</div></div>"
            ),
        ),
    ]);
}

#[test]
fn previews_show_spinners_animation_and_transcoding() {
    for (file, image) in [
        (
            "new.png",
            "<img class=\"image-loading-placeholder\" data-original-content-type=\"image/png\" \
             data-original-dimensions=\"1920x1080\" src=\"/static/images/loading/loader-black.svg\">",
        ),
        (
            "moving.gif",
            "<img data-animated=\"true\" data-original-content-type=\"image/gif\" data-original-dimensions=\"1920x1080\" \
             src=\"/user_uploads/thumbnail/2/ab/moving.gif/840x560-anim.webp\">",
        ),
        (
            "photo.heic",
            "<img data-original-content-type=\"image/heic\" data-original-dimensions=\"1920x1080\" \
             data-transcoded-image=\"4032x3024.webp\" src=\"/user_uploads/thumbnail/2/ab/photo.heic/840x560.webp\">",
        ),
    ] {
        let html = render_source(&format!("[x](/user_uploads/2/ab/{file})")).html;
        assert!(html.contains(image), "{html}");
    }
}

#[test]
fn uploaded_media_are_embedded() {
    assert_html(&[
        (
            "a ![b \"c\"](/user_uploads/2/ab/xyz/image.png)",
            "<p>a <img alt=\"b &quot;c&quot;\" class=\"inline-image\" data-original-content-type=\"image/png\" \
             data-original-dimensions=\"1920x1080\" data-original-src=\"/user_uploads/2/ab/xyz/image.png\" \
             src=\"/user_uploads/thumbnail/2/ab/xyz/image.png/840x560.webp\"></p>",
        ),
        (
            "![song](/user_uploads/2/ab/sound.mp3)",
            "<p><audio controls preload=\"metadata\" src=\"/user_uploads/2/ab/sound.mp3\" title=\"song\"></audio></p>",
        ),
        ("![a](/user_uploads/2/ab/text.txt)", "<p>![a](/user_uploads/2/ab/text.txt)</p>"),
    ]);
    let message = render_source("![a](/user_uploads/2/ab/xyz/image.png)");
    assert!(message.has_image);
    assert_eq!(message.uploads.len(), 1);
}

/// Videos are recognized by their file name extension, whether the file exists or not.
#[test]
fn videos_that_were_not_uploaded_have_previews() {
    let message = render_source("[v](/user_uploads/2/ab/cd/none.webm)");
    assert!(message.html.contains("message_inline_video"), "{}", message.html);
    assert!(!message.has_image);
}

/// Only messages with previews have images.
#[test]
fn still_images_of_videos_are_images_but_links_in_quotes_are_not() {
    for (text, has_image) in [
        ("https://www.youtube.com/watch?v=abcdefghijk", true),
        ("https://x.y/a.png", true),
        ("> https://x.y/a.png", false),
        ("https://x.y/a.mp4", false),
    ] {
        assert_eq!(render_source(text).has_image, has_image, "{text}");
    }
}

#[test]
fn videos_have_previews() {
    assert_html(&[(
        "[v](/user_uploads/2/ab/film.mp4)",
        "<p><a href=\"/user_uploads/2/ab/film.mp4\">v</a></p>\n\
         <div class=\"message_inline_image message_inline_video\"><a href=\"/user_uploads/2/ab/film.mp4\" title=\"v\">\
         <video preload=\"metadata\" src=\"/user_uploads/2/ab/film.mp4\"></video></a></div>",
    )]);
    let html = render_source("https://www.youtube.com/watch?v=abcdefghijk").html;
    assert!(
        html.contains("</p>\n<div class=\"youtube-video message_inline_image\"><a data-id=\"abcdefghijk\" href="),
        "{html}"
    );
}

#[test]
fn external_images_have_previews() {
    let html = render_source("https://x.y/a.png").html;
    let start = "<div class=\"message_inline_image\"><a href=\"https://x.y/a.png\"><img src=\"/external_content/";
    assert!(html.starts_with(start), "{html}");
    assert!(render_source("see https://x.y/a.png").html.starts_with("<p>see <a href"));
    assert!(!render_source("https://x.y/a.txt").html.contains("<img"));
}

#[test]
fn without_a_proxy_external_images_have_their_own_urls() {
    let organization = Organization { proxies_pictures: false, ..Default::default() };
    for (source, image) in [
        ("https://x.y/a.png", "<img src=\"https://x.y/a.png\">"),
        ("https://x.y/a.mp4", "<video preload=\"metadata\" src=\"https://x.y/a.mp4\">"),
        ("https://youtu.be/abcdefghijk", "<img src=\"https://i.ytimg.com/vi/abcdefghijk/mqdefault.jpg\">"),
    ] {
        let html = render(source, &organization).unwrap_or_default().html;
        assert!(html.contains(image), "{html}");
    }
}

#[test]
fn previews_are_limited_and_can_be_disabled() {
    let urls: Vec<String> = (0..30).map(|number| format!("https://x.y/{number}.png")).collect();
    assert_eq!(render_source(&urls.join(" ")).html.matches("<img").count(), 0);
    assert_eq!(render_source(&urls[..24].join(" ")).html.matches("<img").count(), 24);
    let organization = Organization { has_previews: false, ..Default::default() };
    let html = render("https://x.y/a.png", &organization).unwrap_or_default().html;
    assert_eq!(html, "<p><a href=\"https://x.y/a.png\">https://x.y/a.png</a></p>");
}
