//! Section 23 row by row, against a small organization.

mod properties;

use super::*;
use crate::realm::id::LinkifierId;
use crate::realm::linkifier::LinkifierSource;

/// An organization with a few of everything.
struct Organization {
    linkifiers: Vec<Arc<Linkifier>>,
    own_urls: Vec<String>,
    emoticons: bool,
    previews: bool,
    language: &'static str,
}

impl Default for Organization {
    fn default() -> Self {
        let linkifiers = [("#(?P<id>[0-9]+)", "https://bugs.example.org/{id}"), ("#(?P<id>[0-9]{2,})[a-z]?", "https://other.example.org/{id}")]
            .into_iter()
            .filter_map(|(pattern, template)| {
                let source =
                    LinkifierSource { pattern: pattern.to_owned(), url_template: template.to_owned(), ..Default::default() };
                Linkifier::compile(LinkifierId(1), source).ok().map(Arc::new)
            })
            .collect();
        let own_urls = vec!["https://chat.example.org".to_owned()];
        Self { linkifiers, own_urls, emoticons: false, previews: true, language: "" }
    }
}

impl Names for Organization {
    fn user(&self, name: &str, id: Option<UserId>) -> Option<MentionedUser> {
        let users = [(31, "Zoe", true), (32, "King Hamlet", true), (33, "Gone", false), (34, "A <b> & \"c\"", true)];
        users.into_iter().find_map(|(own, full_name, is_active)| {
            let matches = if name.is_empty() {
                id == Some(UserId(own))
            } else {
                full_name.eq_ignore_ascii_case(name) && id.is_none_or(|id| id == UserId(own))
            };
            matches.then(|| MentionedUser { id: UserId(own), full_name: full_name.to_owned(), is_active })
        })
    }

    fn group(&self, name: &str) -> Option<MentionedGroup> {
        let (id, display_name, is_active) = match name {
            "group" => (17, "group", true),
            "role:administrators" => (2, "Administrators", true),
            "old" => (18, "old", false),
            _ => return None,
        };
        Some(MentionedGroup { id: GroupId(id), display_name: display_name.to_owned(), is_active })
    }

    fn channel(&self, name: &str) -> Option<LinkedChannel> {
        let id = match name {
            "design" => 9,
            "a b.(c)*" | "a b.(c)" => 10,
            _ => return None,
        };
        Some(LinkedChannel { id: ChannelId(id), name: name.to_owned() })
    }

    fn newest_message_in_topic(&self, channel: ChannelId, topic: &str) -> Option<MessageId> {
        (channel == ChannelId(9) && topic == "bugs").then_some(MessageId(214))
    }

    fn custom_emoji(&self, name: &str) -> Option<CustomEmojiImage> {
        (name == "green_tick").then(|| CustomEmojiImage { src: "/user_avatars/2/emoji/images/1.png".to_owned() })
    }

    fn upload(&self, path_id: &str) -> Option<UploadFacts> {
        let (content_type, is_animated, has_thumbnail, transcoded) = match path_id {
            "2/ab/xyz/image.png" => ("image/png", false, true, None),
            "2/ab/new.png" => ("image/png", false, false, None),
            "2/ab/moving.gif" => ("image/gif", true, true, None),
            "2/ab/photo.heic" => ("image/heic", false, true, Some((4032, 3024))),
            "2/ab/film.mp4" => ("video/mp4", false, false, None),
            "2/ab/sound.mp3" => ("audio/mpeg", false, false, None),
            "2/ab/text.txt" => ("text/plain", false, false, None),
            _ => return None,
        };
        let dimensions = content_type.starts_with("image").then_some((1920, 1080));
        Some(UploadFacts { content_type: content_type.to_owned(), dimensions, has_thumbnail, is_animated, transcoded })
    }

    fn linkifiers(&self) -> Vec<Arc<Linkifier>> {
        self.linkifiers.clone()
    }

    fn settings(&self) -> Settings<'_> {
        Settings {
            empty_topic_display_name: "general chat",
            default_code_block_language: self.language,
            translate_emoticons: self.emoticons,
            inline_image_preview: self.previews,
            own_urls: &self.own_urls,
        }
    }
}

