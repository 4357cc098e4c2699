//! The scenarios under `scenarios/` pass, and mistakes and differences in a file are reported by line.

use crate::support::TestServer;
use chatdouble::scenario::{Accounts, Document, Mode, Outcome, Stage, apply_edits, play};
use chatdouble::{Options, Server};
use serde_json::json;
use std::path::Path;

async fn stage(server: &Server) -> Stage {
    Stage::open(server.url(), None, Accounts::new()).await.expect("it has control")
}

fn parsed(story: &str) -> Document {
    Document::parse("story.md", story).unwrap_or_else(|mistakes| panic!("{}", mistakes[0]))
}

/// What a story's only scenario comes to, and its text as it would be rewritten.
async fn played(story: &str, mode: Mode) -> (String, String) {
    let server = TestServer::start().await;
    let (stage, document) = (stage(server.server()).await, parsed(story));
    match play(&stage, &document, &document.scenarios[0], mode).await {
        Outcome::Passed => ("played".to_owned(), story.to_owned()),
        Outcome::Skipped(reason) => (format!("skipped: {reason}"), story.to_owned()),
        Outcome::Failed(difference) => (difference.describe(&document), story.to_owned()),
        Outcome::Differs(differences) => {
            let shown: Vec<String> = differences.iter().map(|difference| difference.describe(&document)).collect();
            let edits: Vec<_> = differences.into_iter().flat_map(|difference| difference.edits).collect();
            (shown.join("\n"), apply_edits(&document.text, &edits))
        }
    }
}

fn mistakes(story: &str) -> Vec<String> {
    Document::parse("story.md", story).err().into_iter().flatten().map(|mistake| mistake.to_string()).collect()
}

