//! Tests of blocks (reference behaviour, section 23).

use super::*;

#[test]
fn paragraphs_are_rendered() {
    assert_html(&[
        ("", ""),
        ("  \n\n", ""),
        ("test", "<p>test</p>"),
        ("a\nb", "<p>a<br>\nb</p>"),
        ("a\r\nb  \nc", "<p>a<br>\nb  <br>\nc</p>"),
        ("  a\n  b \n    c", "<p>a<br>\n  b <br>\n    c</p>"),
        ("a\n\nb", "<p>a</p>\n<p>b</p>"),
        ("it's \"q\" & < >", "<p>it's \"q\" &amp; &lt; &gt;</p>"),
    ]);
}

#[test]
fn headings_and_rules_are_rendered() {
    assert_html(&[
        ("# h", "<h1>h</h1>"),
        ("###### *h*", "<h6><em>h</em></h6>"),
        ("####### h", "<p>####### h</p>"),
        ("#h", "<p>#h</p>"),
        ("#", "<p>#</p>"),
        ("# ", "<h1></h1>"),
        ("# a ##\nb", "<h1>a</h1>\n<p>b</p>"),
        ("___", "<hr>"),
        ("---", "<hr>"),
        ("a\n---\nb", "<p>a</p>\n<hr>\n<p>b</p>"),
        ("a\n===", "<p>a<br>\n===</p>"),
    ]);
}

#[test]
fn lists_are_rendered() {
    assert_html(&[
        ("* a", "<ul>\n<li>a</li>\n</ul>"),
        ("- a\n  - b", "<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>"),
        ("* a\n- b\n+ c", "<ul>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ul>"),
        ("* a\n\n* b", "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"),
        ("x\n* a", "<p>x</p>\n<ul>\n<li>a</li>\n</ul>"),
        ("1. a\n1. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"),
        ("3. a\n9. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>"),
        ("x\n3. a", "<p>x</p>\n<ol start=\"3\">\n<li>a</li>\n</ol>"),
        ("1. a\n  - b\n2. c", "<ol>\n<li>\n<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n</li>\n<li>\n<p>c</p>\n</li>\n</ol>"),
        ("* a\n    * b", "<ul>\n<li>a<br>\n    * b</li>\n</ul>"),
        ("  * a", "<p>* a</p>"),
        ("1) a", "<p>1) a</p>"),
        ("* **a** b\n  c", "<ul>\n<li><strong>a</strong> b<br>\n  c</li>\n</ul>"),
        ("* a \n  * b \n    c\nd", "<ul>\n<li>a <ul>\n<li>b <br>\n  c<br>\nd</li>\n</ul>\n</li>\n</ul>"),
        ("* a\n  * b\n\n    c\n    d", "<ul>\n<li>a<ul>\n<li>\n<p>b</p>\n<p>c<br>\nd</p>\n</li>\n</ul>\n</li>\n</ul>"),
        (
            "1. a\n  2. b\n    4. c\n    4. d\n  2. e\n2. f",
            "<ol>\n<li>a<ol start=\"2\">\n<li>b<ol start=\"4\">\n<li>c</li>\n<li>d</li>\n</ol>\n</li>\n<li>e</li>\n</ol>\n</li>\n\
             <li>f</li>\n</ol>",
        ),
        ("*a", "<p>*a</p>"),
    ]);
}

#[test]
fn list_markers_require_a_space() {
    for marker in ["*", "-", "+", "1."] {
        assert_html(&[
            (marker, &format!("<p>{marker}</p>")),
            (&format!("a\n{marker}\nb"), &format!("<p>a<br>\n{marker}<br>\nb</p>")),
        ]);
    }
    assert_html(&[("* ", "<ul>\n<li></li>\n</ul>"), ("a\n\n2. \nb", "<p>a</p>\n<ol start=\"2\">\n<li>b</li>\n</ol>")]);
    assert_html(&[("- -", "<ul>\n<li>-</li>\n</ul>"), ("> *", "<blockquote>\n<p>*</p>\n</blockquote>")]);
}

#[test]
fn quotes_are_rendered() {
    assert_html(&[
        ("> q", "<blockquote>\n<p>q</p>\n</blockquote>"),
        ("> a\n\n> b", "<blockquote>\n<p>a</p>\n</blockquote>\n<blockquote>\n<p>b</p>\n</blockquote>"),
        ("> a\n>\n> b", "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>"),
        (">", "<p>&gt;</p>"),
        (">>>", "<blockquote>\n<blockquote>\n<p>&gt;</p>\n</blockquote>\n</blockquote>"),
        ("a\n>\n>", "<p>a<br>\n&gt;<br>\n&gt;</p>"),
        (">\n>\na\nb", "<blockquote>\n<p>a<br>\nb</p>\n</blockquote>"),
        ("a > b", "<p>a &gt; b</p>"),
        ("```quote\nq\n```", "<blockquote>\n<p>q</p>\n</blockquote>"),
        ("~~~ quote\n* a\n~~~\nb", "<blockquote>\n<ul>\n<li>a</li>\n</ul>\n</blockquote>\n<p>b</p>"),
        (
            "```quote\n```python\nx\n```\n```",
            "<blockquote>\n<p><div class=\"codehilite\" data-code-language=\"Python\"><pre><span></span><code><span class=\"n\">x</span>\n</code></pre></div><br>\n</p>\n</blockquote>",
        ),
    ]);
}

