//! Tests of inline markup, math, times, links, emoji and linkifiers (reference behaviour, section 23), and of links in
//! topics (section 16).

use super::*;

#[test]
fn emphasis_is_rendered() {
    assert_html(&[
        ("**b** *i* ~~s~~", "<p><strong>b</strong> <em>i</em> <del>s</del></p>"),
        ("***bi***", "<p><strong><em>bi</em></strong></p>"),
        ("**a *b***", "<p><strong>a *b</strong>*</p>"),
        ("**a*b*", "<p><em><em>a</em>b</em></p>"),
        ("****o***", "<p>*<strong><em>o</em></strong></p>"),
        ("*a **b** c*", "<p><em>a <strong>b</strong> c</em></p>"),
        ("_a_ __b__ snake_case_name", "<p>_a_ __b__ snake_case_name</p>"),
        ("**a\nb**", "<p>**a<br>\nb**</p>"),
        ("x * y * z, 2*3", "<p>x * y * z, 2*3</p>"),
        ("** x **", "<p><strong> x </strong></p>"),
        ("**Note:**text", "<p><strong>Note:</strong>text</p>"),
        ("~s~ ~~~s~~~", "<p>~s~ ~~~s~~~</p>"),
        ("~~**a** *b*~~", "<p><del><strong>a</strong> <em>b</em></del></p>"),
        ("\\*a\\*", "<p>\\<em>a\\</em></p>"),
        ("a ****", "<p>a ****</p>"),
    ]);
}

#[test]
fn inline_code_is_rendered() {
    assert_html(&[
        ("`code`", "<p><code>code</code></p>"),
        ("` a `", "<p><code> a </code></p>"),
        ("``a`b``", "<p><code>a`b</code></p>"),
        ("`a", "<p>`a</p>"),
        ("``a`", "<p><code>`a</code></p>"),
        ("\\`a`", "<p>\\`a`</p>"),
        ("\\\\`a`", "<p>\\<code>a</code></p>"),
        ("`**a** @**Zoe** <b> &amp; :smile: #1`", "<p><code>**a** @**Zoe** &lt;b&gt; &amp;amp; :smile: #1</code></p>"),
        ("**`a`**", "<p><strong><code>a</code></strong></p>"),
    ]);
}

#[test]
fn raw_html_is_escaped_and_entities_are_not() {
    assert_html(&[
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"),
        ("<div>\n**x**", "<p>&lt;div&gt;<br>\n<strong>x</strong></p>"),
        ("&amp; &lt; &copy; &#65; &#x41; &nope &;", "<p>&amp; &lt; &copy; &#65; &#x41; &amp;nope &amp;;</p>"),
        ("<!-- a -->", "<p>&lt;!-- a --&gt;</p>"),
    ]);
}

#[test]
fn math_is_typeset() {
    assert_html(&[
        (
            "$$x$$",
            "<p><span class=\"katex\"><span class=\"katex-mathml\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\"><semantics>\
             <mrow><mi>x</mi></mrow><annotation encoding=\"application/x-tex\">x</annotation></semantics></math></span>\
             <span class=\"katex-html\" aria-hidden=\"true\"><span class=\"base\">\
             <span class=\"strut\" style=\"height:0.4306em;\"></span><span class=\"mord mathnormal\">x</span></span></span></span></p>",
        ),
        ("$$\\bad$$", "<p><span class=\"tex-error\">$$\\bad$$</span></p>"),
        ("```math\n{'\n```", "<p><span class=\"tex-error\">{&#x27;</span></p>"),
        ("$$`x`$$", "<p><span class=\"tex-error\">$$<code>x</code>$$</span></p>"),
        ("$5 and $6", "<p>$5 and $6</p>"),
    ]);
    let block = render_source("```math\nx\n\ny\n```").html;
    assert!(block.starts_with("<p><span class=\"katex-display\"><span class=\"katex\">"), "{block}");
    assert_eq!(block.matches("display=\"block\"").count(), 2, "{block}");
}

#[test]
fn times_are_rendered() {
    assert_html(&[
        (
            "at <time:2023-05-28T13:30:00+05:30>",
            "<p>at <time datetime=\"2023-05-28T08:00:00Z\">2023-05-28T13:30:00+05:30</time></p>",
        ),
        ("<time:1685261400>", "<p>&lt;time:1685261400&gt;</p>"),
        ("<time:soon>", "<p>&lt;time:soon&gt;</p>"),
    ]);
}

