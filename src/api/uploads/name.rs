//! Names of uploaded files: the name that clients display, and the name in the URL.

use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// The name in the URL if the file's name has no character that is allowed there, or if `.` or `..` remains. Also the
/// name of a resumable upload whose request has none.
pub const FALLBACK_URL_NAME: &str = "uploaded-file";

/// The name of a file without its directories and without control characters. None if it is empty, as in a form without
/// a chosen file, or `.` or `..`.
pub fn base_name(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|character| !character.is_control()).collect();
    (!matches!(name.as_str(), "" | "." | "..")).then_some(name)
}

/// Maximum length of a name that clients display, in code points.
const MAX_DISPLAY_NAME_LENGTH: usize = 255;
const MAX_URL_NAME_BYTES: usize = 255;

/// The name that clients display: shortened, then percent-decoded.
pub fn display_name(name: &str) -> String {
    percent_decode_str(&shorten(name)).decode_utf8_lossy().into_owned()
}

/// The name shortened to the limit for display, with its extension.
pub fn shorten(name: &str) -> Cow<'_, str> {
    shorten_to(name, |text| text.chars().count(), MAX_DISPLAY_NAME_LENGTH)
}

/// The name shortened to a limit, in the unit of `measure`, by removing the last characters before the extension. Of an
/// extension that alone exceeds the limit, only the beginning remains.
fn shorten_to(name: &str, measure: fn(&str) -> usize, limit: usize) -> Cow<'_, str> {
    if measure(name) <= limit {
        return name.into();
    }
    let (stem, extension) = name.rfind('.').filter(|dot| *dot > 0).map_or((name, ""), |dot| name.split_at(dot));
    let extension = longest_prefix(extension, measure, limit);
    [longest_prefix(stem, measure, limit - measure(extension)), extension].concat().into()
}

fn longest_prefix(text: &str, measure: fn(&str) -> usize, limit: usize) -> &str {
    let mut remaining = limit;
    let mut end = 0;
    for character in text.chars() {
        let size = measure(&text[end..end + character.len_utf8()]);
        if size > remaining {
            break;
        }
        remaining -= size;
        end += character.len_utf8();
    }
    &text[..end]
}

/// The name in the URL: NFKC, only word characters, `.` and `-`, with `-` for each run of spaces and hyphens, shortened
/// to 255 bytes; [`FALLBACK_URL_NAME`] if nothing usable remains.
pub fn url_name(name: &str) -> String {
    let normalized: String = name.nfkc().collect();
    let is_allowed = |character: &char| {
        character.is_alphanumeric() || character.is_whitespace() || matches!(character, '_' | '.' | '-')
    };
    let allowed_characters: String = normalized.chars().filter(is_allowed).collect();
    let mut url_name = String::with_capacity(allowed_characters.len());
    for character in allowed_characters.trim().chars() {
        let is_separator = character.is_whitespace() || character == '-';
        if !is_separator {
            url_name.push(character);
        } else if !url_name.ends_with('-') {
            url_name.push('-');
        }
    }
    if matches!(url_name.as_str(), "" | "." | "..") {
        return FALLBACK_URL_NAME.to_owned();
    }
    shorten_to(&url_name, str::len, MAX_URL_NAME_BYTES).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_removed() {
        assert_eq!(base_name("/home/mel/cat.png").as_deref(), Some("cat.png"));
        assert_eq!(base_name("C:\\Users\\mel\\cat.png").as_deref(), Some("cat.png"));
        for empty in ["", "/", ".", "..", "dir/.."] {
            assert_eq!(base_name(empty), None, "{empty}");
        }
    }

    #[test]
    fn urls_have_only_word_characters() {
        for (name, expected) in [
            ("cat.png", "cat.png"),
            ("my holiday  picture (1).png", "my-holiday-picture-1.png"),
            ("a - b.txt", "a-b.txt"),
            ("snake_case.rs", "snake_case.rs"),
            ("größe.txt", "größe.txt"),
            ("ｆｕｌｌ①.txt", "full1.txt"),
            ("中文.pdf", "中文.pdf"),
            ("<script>.html", "script.html"),
            ("a/../b", "a..b"),
            (" x ", "x"),
            ("???", "uploaded-file"),
            ("..", "uploaded-file"),
            ("", "uploaded-file"),
        ] {
            assert_eq!(url_name(name), expected, "{name}");
        }
    }

    #[test]
    fn display_names_are_percent_decoded() {
        assert_eq!(display_name("caf%C3%A9.txt"), "café.txt");
        assert_eq!(display_name("100%.txt"), "100%.txt");
    }
}
