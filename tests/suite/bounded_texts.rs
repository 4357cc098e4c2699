//! Texts from which much can be made: what is made grows with the product of two of their sizes, and is bounded before it
//! is made.

use crate::support::{Program, Reply, TestServer, User};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What one request may take, in a build without optimization.
const SHORT: Duration = Duration::from_secs(15);

async fn within(request: impl Future<Output = Reply>) -> Reply {
    let begun = Instant::now();
    let reply = request.await;
    assert!(begun.elapsed() < SHORT, "took {:?}", begun.elapsed());
    reply
}

/// Letters, divided by blanks, in an order without a rule.
fn letters(count: usize, seed: u32) -> String {
    let mut state = seed;
    let letter = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (state >> 24) as u8 % 26)
    };
    (0..count).map(letter).flat_map(|letter| [letter, ' ']).collect::<String>().trim_end().to_owned()
}

/// A table with a head of so many columns, and rows of one cell.
fn table(columns: usize, rows: usize) -> String {
    let line = |cell: &str| vec![cell; columns].join("|");
    format!("{}\n{}\n{}", line("a"), line("-"), "b\n".repeat(rows)).trim_end().to_owned()
}

/// What is made, and a text of two sizes that makes it.
type Product = (&'static str, fn(usize, usize) -> String);

/// Texts of so many bytes, at most, whose sizes are as one to the other.
const PRODUCTS: [Product; 8] = [
    ("a table", table),
    ("nested fences", |depth, lines| "```quote\n".repeat(depth) + &"a\n".repeat(lines)),
    ("nested quotes", |depth, lines| ("> ".repeat(depth) + "a\n").repeat(lines)),
    ("nested lists", |depth, items| {
        (0..depth.min(100)).map(|it| "  ".repeat(it) + "- a\n").collect::<String>().repeat(items)
    }),
    ("open links", |links, brackets| "[a](".repeat(links) + &"(".repeat(brackets)),
    ("formulas", |sources, length| format!("$$x{}$$ ", "_1^2+x".repeat(length)).repeat(sources)),
    ("code", |blocks, lines| format!("```html\n{}```\n\n", "<a b='c'>d</a>\n".repeat(lines)).repeat(blocks)),
    ("matches in many texts", |words, lines| ("#12 ".repeat(words) + "\n\n").repeat(lines)),
];

/// Highest resident memory in MiB since it was asked for the last time.
#[cfg(target_os = "linux")]
fn peak(program: &Program) -> usize {
    let folder = format!("/proc/{}", program.child.id());
    let status = std::fs::read_to_string(format!("{folder}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it has memory");
    std::fs::write(format!("{folder}/clear_refs"), "5").expect("it is our process");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") / 1024
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn products_of_two_sizes_take_neither_much_time_nor_much_memory() {
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", "ulimit -v 2000000; exec \"$0\" --port 0 --clock frozen", env!("CARGO_BIN_EXE_chatdouble")]);
    let program = Program::start(shell.env_clear());
    let server = TestServer::start().await;
    let url = format!("http://127.0.0.1:{}", program.port);
    let mel = User::new(url, Some(server.user("mel").credentials().clone()));
    mel.post("/messages/render", json!({"content": "*a*"})).await.success();
    peak(&program);

    for (name, product) in PRODUCTS {
        // One of the sizes is about so many times the other.
        for (one, other) in [(30, 20_000), (1_000, 1_000), (20_000, 30)] {
            let mut text = product(one, other);
            text.truncate(20_000);
            let begun = Instant::now();
            let reply = mel.post("/messages/render", json!({"content": text})).await;
            let (took, peak) = (begun.elapsed(), peak(&program));
            assert!([200, 400].contains(&reply.status), "{name} {one} {other}: {}", reply.status);
            assert!(took < SHORT, "{name} {one} {other}: {took:?}");
            assert!(peak < 200, "{name} {one} {other}: {peak} MiB");
        }
    }
}

#[tokio::test]
async fn a_table_is_refused_before_its_cells_are_made() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let general = server.channel("general");
    let text = table(1_200, 1_730);
    let message = json!({"type": "stream", "to": general, "topic": "t", "content": text});
    let id = mel.send_to("general", "t", "before").await;

    for reply in [
        mel.post("/messages/render", json!({"content": table(5_000, 20_000)})).await,
        mel.post("/messages", message.clone()).await,
        mel.patch(&format!("/messages/{id}"), json!({"content": text})).await,
    ] {
        reply.error("BAD_REQUEST", "Unable to render message");
    }
    let message = mel.get(&format!("/messages/{id}"), json!({})).await.success();
    assert_eq!(message["raw_content"], "before");
    let reply = mel.post("/messages/render", json!({"content": table(20, 100)})).await.success();
    assert_eq!(reply["rendered"].as_str().expect("a text").matches("<td>").count(), 2_000);
}