fn rendered(source: &str) -> Rendered {
    let result = render(source, &Organization::default());
    assert!(result.is_ok(), "{source}");
    result.unwrap_or_default()
}

#[track_caller]
fn check(rows: &[(&str, &str)]) {
    for (source, html) in rows {
        assert_eq!(rendered(source).html, *html, "{source}");
    }
}

#[test]
fn paragraphs() {
    check(&[
        ("", ""),
        ("  \n\n", ""),
        ("test", "<p>test</p>"),
        ("a\nb", "<p>a<br>\nb</p>"),
        ("a\r\nb  \nc", "<p>a<br>\nb<br>\nc</p>"),
        ("a\n\nb", "<p>a</p>\n<p>b</p>"),
        ("it's \"q\" & < >", "<p>it's \"q\" &amp; &lt; &gt;</p>"),
    ]);
}

#[test]
fn emphasis_marks() {
    check(&[
        ("**b** *i* ~~s~~", "<p><strong>b</strong> <em>i</em> <del>s</del></p>"),
        ("***bi***", "<p><strong><em>bi</em></strong></p>"),
        ("**a *b***", "<p><strong>a <em>b</em></strong></p>"),
        ("*a **b** c*", "<p><em>a <strong>b</strong> c</em></p>"),
        ("_a_ __b__ snake_case_name", "<p>_a_ __b__ snake_case_name</p>"),
        ("**a\nb**", "<p>**a<br>\nb**</p>"),
        ("x * y * z, 2*3", "<p>x * y * z, 2*3</p>"),
        ("** x **", "<p>** x **</p>"),
        ("**Note:**text", "<p><strong>Note:</strong>text</p>"),
        ("~s~ ~~~s~~~", "<p>~s~ ~~~s~~~</p>"),
        ("~~**a** *b*~~", "<p><del><strong>a</strong> <em>b</em></del></p>"),
        ("\\*a\\*", "<p>\\<em>a\\</em></p>"),
        ("a ****", "<p>a ****</p>"),
    ]);
}

#[test]
fn inline_code() {
    check(&[
        ("`code`", "<p><code>code</code></p>"),
        ("` a `", "<p><code> a </code></p>"),
        ("``a`b``", "<p><code>a`b</code></p>"),
        ("`a", "<p>`a</p>"),
        ("``a`", "<p>``a`</p>"),
        ("`**a** @**Zoe** <b> &amp; :smile: #1`", "<p><code>**a** @**Zoe** &lt;b&gt; &amp;amp; :smile: #1</code></p>"),
        ("**`a`**", "<p><strong><code>a</code></strong></p>"),
    ]);
}

#[test]
fn raw_html_and_entities() {
    check(&[
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"),
        ("<div>\n**x**", "<p>&lt;div&gt;<br>\n<strong>x</strong></p>"),
        ("&amp; &lt; &copy; &#65; &#x41; &nope &;", "<p>&amp; &lt; &copy; &#65; &#x41; &amp;nope &amp;;</p>"),
        ("<!-- a -->", "<p>&lt;!-- a --&gt;</p>"),
    ]);
}

#[test]
fn headings_and_rules() {
    check(&[
        ("# h", "<h1>h</h1>"),
        ("###### *h*", "<h6><em>h</em></h6>"),
        ("####### h", "<p>####### h</p>"),
        ("#h", "<p>#h</p>"),
        ("#", "<p>#</p>"),
        ("---", "<hr>"),
        ("a\n---\nb", "<p>a</p>\n<hr>\n<p>b</p>"),
        ("a\n===", "<p>a<br>\n===</p>"),
    ]);
}

