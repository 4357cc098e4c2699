//! Property tests for arbitrary input: no panics, no unsafe HTML, and limited time and cost.

use super::*;
use proptest::prelude::*;
use std::sync::LazyLock;
use std::time::Instant;

/// Pieces of markup that are combined at random.
const PARTS: [&str; 62] = [
    "*",
    "**",
    "***",
    "~~",
    "`",
    "``",
    "```",
    "````quote\n",
    "```spoiler x\n",
    "```math\n",
    "~~~",
    "\n",
    "\n\n",
    " ",
    "  ",
    "    ",
    "> ",
    "- ",
    "* ",
    "1. ",
    "7. ",
    "# ",
    "---",
    "|",
    "|-|-|\n",
    "a|b\n",
    "@**Zoe**",
    "@_**",
    "@*group*",
    "@**",
    "#**design>bugs**",
    "#**",
    "<time:1>",
    "<time:",
    ">",
    "<script>",
    "</p>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "[a](javascript:alert(1))",
    "[",
    "](",
    ")",
    "(",
    "![x](/user_uploads/2/ab/xyz/image.png)",
    "https://x.y/",
    "example.com",
    "a@example.com",
    "\"",
    "'",
    "&amp;",
    "&",
    "<",
    "$$",
    "\\",
    ":smile:",
    "🙂",
    "#12",
    "\u{fdd0}",
    "\u{fdef}",
    "\0",
    "onload=\"x\"",
];

fn source() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        6 => prop::sample::select(PARTS.as_slice()).prop_map(str::to_owned),
        1 => r"\PC{0,6}",
        2 => "[a-z]{1,5}",
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

/// Words, some of which look like markup or addresses.
fn plain_source() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-zA-Z]{1,6}",
        2 => "[a-zA-Z0-9.,!?' -]{1,6}",
        1 => r"\PC{1,3}",
        1 => prop::sample::select(["1.", "-", "--", "8-", "...", "example.com", "x.", "o", "O", "ⓜ", "東京。", "سلام", "नेहा", "·", "Ⅷ"].as_slice())
            .prop_map(str::to_owned),
    ];
    let word_and_divider =
        (word, prop::sample::select([" ", " ", " ", " ", "\n", "\n\n", "\n\n\n", "\n \n"].as_slice()));
    prop::collection::vec(word_and_divider, 1..8).prop_map(|words| {
        let text: String = words.iter().flat_map(|(word, divider)| [word.as_str(), divider]).collect();
        text.trim().to_owned()
    })
}

/// Shared by all cases, because compiling its linkifiers takes longer than rendering a message.
static ORGANIZATION: LazyLock<Organization> =
    LazyLock::new(|| Organization { translates_emoticons: true, ..Default::default() });

/// Renders without the fast path for plain texts.
fn render_without_fast_path(source: &str, names: &dyn Names) -> Result<RenderedMessage, TooLarge> {
    render_markup(source, names, Budget::new(max_cost_of_text(source.len())))
}

/// The tags in HTML, without `<` and `>`.
fn tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).map(|following| following.split('>').next().unwrap_or_default()).collect()
}

proptest! {
    #[test]
    fn html_is_safe(source in source()) {
        let html = render(&source, &*ORGANIZATION).map(|rendered| rendered.html).unwrap_or_default();
        for tag in tags(&html) {
            prop_assert!(!tag.starts_with("script"), "{tag}");
            for address in ["href=\"", "src=\""].into_iter().filter_map(|name| Some(tag.split_once(name)?.1)) {
                prop_assert!(!address.to_lowercase().starts_with("javascript"), "{tag}");
            }
            for attribute in tag.split("\" ") {
                let name = attribute.rsplit(' ').next().unwrap_or_default();
                prop_assert!(!name.starts_with("on") || !name.contains("=\""), "{tag}");
            }
        }
    }

    #[test]
    fn tags_are_balanced(source in source()) {
        // As on the service, a paragraph can end within a spoiler in a quote.
        prop_assume!(!(source.contains("spoiler") && source.contains("quote")));
        let html = render(&source, &*ORGANIZATION).map(|rendered| rendered.html).unwrap_or_default();
        let mut open_tags = Vec::new();
        for tag in tags(&html) {
            let name = tag.split(' ').next().unwrap_or_default();
            match name.strip_prefix('/') {
                Some(name) => prop_assert_eq!(open_tags.pop(), Some(name), "{}", html),
                None if ["br", "hr", "img"].contains(&name) => {}
                None => open_tags.push(name),
            }
        }
        prop_assert!(open_tags.is_empty(), "{html}");
    }

    #[test]
    fn plain_texts_are_rendered_as_without_the_fast_path(source in plain_source()) {
        prop_assert_eq!(render(&source, &*ORGANIZATION), render_without_fast_path(&source, &*ORGANIZATION));
    }

    #[test]
    fn topics_and_descriptions_never_panic(source in source()) {
        topic_links(&source, &*ORGANIZATION);
        render_without_previews(&source, &*ORGANIZATION, &Budget::for_request());
    }
}

#[test]
fn plain_texts_are_linkified_by_patterns_with_anchors() {
    let source = LinkifierSource {
        pattern: "^ticket(?P<id>[0-9]+)$".to_owned(),
        url_template: "https://bugs.example.org/{id}".to_owned(),
        ..Default::default()
    };
    let linkifier = Linkifier::compile(source).expect("it is valid");
    let organization = Organization { linkifiers: vec![Arc::new(linkifier)], ..Default::default() };
    for text in ["ticket12", "Look\n\nticket12", "Look\nticket12", "ticket12\n\nLook", "no ticket12"] {
        let rendered = render(text, &organization);
        assert_eq!(rendered, render_without_fast_path(text, &organization), "{text}");
    }
    assert!(render("Look\n\nticket12", &organization).is_ok_and(|rendered| rendered.html.contains("<a href=")));
}

