//! The report that `chatdouble exec` writes.

use chatdouble::report::rules;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};

/// A client that sends a parameter that nobody knows, and registers a queue that it leaves behind.
const CLIENT: &str = r#"
ask() {
    host="${CHATDOUBLE_URL#http://}"
    exec 3<>"/dev/tcp/${host%:*}/${host##*:}"
    printf '%s /api/v1%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nUser-Agent: shell/1.0\r\nAuthorization: Basic bWVsQGNoYXQudGVzdDptZWxLZXkwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA==\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %s\r\n\r\n%s' "$1" "$2" "${#3}" "$3" >&3
    cat <&3 >/dev/null
}
ask GET '/users/me?colour=%3Cred%3E' ''
ask POST /register 'event_types=["message"]&fetch_event_types=[]'
"#;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()))
}

fn run(options: &[&str], script: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.arg("exec").args(options).args(["--", "bash", "-c", script]);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.output().expect("the program starts")
}

/// The report that a run of the client writes to a file of this name.
fn report(name: &str) -> String {
    let file = file(name);
    let output = run(&["--report", file.to_str().expect("text")], CLIENT);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stderr.is_empty() && output.stdout.is_empty(), "{output:?}");
    let text = std::fs::read_to_string(&file).expect("it was written");
    std::fs::remove_file(file).expect("it is there");
    text
}

#[test]
fn a_report_is_written_as_text() {
    let text = report("report.txt");

    assert!(text.starts_with("shell/1.0 (mel@chat.test), 2 requests\n"), "{text}");
    assert!(
        text.contains("  warning ignored-parameter: Sent a parameter that is ignored: colour of GET /users/me\n"),
        "{text}"
    );
    assert!(text.contains("    GET /users/me colour=<red> (journal 1)\n    Why: "), "{text}");
    assert!(text.contains("  note queue-left-behind: "), "{text}");
    assert!(text.ends_with("1 client: 0 errors, 1 warning, 1 note\n"), "{text}");
    let output = run(&["--report", "-"], CLIENT);
    assert_eq!(String::from_utf8_lossy(&output.stderr), text);
}

#[test]
fn a_report_is_written_as_json() {
    let report: Value = serde_json::from_str(&report("report.json")).expect("JSON");

    assert_eq!(report["complete"], true);
    let client = &report["clients"][0];
    assert_eq!(
        (&client["world"], &client["client"], &client["requests"]),
        (&json!("default"), &json!("shell/1.0"), &json!(2))
    );
    assert_eq!(client["findings"][0]["first"]["request"], "GET /users/me colour=<red>");
}

#[test]
fn a_report_that_cannot_be_written_ends_the_run_before_the_command() {
    let output = run(&["--report", "/no/such/folder/report.txt"], "echo ran");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("cannot write /no/such/folder/report.txt"), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
}

#[test]
fn a_report_is_written_as_junit() {
    let text = report("report.xml");

    let tests = rules::all().len();
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "), "{text}");
    assert!(text.contains(&format!("tests=\"{tests}\" failures=\"2\"")), "{text}");
    assert!(text.contains("<testcase name=\"dead-queue-polled\" classname=\"shell/1.0 (mel@chat.test)\"/>"), "{text}");
    assert!(text.contains("once by GET /users/me colour=&lt;red&gt; (journal 1)"), "{text}");
    assert_eq!(text.matches("<testcase ").count(), tests);
    assert_eq!(text.matches("<failure ").count(), text.matches("</failure>").count());
}

#[test]
fn junit_has_failures_for_what_fails_the_run_alone() {
    let written = |options: &[&str]| {
        let file = file("fail-on.xml");
        run(&[&["--report", file.to_str().expect("text")], options].concat(), CLIENT);
        std::fs::read_to_string(file).expect("written")
    };
    let tests = rules::all().len();

    for (severity, failures) in [("error", 0), ("warning", 1), ("note", 2)] {
        let text = written(&["--fail-on", severity]);
        assert!(text.contains(&format!("tests=\"{tests}\" failures=\"{failures}\"")), "{severity}: {text}");
        assert_eq!(text.matches("<system-out>").count(), 2 - failures, "{severity}: {text}");
    }
    let text = written(&[]);
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("<testcase name=\"")?.split('"').next());
    let rules: Vec<&str> = rules::all().iter().map(|rule| rule.name).collect();
    assert_eq!(names.collect::<Vec<_>>(), rules, "names are those of rules alone");
}

