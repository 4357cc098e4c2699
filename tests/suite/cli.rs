//! The command line: what it prints, when it is ready, how it ends, what it says of faults.

use crate::support::Program;
use base64::Engine;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

pub fn chatdouble(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(arguments).env_clear();
    command
}

fn run(arguments: &[&str]) -> Output {
    chatdouble(arguments).output().expect("the program starts")
}

fn temporary(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    std::fs::write(&folder, text).expect("written");
    folder
}

/// Asserts one line beginning `error:` and the exit status; gives the line.
fn fault(output: &Output, status: i32) -> String {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{errors}");
    assert!(output.stdout.is_empty());
    assert!(errors.starts_with("error: ") && errors.trim_end().lines().count() == 1, "{errors:?}");
    errors.trim_end().to_owned()
}

#[test]
fn it_is_ready_on_both_loopback_families_when_it_says_so() {
    let program = Program::start(&mut chatdouble(&["serve", "--port", "0"]));

    assert!(program.ready.contains(&format!("listening on http://127.0.0.1:{}", program.port)), "{}", program.ready);
    assert!(program.get("127.0.0.1", "/api/v1/server_settings").starts_with("HTTP/1.1 200"));
    if std::net::TcpListener::bind("[::1]:0").is_ok() {
        assert!(program.get("[::1]", "/api/v1/server_settings").starts_with("HTTP/1.1 200"));
    }
}

#[test]
fn the_port_file_is_complete_before_the_ready_line() {
    let file = temporary("port", "");
    let program = Program::start(&mut chatdouble(&["--port", "0", "--port-file", file.to_str().expect("text")]));

    assert_eq!(std::fs::read_to_string(&file).expect("readable").trim(), program.port.to_string());
}

#[test]
fn signals_end_it_within_a_second_with_parked_polls_open() {
    for name in ["-INT", "-TERM"] {
        let mut program = Program::start(&mut chatdouble(&["serve", "--port", "0", "--clock", "frozen"]));
        let authorization = "Authorization: Basic bWVsQGNoYXQudGVzdDptZWxLZXkwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA==";
        let connect = || TcpStream::connect(("127.0.0.1", program.port)).expect("connected");
        let mut stream = connect();
        write!(stream, "POST /api/v1/register HTTP/1.1\r\nHost: x\r\n{authorization}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 20\r\n\r\nfetch_event_types=[]").expect("sent");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
        let queue =
            reply.split("\"queue_id\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a queue").to_owned();
        let mut parked = connect();
        write!(
            parked,
            "GET /api/v1/events?queue_id={queue}&last_event_id=-1 HTTP/1.1\r\nHost: x\r\n{authorization}\r\n\r\n"
        )
        .expect("sent");
        std::thread::sleep(Duration::from_millis(100));

        let (status, took) = program.signal(name);

        assert_eq!(status, Some(0), "{name}");
        assert!(took < Duration::from_secs(1), "{name} took {took:?}");
    }
}

#[test]
fn a_signal_ends_it_while_all_threads_are_busy() {
    let mut program = Program::start(&mut chatdouble(&["serve", "--port", "0", "--fixture", "default"]));
    let body = format!("content={}", "*a* _b_ `c` > ".repeat(70_000));
    let reply = program.post("/api/v1/dev_fetch_api_key", None, "username=max%40chat.test");
    let key = reply.split("\"api_key\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a key");
    let credentials = base64::engine::general_purpose::STANDARD.encode(format!("max@chat.test:{key}"));
    let requests: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", program.port)).expect("connected");
            program.begin_post(&mut stream, "/api/v1/messages/render", Some(&credentials), &body);
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    assert!(program.get("127.0.0.1", "/control/health").contains("success"));

    let (status, took) = program.signal("-TERM");

    assert_eq!(status, Some(0));
    assert!(took < Duration::from_secs(2), "took {took:?}");
    drop(requests);
}