#[test]
fn time_is_not_quadratic_in_the_size() {
    for part in PARTS.into_iter().chain([
        "**a ",
        "*a ",
        "[a](",
        "![a](x ",
        "`a``",
        "> - ",
        "((",
        "a,",
        "~~a",
        "<time:1",
        "@**a",
        "$$a",
        ":a",
        "&a",
        "[a](b) ",
        "---\n",
        "# a\n",
        "> a\n\n",
        "* a\n",
        "|a|\n",
        "$$a$$ ",
        "http://a/(,",
    ]) {
        let source = part.repeat(40_000 / part.len());
        let start = Instant::now();
        // Quadratic time would take minutes.
        let _ = render(&source, &*ORGANIZATION);
        assert!(start.elapsed().as_secs() < 8, "{part:?} took {:?}", start.elapsed());
    }
}

#[test]
fn deep_nesting_is_limited() {
    let lists: String = (0..300).map(|depth| format!("{}- a\n", "  ".repeat(depth))).collect();
    let quotes = "> ".repeat(1000) + "a";
    let fences: String = (0..100).map(|depth| format!("{}quote\n", "`".repeat(200 - depth))).collect();
    for source in [lists, quotes, fences] {
        assert!(render(&source, &*ORGANIZATION).is_ok());
    }
}

#[test]
fn too_much_output_is_refused() {
    assert_eq!(render(&"🙂".repeat(20_000), &*ORGANIZATION), Err(TooLarge));
    assert!(render(&"a".repeat(900_000), &*ORGANIZATION).is_ok());
}

/// Texts with two sizes, whose output can grow with the product of both.
const PRODUCTS: [fn(usize, usize) -> String; 14] = [
    |columns, rows| format!("|{}\n|{}\n{}", "a|".repeat(columns), "-|".repeat(columns), "|b|\n".repeat(rows)),
    |columns, rows| {
        let line = |cell: &str| vec![cell; columns.max(2)].join("|");
        format!("{}\n{}\n{}", line("a"), line(":-:"), "b\n".repeat(rows))
    },
    |depth, lines| format!("{}{}", "```quote\n".repeat(depth), "a\n".repeat(lines)),
    |depth, lines| {
        (1..=depth.min(200)).rev().map(|level| "~".repeat(level + 3) + "quote\n").collect::<String>()
            + &"a\n".repeat(lines)
    },
    |depth, lines| ("> ".repeat(depth) + "a\n").repeat(lines),
    |depth, items| (0..depth.min(100)).map(|level| "  ".repeat(level) + "- a\n").collect::<String>().repeat(items),
    |depth, lines| "```spoiler a\n".repeat(depth) + &"a\n\n".repeat(lines),
    |brackets, words| "[a](".repeat(brackets) + &"(a ".repeat(words),
    |stars, words| "*a ".repeat(stars) + &"a* ".repeat(words),
    |dollars, words| "$$a ".repeat(dollars) + &"$$b$$ ".repeat(words),
    |sources, length| format!("$${}$$ ", "x_1^2+".repeat(length.min(300))).repeat(sources),
    |blocks, length| format!("```py\n{}\n```\n\n", "f('a')\n".repeat(length)).repeat(blocks),
    |numbers, words| "#12 ".repeat(numbers) + &"#12x ".repeat(words),
    |mentions, links| "@**Zoe** ".repeat(mentions) + &"#**design>bugs** https://x.y/a.png ".repeat(links),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn products_of_two_sizes_do_not_exceed_the_budget(
        product in prop::sample::select(PRODUCTS.as_slice()),
        sizes in prop::sample::select([(3, 3_000), (40, 1_000), (300, 300), (1_000, 40), (3_000, 3)].as_slice()),
        factor in 1..10_usize,
    ) {
        let mut source = product(sizes.0 * factor, sizes.1 * factor);
        source.truncate(100_000);
        let limit = max_cost_of_text(source.len());
        let budget = Rc::new(Budget::new(limit));
        let mut context = Context::new(&source, &*ORGANIZATION, true, budget.clone());
        let start = Instant::now();
        let html = render_document(&mut context, &source);
        prop_assert!(start.elapsed().as_secs() < 60, "took {:?}", start.elapsed());
        if let Ok(html) = html {
            prop_assert_eq!(budget.check(), Ok(()));
            prop_assert!(html.chars().count() <= MAX_CHARACTERS);
            prop_assert!(budget.used().nodes <= limit.nodes && budget.used().steps <= limit.steps);
        }
    }
}

#[test]
fn nodes_and_output_are_counted() {
    let measure = |source: &str| {
        let budget = Rc::new(Budget::new(Cost::UNLIMITED));
        let mut context = Context::new(source, &*ORGANIZATION, true, budget.clone());
        let html_length = render_document(&mut context, source).map_or(0, |html| html.chars().count());
        (budget.used(), html_length)
    };
    for (source, nodes, output) in [
        ("a *b*\nc", 3, "<p><em></em><br></p>".len()),
        (
            "|a|b|\n|-|-|\n|c|",
            9,
            "<table><thead><tr><th></th><th></th></tr></thead><tbody><tr><td></td><td></td></tr></tbody></table>".len(),
        ),
        ("```\na\n```", 1, "<p><div class=\"codehilite\"><pre><span></span><code>a\n</code></pre></div></p>".len()),
        ("> a", 2, "<blockquote><p></p></blockquote>".len()),
    ] {
        let (cost, html_length) = measure(source);
        assert_eq!((cost.nodes, cost.output), (nodes, output), "{source}");
        assert!(html_length + 8 >= output, "{source}");
    }
}
