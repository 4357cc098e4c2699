//! Slack's markup as Markdown.

use regex::Regex;
use std::sync::LazyLock;

/// `<https://example.com|label>`, with or without a label.
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"<(?:https?://www\.|https?://|ftp://)?[a-z0-9]+(?:[-.][a-z0-9]+)*\.[a-z]{2,63}(?::[0-9]{1,5})?(?:/[^>]*)?\|?(?:\|[^>]+)?>",
    )
});
/// `<mailto:mel@example.com|mel@example.com>`, likewise.
static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"<((?:mailto:)?[\w.-]+@[\w.-]+(?:\.\w+)+)\|?(?:[\w.-]+@[\w.-]+(?:\.\w+)+)?>"));
/// `<@U0123|mel>`, with or without the name.
static USER: LazyLock<Regex> = LazyLock::new(|| pattern(r"<@([a-zA-Z0-9]+)\|?([a-zA-Z0-9]+)?>"));
/// `<#C0123|general>`
static CHANNEL: LazyLock<Regex> = LazyLock::new(|| pattern(r"<#(.*)>"));
/// A character that may be before or after emphasis.
static EDGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[\p{P}\p{Zs}\p{S}]$"));
static CLOSING: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[\p{Pf}\p{Pe}]$"));
static OPENING: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[\p{Pi}\p{Ps}]$"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a well-formed pattern")
}

/// Converts emphasis: bold, struck and italic words.
pub fn with_emphasis(text: &str) -> String {
    let bold = emphasized(text, '*', "**");
    let struck = emphasized(&bold, '~', "~~");
    emphasized(&struck, '_', "*")
}

/// Replaces a mark around words by another, where both ends of them are next to a blank, a sign or the end of a line.
fn emphasized(text: &str, mark: char, keyword: &str) -> String {
    let may_touch = |next: Option<char>, others: &Regex| {
        next.is_none_or(|next| {
            let one = next.encode_utf8(&mut [0; 4]).to_owned();
            next == '\n' || !(next == mark || "`@\\".contains(next) || others.is_match(&one)) && EDGE.is_match(&one)
        })
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(start) = rest.find(mark) {
        let previous = rest[..start].chars().next_back().or(before);
        let inside = &rest[start + 1..];
        let end = inside.find(mark).filter(|end| *end > 0);
        let found =
            end.filter(|end| may_touch(previous, &CLOSING) && may_touch(inside[end + 1..].chars().next(), &OPENING));
        let taken = match found {
            Some(end) => {
                out.push_str(&rest[..start]);
                out.push_str(keyword);
                out.push_str(&inside[..end]);
                out.push_str(keyword);
                start + 1 + end + 1
            }
            None => {
                out.push_str(&rest[..=start]);
                start + 1
            }
        };
        before = rest[..taken].chars().next_back();
        rest = &rest[taken..];
    }
    out + rest
}

/// Converts links and mail addresses.
pub fn with_links(text: &str) -> String {
    let links = LINK.replace_all(text, |found: &regex::Captures<'_>| {
        let inside = &found[0][1..found[0].len() - 1];
        match inside.split_once('|') {
            Some((url, label)) => format!("[{label}]({url})"),
            None => inside.to_owned(),
        }
    });
    ADDRESS.replace_all(&links, "$1").into_owned()
}

/// Converts mentions: of all, of a user by what the message says of them, of a channel by its name without notifying anybody.
pub fn with_mentions(text: &str) -> String {
    let mut text = text.to_owned();
    for all in ["<!everyone>", "<!channel>", "<!here>"] {
        text = text.replace(all, "@**all**");
    }
    let words = text.split(' ').map(|word| {
        if let Some(found) = USER.captures(word) {
            return format!("@**{}**", found.get(2).map_or(&found[1], |name| name.as_str()));
        }
        match CHANNEL.captures(word).map(|found| found[1].split('|').nth(1).unwrap_or_default().to_owned()) {
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
    fn emphasis_is_around_words_alone() {
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
            assert_eq!(with_emphasis(slack), markdown, "{slack}");
        }
    }

    #[test]
    fn links_have_their_labels() {
        for (slack, markdown) in [
            ("<https://example.com|here>, <http://a.test/b>", "[here](https://example.com), http://a.test/b"),
            ("<mailto:mel@example.com|mel@example.com>", "mailto:mel@example.com"),
            ("<mel@example.com>", "mel@example.com"),
            ("<not a link>", "<not a link>"),
        ] {
            assert_eq!(with_links(slack), markdown, "{slack}");
        }
    }

    #[test]
    fn mentions_are_by_name() {
        let slack = "Hi <@U01|mel> and <@U02>, see <#C01|general> or <#C02|> <!here>";

        let markdown = "Hi @**mel** and @**U02** see **#general** or **#[private Slack channel]** @**all**";
        assert_eq!(with_mentions(slack), markdown);
    }
}
