//! `chatdouble scenario`: what it prints, how it ends, what it rewrites.

use crate::support::TestServer;
use chatdouble::{Options, Server};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The exit status, standard output and standard error of `chatdouble scenario run`.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    let output = command.args(["scenario", "run"]).args(arguments).env_clear().output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn file(name: &str, text: &str) -> (PathBuf, String) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    std::fs::write(&path, text).expect("written");
    let name = path.to_string_lossy().into_owned();
    (path, name)
}

const STORY: &str = "# Who\n\n```request\nmel: GET /users/me\n```\n```reply\n{\"role\": 400}\n```\n";

#[test]
fn a_line_for_each_scenario_and_the_counts() {
    let (_, good) = file("good.md", STORY);
    let (status, out, errors) = run(&[&good]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert_eq!(out, format!("played   {good}: Who\n1 played, 0 skipped, 0 differ\n"));

    let (_, bad) = file("bad.md", &STORY.replace("400", "100"));
    let (status, out, errors) = run(&[&bad, &good]);
    assert_eq!(status, Some(1));
    assert_eq!(out, format!("differs  {bad}: Who\nplayed   {good}: Who\n1 played, 0 skipped, 1 differ\n"));
    assert!(errors.starts_with(&format!("{bad}:7: the reply to GET /users/me differs\n")), "{errors}");
    assert!(errors.ends_with("\n-{\"role\": 100}\n+{\"role\": 400}\n ```\n"), "{errors}");
}

#[test]
fn the_clock_goes_to_fractions_of_a_second() {
    let jump = "```control\nclock 2026-02-01T00:00:00.25Z\n```\n";
    let look = "```control\nGET /clock\n```\n```reply\n{\"now\": 1769904000.25}\n```\n";
    let (_, story) = file("fraction.md", &format!("# Time\n\n{jump}{look}"));
    let (status, out, errors) = run(&[&story]);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{out}");
}

#[test]
fn of_a_folder_its_markdown_files_are_played() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-stories", std::process::id()));
    std::fs::create_dir_all(&folder).expect("made");
    let name = folder.to_string_lossy().into_owned();
    let (status, out, errors) = run(&[&name]);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(errors.contains(&format!("{name}: the folder has no *.md")), "{errors}");
    for (file, text) in [("b.md", STORY), ("a.md", STORY), ("notes.txt", "nothing")] {
        std::fs::write(folder.join(file), text).expect("written");
    }
    let (status, out, errors) = run(&[&name]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    let counts = "2 played, 0 skipped, 0 differ";
    assert_eq!(out, format!("played   {name}/a.md: Who\nplayed   {name}/b.md: Who\n{counts}\n"));
}

#[test]
fn misspelt_blocks_and_lines_are_reported_by_place() {
    let control = |lines: &str| format!("# Time\n\n```control\n{lines}\n```\n");
    for (name, text, reason) in [
        (
            "clok.md",
            control("clock +1h\nclok +1h"),
            ":5: 'clok +1h' is no line of a control block: clock, fault or METHOD PATH begins one; is 'clock' meant?\n",
        ),
        (
            "get.md",
            control("get /queues"),
            ":4: 'get /queues' is no line of a control block: clock, fault or METHOD PATH begins one; is 'GET' meant?\n",
        ),
        (
            "response.md",
            format!("{STORY}```response\n{{}}\n```\n"),
            ":9: there are no 'response' blocks; is 'reply' meant?\n",
        ),
        (
            "no-event.md",
            format!("{STORY}```no-event mel\n```\n"),
            ":9: there are no 'no-event' blocks; is 'no event' meant?\n",
        ),
        (
            "world.md",
            format!("# Who\n\nIn a world.\n\n```world\nfeature_level: old\n```\n{}", &STORY[7..]),
            ":5: no world can be made: ",
        ),
    ] {
        let (_, path) = file(name, &text);
        let (status, _, errors) = run(&[&path]);
        assert_eq!(status, Some(1), "{name}");
        assert!(errors.starts_with(&format!("{path}{reason}")), "{errors}");
    }
    let (_, well) =
        file("literals.md", &control("fault {\"effect\": {\"status\": 500},\n\"times\":\n1, \"enabled\":\ntrue\n}"));
    let (_, _, errors) = run(&[&well]);
    assert!(!errors.contains("is no line of a control block"), "{errors}");
}

#[test]
fn a_scenario_without_its_world_failed_and_does_not_differ() {
    let (_, lost) = file("lost.md", "# Who\n\n```world\nfixture: ours.json\n```\n");
    let (xml_path, xml) = file("lost.xml", "");
    let (status, out, errors) = run(&[&lost, "--junit", &xml]);
    assert_eq!(status, Some(1), "{out}");
    assert_eq!(out, format!("failed   {lost}: Who\n0 played, 0 skipped, 0 differ, 1 failed\n"));
    assert!(errors.starts_with(&format!("{lost}:3: ")) && errors.contains("ours.json"), "{errors}");
    let junit = std::fs::read_to_string(xml_path).expect("written");
    assert!(
        junit.contains("failures=\"0\" errors=\"1\" skipped=\"0\">") && junit.contains("<error message="),
        "{junit}"
    );

    let newest = "# Newest\n\n```world\nfeature_level: newest\n```\n```request\nmel: GET /users/me\n```\n";
    let (_, newest) = file("newest.md", newest);
    let (status, out, errors) = run(&[&newest]);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{out}");
}

#[test]
fn updating_makes_the_file_true() {
    let (path, wrong) = file("wrong.md", &STORY.replace("400", "100"));
    let (status, out, errors) = run(&["--update", &wrong]);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{out}");
    assert_eq!(out, format!("rewrote  {wrong}: Who\n0 played, 0 skipped, 0 differ, 1 rewritten\n"));
    assert_eq!(std::fs::read_to_string(path).expect("there"), STORY);

    let silent = "# Who\n\n```queue mel\n```\n```request\nmel: PATCH /settings\nenter_sends: true\n```\n";
    let (path, silent) =
        file("silent.md", &format!("{silent}```no event mel\n```\n```request\nmel: GET /nothing\n```\n"));
    let (status, out, errors) = run(&["--update", &silent]);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{out}");
    let mended = std::fs::read_to_string(path).expect("there");
    assert!(mended.contains("```event mel\n{\"type\": \"user_settings\", \"op\": \"update\", "), "{mended}");
    assert!(mended.contains("```no event mel\n```\n```request\nmel: GET /nothing\n```\n```reply 404\n{"), "{mended}");
    assert_eq!(run(&[&silent]).0, Some(0));

    let (_, unmended) = file("unmended.md", "# Who\n\n```queue mel\n```\n```event mel\n{}\n```\n");
    let (status, _, errors) = run(&["--update", &unmended]);
    assert_eq!(status, Some(1));
    assert!(errors.starts_with(&format!("{unmended}:5: no event came for mel")), "{errors}");
}

#[test]
fn updating_writes_no_temporary_address_and_says_what_it_takes_away() {
    let address = "# Icon\n\n```request\nanonymous: GET /server_settings\n```\n\
        ```reply\n{\"realm_icon\": \"here\"}\n```\n";
    let gone = STORY.replace("# Who", "# Gone").replace("\"role\": 400", "\"roll\": 400");
    let (path, name) = file("address.md", &format!("{STORY}\n{address}\n{gone}"));

    let (status, out, errors) = run(&["--update", &name]);

    assert_eq!(status, Some(0), "{out}{errors}");
    let written = std::fs::read_to_string(path).expect("there");
    assert!(written.contains("{{prefix}}/static/images/") && !written.contains("/w/"), "{written}");
    assert_eq!(errors, format!("{name}:25: takes away \"roll\": 400, which did not come\n"));
    let (_, alone) = file("alone.md", &written[written.find("# Icon").expect("there")..]);
    assert_eq!(run(&[&alone]).0, Some(0), "it passes elsewhere in a file too");
}

#[test]
fn updating_writes_nothing_that_changes_from_run_to_run() {
    let story = "# Journal\n\n```request\nmel: GET /users/me\n```\n```control\nGET /journal\n```\n\
        ```reply exact\n{\"result\": \"success\"}\n```\n\
        ```control\nclock +1h\n```\n```reply\n{\"waited_ms\": -1}\n```\n\
        ```control\nPOST /journal/verify {\"path\": \"/messages\"}\n```\n```reply 400 exact\n{}\n```\n";
    let (path, name) = file("volatile.md", story);

    let (status, out, errors) = run(&["--update", &name]);

    assert_eq!(status, Some(0), "{out}{errors}");
    let written = std::fs::read_to_string(path).expect("there");
    assert_eq!(written.matches(r#""duration_ms": "{{number}}""#).count(), 2, "{written}");
    assert!(written.contains(r#"{"waited_ms": "{{number}}"}"#), "{written}");
    for _ in 0..2 {
        assert_eq!(run(&[&name]).0, Some(0), "{written}");
    }

    let running = "# Running\n\n```world\nclock: real\n```\n```control\nGET /clock\n```\n```reply\n{\"now\": 0, \"running\": false}\n```\n";
    let (path, name) = file("running.md", running);
    assert_eq!(run(&["--update", &name]).0, Some(0));
    let written = std::fs::read_to_string(path).expect("there");
    assert!(written.contains(r#"{"now": "{{number}}", "running": true}"#), "{written}");
    assert_eq!(run(&[&name]).0, Some(0), "{written}");
}

#[test]
fn updating_makes_no_expectation_of_an_assertion_that_fails() {
    let story = |reply: &str| {
        format!(
            "# Sent\n\n```control\nPOST /journal/verify {{\"path\": \"/messages\", \"user\": \"mel\"}}\n```\n{reply}\n\
             ```request\nmel: GET /users/me\n```\n"
        )
    };
    for (name, reply) in [("bare.md", ""), ("counted.md", "```reply\n{\"count\": 1}\n```\n")] {
        let (path, name) = file(name, &story(reply));
        let left = "; --update leaves an assertion that fails as it is";
        for (arguments, left) in [(&["--update", name.as_str()][..], left), (&[&name], "")] {
            let (status, out, errors) = run(arguments);
            assert_eq!(status, Some(1), "{out}{errors}");
            let what = "POST /journal/verify {\"path\": \"/messages\", \"user\": \"mel\"}: \
                Expected at least 1 such request, found 0; mel@chat.test sent no request";
            assert_eq!(errors.lines().next(), Some(format!("{name}:3: {what}{left}").as_str()), "{errors}");
        }
        assert_eq!(std::fs::read_to_string(path).expect("there"), story(reply));
    }
}

#[test]
fn all_mistakes_of_a_file_are_reported_at_once() {
    let text = "# One\n\n```request\nmel GET /users/me\nno line\n```\n```reply\n{\"id\": \"{{id := int}}\", \"a\": \"{{x\"}\n```\n\
        ```request\nmel: GET /messages/{{id}}\n```\n```repply\n{}\n```\n\
        # Two\n\n```control\nclok +1h\nclock tomorow\n```\n```event mel\n{\"a\": \"{{Any}}\", \"b\": \"{{1..x}}\"}\n```\n";
    let (_, name) = file("many.md", text);

    let (status, out, errors) = run(&[&name]);

    assert_eq!((status, out.as_str()), (Some(1), ""));
    let places: Vec<&str> =
        errors.lines().filter_map(|line| line.strip_prefix(&format!("{name}:"))?.split(':').next()).collect();
    assert_eq!(places, ["4", "5", "8", "13", "19", "20", "23", "23"], "{errors}");
}

#[test]
fn unknown_names_are_reported_before_anything_is_played() {
    let text = "# Who\n\n```request\nmel: GET /nothing\n```\n```request\nmell: GET /users/me\n```\n\
        ```request\nmel: GET /users/{{maxx.user_id}}\n```\n```request\nmel: GET /users/me/{{channel genral}}/topics\n```\n";
    let (_, name) = file("names.md", text);
    let (status, _, errors) = run(&[&name]);
    assert_eq!(status, Some(1));
    let expected = format!(
        "{name}:7: there is no user 'mell'; the nearest is 'mel'\n\
         {name}:10: there is no user 'maxx'; the nearest is 'max'\n\
         {name}:13: there is no channel 'genral'; the nearest is 'general'\n"
    );
    assert_eq!(errors, expected);

    // Who is made by the scenario itself is there when they are asked for.
    let made = "# New\n\n```control\nPOST /invites/everlastinglinkkeyaaaaaa/accept {\"email\": \"ned@chat.test\", \
        \"full_name\": \"Ned\"}\n```\n```request\nned: GET /users/me\n```\n";
    let (_, made) = file("made.md", made);
    let (status, out, errors) = run(&[&made]);
    assert_eq!(status, Some(0), "{out}{errors}");
}

#[test]
fn mistakes_end_it_before_anything_is_played() {
    let (_, good) = file("fine.md", STORY);
    let (_, broken) = file("broken.md", "# Who\n\n```request\nmel GET /users/me\n```\n");
    let (status, out, errors) = run(&[&good, &broken, "/nowhere.md"]);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(errors.starts_with(&format!("{broken}:4: a request begins with 'WHO: METHOD PATH'")), "{errors}");
    assert!(errors.contains("\n/nowhere.md:1: can't be read: "), "{errors}");

    for arguments in [&[][..], &[&good, "--acounts", "x"], &[&good, "--accounts", "x"]] {
        assert_eq!(run(arguments).0, Some(2), "{arguments:?}");
    }
    for (name, text, problem) in [
        ("form", r#"{"mel": {"first": {"email": "mel@chat.test"}}}"#, "$.mel.first: there is no key `first`"),
        (
            "nobody",
            r#"{"robot": {"email": "mel@chat.test"}}"#,
            "no scenario uses these accounts; the users of the scenarios are mel\n",
        ),
        (
            "twice",
            r#"{"mel": {"email": "mel@chat.test"}, "member": {"email": "a@b.test"}}"#,
            "the account for mel is given twice",
        ),
    ] {
        let (_, accounts) = file(&format!("{name}-accounts.json"), text);
        let (status, _, errors) = run(&[&good, "--url", "http://127.0.0.1:1", "--accounts", &accounts]);
        assert_eq!(status, Some(1));
        assert!(errors.starts_with(&format!("error: {accounts}: ")) && errors.contains(problem), "{errors}");
    }
    let (status, out, errors) = run(&["--junit", "/nowhere/junit.xml", &good]);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(errors.starts_with("error: /nowhere/junit.xml can't be written: "), "{errors}");
    let (status, _, errors) = run(&[&good, "--url", "http://127.0.0.1:1"]);
    assert_eq!(status, Some(1));
    assert!(errors.starts_with("error: http://127.0.0.1:1 can't be reached: "), "{errors}");
    assert!(run(&[&good, "--url", "chat.test"]).2.starts_with("error: 'chat.test' is no base URL"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_server_plays_in_worlds_of_its_own() {
    let options = Options { control_token: Some("sesame".into()), feature_level: 300, ..Options::default() };
    let server = Server::start_with(options).await.expect("a free port");
    let (_, story) = file("elsewhere.md", STORY);
    let url = server.url().to_owned();
    let arguments = [story, "--url".into(), format!("{url}/w/any"), "--control-token".into(), "sesame".into()];

    let ended = tokio::task::spawn_blocking(move || run(&arguments.each_ref().map(String::as_str))).await;

    let (status, out, errors) = ended.expect("it ends");
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{out}");
    assert_eq!(server.worlds().all().len(), 1, "the world is gone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breaking_off_leaves_no_world_behind() {
    let server = Server::start().await.expect("a free port");
    let slow = r#"fault {"match": {"path": "/users/me"}, "effect": {"delay_ms": 8000}}"#;
    let (_, story) = file("slow.md", &STORY.replace("# Who\n", &format!("# Who\n\n```control\n{slow}\n```\n")));
    let mut playing = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    let mut playing = playing
        .args(["scenario", "run", &story, "--url", server.url()])
        .env_clear()
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let asked = async {
        loop {
            let worlds = server.worlds().all();
            if worlds.iter().any(|world| world.faults().lock().all().iter().any(|rule| rule.fire_count > 0)) {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), asked).await.expect("the request arrives");

    let stopped = Command::new("kill").args(["-INT", &playing.id().to_string()]).status().expect("kill is there");

    assert!(stopped.success());
    let ended = tokio::task::spawn_blocking(move || playing.wait()).await.expect("it ends");
    assert_eq!(ended.expect("a status").code(), Some(130));
    assert_eq!(server.worlds().all().len(), 1, "the world is gone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_skipped_is_no_success_where_nothing_was_played_or_none_may_be() {
    let server = Server::start().await.expect("it starts");
    let key = "melKey00000000000000000000000000";
    let (_, accounts) =
        file("skip-accounts.json", &format!(r#"{{"mel": {{"email": "mel@chat.test", "api_key": "{key}"}}}}"#));
    let (_, steered) = file("steered.md", "# Steered\n\n```control\nclock +1h\n```\n");
    let (_, played) = file("played.md", STORY);
    // A world's own port has no control.
    let url = server.listen_for("default").await.expect("a port");
    let run_there = |more: &[&str]| run(&[&["--url", url.as_str(), "--accounts", accounts.as_str()], more].concat());

    let (status, out, errors) = run_there(&[&steered]);
    assert_eq!(
        (status, errors.as_str()),
        (Some(1), "error: nothing was played: the only scenario was skipped\n"),
        "{out}"
    );
    assert_eq!(run_there(&[&steered, &played]).0, Some(0));
    let (status, _, errors) = run_there(&["--fail-on-skip", &steered, &played]);
    assert_eq!(
        (status, errors.as_str()),
        (Some(1), "error: 1 scenario was skipped, which --fail-on-skip does not allow\n")
    );
    assert_eq!(run_there(&["--fail-on-skip", &played]).0, Some(0));
}

#[test]
fn results_are_written_as_junit() {
    let (_, good) = file("junit-good.md", STORY);
    let (_, bad) = file("junit-bad.md", &STORY.replace("400", "100").replace("# Who", "# Who & what"));
    let (results, name) = file("junit.xml", "");

    let (status, _, errors) = run(&["--junit", &name, &good, &bad]);

    assert_eq!(status, Some(1), "{errors}");
    let text = std::fs::read_to_string(results).expect("written");
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "), "{text}");
    assert!(text.contains("tests=\"2\" failures=\"1\" errors=\"0\">"), "{text}");
    assert!(text.contains(&format!("<testcase name=\"Who\" classname=\"{good}\"/>")), "{text}");
    assert!(text.contains(&format!("<testcase name=\"Who &amp; what\" classname=\"{bad}\">")), "{text}");
    let message = format!("<failure message=\"{bad}:7: the reply to GET /users/me differs\">");
    assert!(text.contains(&message) && text.contains("+{&quot;role&quot;: 400}"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_accounts_the_organization_of_a_double_is_played_as_it_is() {
    let server = Server::start().await.expect("it starts");
    let key = server.user_of("default", "mel").api_key;
    let (_, accounts) =
        file("own-accounts.json", &format!(r#"{{"mel": {{"email": "mel@chat.test", "api_key": "{key}"}}}}"#));
    let (_, accounts_by_role) = file("own-roles.json", r#"{"member": {"email": "mel@chat.test"}}"#);
    let text = "# Own\n\n```request\nmel: POST /messages\ntype: channel\nto: general\ntopic: own\ncontent: here to stay\n```\n```reply 200\n```\n";
    let (_, scenario) = file("own.md", text);

    for accounts in [&accounts, &accounts_by_role] {
        let (status, out, errors) = run(&[&scenario, "--url", server.url(), "--accounts", accounts]);
        assert_eq!(status, Some(0), "{out}{errors}");
    }

    let (_, misspelt) = file(
        "own-misspelt.json",
        r#"{"member": {"email": "mel@chat.test"}, "other_membr": {"email": "max@chat.test"}}"#,
    );
    let (status, _, errors) = run(&[&scenario, "--url", server.url(), "--accounts", &misspelt]);
    let warning = "$.other_membr: no scenario uses this account; did you mean `other_member`?\n";
    assert_eq!((status, errors), (Some(0), format!("warning: {misspelt}: {warning}")));

    let (_, unknown) = file("own-unknown.json", r#"{"member": {"email": "nobody@chat.test"}}"#);
    let (status, _, errors) = run(&[&scenario, "--url", server.url(), "--accounts", &unknown]);
    assert!(status == Some(1) && errors.contains("has no account nobody@chat.test"), "{errors}");
    let realm = server.world("default").snapshot();
    let newest = realm.messages.values().next_back().expect("a message");
    assert_eq!(newest.body.content, "here to stay");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worlds_on_another_server_have_its_level_and_dialect() {
    let server = TestServer::start_with(|options| {
        options.feature_level = 247;
        options.dialect = chatdouble::Dialect::zulip();
    })
    .await;
    let url = server.url();
    let settings = "```request\nmel: GET /server_settings\n```\n```reply\n{\"zulip_feature_level\": LEVEL}\n```\n";
    let at = |level: &str| settings.replace("LEVEL", level);
    let (_, own) = file("own-level.md", &format!("# Own\n\n{}", at("247")));
    let (_, set) = file("set-level.md", &format!("# Set\n\n```world\nfeature_level: 387\n```\n{}", at("387")));
    let (_, newest) =
        file("newest-level.md", &format!("# Newest\n\n```world\nfeature_level: newest\n```\n{}", at("\"{{248..}}\"")));
    let (_, later) = file("later.md", &format!("# Later\n\n```world\nfrom_level: 300\n```\n{}", at("300")));
    let snippets = "# Snippets\n\n```request\nmel: GET /saved_snippets\n```\n```reply 200\n```\n";
    let (_, absent) = file("absent.md", snippets);

    let (status, out, errors) = run(&["--url", &url, &own, &set, &newest, &later]);
    assert_eq!(status, Some(0), "{out}{errors}");
    let note = ": Set (at level 387, as its world block says; the server is at 247)\n";
    assert!(out.contains(": Own\n") && out.contains(note), "{out}");
    assert!(out.contains(": Newest (at level ") && out.contains("; the server is at 247)\n"), "{out}");
    assert!(out.contains(": Later: holds from feature level 300 on; this server has 247\n"), "{out}");
    assert_eq!(run(&["--url", &url, &absent]).0, Some(1));

    // The world in the path, if there is one.
    let world = r#"{"name": "later", "feature_level": 387}"#;
    server.request("POST", "/control/worlds", &[("host", "localhost")], world).await.success();
    assert_eq!(run(&["--url", &format!("{url}/w/later"), &absent]).0, Some(0));
    assert_eq!(run(&["--url", &format!("{url}/w/nowhere"), &own]).0, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_unique_word_is_another_one_in_each_run_of_the_same_second() {
    let server = Server::start().await.expect("it starts");
    let key = server.user_of("default", "mel").api_key;
    let (_, accounts) =
        file("unique-accounts.json", &format!(r#"{{"mel": {{"email": "mel@chat.test", "api_key": "{key}"}}}}"#));
    let text =
        "# Own\n\n```request\nmel: POST /users/me/alert_words\nalert_words: [\"{{unique}}\"]\n```\n```reply 200\n```\n";
    let (_, scenario) = file("unique.md", &format!("{text}\n{}", text.replace("# Own", "# Own again")));

    for _ in 0..3 {
        let (status, out, errors) = run(&[&scenario, "--url", server.url(), "--accounts", &accounts]);
        assert_eq!(status, Some(0), "{out}{errors}");
    }

    // Two words are mel's in the fixture.
    let words = ["\"{{string}}\""; 2 + 6].join(", ");
    let text = format!(
        "# All\n\n```request\nmel: GET /users/me/alert_words\n```\n```reply\n{{\"alert_words\": [{words}]}}\n```\n"
    );
    let (_, list) = file("unique-list.md", &text);
    let (status, out, errors) = run(&[&list, "--url", server.url(), "--accounts", &accounts]);
    assert_eq!(status, Some(0), "{out}{errors}");
}

#[test]
fn a_queue_that_a_jump_of_the_clock_ended_is_named_with_the_remedy() {
    let jump = "# Tomorrow\n\n```queue mel\nevent_types: [\"message\"]\n```\n```control\nclock +1d\n```\n```event mel\n{}\n```\n";
    let (_, name) = file("jump.md", jump);
    let (status, _, errors) = run(&[&name]);
    assert_eq!(status, Some(1));
    let remedy = "; it expired, unless the scenario ended it: a jump of the clock lasts longer than the queue's \
                  idle_queue_timeout (10 minutes by default); give the queue block a line `idle_queue_timeout: 604800`";
    assert!(errors.contains("the queue of mel can't be read: 400 ") && errors.contains(remedy), "{errors}");

    let ended = jump.replace("clock +1d", "DELETE /queues/{{mel.queue_id}}");
    let (_, name) = file("ended.md", &ended);
    let (_, _, errors) = run(&[&name]);
    assert!(errors.contains("BAD_EVENT_QUEUE_ID") && !errors.contains("it expired"), "{errors}");
}