#[test]
fn lists() {
    check(&[
        ("* a", "<ul>\n<li>a</li>\n</ul>"),
        ("- a\n  - b", "<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>"),
        ("* a\n- b\n+ c", "<ul>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ul>"),
        ("* a\n\n* b", "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"),
        ("x\n* a", "<p>x</p>\n<ul>\n<li>a</li>\n</ul>"),
        ("1. a\n1. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"),
        ("3. a\n9. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>"),
        ("x\n3. a", "<p>x</p>\n<ol start=\"3\">\n<li>a</li>\n</ol>"),
        ("1. a\n  - b\n2. c", "<ol>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ol>"),
        ("1) a", "<p>1) a</p>"),
        ("* **a** b\n  c", "<ul>\n<li><strong>a</strong> b<br>\nc</li>\n</ul>"),
        ("*a", "<p>*a</p>"),
    ]);
}

#[test]
fn quotes() {
    check(&[
        ("> q", "<blockquote>\n<p>q</p>\n</blockquote>"),
        ("> a\n\n> b", "<blockquote>\n<p>a</p>\n</blockquote>\n<blockquote>\n<p>b</p>\n</blockquote>"),
        ("> a\n>\n> b", "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>"),
        (">", "<p>&gt;</p>"),
        ("a > b", "<p>a &gt; b</p>"),
        ("```quote\nq\n```", "<blockquote>\n<p>q</p>\n</blockquote>"),
        ("~~~ quote\n* a\n~~~\nb", "<blockquote>\n<ul>\n<li>a</li>\n</ul>\n</blockquote>\n<p>b</p>"),
        (
            "```quote\n```python\nx\n```\n```",
            "<blockquote>\n<div class=\"codehilite\" data-code-language=\"Python\"><pre><span></span><code>x\n</code></pre></div>\n</blockquote>",
        ),
    ]);
}

#[test]
fn tables() {
    check(&[
        (
            "a|b\n-|-\n*c*|d",
            "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><em>c</em></td>\n<td>d</td>\n</tr>\n</tbody>\n</table>",
        ),
        (
            "| a | b |\n|:-:|--:|\n| x \\| y | `z` |",
            "<table>\n<thead>\n<tr>\n<th style=\"text-align: center;\">a</th>\n<th style=\"text-align: right;\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n\
             <td style=\"text-align: center;\">x | y</td>\n<td style=\"text-align: right;\"><code>z</code></td>\n</tr>\n</tbody>\n</table>",
        ),
    ]);
}

#[test]
fn code_blocks() {
    check(&[
        ("```\ntext\n```", "<div class=\"codehilite\"><pre><span></span><code>text\n</code></pre></div>"),
        ("    * a_b\n      <c>", "<div class=\"codehilite\"><pre><span></span><code>* a_b\n  &lt;c&gt;\n</code></pre></div>"),
        (
            "```py\ndef f(): pass\n```",
            "<div class=\"codehilite\" data-code-language=\"Python\"><pre><span></span><code>def f(): pass\n</code></pre></div>",
        ),
        (
            "```klin\"gon\n**x**\n```",
            "<div class=\"codehilite\" data-code-language=\"klin&quot;gon\"><pre><span></span><code>**x**\n</code></pre></div>",
        ),
        (
            "> ```rust\n> a * b\n> ```",
            "<blockquote>\n<div class=\"codehilite\" data-code-language=\"Rust\"><pre><span></span><code>a * b\n</code></pre></div>\n</blockquote>",
        ),
    ]);
    let organization = Organization { language: "rust", ..Default::default() };
    let html = |source| render(source, &organization).unwrap_or_default().html;
    assert!(html("```\nx\n```").starts_with("<div class=\"codehilite\" data-code-language=\"Rust\">"));
    assert!(html("```text\nx\n```").starts_with("<div class=\"codehilite\"><pre>"));
}

#[test]
fn spoilers() {
    check(&[
        (
            "```spoiler Header\ncontent\n```",
            "<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n<p>Header</p>\n</div>\
             <div class=\"spoiler-content\" aria-hidden=\"true\">\n<p>content</p>\n</div></div>",
        ),
        (
            "```spoiler\n**content**\n```",
            "<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n</div>\
             <div class=\"spoiler-content\" aria-hidden=\"true\">\n<p><strong>content</strong></p>\n</div></div>",
        ),
    ]);
}

