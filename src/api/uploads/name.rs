//! Names of uploaded files: as they are shown, and as they are in addresses.

use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// What a file is called in its address when nothing of its name can be there.
pub const FALLBACK: &str = "uploaded-file";

/// A file's name as a client gave it, without the path before it; None where nothing is left, as in the part of a form
/// whose file was not chosen.
pub fn base_name(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|character| !character.is_control()).collect();
    (!matches!(name.as_str(), "" | "." | "..")).then_some(name)
}

/// Longest name that is shown, in code points, and longest name in an address, in bytes.
const MAX_SHOWN_LENGTH: usize = 255;
const MAX_ADDRESS_BYTES: usize = 255;

/// The name as it is shown: cut, and percent-decoded.
pub fn shown_name(name: &str) -> String {
    percent_decode_str(&shortened(name)).decode_utf8_lossy().into_owned()
}

/// The name without what is too long in its middle: its ending stays.
pub fn shortened(name: &str) -> Cow<'_, str> {
    cut(name, |text| text.chars().count(), MAX_SHOWN_LENGTH)
}

/// A name of at most so much by some measure of its characters, with its ending.
fn cut(name: &str, measure: fn(&str) -> usize, limit: usize) -> Cow<'_, str> {
    if measure(name) <= limit {
        return name.into();
    }
    let (stem, ending) = name.rfind('.').filter(|dot| *dot > 0).map_or((name, ""), |dot| name.split_at(dot));
    let ending = beginning(ending, measure, limit);
    [beginning(stem, measure, limit - measure(ending)), ending].concat().into()
}

fn beginning(text: &str, measure: fn(&str) -> usize, limit: usize) -> &str {
    let mut left = limit;
    let mut end = 0;
    for character in text.chars() {
        let size = measure(&text[end..end + character.len_utf8()]);
        if size > left {
            break;
        }
        left -= size;
        end += character.len_utf8();
    }
    &text[..end]
}

/// The name as it is in the address: compatibility forms made plain, only word characters, `.`, `-` and no spaces.
pub fn address_name(name: &str) -> String {
    let normal: String = name.nfkc().collect();
    let is_kept = |c: &char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '.' | '-');
    let remaining: String = normal.chars().filter(is_kept).collect();
    let mut address = String::with_capacity(remaining.len());
    for character in remaining.trim().chars() {
        let is_gap = character.is_whitespace() || character == '-';
        if !is_gap {
            address.push(character);
        } else if !address.ends_with('-') {
            address.push('-');
        }
    }
    if matches!(address.as_str(), "" | "." | "..") {
        return FALLBACK.to_owned();
    }
    cut(&address, str::len, MAX_ADDRESS_BYTES).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cut_off() {
        assert_eq!(base_name("/home/mel/cat.png").as_deref(), Some("cat.png"));
        assert_eq!(base_name("C:\\Users\\mel\\cat.png").as_deref(), Some("cat.png"));
        for empty in ["", "/", ".", "..", "dir/.."] {
            assert_eq!(base_name(empty), None, "{empty}");
        }
    }

    #[test]
    fn addresses_hold_word_characters_alone() {
        for (name, address) in [
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
            assert_eq!(address_name(name), address, "{name}");
        }
    }

    #[test]
    fn names_are_shown_decoded() {
        assert_eq!(shown_name("caf%C3%A9.txt"), "café.txt");
        assert_eq!(shown_name("100%.txt"), "100%.txt");
    }
}