#[tokio::test]
async fn every_story_is_true() {
    let server = Server::start().await.expect("a free port");
    let stage = stage(&server).await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let (mut count, mut faults) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).expect("stories are there") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|end| end != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        let document =
            Document::parse(&path.to_string_lossy(), &text).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
        for scenario in &document.scenarios {
            count += 1;
            match play(&stage, &document, scenario, Mode::Check).await {
                Outcome::Passed => {}
                Outcome::Skipped(reason) => faults.push(format!("{}: {}: {reason}", document.path, scenario.name)),
                Outcome::Failed(difference) => faults.push(difference.describe(&document)),
                Outcome::Differs(differences) => {
                    faults.extend(differences.iter().map(|difference| difference.describe(&document)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(count >= 40, "{count} scenarios");
    assert_eq!(server.worlds().all().len(), 1, "their worlds are gone");
}

const WRONG: &str = r#"# A wrong story

```request
mel: GET /users/me
```
```reply
{
  "full_name": "Mel Marsh",
  "user_id": "{{own := 1..}}",
  "role": 100,
  "nickname": "Mel"
}
```

Later it goes on.

```request
mel: GET /users/{{own}}
```
```reply 404
{"user": {"user_id": "{{own}}", "is_active": false}}
```
"#;

#[tokio::test]
async fn the_first_difference_is_shown_with_its_line() {
    let (shown, _) = played(WRONG, Mode::Check).await;
    let expected = r#"story.md:10: the reply to GET /users/me differs
--- story.md (expected)
+++ story.md (played)
@@ -7,8 +7,7 @@
 {
   "full_name": "Mel Marsh",
   "user_id": "{{own := 1..}}",
-  "role": 100,
-  "nickname": "Mel"
+  "role": 400
 }
 ```
 "#;
    assert_eq!(shown, expected.trim_end());
}

#[tokio::test]
async fn updating_rewrites_what_differs_and_leaves_the_rest() {
    let (_, after) = played(WRONG, Mode::Update).await;
    let right = WRONG
        .replace("100,\n  \"nickname\": \"Mel\"", "400")
        .replace("reply 404", "reply 200")
        .replace("false", "true");
    assert_eq!(after, right);
    assert_eq!(played(&after, Mode::Check).await.0, "played");
}

#[tokio::test]
async fn what_happens_besides_the_scenario_is_reported() {
    let queue = "# A\n\n```queue mel\nevent_types: [\"message\"]\n```\n";
    let send = "```request\nmax: POST /messages\ntype: direct\nto: [{{mel.user_id}}]\ncontent: Hi\n```\n";
    for (story, expected) in [
        (format!("{queue}```event mel\n{{}}\n```\n"), "story.md:6: no event came for mel"),
        (
            format!(
                "# A\n\n```world\nfeature_level: 247\n```\n```queue mel\nevent_types: [\"message\"]\n```\n```control\nPOST /faults {{\"match\":{{\"method\":\"POST\",\"path\":\"/messages\"}},\"times\":1,\"effect\":{{\"drop\":\"after\"}}}}\n```\n{}```reply none\n```\n```event mel\n{{}}\n```\n",
                send.replace("direct", "channel")
            ),
            "story.md:20: no event came for mel; POST /messages, whose reply was lost, was refused: BAD_REQUEST Invalid type \
             (The value channel of type was added at feature level 248; this world is at 247.)",
        ),
        (format!("{queue}{send}```no event mel\n```\n"), "story.md:12: no event must have come for mel, but did: "),
        (format!("{queue}{send}```reply none\n```\n"), "story.md:6: POST /messages must have no reply, but got 200 "),
        ("# A\n\n```request\nzoe: GET /users/me\n```\n".into(), "story.md:4: there is no user 'zoe'; the nearest is '"),
        ("# A\n\n```request\nmel: GET /nothing\n```\n".into(), "story.md:3: GET /nothing must succeed, but got 404 "),
        ("# A\n\n```world\nfixture: nothing\n```\n".into(), "story.md:3: no world can be made: "),
        ("# A\n\n```control\nclock -1d\n```\n".into(), "story.md:3: clock -1d must succeed, but got 400 "),
        (
            "# A\n\n```request\nanonymous: GET /users/me\n```\n```reply 401\nheader WWW-Authenticate: Digest\n```\n"
                .into(),
            "story.md:3: the header WWW-Authenticate of the reply to GET /users/me is 'Basic",
        ),
    ] {
        let (shown, _) = played(&story, Mode::Check).await;
        assert!(shown.starts_with(expected), "{story}\n{shown}");
    }
}

#[test]
fn mistakes_are_named_by_line_and_reason() {
    for (story, expected) in [
        ("# A\n\nNothing.\n", "story.md:1: there is no scenario"),
        ("```request\nmel: GET /users/me\n```\n", "story.md:1: a scenario needs a heading"),
        ("# A\n\n```request\nmel GET /users/me\n```\n", "story.md:4: a request begins with 'WHO: METHOD PATH'"),
        ("# A\n\n```request\nmel: GET users/me\n```\n", "story.md:4: a request begins with"),
        ("# A\n\n```request\nmel: GET /users/me\nname\n```\n", "story.md:5: 'name' is no line of a request"),
        ("# A\n\n```request\nmel: GET /x/{{y}}\n```\n", "story.md:4: 'y' has no value yet"),
        (
            "# A\n\n```request\nmel: GET /x/{{uniqe}}\n```\n",
            "story.md:4: 'uniqe' has no value yet: {{uniqe := int}} in an earlier reply would give it one; did you mean \
             {{unique}}?",
        ),
        ("# A\n\n```request\nmel: GET /x\na: {{int}}\n```\n", "story.md:5: a request is made of values"),
        ("# A\n\n```request\nmel: GET /x\n```\n```reply\n{\n  \"a\": 1\n  \"b\": 2}\n```\n", "story.md:8: no JSON: "),
        (
            "# A\n\n```request\nmel: GET /x\n```\n```reply\n{\n  \"id\": {{id := int}}}\n```\n",
            "story.md:8: no JSON: {{id := int}} must be in quotes: \"{{id := int}}\"",
        ),
        (
            "# A\n\n```request\nmel: GET /x\n```\n```reply\n{\n\"a\": \"{{itn}}\"}\n```\n",
            "story.md:8: 'itn' has no value",
        ),
        (
            "# A\n\n```request\nmel: GET /x\n```\n```reply\n{\n\"a\": \"{{1..b}}\"}\n```\n",
            "story.md:8: '1..b' is no range",
        ),
        ("# A\n\n```request\nmel: GET /x\n```\n```reply 4000\n```\n", "story.md:6: '4000' says nothing of a reply"),
        ("# A\n\n```reply\n```\n", "story.md:3: a reply follows a request"),
        ("# A\n\n```requets\n```\n", "story.md:3: there are no 'requets' blocks; is 'request' meant?"),
        ("# A\n\n```event mel\n{}\n```\n", "story.md:3: 'mel' has no queue yet"),
        ("# A\n\n```control\nclock tomorrow\n```\n", "story.md:4: 'tomorrow' is no time"),
        ("# A\n\n```world\nlevel: 3\n```\n", "story.md:4: a world has lines 'NAME: VALUE'"),
        ("# A\n\n```world\nfrom_level: new\n```\n", "story.md:4: from_level is a feature level"),
        ("# A\n\n```request\nmel: GET /x\n```\n```world\nseed: 1\n```\n", "story.md:6: a world block must be above"),
        ("# A\n\n- item\n\n  ```request\n  mel: GET /x\n  ```\n", "story.md:5: blocks that are played must be outside"),
        ("# A\n\n> ```request\n> mel: GET /x\n> ```\n", "story.md:3: blocks that are played must be outside"),
        ("# A\n\n```request\nmel: GET /x\n", "story.md:3: this block is not closed"),
        ("# A\n\n```request\nmel: GET /x\n\n\n", "story.md:3: this block is not closed"),
        ("# A\n\n```request", "story.md:3: this block is not closed"),
        ("# A\n\n````request\nmel: GET /x\n```\n", "story.md:3: this block is not closed"),
    ] {
        let found = mistakes(story);
        assert!(found.first().is_some_and(|first| first.starts_with(expected)), "{story}\n{found:#?}");
    }
    let both = mistakes("# A\n\n```event mel\n{}\n```\n\n```request\nmel: GET /{{x}}\n```\n");
    assert_eq!(both.len(), 2, "{both:#?}");
}

#[test]
fn headings_are_named_by_their_words_and_blocks_by_their_lines() {
    let story = "A title\n=======\n\n## Say `hi` &amp; *wave*\n### Deeper\n\n   ~~~ request\nmel: GET /x\n\n   ~~~\n\n> ## Quoted\n\n\
        ```text\n## Not here\n```\n\n## Or [not](/x)\n\n```request\nmel: GET /x\n```\n";
    let document = parsed(story);
    let scenarios: Vec<_> = document.scenarios.iter().map(|scenario| (scenario.name.as_str(), scenario.line)).collect();
    assert_eq!(scenarios, [("Say hi & wave", 4), ("Or not", 18)]);
}

#[tokio::test]
async fn blocks_under_the_title_are_played_before_each_scenario() {
    let story = "# A\n\n```request\nmel: POST /messages\ntype: direct\nto: [{{mel.user_id}}]\ncontent: Buy milk\n```\n```reply\n{\"id\": \"{{id := int}}\"}\n```\n\n\
        ## B\n\n```request\nmel: POST /messages/{{id}}/reactions\nemoji_name: tada\n```\n\n\
        ## C\n\n```request\nmel: POST /messages/{{id}}/reactions\nemoji_name: tada\n```\n";
    let server = TestServer::start().await;
    let (stage, document) = (stage(server.server()).await, parsed(story));
    let names: Vec<&str> = document.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!(names, ["B", "C"]);
    for scenario in &document.scenarios {
        let outcome = play(&stage, &document, scenario, Mode::Check).await;
        assert!(matches!(outcome, Outcome::Passed), "{outcome:?}");
    }
}

#[tokio::test]
async fn messages_that_are_gone_keep_their_names() {
    let request = |method: &str, path: &str, lines: &str| format!("```request\nolive: {method} {path}\n{lines}```\n");
    // A name that is not known yet lets the names be read again.
    let read_again = |name: &str| {
        request("POST", "/users/me/subscriptions", &format!("subscriptions: [{{\"name\": \"{name}\"}}]\n"))
            + &request("GET", &format!("/streams/{{{{channel {name}}}}}"), "")
    };
    let story = [
        "# A\n\n".to_owned(),
        request("POST", "/messages", "type: direct\nto: [{{olive.user_id}}]\ncontent: Bread\n"),
        request("PATCH", "/messages/{{message Bread}}", "content: Soup\n"),
        read_again("one"),
        request("DELETE", "/messages/{{message Bread}}", ""),
        read_again("two"),
        request("PATCH", "/messages/{{message Bread}}", "content: Salt\n"),
        "```reply 400\n{\"msg\": \"Invalid message(s)\"}\n```\n".to_owned(),
        request("DELETE", "/messages/{{message Soup}}", ""),
        "```reply 400\n{\"msg\": \"Invalid message(s)\"}\n```\n".to_owned(),
    ];
    assert_eq!(played(&story.concat(), Mode::Check).await.0, "played");
}

/// `REACTION_ALREADY_EXISTS` came with level 193.
fn reacting_twice(from_level: i64) -> String {
    let react = "```request\nmel: POST /messages/{{message Pizza}}/reactions\nemoji_name: tada\n```\n";
    let reply = "```reply 400\n{\"code\": \"REACTION_ALREADY_EXISTS\"}\n```\n";
    format!("# A\n\n```world\nfrom_level: {from_level}\n```\n{react}{react}{reply}")
}

#[tokio::test]
async fn a_story_is_played_at_the_first_level_at_which_it_says_that_it_holds_too() {
    assert_eq!(played(&reacting_twice(193), Mode::Check).await.0, "played");

    let (diff, _) = played(&reacting_twice(192), Mode::Check).await;
    let expected = "at feature level 192, from which it should hold: the reply to POST /messages/";
    assert!(diff.contains(expected) && diff.contains("+{\"code\": \"BAD_REQUEST\"}"), "{diff}");

    let (_, rewritten) = played(&reacting_twice(192), Mode::Update).await;
    assert_eq!(rewritten, reacting_twice(192), "what the newest level answers is left as it is");
}

#[tokio::test]
async fn a_story_is_skipped_where_the_server_is_older() {
    let old = Options { feature_level: 247, ..Options::default() };
    let server = Server::start_with(old).await.expect("a free port");
    let own_port = server.listen_for("default").await.expect("a free port");
    let mel = server.user("mel");
    let accounts = json!({"mel": {"email": mel.email, "api_key": mel.api_key}});
    let accounts = serde_json::from_value(accounts).expect("well-formed");
    let stage = Stage::open(&own_port, None, accounts).await.expect("it answers");
    let story = |level: i64| {
        parsed(&format!("# A\n\n```world\nfrom_level: {level}\n```\n```request\nmel: GET /users/me\n```\n"))
    };

    let (younger, older) = (story(248), story(247));

    let skipped = play(&stage, &younger, &younger.scenarios[0], Mode::Check).await;
    let reason = "holds from feature level 248 on; this server has 247";
    assert!(matches!(&skipped, Outcome::Skipped(given) if given == reason), "{skipped:?}");
    let outcome = play(&stage, &older, &older.scenarios[0], Mode::Check).await;
    assert!(matches!(outcome, Outcome::Passed), "{outcome:?}");
}

#[tokio::test]
async fn without_control_stories_are_played_in_the_realm_that_is_there_or_skipped() {
    let control = Options { has_default_world: true, control_token: Some("sesame".into()), ..Options::default() };
    let server = Server::start_with(control).await.expect("a free port");
    let refused = Stage::open(server.url(), None, Accounts::new()).await.err().expect("it asks for a token");
    assert!(refused.contains("--control-token"), "{refused}");
    assert!(Stage::open(server.url(), Some("sesame".into()), Accounts::new()).await.expect("right").has_control());

    let own_port = server.listen_for("default").await.expect("a free port");
    let account = |handle: &str| json!({"email": server.user(handle).email, "api_key": server.user(handle).api_key});
    let accounts = json!({"mel": account("mel"), "max": account("max")});
    let accounts = serde_json::from_value(accounts).expect("well-formed");
    let stage = Stage::open(&own_port, None, accounts).await.expect("it answers");
    assert!(!stage.has_control());

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/anywhere.md");
    let document = parsed(&std::fs::read_to_string(path).expect("readable"));
    for _ in 0..2 {
        for scenario in &document.scenarios {
            let outcome = play(&stage, &document, scenario, Mode::Check).await;
            assert!(matches!(outcome, Outcome::Passed), "{}: {outcome:?}", scenario.name);
        }
    }
    for (story, reason) in [
        ("# A\n\n```control\nclock +1d\n```\n", "needs control of the world, which this server does not give"),
        (
            "# A\n\n```world\nseed: 1\n```\n",
            "needs a world made for it, which this server does not give; without its `world` block, it is played in the organization there",
        ),
        ("# A\n\n```request\nolive: GET /users/me\n```\n", "there is no user 'olive' among --accounts"),
        (
            "# A\n\n```request\nmell: GET /users/me\n```\n",
            "there is no user 'mell' among --accounts; did you mean 'mel'?",
        ),
        ("# A\n\n```request\nmel: GET /users/me/{{channel x}}/topics\n```\n", "there is no channel 'x' here"),
    ] {
        let document = parsed(story);
        let outcome = play(&stage, &document, &document.scenarios[0], Mode::Check).await;
        assert!(matches!(&outcome, Outcome::Skipped(given) if given == reason), "{story} {outcome:?}");
    }
}

#[tokio::test]
async fn the_stories_of_the_reference_are_true() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scenarios.md")).expect("there");
    let stories: Vec<&str> =
        text.split("````markdown\n").skip(1).filter_map(|rest| rest.split("````\n").next()).collect();
    assert_eq!(stories.len(), text.matches("````").count() / 2);
    let server = TestServer::start().await;
    let stage = stage(server.server()).await;
    for story in &stories {
        let document = parsed(story);
        for scenario in &document.scenarios {
            let outcome = play(&stage, &document, scenario, Mode::Check).await;
            if let Outcome::Differs(differences) = &outcome {
                panic!("{}", differences[0].describe(&document));
            }
        }
    }
    assert!(stories.len() >= 5);
}