#[test]
fn links_are_rendered() {
    assert_html(&[
        ("https://x.y", "<p><a href=\"https://x.y\">https://x.y</a></p>"),
        ("example.com.", "<p><a href=\"http://example.com\">example.com</a>.</p>"),
        ("a@example.com", "<p><a href=\"mailto:a@example.com\">a@example.com</a></p>"),
        (
            "https://x.y/a_*b*_c?d=e&f",
            "<p><a href=\"https://x.y/a_*b*_c?d=e&amp;f\">https://x.y/a_*b*_c?d=e&amp;f</a></p>",
        ),
        ("[t](https://x.y)", "<p><a href=\"https://x.y\">t</a></p>"),
        ("[**t** `c`](https://x.y/(a))", "<p><a href=\"https://x.y/(a)\">**t** <code>c</code></a></p>"),
        ("[](https://x.y)", "<p><a href=\"https://x.y\">https://x.y</a></p>"),
        ("[t](example.com)", "<p><a href=\"http://example.com\">t</a></p>"),
        ("[t](javascript:alert(1))", "<p>[t](javascript:alert(1))</p>"),
        ("javascript://x.y", "<p>javascript://x.y</p>"),
        ("[t][r]\n\n[r]: https://x.y", "<p>[t][r]</p>\n<p>[r]: <a href=\"https://x.y\">https://x.y</a></p>"),
        ("[t](https://chat.example.org/#narrow/channel/9)", "<p><a href=\"#narrow/channel/9\">t</a></p>"),
        (
            "[t](https://chat.example.org/user_uploads/2/ab/text.txt)",
            "<p><a href=\"/user_uploads/2/ab/text.txt\">t</a></p>",
        ),
        ("[t](https://chat.example.org/help)", "<p><a href=\"https://chat.example.org/help\">t</a></p>"),
        ("**https://x.y**", "<p><strong>https://x.y</strong></p>"),
        ("[]()", "<p><a href=\"http://\">http://</a></p>"),
        ("[t](https://x.y \"title\")", "<p><a href=\"https://x.y\" title>t</a></p>"),
        ("ftp://x.org", "<p>ftp://x.org</p>"),
        ("<https://x.y>", "<p>&lt;<a href=\"https://x.y\">https://x.y</a>&gt;</p>"),
        ("`https://x.y`", "<p><code>https://x.y</code></p>"),
        ("https://x.y`a` `a`https://x.y", "<p>https://x.y<code>a</code> <code>a</code>https://x.y</p>"),
        ("[t](http://host:port/x)", "<p><a href=\"http://host:port/x\">t</a></p>"),
        ("a@x.org/y, notes.md", "<p>a@x.org/y, notes.md</p>"),
        ("\"http://x.org/y.js\"<b>", "<p>\"http://x.org/y.js\"&lt;b&gt;</p>"),
    ]);
    assert!(render_source("https://x.y").has_link);
    assert!(render_source("#**design**").has_link);
    assert!(!render_source("`https://x.y` @**Mel** #**nowhere**").has_link);
    let uploads = render_source("[t](/user_uploads/2/ab/a%20b.txt) /user_uploads/3/x.txt").uploads;
    assert_eq!(uploads.into_iter().collect::<Vec<_>>(), ["2/ab/a b.txt"]);
}

#[test]
fn emoji_are_rendered() {
    let smile =
        "<p><span aria-label=\"smile\" class=\"emoji emoji-1f604\" role=\"img\" title=\"smile\">:smile:</span></p>";
    assert_html(&[
        (":smile:", smile),
        ("😄", smile),
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
    let organization = Organization { translates_emoticons: true, ..Default::default() };
    assert_eq!(render(":D", &organization).unwrap_or_default().html, smile);
    assert_eq!(render("a:) :)b", &organization).unwrap_or_default().html, "<p>a:) :)b</p>");
}

#[test]
fn emoji_of_several_characters_are_rendered() {
    let span = |code: &str, name: &str| {
        let label = name.replace('_', " ");
        format!(
            "<span aria-label=\"{label}\" class=\"emoji emoji-{code}\" role=\"img\" title=\"{label}\">:{name}:</span>"
        )
    };
    let woman = span("1f937-200d-2640", "woman_shrugging");
    let germany = span("1f1e9-1f1ea", "flag_germany");
    assert_html(&[
        ("no idea 🤷\u{200d}♀\u{fe0f}!", &format!("<p>no idea {woman}!</p>")),
        (":woman_shrugging:", &format!("<p>{woman}</p>")),
        ("🇩🇪:flag_germany:", &format!("<p>{germany}{germany}</p>")),
        (":piñata:", &format!("<p>{}</p>", span("1fa85", "piñata"))),
        ("❤\u{fe0f}", &format!("<p>{}</p>", span("2764", "heart"))),
        // Sequences that are shown as text, have a skin tone or are unknown are not changed.
        ("❤ ↔ 1\u{20e3}", "<p>❤ ↔ 1\u{20e3}</p>"),
        ("👍🏽 🧑🏽\u{200d}🛴", "<p>👍🏽 🧑🏽\u{200d}🛴</p>"),
        ("🐦\u{200d}🍋 🍋\u{200d}🟪", "<p>🐦\u{200d}🍋 🍋\u{200d}🟪</p>"),
    ]);
}

#[test]
fn matches_of_linkifiers_are_linked() {
    assert_html(&[
        ("see #12.", "<p>see <a href=\"https://bugs.example.org/12\">#12</a>.</p>"),
        ("x#12 `#12` #12_", "<p>x#12 <code>#12</code> <a href=\"https://bugs.example.org/12\">#12</a>_</p>"),
        ("#12a", "<p><a href=\"https://other.example.org/12\">#12a</a></p>"),
        ("`a`#12", "<p><code>a</code>#12</p>"),
        ("[#12](https://x.y)", "<p><a href=\"https://x.y\">#12</a></p>"),
        ("**#12**", "<p><strong>#12</strong></p>"),
    ]);
}

#[test]
fn topics_have_links() {
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