#[test]
fn tables_are_rendered() {
    assert_html(&[
        (
            "a|b\n-|-\n*c*|d",
            "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><em>c</em></td>\n<td>d</td>\n</tr>\n</tbody>\n</table>",
        ),
        (
            "| a | b |\n|:-:|--:|\n| x \\| y | `z|` |",
            "<table>\n<thead>\n<tr>\n<th style=\"text-align: center;\">a</th>\n<th style=\"text-align: right;\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n\
             <td style=\"text-align: center;\">x \\| y</td>\n<td style=\"text-align: right;\"><code>z|</code></td>\n</tr>\n</tbody>\n</table>",
        ),
    ]);
}

#[test]
fn code_blocks_are_rendered() {
    assert_html(&[
        ("```\ntext\n```", "<div class=\"codehilite\"><pre><span></span><code>text\n</code></pre></div>"),
        (
            "    * a_b\n      <c>",
            "<div class=\"codehilite\"><pre><span></span><code>* a_b\n  &lt;c&gt;\n</code></pre></div>",
        ),
        (
            "```py\ndef f(): pass\n```",
            "<div class=\"codehilite\" data-code-language=\"Python\"><pre><span></span><code><span class=\"k\">def</span><span class=\"w\"> </span><span class=\"nf\">f</span><span class=\"p\">():</span> <span class=\"k\">pass</span>\n</code></pre></div>",
        ),
        (
            "```Klin\"gon\n**x**\n```",
            "<div class=\"codehilite\" data-code-language=\"klin\"><pre><span></span><code>**x**\n</code></pre></div>",
        ),
        ("> ```rust\n> a * b\n> ```", "<blockquote>\n<p><code>rust\na * b\n</code></p>\n</blockquote>"),
    ]);
    assert_html(&[
        (
            "```\nsay 'a' \"b\"\n```",
            "<div class=\"codehilite\"><pre><span></span><code>say &#39;a&#39; &quot;b&quot;\n</code></pre></div>",
        ),
        (
            "```sh\nsay 'a' \"b\"\n```",
            "<div class=\"codehilite\" data-code-language=\"Bash\"><pre><span></span><code>say<span class=\"w\"> </span><span class=\"s1\">'a'</span><span class=\"w\"> </span><span class=\"s2\">\"b\"</span>\n</code></pre></div>",
        ),
        (
            "~~~\n \n\n  a\t\n\nb  \n\n~~~",
            "<div class=\"codehilite\"><pre><span></span><code>  a\n\nb\n</code></pre></div>",
        ),
        (
            "```tex\n\\bad\n```",
            "<div class=\"codehilite\" data-code-language=\"TeX\"><pre><span></span><code><span class=\"k\">\\bad</span>\n</code></pre></div>",
        ),
        ("```\n````\n```\na", "<div class=\"codehilite\"><pre><span></span><code>````\n</code></pre></div>\n<p>a</p>"),
    ]);
    let organization = Organization { default_language: "rust", ..Default::default() };
    let html = |source| render(source, &organization).unwrap_or_default().html;
    assert!(html("```\nx\n```").starts_with("<div class=\"codehilite\" data-code-language=\"Rust\">"));
    assert!(html("```text\nx\n```").starts_with("<div class=\"codehilite\" data-code-language=\"Text only\"><pre>"));
}

#[test]
fn spoilers_are_rendered() {
    assert_html(&[
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
fn status_messages_are_recognized() {
    let status = render_source("/me waves");
    assert!(status.is_me_message);
    assert_eq!(status.html, "<p>/me waves</p>");
    assert!(!render_source("/me").is_me_message);
    assert!(!render_source("so /me waves").is_me_message);
}

#[test]
fn descriptions_have_no_previews() {
    let organization = Organization::default();
    let html = render_without_previews(
        "a /user_uploads/x\n\n[i](/user_uploads/2/ab/xyz/image.png)",
        &organization,
        &Budget::for_request(),
    );
    assert_eq!(html, "<p>a /user_uploads/x</p>\n<p><a href=\"/user_uploads/2/ab/xyz/image.png\">i</a></p>");
}