#[test]
fn math() {
    check(&[
        (
            "$$x<1$$",
            "<p><span class=\"katex\"><span class=\"katex-mathml\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><semantics>\
             <mrow><mtext>x&lt;1</mtext></mrow><annotation encoding=\"application/x-tex\">x&lt;1</annotation></semantics></math></span>\
             <span class=\"katex-html\" aria-hidden=\"true\">x&lt;1</span></span></p>",
        ),
        (
            "```math\nx\n```",
            "<p><span class=\"katex-display\"><span class=\"katex\"><span class=\"katex-mathml\">\
             <math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\"><semantics>\
             <mrow><mtext>x</mtext></mrow><annotation encoding=\"application/x-tex\">x</annotation></semantics></math></span>\
             <span class=\"katex-html\" aria-hidden=\"true\">x</span></span></span></p>",
        ),
        ("$$\\bad$$", "<p><span class=\"tex-error\">$$\\bad$$</span></p>"),
        ("```math\n{\n```", "<p><span class=\"tex-error\">{</span></p>"),
        ("$5 and $6", "<p>$5 and $6</p>"),
    ]);
}

#[test]
fn times() {
    check(&[
        (
            "at <time:2023-05-28T13:30:00+05:30>",
            "<p>at <time datetime=\"2023-05-28T08:00:00Z\">2023-05-28T13:30:00+05:30</time></p>",
        ),
        ("<time:1685261400>", "<p><time datetime=\"2023-05-28T08:10:00Z\">1685261400</time></p>"),
        ("<time:soon>", "<p>&lt;time:soon&gt;</p>"),
    ]);
}

#[test]
fn links() {
    check(&[
        ("https://x.y", "<p><a href=\"https://x.y\">https://x.y</a></p>"),
        ("example.com.", "<p><a href=\"http://example.com\">example.com</a>.</p>"),
        ("a@example.com", "<p><a href=\"mailto:a@example.com\">a@example.com</a></p>"),
        ("https://x.y/a_*b*_c?d=e&f", "<p><a href=\"https://x.y/a_*b*_c?d=e&amp;f\">https://x.y/a_*b*_c?d=e&amp;f</a></p>"),
        ("[t](https://x.y)", "<p><a href=\"https://x.y\">t</a></p>"),
        ("[**t** `c`](https://x.y/(a))", "<p><a href=\"https://x.y/(a)\"><strong>t</strong> <code>c</code></a></p>"),
        ("[](https://x.y)", "<p><a href=\"https://x.y\">https://x.y</a></p>"),
        ("[t](example.com)", "<p><a href=\"http://example.com\">t</a></p>"),
        ("[t](javascript:alert(1))", "<p>[t](javascript:alert(1))</p>"),
        ("javascript://x.y", "<p>javascript://x.y</p>"),
        ("[t][r]\n\n[r]: https://x.y", "<p>[t][r]</p>\n<p>[r]: <a href=\"https://x.y\">https://x.y</a></p>"),
        ("[t](https://chat.example.org/#narrow/channel/9)", "<p><a href=\"#narrow/channel/9\">t</a></p>"),
        ("[t](https://chat.example.org/user_uploads/2/ab/text.txt)", "<p><a href=\"/user_uploads/2/ab/text.txt\">t</a></p>"),
        ("[t](https://chat.example.org/help)", "<p><a href=\"https://chat.example.org/help\">t</a></p>"),
        ("**https://x.y**", "<p><strong><a href=\"https://x.y\">https://x.y</a></strong></p>"),
        ("<https://x.y>", "<p>&lt;<a href=\"https://x.y\">https://x.y</a>&gt;</p>"),
        ("`https://x.y`", "<p><code>https://x.y</code></p>"),
    ]);
    assert!(rendered("https://x.y").has_link);
    assert!(!rendered("#**design**").has_link);
    let uploads = rendered("[t](/user_uploads/2/ab/a%20b.txt) /user_uploads/3/x.txt").uploads;
    assert_eq!(uploads.into_iter().collect::<Vec<_>>(), ["2/ab/a b.txt"]);
}