#[test]
fn a_report_is_written_as_sarif() {
    let report: Value = serde_json::from_str(&report("report.sarif")).expect("JSON");

    let schema: Value = serde_json::from_str(include_str!("sarif-schema.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let faults: Vec<String> = validator.iter_errors(&report).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    let run = &report["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(rules::all().len()));
    for result in run["results"].as_array().expect("a list") {
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "chatdouble-report.sarif");
        assert_eq!(place["region"]["startLine"], 1);
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
    assert_eq!(run["results"][0]["baselineState"], "new");
}

#[test]
fn findings_fail_the_run_unless_the_baseline_has_them() {
    let file = file("known.json");
    let baseline = file.to_str().expect("text");
    let status = |options: &[&str], script: &str| run(&[&["--report", "-"], options].concat(), script).status.code();

    assert_eq!(status(&["--fail-on", "error"], CLIENT), Some(0));
    assert_eq!(status(&["--fail-on", "warning"], CLIENT), Some(4));
    assert_eq!(status(&["--fail-on", "note"], CLIENT), Some(4));
    assert_eq!(status(&["--fail-on", "note"], &format!("{CLIENT}\nexit 7")), Some(7), "the command's own failure wins");
    assert_eq!(run(&["--report", baseline], CLIENT).status.code(), Some(0));
    let newer = CLIENT.replace("shell/1.0", "shell/1.1");
    assert_eq!(status(&["--fail-on", "note", "--report-baseline", baseline], &newer), Some(0));
    let more = format!("{newer}\nask GET '/users/me?size=1' ''");
    assert_eq!(status(&["--fail-on", "note", "--report-baseline", baseline], &more), Some(4));
    std::fs::remove_file(file).expect("it is there");
}

#[test]
fn a_report_that_would_replace_its_baseline_is_refused_before_the_command_runs() {
    let (baseline, link) = (file("same.json"), file("same-link.json"));
    let name = baseline.to_str().expect("text");
    assert_eq!(run(&["--report", name], CLIENT).status.code(), Some(0));
    let before = std::fs::read(&baseline).expect("written");
    std::os::unix::fs::symlink(&baseline, &link).expect("linked");

    for report in [name, link.to_str().expect("text")] {
        let output = run(&["--report", report, "--report-baseline", name], "echo ran");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{error}");
        assert!(error.starts_with("error: --report and --report-baseline are the same file, "), "{error}");
        assert!(
            error.ends_with("would take what is new in this one for known; give the report another name\n"),
            "{error}"
        );
    }
    assert_eq!(std::fs::read(&baseline).expect("there"), before);
    for file in [baseline, link] {
        std::fs::remove_file(file).expect("it is there");
    }
}

#[test]
fn mistakes_in_the_options_are_reported_before_the_command_runs() {
    let marker = file("ran");
    let touch = format!("touch {}", marker.display());
    for (options, status, words) in [
        (&["--report", "report.html"][..], 2, "'report.html' has no extension of a report format"),
        (&["--fail-on", "note"], 2, "--report"),
        (&["--report", "-", "--report-baseline", "/nowhere.json"], 1, "/nowhere.json: "),
    ] {
        let output = run(options, &touch);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{error}");
        assert!(error.starts_with("error: ") && error.contains(words), "{error}");
    }
    assert!(!marker.exists());
}

#[test]
fn rules_are_listed() {
    let list = |options: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_chatdouble")).arg("rules").args(options).output().expect("it starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let json: Value = serde_json::from_str(&list(&["--json"])).expect("JSON");
    let mut keys: Vec<&String> = json[0].as_object().expect("an object").keys().collect();
    keys.sort();

    assert_eq!(json.as_array().map(Vec::len), Some(rules::all().len()));
    assert_eq!(keys, ["example", "help", "name", "severity", "since", "until", "what", "why"]);
    assert!(list(&[]).contains("dead-queue-polled (error)\n"));
}

#[test]
fn the_line_of_a_run_that_fails_is_followed_by_the_first_findings() {
    let file = file("failing.sarif");
    let name = file.to_str().expect("text");
    let output = run(&["--report", name, "--fail-on", "note"], CLIENT);
    let said = String::from_utf8_lossy(&output.stderr);
    let expected = format!(
        "report: 2 findings make the run fail; see {name}\n  \
         warning ignored-parameter: shell/1.0 (mel@chat.test)\n  note queue-left-behind: shell/1.0 (mel@chat.test)\n"
    );
    assert_eq!((output.status.code(), said.as_ref()), (Some(4), expected.as_str()));
}
