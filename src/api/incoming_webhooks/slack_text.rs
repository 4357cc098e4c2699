//! Converts Slack's markup to Markdown: emphasis, links, mentions.

use regex::Regex;
use std::sync::LazyLock;

/// Matches a link such as `<https://example.com|label>`, with or without a scheme and a label.
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"<(?:https?://www\.|https?://|ftp://)?[a-z0-9]+(?:[-.][a-z0-9]+)*\.[a-z]{2,63}",
        r"(?::[0-9]{1,5})?(?:/[^>]*)?\|?(?:\|[^>]+)?>",
    ))
});
/// Matches an email address such as `<mailto:mel@example.com|mel@example.com>`, with or without `mailto:` and a label.
static EMAIL: LazyLock<Regex> =
    LazyLock::new(|| compile(r"<((?:mailto:)?[\w.-]+@[\w.-]+(?:\.\w+)+)\|?(?:[\w.-]+@[\w.-]+(?:\.\w+)+)?>"));
/// Matches a mention of a user such as `<@U0123|mel>`, with or without a name.
static USER: LazyLock<Regex> = LazyLock::new(|| compile(r"<@([a-zA-Z0-9]+)\|?([a-zA-Z0-9]+)?>"));
/// Matches a mention of a channel such as `<#C0123|general>`.
static CHANNEL: LazyLock<Regex> = LazyLock::new(|| compile(r"<#(.*)>"));
/// Matches a character that may precede or follow emphasis, with the exceptions of [`convert_emphasis`].
static BOUNDARY: LazyLock<Regex> = LazyLock::new(|| compile(r"^[\p{P}\p{Zs}\p{S}]$"));
static CLOSING_PUNCTUATION: LazyLock<Regex> = LazyLock::new(|| compile(r"^[\p{Pf}\p{Pe}]$"));
static OPENING_PUNCTUATION: LazyLock<Regex> = LazyLock::new(|| compile(r"^[\p{Pi}\p{Ps}]$"));

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a well-formed pattern")
}

/// Converts the marks of bold, struck-through and italic text.
pub fn emphasis_to_markdown(text: &str) -> String {
    let with_bold = convert_emphasis(text, '*', "**");
    let with_strikethrough = convert_emphasis(&with_bold, '~', "~~");
    convert_emphasis(&with_strikethrough, '_', "*")
}

/// Replaces pairs of `slack_mark` with `markdown_mark` where a space, punctuation, a symbol or the beginning of a line
/// precedes the first mark, and one of these or the end of a line follows the second. These characters do not count:
/// `slack_mark`, backticks, `@`, backslashes, closing punctuation before a pair and opening punctuation after it.
fn convert_emphasis(text: &str, slack_mark: char, markdown_mark: &str) -> String {
    let is_boundary = |neighbour: Option<char>, excluded: &Regex| {
        neighbour.is_none_or(|character| {
            let encoded_character = character.encode_utf8(&mut [0; 4]).to_owned();
            let is_excluded =
                character == slack_mark || "`@\\".contains(character) || excluded.is_match(&encoded_character);
            character == '\n' || !is_excluded && BOUNDARY.is_match(&encoded_character)
        })
    };
    let mut output = String::with_capacity(text.len());
    let mut remaining = text;
    let mut last_character = None;
    while let Some(start) = remaining.find(slack_mark) {
        let previous = remaining[..start].chars().next_back().or(last_character);
        let inside = &remaining[start + 1..];
        let end = inside.find(slack_mark).filter(|end| *end > 0);
        let end = end.filter(|end| {
            is_boundary(previous, &CLOSING_PUNCTUATION)
                && is_boundary(inside[end + 1..].chars().next(), &OPENING_PUNCTUATION)
        });
        let length = match end {
            Some(end) => {
                output.push_str(&remaining[..start]);
                output.push_str(markdown_mark);
                output.push_str(&inside[..end]);
                output.push_str(markdown_mark);
                start + 1 + end + 1
            }
            None => {
                output.push_str(&remaining[..=start]);
                start + 1
            }
        };
        last_character = remaining[..length].chars().next_back();
        remaining = &remaining[length..];
    }
    output + remaining
}

/// Converts links. Removes the angle brackets and labels of email addresses, but not `mailto:`.
pub fn links_to_markdown(text: &str) -> String {
    let with_markdown_links = LINK.replace_all(text, |captures: &regex::Captures<'_>| {
        let inside = &captures[0][1..captures[0].len() - 1];
        match inside.split_once('|') {
            Some((url, label)) => format!("[{label}]({url})"),
            None => inside.to_owned(),
        }
    });
    EMAIL.replace_all(&with_markdown_links, "$1").into_owned()
}

/// Converts mentions of everyone, of users by name or ID, and of channels. Mentions of channels become bold text. A
/// word with a mention of a user or a channel becomes the mention alone, without punctuation around it.
pub fn mentions_to_markdown(text: &str) -> String {
    let mut text = text.to_owned();
    for mention in ["<!everyone>", "<!channel>", "<!here>"] {
        text = text.replace(mention, "@**all**");
    }
    let words = text.split(' ').map(|word| {
        if let Some(captures) = USER.captures(word) {
            return format!("@**{}**", captures.get(2).map_or(&captures[1], |name| name.as_str()));
        }
        match CHANNEL.captures(word).map(|captures| captures[1].split('|').nth(1).unwrap_or_default().to_owned()) {
            // Slack leaves out the names of private channels.
            Some(name) if name.is_empty() => "**#[private Slack channel]**".to_owned(),
            Some(name) => format!("**#{name}**"),
            None => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emphasis_is_converted_between_boundaries() {
        for (slack, markdown) in [
            ("some *foo* word", "some **foo** word"),
            ("*foo*", "**foo**"),
            ("*foo* *bar*", "**foo** **bar**"),
            ("*foo*a*bar*", "*foo*a*bar*"),
            ("some _foo_ word", "some *foo* word"),
            ("~gone~, (*yes*)", "~~gone~~, (**yes**)"),
            ("a*b*", "a*b*"),
            ("**", "**"),
            ("`*code*`", "`*code*`"),
            ("*one*\n_two_", "**one**\n*two*"),
            ("5 * 3 * 2", "5 ** 3 ** 2"),
        ] {
            assert_eq!(emphasis_to_markdown(slack), markdown, "{slack}");
        }
    }

    #[test]
    fn links_keep_their_labels() {
        for (slack, markdown) in [
            ("<https://example.com|here>, <http://a.test/b>", "[here](https://example.com), http://a.test/b"),
            ("<mailto:mel@example.com|mel@example.com>", "mailto:mel@example.com"),
            ("<mel@example.com>", "mel@example.com"),
            ("<not a link>", "<not a link>"),
        ] {
            assert_eq!(links_to_markdown(slack), markdown, "{slack}");
        }
    }

    #[test]
    fn mentions_use_names() {
        let slack = "Hi <@U01|mel> and <@U02>, see <#C01|general> or <#C02|> <!here>";

        let markdown = "Hi @**mel** and @**U02** see **#general** or **#[private Slack channel]** @**all**";
        assert_eq!(mentions_to_markdown(slack), markdown);
    }
}