#[test]
fn a_port_in_use_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("bound").port().to_string();

    let line = fault(&run(&["serve", "--port", &port, "--log", "off"]), 1);

    assert!(line.contains(&port) && line.contains("in use") && line.contains("--port"), "{line}");
}

#[test]
fn a_bad_fixture_is_reported_with_file_path_and_reason() {
    let file = temporary("bad.json", r#"{"organization": {"name": "x"}, "usres": []}"#);
    let file = file.to_str().expect("text");

    let line = fault(&run(&["serve", "--port", "0", "--fixture", file]), 1);
    assert!(line.starts_with(&format!("error: {file}: $.")), "{line}");
    assert!(line.ends_with(&format!(" (and 1 more error); see chatdouble fixture check {file}")), "{line}");
    assert_eq!(fault(&run(&["exec", "--fixture", file, "--", "true"]), 1), line);
    let line = fault(&run(&["serve", "--fixture", "/no/such/file"]), 1);
    assert!(line.contains("/no/such/file: is neither a built-in fixture"), "{line}");
    // A name that is no file either is a wrong command line or variable.
    let line = fault(&run(&["serve", "--fixture", "casst"]), 2);
    assert!(line.ends_with("; did you mean 'cast'?"), "{line}");
}

#[test]
fn what_is_said_wrongly_ends_with_status_2() {
    for (arguments, part) in [
        (vec!["serve", "--port", "x"], "--port"),
        (vec!["serve", "--feature-level", "-1"], "--feature-level"),
        (vec!["serve", "--clock", "noon"], "takes real, frozen, or an instant"),
        (vec!["serve", "--dialect", "zulp"], "zulp: is neither a built-in dialect"),
        (vec!["openapi", "--dialect", "zulp"], "did you mean zulip?"),
        (vec!["serve", "--no-such-option"], "--no-such-option"),
        (vec!["dance"], "dance"),
        (vec!["fixture", "check"], "<FILE>"),
        (vec!["serve", "--host", "0.0.0.0"], "--control-token"),
        (vec!["serve", "--host", "0.0.0.0", "--control-token", ""], "--control-token"),
        (vec!["serve", "--log", "loud"], "--log"),
        (vec!["serve", "--control-token", "two words"], "takes printable ASCII characters without blanks"),
        (vec!["serve", "--control-token", "tökén"], "takes printable ASCII characters without blanks"),
    ] {
        let line = fault(&run(&arguments), 2);
        assert!(line.contains(part), "{arguments:?}: {line}");
    }
    let output = chatdouble(&["serve"]).env("CHATDOUBLE_PORT", "x").output().expect("it starts");
    fault(&output, 2);
    let output = chatdouble(&["serve"]).env("CHATDOUBLE_NO_ROOT_WORLD", "perhaps").output().expect("it starts");
    fault(&output, 2);
}

#[test]
fn options_come_from_the_environment_and_the_command_line_wins() {
    let mut command = chatdouble(&["serve", "--fixture", "empty"]);
    command.envs([
        ("CHATDOUBLE_PORT", "0"),
        ("CHATDOUBLE_FIXTURE", "default"),
        ("CHATDOUBLE_NO_ROOT_WORLD", "0"),
        ("CHATDOUBLE_FEATURE_LEVEL", "420"),
    ]);
    let program = Program::start(&mut command);

    let reply = program.get("127.0.0.1", "/api/v1/server_settings");

    assert!(reply.contains("\"service_feature_level\":420"), "{reply}");
    assert!(reply.contains("\"realm_web_public_access_enabled\":false"), "the empty realm has no channels: {reply}");
    let mut command = chatdouble(&[]);
    command.envs([("CHATDOUBLE_PORT", "0"), ("CHATDOUBLE_NO_ROOT_WORLD", "1")]);
    let program = Program::start(&mut command);
    assert!(program.get("127.0.0.1", "/api/v1/users").contains("NONEXISTENT_SUBDOMAIN"));
}

#[test]
fn a_fixture_is_checked_silently_or_all_its_mistakes_are_reported() {
    let good = temporary("good.json", chatdouble::fixture::built_in("default").expect("built in"));
    let bad = temporary("worse.json", r#"{"organization": {"name": 5}, "users": [{"handle": "a"}], "nothing": 1}"#);
    let (good, bad) = (good.to_str().expect("text"), bad.to_str().expect("text"));

    let output = run(&["fixture", "check", good]);
    assert!(output.status.success() && output.stderr.is_empty() && output.stdout.is_empty());
    let output = run(&["fixture", "check", good, bad]);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        errors.lines().count() >= 2 && errors.lines().all(|line| line.starts_with(&format!("{bad}: $"))),
        "{errors}"
    );
}

#[test]
fn a_duplicate_key_in_a_fixture_is_reported_with_its_place() {
    let twice =
        temporary("twice.json", r#"{"users": [{"handle": "ann", "role": "owner", "role": "guest"}], "users": []}"#);
    let twice = twice.to_str().expect("text");

    let output = run(&["fixture", "check", twice]);

    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let reason = "this key is here twice";
    assert_eq!(errors, format!("{twice}: $.users[0].role: {reason}\n{twice}: $.users: {reason}\n"));
    let line = fault(&run(&["--port", "0", "--fixture", twice]), 1);
    assert!(line.contains(&format!("{twice}: $.users[0].role: {reason}")), "{line}");
}

#[test]
fn a_large_fixture_is_generated_the_same_for_the_same_seed_and_can_be_served() {
    let generated = |name: &str, seed: &str| {
        let file = temporary(name, "");
        let path = file.to_str().expect("text");
        let sizes = ["--users", "30", "--channels", "6", "--messages", "200"];
        let output = run(&[&["fixture", "generate"], &sizes[..], &["--seed", seed, "-o", path]].concat());
        assert!(output.status.success() && output.stderr.is_empty() && output.stdout.is_empty(), "{output:?}");
        (std::fs::read_to_string(&file).expect("it is written"), file)
    };
    let ((first, file), (again, _)) = (generated("large-1.json", "7"), generated("large-2.json", "7"));
    assert_eq!(first, again);
    assert_ne!(generated("large-3.json", "8").0, first);

    let path = file.to_str().expect("text");
    assert!(run(&["fixture", "check", path]).status.success());
    let program = Program::start(&mut chatdouble(&["--port", "0", "--fixture", path]));
    let worlds = program.get("127.0.0.1", "/control/worlds");
    assert!(worlds.contains("\"channels\":6,\"messages\":200"), "{worlds}");

    let line = fault(&run(&["fixture", "generate", "-o", "/no/such/folder/large.json"]), 1);
    assert!(line.contains("/no/such/folder/large.json"), "{line}");
    fault(&run(&["fixture", "generate", "--users", "-1", "-o", path]), 2);
    fault(&run(&["fixture", "generate"]), 2);
}

#[test]
#[cfg(target_os = "linux")]
fn worlds_that_were_deleted_leave_no_memory_behind() {
    let program = Program::start(&mut chatdouble(&["serve", "--port", "0", "--log", "off"]));
    let round = || {
        for number in 0..300 {
            program.control("POST", "/worlds", &format!(r#"{{"name": "w{number}", "fork_of": "default"}}"#));
            let world = format!("/worlds/w{number}");
            program.control("POST", &format!("{world}/snapshots"), r#"{"name": "before"}"#);
            program.control("POST", &format!("{world}/clock"), r#"{"advance_seconds": 90000}"#);
        }
        for number in 0..300 {
            program.control("DELETE", &format!("/worlds/w{number}"), "");
        }
        program.memory()
    };
    // The allocator keeps more or less of what it was given back; worlds that stay would show in every round.
    let sizes = [round(), round(), round(), round()];

    let least = sizes.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).min().expect("several rounds");
    assert!(least < 1_000, "KiB after each round: {sizes:?}");
}

#[test]
fn who_reads_no_further_ends_the_program_in_peace() {
    for arguments in [["openapi"].as_slice(), &["levels"], &["scenario", "run", "scenarios/channels.md"]] {
        let mut command = chatdouble(arguments);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        // Nobody reads: the first line that does not fit into the pipe finds that out.
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), errors.as_ref()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn a_command_line_with_a_mistake_hints_at_what_was_meant() {
    for (arguments, expected) in [
        (["sevre"].as_slice(), "error: unrecognized subcommand 'sevre'; did you mean 'serve'?"),
        (&["scenario", "recrod"], "error: unrecognized subcommand 'recrod'; did you mean 'record'?"),
        (&["help", "serv"], "error: unrecognized subcommand 'serv'; did you mean 'serve'?"),
        (&["organization"], "error: unrecognized subcommand 'organization'; did you mean 'fixture from'?"),
        (&["chaos"], "error: unrecognized subcommand 'chaos'; did you mean 'exec --chaos'?"),
        (
            &["scenario", "run", "--fixture", "cast", "x.md"],
            "error: unexpected argument '--fixture' found; a scenario names it in its `world` block; see docs/scenarios.md",
        ),
        (&["run"], "error: unrecognized subcommand 'run'; did you mean 'scenario run'?"),
        (&["record"], "error: unrecognized subcommand 'record'; did you mean 'scenario record'?"),
        (&["serve", "--level", "387"], "error: unexpected argument '--level' found; did you mean '--feature-level'?"),
        (&["--level", "387"], "error: unexpected argument '--level' found; did you mean '--feature-level'?"),
        (
            &["levels", "387"],
            "error: unexpected argument '387' found; give levels with --from 387, --to LEVEL or --between FROM TO",
        ),
        (&["serve", "--seed", "x"], "error: invalid value 'x' for '--seed <N>': takes a whole number"),
        (
            &["serve", "--host", "999"],
            "error: invalid value '999' for '--host <HOST>': is no address: takes one such as 127.0.0.1, ::1 or 0.0.0.0, \
             or a host name without a port",
        ),
        (&["serve", "--prot", "1"], "error: unexpected argument '--prot' found; did you mean '--port'?"),
        (&["fixture"], "error: fixture takes check, generate or from; see 'chatdouble fixture --help'"),
        (&["scenario"], "error: scenario takes run or record; see 'chatdouble scenario --help'"),
        (
            &["exec", "npm", "test"],
            "error: unexpected argument 'npm' found; put -- before the command: chatdouble exec -- COMMAND",
        ),
        (
            &["--clock", "frozen", "exec", "--", "true"],
            "error: unexpected argument 'exec' found; put options after the command: chatdouble exec [OPTIONS]",
        ),
        (
            &["serve", "--cors-origin", "http://a.example/"],
            "error: invalid value 'http://a.example/' for '--cors-origin <ORIGIN>': takes * or an origin such as http://localhost:3000",
        ),
    ] {
        let output = run(arguments);
        assert_eq!(String::from_utf8_lossy(&output.stderr).trim_end(), expected);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_misspelt_variable_is_named_with_the_nearest() {
    let output = chatdouble(&["levels", "--between", "192", "193"]).env("CHATDOUBLE_CLOKC", "frozen").output();
    let output = output.expect("the program starts");
    let expected = "warning: there is no variable CHATDOUBLE_CLOKC; did you mean CHATDOUBLE_CLOCK?\n";
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), expected));
}

#[test]
fn a_variable_for_the_level_that_no_server_reads_is_reported_with_the_right_one() {
    let errors = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = chatdouble(arguments);
        command.envs(variables.iter().copied()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let output = command.stdin(std::process::Stdio::null()).output().expect("the program starts");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let level = ("CHATDOUBLE_LEVEL", "387");
    let suggestion = "did you mean CHATDOUBLE_FEATURE_LEVEL, or exec --levels?\n";
    for name in ["CHATDOUBLE_LEVELS", "CHATDOUBLE_LEVLE"] {
        let expected = format!("warning: there is no variable {name}; {suggestion}");
        assert_eq!(errors(&["exec", "--", "true"], &[(name, "387")]), expected);
    }
    let warning = format!("warning: CHATDOUBLE_LEVEL does not choose the level of the server; {suggestion}");
    assert_eq!(errors(&["exec", "--", "true"], &[level]), warning);
    assert_eq!(errors(&["serve", "--port", "0", "--exit-with-stdin"], &[level]), warning);
    assert!(errors(&["mcp"], &[level]).starts_with(&warning));
    // It has a meaning, or another value was given.
    let program = env!("CARGO_BIN_EXE_chatdouble");
    assert_eq!(errors(&["exec", "--", program, "exec", "--", "true"], &[]), "");
    assert_eq!(errors(&["exec", "--feature-level", "247", "--", "true"], &[level]), "");
    assert_eq!(errors(&["exec", "--", "true"], &[level, ("CHATDOUBLE_FEATURE_LEVEL", "387")]), "");
    assert!(!errors(&["exec", "--levels", "247", "--", "true"], &[level]).contains("warning"));
    assert_eq!(errors(&["rules"], &[level]), "");
}

#[test]
fn each_command_has_examples_and_those_of_exec_have_headings() {
    let help = |arguments: &[&str]| String::from_utf8(run(&[arguments, &["--help"]].concat()).stdout).expect("text");
    for command in ["serve", "exec", "health", "watch", "levels", "rules", "mcp", "compare", "openapi"] {
        assert!(help(&[command]).contains(&format!("For example:\n\n  chatdouble {command}")), "{command}");
    }
    for command in [
        ["fixture", "check"],
        ["fixture", "from"],
        ["fixture", "generate"],
        ["scenario", "run"],
        ["scenario", "record"],
    ] {
        assert!(help(&command).contains(&format!("For example:\n\n  chatdouble {}", command.join(" "))), "{command:?}");
    }
    let exec = help(&["exec"]);
    for heading in ["Options of the server:\n", "Report:\n", "Faults:\n", "Levels:\n"] {
        assert!(exec.contains(heading), "{heading}\n{exec}");
    }
}

#[test]
fn variables_that_are_set_to_nothing_are_not_set() {
    let mut command = chatdouble(&["serve", "--port", "0"]);
    for name in ["PORT", "HOST", "FIXTURE", "CLOCK", "SEED", "LOG", "NO_ROOT_WORLD", "CONTROL_TOKEN", "CORS_ORIGIN"] {
        command.env(format!("CHATDOUBLE_{name}"), "");
    }
    let program = Program::start(&mut command);
    assert!(program.get("127.0.0.1", "/api/v1/server_settings").starts_with("HTTP/1.1 200"));
}

#[test]
fn the_openapi_document_is_printed() {
    let output = run(&["openapi"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");

    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/messages/{message_id}/reactions"]["post"].is_object());
    assert!(document["paths"]["/tus/{upload_id}"]["patch"].is_object());
    let renamed = String::from_utf8_lossy(&run(&["openapi", "--dialect", "zulip"]).stdout).into_owned();
    assert!(renamed.contains("\"zulip_feature_level\"") && !renamed.contains("\"service_feature_level\""));
    let control: serde_json::Value = serde_json::from_slice(&run(&["openapi", "--control"]).stdout).expect("JSON");
    assert!(control["paths"]["/control/worlds/{name}/clock"]["post"].is_object());
    let both = run(&["openapi", "--control", "--dialect", "zulip"]);
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&both.stdout).expect("JSON"), control);
    assert!(fault(&run(&["openapi", "--control", "--dialect", "klingon"]), 2).contains("klingon"));
    assert!(document["paths"].as_object().map(serde_json::Map::len).unwrap_or_default() > 40);
}

#[test]
fn what_levels_changed_is_listed() {
    let text = |arguments: &[&str]| String::from_utf8(run(arguments).stdout).expect("text");
    let all = text(&["levels"]);
    assert!(
        all.starts_with(&format!(" {}  ", chatdouble::api::NEWEST_FEATURE_LEVEL))
            && all.contains("\n 167  every reply: New field `ignored_parameters_unsupported`. (change log)\n")
    );
    let some = text(&["levels", "--between", "433", "435"]);
    assert!(
        some.lines().all(|line| line.starts_with(" 434  ") || line.starts_with(" 435  ")) && some.lines().count() >= 2
    );

    let json: serde_json::Value =
        serde_json::from_str(&text(&["levels", "--between", "192", "193", "--json"])).expect("JSON");
    assert_eq!((&json[0]["level"], &json[0]["on"]), (&193.into(), &"POST /messages/{message_id}/reactions".into()));
    assert!(fault(&run(&["levels", "--between", "3", "2"]), 2).contains("--between"));
    assert_eq!(text(&["levels", "--from", "434", "--to", "435"]), some, "both ends are included");
    let newest = text(&["levels", "--from", "498"]);
    for level in [499, 500, 503, 504, 505, 506, 507, 508, 509, 510, 511, 512] {
        assert!(newest.contains(&format!("\n {level}  ")) || newest.starts_with(&format!(" {level}  ")), "{level}");
    }
    assert!(newest.lines().all(|line| line.ends_with("(change log of 2026-09-25)")), "{newest}");
    assert!(fault(&run(&["levels", "--from", "3", "--to", "2"]), 2).contains("--from"));
    let nothing = String::from_utf8(run(&["levels", "--from", "99999"]).stderr).expect("text");
    assert!(nothing.starts_with("there is no change in this range; the newest level is "), "{nothing}");
}

#[test]
fn a_dialect_file_renames() {
    let file = temporary("dialect.json", r#"{"keys": {"service_version": "acme_version"}}"#);
    let program = Program::start(&mut chatdouble(&["--port", "0", "--dialect", file.to_str().expect("text")]));

    assert!(program.get("127.0.0.1", "/api/v1/server_settings").contains("\"acme_version\""));
    let broken = temporary("broken.json", r#"{"keys": 1}"#);
    let line = fault(&run(&["--port", "0", "--dialect", broken.to_str().expect("text")]), 1);
    assert!(line.contains("$.keys: "), "{line}");
    let misspelt = temporary("misspelt.json", r#"{"keys": {"service_versoin": "acme_version"}}"#);
    let line = fault(&run(&["--port", "0", "--dialect", misspelt.to_str().expect("text")]), 1);
    assert!(line.contains("$.keys.service_versoin: "), "{line}");
}

#[test]
fn help_says_that_no_command_is_needed_and_gives_examples() {
    let help = |arguments: &[&str]| String::from_utf8(run(arguments).stdout).expect("text");

    assert!(help(&["--help"]).contains("Usage: chatdouble [OPTIONS] [COMMAND]"), "{}", help(&["--help"]));
    assert!(help(&["serve", "--help"]).contains("chatdouble serve --dialect zulip"));
    assert!(help(&["exec", "--help"]).contains("chatdouble exec --clock frozen -- npm test"));
    assert!(!help(&["--help"]).contains("guard"));
    assert!(help(&["serve", "--help"]).contains("[env: CHATDOUBLE_HOST]"), "without an empty value");
}

#[test]
fn a_server_on_every_address_says_where_it_is_found() {
    for (host, other) in [("0.0.0.0", "127.0.0.1"), ("::", "127.0.0.1")] {
        if std::net::TcpListener::bind((host, 0)).is_err() {
            continue;
        }
        let arguments = ["serve", "--port", "0", "--host", host, "--control-token", "s3"];
        let mut program = Program::start(&mut chatdouble(&arguments));
        let port = program.port;
        assert!(program.ready.contains(&format!("listening on http://127.0.0.1:{port}")), "{}", program.ready);
        assert!(program.get(other, "/api/v1/server_settings").starts_with("HTTP/1.1 200"));

        let mut lines = BufReader::new(program.child.stderr.take().expect("piped")).lines();
        let mut line = lines.next().expect("a line").expect("text");
        if let Some(found) = line.strip_prefix("other machines find it at ") {
            for url in found.split(", ") {
                let address = url.strip_prefix("http://").expect("a URL");
                assert!(TcpStream::connect(address).is_ok(), "{address}");
                assert!(!address.starts_with("127.") && address.ends_with(&format!(":{port}")), "{address}");
            }
            line = lines.next().expect("a line").expect("text");
        }
        let emulators = format!("http://10.0.2.2:{port}, an iOS simulator at http://127.0.0.1:{port}");
        assert_eq!(line, format!("an Android emulator finds it at {emulators}"));
    }
    let quiet = ["serve", "--port", "0", "--host", "0.0.0.0", "--control-token", "s3", "--log", "off"];
    let mut program = Program::start(&mut chatdouble(&quiet));
    program.signal("-TERM");
    let mut errors = String::new();
    program.child.stderr.take().expect("piped").read_to_string(&mut errors).expect("text");
    assert_eq!(errors, "");
}

/// A folder of a test's own.
#[cfg(unix)]
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("made");
    folder
}

#[cfg(unix)]
fn text(path: &std::path::Path) -> &str {
    path.to_str().expect("text")
}

#[test]
#[cfg(unix)]
fn a_pipe_gets_the_port_and_stays_a_pipe() {
    use std::os::unix::fs::FileTypeExt;
    let pipe = folder("pipe").join("port");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there").success());
    let reading = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe).expect("readable")
    });

    let program = Program::start(&mut chatdouble(&["--port", "0", "--port-file", text(&pipe)]));

    assert_eq!(reading.join().expect("it ends").trim(), program.port.to_string());
    assert!(std::fs::symlink_metadata(&pipe).expect("it is there").file_type().is_fifo());
}

#[test]
#[cfg(unix)]
fn what_links_lead_to_is_replaced_and_links_stay() {
    let folder = folder("links");
    std::fs::create_dir(folder.join("inner")).expect("made");
    std::fs::write(folder.join("inner/port"), "before").expect("written");
    let link = |from: &str, to: &str| std::os::unix::fs::symlink(to, folder.join(from)).expect("linked");
    link("direct", "inner/port");
    link("indirect", "direct");
    link("dangling", "inner/new");
    link("circle", "circle");
    for (name, target) in [("direct", "inner/port"), ("indirect", "inner/port"), ("dangling", "inner/new")] {
        let program = Program::start(&mut chatdouble(&["--port", "0", "--port-file", text(&folder.join(name))]));

        assert!(std::fs::symlink_metadata(folder.join(name)).expect("it is there").is_symlink(), "{name}");
        let port = std::fs::read_to_string(folder.join(target)).expect("readable");
        assert_eq!(port.trim(), program.port.to_string(), "{name}");
        assert!(!folder.join(format!("{target}.partial")).exists());
    }
    let line = fault(&run(&["--port", "0", "--port-file", text(&folder.join("circle"))]), 1);
    assert!(line.contains("too many symbolic links"), "{line}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_device_is_written_to_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let line = fault(&run(&["--port", "0", "--port-file", "/dev/full"]), 1);

    assert!(line.starts_with("error: cannot write /dev/full: "), "{line}");
    assert!(std::fs::symlink_metadata("/dev/full").expect("it is there").file_type().is_char_device());
    let program = Program::start(&mut chatdouble(&[
        "--port",
        "0",
        "--tls",
        "--tls-ca-file",
        "/dev/null",
        "--port-file",
        "/dev/null",
    ]));
    assert!(
        program.port > 0 && std::fs::symlink_metadata("/dev/null").expect("it is there").file_type().is_char_device()
    );
}