#[tokio::test]
async fn a_description_that_would_become_much_more_is_shown_empty() {
    let server = TestServer::start().await;
    let olive = server.user("olive");
    // A channel's description is on one line; that of the organization is not.
    let description = table(90, 300);
    let mut events = olive.events(["realm"]).await;

    olive.patch("/realm", json!({"description": description})).await.success();

    let event = events.next().await.0;
    assert_eq!(event["data"]["description"], description);
    assert_eq!(event["data"]["rendered_description"], "");
}

#[tokio::test]
async fn a_pattern_of_many_repetitions_searches_no_long_text() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    for pattern in ["(?P<id>x.*y|x)", "(?P<id>[ab]*a[ab]{1000}c)"] {
        let linkifier = json!({"pattern": pattern, "url_template": "https://x.test/{id}"});
        olive.post("/realm/filters", linkifier).await.success();
    }
    let render = |content: String| within(mel.post("/messages/render", json!({ "content": content })));

    render("ab".repeat(50_000)).await.error("BAD_REQUEST", "Unable to render message");
    let html = render("x z y x".to_owned()).await.success()["rendered"].clone();
    let link = |text: &str, id: &str| format!("<a href=\"https://x.test/{id}\">{text}</a>");
    assert_eq!(html, format!("<p>{} {}</p>", link("x z y", "x%20z%20y"), link("x", "x")));
    let html = render("x ".repeat(1_000)).await.success()["rendered"].clone();
    assert_eq!(html.as_str().expect("a text").matches("<a href").count(), 1_000);
}

#[tokio::test]
async fn versions_that_have_little_in_common_are_not_compared_word_by_word() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = mel.send_to("general", "t", &letters(4_900, 0)).await;
    let other = letters(4_900, 1);
    for content in [other.as_str(), &other.replacen("a b", "a new b", 1)] {
        mel.patch(&format!("/messages/{id}"), json!({"content": content})).await.success();
    }

    let reply = within(mel.get(&format!("/messages/{id}/history"), json!({}))).await.success();

    let marks = |version: usize| -> usize {
        let difference = reply["message_history"][version]["content_html_diff"].as_str().expect("a text");
        ["inserted", "deleted"].map(|kind| difference.matches(&format!("highlight_text_{kind}")).count()).iter().sum()
    };
    assert_eq!(marks(1), 2, "all words count as changed");
    assert_eq!(marks(2), 1, "one word came");
}

#[tokio::test]
async fn a_history_that_is_too_long_for_a_reply_is_refused() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let id = mel.send_to("general", "t", "first").await;
    for edit in 0..7 {
        mel.patch(&format!("/messages/{id}"), json!({"content": table(290, 320 + edit)})).await.success();
    }

    let reply = mel.get(&format!("/messages/{id}/history"), json!({})).await;

    reply.error("BAD_REQUEST", "Unable to render message");
    mel.get(&format!("/messages/{id}"), json!({})).await.success();
}

#[tokio::test]
async fn a_search_whose_marks_fill_a_reply_says_how_many_messages_fit() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let mut ids = Vec::new();
    for _ in 0..60 {
        ids.push(mel.send_to("general", "t", &"zq ".repeat(3_333)).await);
    }
    let narrow = json!([{"operator": "search", "operand": "zq"}]);
    let newest = |count: usize| {
        mel.get("/messages", json!({"anchor": "newest", "num_before": count, "num_after": 0, "narrow": narrow}))
    };
    let matches = |ids: &[i64]| mel.get("/messages/matches_narrow", json!({"msg_ids": ids, "narrow": narrow}));
    let fitting = |refusal: Value| -> usize {
        let text = refusal["msg"].as_str().expect("a text").to_owned();
        let count = text
            .strip_prefix("Too many messages requested (maximum ")
            .and_then(|it| it.strip_suffix(").")?.parse().ok());
        count.unwrap_or_else(|| panic!("{text}"))
    };

    let refusal = newest(60).await;
    assert_eq!(refusal.status, 400);
    let count = fitting(refusal.body.clone());
    assert!((20..60).contains(&count), "{count}");
    let found = newest(count).await.success();
    let marked = found["messages"][0]["match_content"].as_str().expect("a text");
    assert_eq!(marked.matches("<span class=\"highlight\">zq</span>").count(), 3_333);
    let refusal = matches(&ids).await;
    assert_eq!(fitting(refusal.body.clone()), count);
    let again = [&ids[..count], &ids[..count]].concat();
    assert_eq!(matches(&again).await.success()["messages"].as_object().map(serde_json::Map::len), Some(count));
}
