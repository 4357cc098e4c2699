//! Tests of mentions and links to channels (reference behaviour, section 23).

use super::*;

#[test]
fn mentions_of_users_are_rendered() {
    let zoe = "<p><span class=\"user-mention\" data-user-id=\"31\">@Zoe</span></p>";
    assert_html(&[
        ("@**Zoe**", zoe),
        ("@**zoe**", zoe),
        ("@**Zoe|31**", zoe),
        ("@**|31**", zoe),
        ("@**Zoe|32**", "<p>@<strong>Zoe|32</strong></p>"),
        ("@**Nobody**", "<p>@<strong>Nobody</strong></p>"),
        ("@_**Zoe**", "<p><span class=\"user-mention silent\" data-user-id=\"31\">Zoe</span></p>"),
        ("@**Gone**", "<p><span class=\"user-mention silent\" data-user-id=\"33\">Gone</span></p>"),
        (
            "**to @**Zoe** now**",
            "<p><strong>to <span class=\"user-mention\" data-user-id=\"31\">@Zoe</span> now</strong></p>",
        ),
        ("x@**Zoe**", "<p>x@<strong>Zoe</strong></p>"),
        ("(@**Zoe**)", "<p>(<span class=\"user-mention\" data-user-id=\"31\">@Zoe</span>)</p>"),
        (
            "@**A <b> & \"c\"**",
            "<p><span class=\"user-mention\" data-user-id=\"34\">@A &lt;b&gt; &amp; \"c\"</span></p>",
        ),
        (
            "> @**Zoe**",
            "<blockquote>\n<p><span class=\"user-mention silent\" data-user-id=\"31\">Zoe</span></p>\n</blockquote>",
        ),
    ]);
}

#[test]
fn mentions_of_groups_and_wildcards_are_rendered() {
    assert_html(&[
        ("@**all**", "<p><span class=\"user-mention channel-wildcard-mention\" data-user-id=\"*\">@all</span></p>"),
        (
            "@_**stream**",
            "<p><span class=\"user-mention channel-wildcard-mention silent\" data-user-id=\"*\">stream</span></p>",
        ),
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
fn only_mentions_that_notify_are_reported() {
    let mentions =
        render_source("@**Zoe** @_**King Hamlet** @**Gone** @*group* @*old* @**everyone** @**topic**").mentions;
    let expected = Mentions { users: [31].into(), groups: [17].into(), channel_wildcard: true, topic_wildcard: true };
    assert_eq!(mentions, expected);
    for silent_text in [
        "> @**Zoe** @**all** @**topic** @*group*",
        "`@**Zoe**`",
        "```quote\n@**Zoe**\n```",
        "```\n@**all**\n```",
        "x@**Zoe**",
    ] {
        assert_eq!(render_source(silent_text).mentions, Mentions::default(), "{silent_text}");
    }
}

#[test]
fn links_to_channels_topics_and_messages_are_rendered() {
    assert_html(&[
        (
            "#**design**",
            "<p><a class=\"stream\" data-stream-id=\"9\" href=\"/#narrow/channel/9-design\">#design</a></p>",
        ),
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
