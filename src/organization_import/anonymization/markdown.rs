//! Anonymizes Markdown: markup remains, mentions and links have the names of the fixture, words are replaced.

use super::anonymizer::Anonymizer;
use crate::organization_import::directory::Directory;
use crate::realm::text::MAX_MESSAGE_LENGTH;
use chat_markdown::emoji::EmojiNames;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Markup whose words are not simply replaced. The first matching alternative applies.
static MARKUP: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = [
        r"(?P<user>@_?\*\*[^*\n]+\*\*)",
        r"(?P<group>@_?\*[^*\n]+\*)",
        r"(?P<channel>#\*\*[^*\n]+\*\*)",
        r"(?P<time><time:[^>\n]*>)",
        r"(?P<upload>(?:https?://[^\s/()\[\]]+)?/user_uploads/(?:thumbnail/)?\d+/[0-9a-f]{1,2}/[\w-]+/[^\s()\[\]<>]*)",
        r"(?P<narrow>(?:https?://[^\s()\[\]#]+)?/?#narrow/[^\s()\[\]<>]+)",
        r"(?P<url>\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s()\[\]<>]+)",
        r"(?P<emoji>:[\w+-]+:)",
        r"(?P<fence>(?m:^)[ >\t]*(?:`{3,}|~{3,})[ \t{.]*[\w+#-]*)",
        r"(?P<command>\A/(?:me|poll|todo)\b)",
        r"(?P<number>(?m:^)[ >\t]*\d+[.)][ \t])",
        r"(?P<formula>\\(?:frac|sqrt|sum|int|prod|lim|alpha|beta|gamma|delta|pi|theta|infty|text|left|right|cdot|times|le|ge|ne|in|to|mathbb|mathrm)\b)",
    ];
    Regex::new(&kinds.join("|")).unwrap_or_else(|error| unreachable!("the pattern is tested: {error}"))
});

/// The languages of code blocks and the kinds of other blocks, which are not anonymized.
const BLOCK_NAMES: [&str; 40] = [
    "quote",
    "spoiler",
    "math",
    "latex",
    "tex",
    "text",
    "console",
    "bash",
    "sh",
    "shell",
    "python",
    "python3",
    "py",
    "js",
    "javascript",
    "ts",
    "typescript",
    "json",
    "yaml",
    "toml",
    "xml",
    "html",
    "css",
    "sql",
    "rust",
    "go",
    "java",
    "kotlin",
    "swift",
    "c",
    "cpp",
    "csharp",
    "ruby",
    "php",
    "perl",
    "diff",
    "markdown",
    "md",
    "none",
    "dart",
];

/// The words that mention everyone in a channel, conversation or topic, instead of a user.
const WILDCARD_MENTIONS: [&str; 5] = ["all", "everyone", "channel", "stream", "topic"];

impl Anonymizer {
    /// Anonymizes a text in Markdown and truncates it to the maximum length of a message.
    pub fn anonymize_markdown(&self, text: &str, directory: &Directory) -> String {
        let mut result = String::with_capacity(text.len());
        let mut copied_to = 0;
        for captures in MARKUP.captures_iter(text) {
            let range = captures.get(0).map(|markup| markup.range()).unwrap_or_default();
            result.push_str(&self.anonymize_text(&text[copied_to..range.start]));
            result.push_str(&self.anonymize_markup(&captures, directory));
            copied_to = range.end;
        }
        result.push_str(&self.anonymize_text(&text[copied_to..]));
        // Replacements of names may be longer than the original.
        result.chars().take(MAX_MESSAGE_LENGTH).collect()
    }

    fn anonymize_markup(&self, captures: &Captures<'_>, directory: &Directory) -> String {
        let part = |name: &str| captures.name(name).map(|part| part.as_str());
        if let Some(user) = part("user") {
            replace_inner_text(user, "**", |name| self.anonymize_mention(name, directory))
        } else if let Some(group) = part("group") {
            replace_inner_text(group, "*", |name| {
                directory
                    .groups
                    .find(name)
                    .map_or_else(|| self.anonymize_text(name), |group| group.fixture_name.clone())
            })
        } else if let Some(channel) = part("channel") {
            replace_inner_text(channel, "**", |name| self.anonymize_channel_link(name, directory))
        } else if let Some(upload) = part("upload") {
            self.anonymize_upload_link(upload)
        } else if let Some(narrow) = part("narrow") {
            // Without the host: in the fixture's world, the relative link leads to the same message.
            let start = narrow.find("#narrow").unwrap_or_default();
            let slash = if start > 0 { "/" } else { "" };
            format!("{slash}{}", self.anonymize_narrow_link(&narrow[start..], directory))
        } else if let Some(url) = part("url") {
            self.anonymize_url(url)
        } else if let Some(emoji) = part("emoji") {
            format!(":{}:", self.anonymize_emoji(emoji.trim_matches(':'), directory))
        } else if let Some(fence) = part("fence") {
            self.anonymize_fence(fence)
        } else if let Some(time) = part("time") {
            self.anonymize_time(time)
        } else {
            captures[0].to_owned()
        }
    }

    /// Replaces the inner part of a mention: `Mel Marsh`, `Mel Marsh|4` or `|4`.
    fn anonymize_mention(&self, mention: &str, directory: &Directory) -> String {
        let (name, id) = match mention.rsplit_once('|') {
            Some((name, id)) if id.bytes().all(|byte| byte.is_ascii_digit()) => (name, Some(id)),
            _ => (mention, None),
        };
        if WILDCARD_MENTIONS.contains(&name) {
            return name.to_owned();
        }
        let by_id = id.and_then(|id| id.parse().ok()).and_then(|id: i64| directory.users.get(&id));
        let user = by_id.or_else(|| directory.user_named(name));
        let new_name = match user {
            _ if name.is_empty() => String::new(),
            Some(user) => user.full_name.fixture_name.clone(),
            None => self.anonymize_text(name),
        };
        id.map_or_else(|| new_name.clone(), |id| format!("{new_name}|{id}"))
    }