#[test]
fn status_messages() {
    let status = rendered("/me waves");
    assert!(status.is_me_message);
    assert_eq!(status.html, "<p>/me waves</p>");
    assert!(!rendered("/me").is_me_message);
    assert!(!rendered("so /me waves").is_me_message);
}

#[test]
fn mentions_of_users() {
    let zoe = "<p><span class=\"user-mention\" data-user-id=\"31\">@Zoe</span></p>";
    check(&[
        ("@**Zoe**", zoe),
        ("@**zoe**", zoe),
        ("@**Zoe|31**", zoe),
        ("@**|31**", zoe),
        ("@**Zoe|32**", "<p>@<strong>Zoe|32</strong></p>"),
        ("@**Nobody**", "<p>@<strong>Nobody</strong></p>"),
        ("@_**Zoe**", "<p><span class=\"user-mention silent\" data-user-id=\"31\">Zoe</span></p>"),
        ("@**Gone**", "<p><span class=\"user-mention silent\" data-user-id=\"33\">Gone</span></p>"),
        ("**to @**Zoe** now**", "<p><strong>to <span class=\"user-mention\" data-user-id=\"31\">@Zoe</span> now</strong></p>"),
        ("x@**Zoe**", "<p>x@<strong>Zoe</strong></p>"),
        ("(@**Zoe**)", "<p>(<span class=\"user-mention\" data-user-id=\"31\">@Zoe</span>)</p>"),
        ("@**A <b> & \"c\"**", "<p><span class=\"user-mention\" data-user-id=\"34\">@A &lt;b&gt; &amp; \"c\"</span></p>"),
        ("> @**Zoe**", "<blockquote>\n<p><span class=\"user-mention silent\" data-user-id=\"31\">Zoe</span></p>\n</blockquote>"),
    ]);
}

#[test]
fn mentions_of_many() {
    check(&[
        ("@**all**", "<p><span class=\"user-mention channel-wildcard-mention\" data-user-id=\"*\">@all</span></p>"),
        ("@_**stream**", "<p><span class=\"user-mention channel-wildcard-mention silent\" data-user-id=\"*\">stream</span></p>"),
        ("@**topic**", "<p><span class=\"topic-mention\">@topic</span></p>"),
        ("@*group*", "<p><span class=\"user-group-mention\" data-user-group-id=\"17\">@group</span></p>"),
        (
            "@_*role:administrators*",
            "<p><span class=\"user-group-mention silent\" data-user-group-id=\"2\">Administrators</span></p>",
        ),
        ("@*old*", "<p><span class=\"user-group-mention silent\" data-user-group-id=\"18\">old</span></p>"),
        ("@*none*", "<p>@<em>none</em></p>"),
    ]);
}

#[test]
fn only_audible_mentions_are_reported() {
    let mentions = rendered("@**Zoe** @_**King Hamlet** @**Gone** @*group* @*old* @**everyone** @**topic**").mentions;
    let expected = Mentions {
        users: [UserId(31)].into(),
        groups: [GroupId(17)].into(),
        channel_wildcard: true,
        topic_wildcard: true,
    };
    assert_eq!(mentions, expected);
    for silent in ["> @**Zoe** @**all** @**topic** @*group*", "`@**Zoe**`", "```quote\n@**Zoe**\n```", "```\n@**all**\n```", "x@**Zoe**"] {
        assert_eq!(rendered(silent).mentions, Mentions::default(), "{silent}");
    }
}

#[test]
fn channels_topics_and_messages() {
    check(&[
        ("#**design**", "<p><a class=\"stream\" data-stream-id=\"9\" href=\"/#narrow/channel/9-design\">#design</a></p>"),
        ("#**none** #**none>x**", "<p>#<strong>none</strong> #<strong>none&gt;x</strong></p>"),
        (
            "#**design>bugs**",
            "<p><a class=\"stream-topic\" data-stream-id=\"9\" href=\"/#narrow/channel/9-design/topic/bugs/with/214\">#design &gt; bugs</a></p>",
        ),
        (
            "#**design>A b.**",
            "<p><a class=\"stream-topic\" data-stream-id=\"9\" href=\"/#narrow/channel/9-design/topic/A.20b.2E\">#design &gt; A b.</a></p>",
        ),
        (
            "#**design>bugs@214**",
            "<p><a class=\"message-link\" href=\"/#narrow/channel/9-design/topic/bugs/near/214\">#design &gt; bugs @ 💬</a></p>",
        ),
        (
            "#**design>**",
            "<p><a class=\"stream-topic\" data-stream-id=\"9\" href=\"/#narrow/channel/9-design/topic/\">#design &gt; <em>general chat</em></a></p>",
        ),
        (
            "#**a b.(c)**",
            "<p><a class=\"stream\" data-stream-id=\"10\" href=\"/#narrow/channel/10-a-b.2E.28c.29\">#a b.(c)</a></p>",
        ),
    ]);
    assert_eq!(encode_hash_component("é*_%"), ".C3.A9*_.25");
}

#[test]
fn emoji() {
    let smile = "<p><span aria-label=\"smile\" class=\"emoji emoji-1f642\" role=\"img\" title=\"smile\">:smile:</span></p>";
    check(&[
        (":smile:", smile),
        ("🙂", smile),
        (
            ":thumbs_up:x",
            "<p><span aria-label=\"thumbs up\" class=\"emoji emoji-1f44d\" role=\"img\" title=\"thumbs up\">:thumbs_up:</span>x</p>",
        ),
        (
            ":green_tick:",
            "<p><img alt=\":green_tick:\" class=\"emoji\" src=\"/user_avatars/2/emoji/images/1.png\" title=\"green tick\"></p>",
        ),
        (
            ":service:",
            "<p><img alt=\":service:\" class=\"emoji\" src=\"/static/generated/emoji/images/emoji/unicode/service.png\" title=\"service\"></p>",
        ),
        (":no_such: 10:30:00 :)", "<p>:no_such: 10:30:00 :)</p>"),
    ]);
    let organization = Organization { emoticons: true, ..Default::default() };
    assert_eq!(render(":)", &organization).unwrap_or_default().html, smile);
    assert_eq!(render("a:) :)b", &organization).unwrap_or_default().html, "<p>a:) :)b</p>");
}

#[test]
fn linkified_text() {
    check(&[
        ("see #12.", "<p>see <a href=\"https://bugs.example.org/12\">#12</a>.</p>"),
        ("x#12 `#12` #12_", "<p>x#12 <code>#12</code> <a href=\"https://bugs.example.org/12\">#12</a>_</p>"),
        ("#12a", "<p><a href=\"https://other.example.org/12\">#12a</a></p>"),
        ("`a`#12", "<p><code>a</code>#12</p>"),
        ("[#12](https://x.y)", "<p><a href=\"https://x.y\">#12</a></p>"),
        ("**#12**", "<p><strong>#12</strong></p>"),
    ]);
}

#[test]
fn links_of_topics() {
    let links = |topic: &str| -> Vec<(String, String)> {
        topic_links(topic, &Organization::default()).into_iter().map(|link| (link.text, link.url)).collect()
    };
    let pair = |text: &str, url: &str| (text.to_owned(), url.to_owned());
    assert_eq!(links("none"), []);
    assert_eq!(
        links("https://x.y/ and #12, #13b"),
        [
            pair("https://x.y/", "https://x.y/"),
            pair("#12", "https://bugs.example.org/12"),
            pair("#13b", "https://other.example.org/13"),
        ]
    );
}

#[test]
fn descriptions_have_no_previews() {
    let organization = Organization::default();
    let html = render_inline("a /user_uploads/x\n\n[i](/user_uploads/2/ab/xyz/image.png)", &organization);
    assert_eq!(html, "<p>a /user_uploads/x</p>\n<p><a href=\"/user_uploads/2/ab/xyz/image.png\">i</a></p>");
}

mod media;