    /// Replaces the inner part of a link to a channel: `design`, `design>topic` or `design>topic@7`.
    fn anonymize_channel_link(&self, link: &str, directory: &Directory) -> String {
        let rename_channel = |name: &str| {
            directory
                .channels
                .find(name)
                .map_or_else(|| self.anonymize_text(name), |channel| channel.fixture_name.clone())
        };
        let Some((name, topic)) = link.split_once('>') else { return rename_channel(link) };
        let (topic, message_id) = match topic.rsplit_once('@') {
            Some((topic, id)) if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) => (topic, Some(id)),
            _ => (topic, None),
        };
        let message_suffix = message_id.map_or_else(String::new, |id| format!("@{id}"));
        format!("{}>{}{message_suffix}", rename_channel(name), directory.convert_topic(topic))
    }

    /// Replaces the path of a link to an uploaded file, and drops the host.
    fn anonymize_upload_link(&self, link: &str) -> String {
        let marker =
            if link.contains("/user_uploads/thumbnail/") { "/user_uploads/thumbnail/" } else { "/user_uploads/" };
        let start = link.find(marker).map_or(0, |start| start + marker.len());
        format!("{marker}{}", self.anonymize_path_id(&link[start..]))
    }

    /// The name of an emoji in the fixture. Names of Unicode emoji remain.
    pub fn anonymize_emoji(&self, name: &str, directory: &Directory) -> String {
        match directory.custom_emoji.find(name) {
            Some(names) => names.fixture_name.clone(),
            None if EmojiNames::newest().code_of(name).is_some() => name.to_owned(),
            None => self.anonymize_text(name),
        }
    }

    fn anonymize_fence(&self, fence: &str) -> String {
        let end = fence.rfind(['`', '~', ' ', '\t', '{', '.']).map_or(0, |end| end + 1);
        let (marks, name) = fence.split_at(end);
        let is_known = BLOCK_NAMES.contains(&name.to_ascii_lowercase().as_str());
        if is_known { fence.to_owned() } else { format!("{marks}{}", self.anonymize_text(name)) }
    }

    /// Replaces a time with a random one that depends only on the seed and that time.
    fn anonymize_time(&self, time: &str) -> String {
        let mut generator = self.random_generator_for(time);
        let (month, day) = (1 + generator.below(12), 1 + generator.below(28));
        let (hour, minute) = (generator.below(24), generator.below(60));
        format!("<time:20{:02}-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z>", 20 + generator.below(20))
    }
}

/// Replaces the text between the marks of markup.
fn replace_inner_text(markup: &str, mark: &str, change: impl Fn(&str) -> String) -> String {
    let start = markup.find(mark).map_or(0, |start| start + mark.len());
    let end = markup.len() - mark.len();
    format!("{}{}{}", &markup[..start], change(&markup[start..end]), &markup[end..])
}

#[cfg(test)]
mod tests {
    use super::super::anonymizer::OriginalWords;
    use super::*;
    use serde_json::json;

    fn directory(original: &str) -> Directory {
        let mut originals = OriginalWords::default();
        originals.add(&json!(original));
        let mut directory = Directory::new("https://chat.example.org", Some(Anonymizer::new(0, originals)));
        directory.add_user(4, "Mel Marsh", "mel@chat.test");
        directory.add(|names| &mut names.channels, 2, "engineering", 60);
        directory.add(|names| &mut names.groups, 9, "engineers", 100);
        directory.add(|names| &mut names.custom_emoji, 1, "green_box", 60);
        directory
    }

    #[test]
    fn markup_remains_and_mentions_have_the_new_names() {
        let text = "/me asks @**Mel Marsh**, @_**Mel Marsh|4** and @*engineers* in #**engineering>release 1.0@7** :tada: \
                    :green_box:\n1. **bold** `code`\n```python\nprint(\"ready?\")\n```\n> quoted @**all**\n\
                    [plan](/user_uploads/2/ab/abcdefghijklmnopqrstuvwx/plan.png) https://tracker.example.com/issues/1";
        let directory = directory(text);
        let anonymous = directory.convert_markdown(text);
        let user = &directory.users[&4].full_name.fixture_name;
        let channel = directory.channel_name(2).expect("a channel");
        let (group, emoji) =
            (directory.groups.get(9).expect("a group"), directory.custom_emoji.get(1).expect("an emoji"));
        for part in [
            format!("@**{user}**"),
            format!("@_**{user}|4**"),
            format!("@*{group}*"),
            format!("#**{channel}>{}@7**", directory.convert_topic("release 1.0")),
            format!(":{emoji}:"),
            "/me ".into(),
            ":tada:".into(),
            "\n1. **".into(),
            "\n```python\n".into(),
            "@**all**".into(),
            "](/user_uploads/2/".into(),
            ".example/".into(),
        ] {
            assert!(anonymous.contains(&part), "{part} in {anonymous}");
        }
        for word in ["asks", "Mel", "Marsh", "engineer", "release", "green", "bold", "code", "ready", "plan", "tracker"]
        {
            assert!(!anonymous.contains(word), "{word} in {anonymous}");
        }
    }
}
