//! `chatdouble exec` with faults: those of a file, and those of chaos, which are made as few as they get.

use crate::chaos_client::{Bug, exec};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn temporary(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-chaos-{name}", std::process::id()))
}

fn file(name: &str, text: &str) -> String {
    let file = temporary(name);
    std::fs::write(&file, text).expect("written");
    file.to_string_lossy().into_owned()
}

fn run(options: &[&str], bug: Bug) -> Output {
    exec(options, bug).output().expect("the program starts")
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What chaos says of the runs, without the times and what the command says.
fn said(output: &Output) -> Vec<String> {
    let error = error(output);
    let lines = error.lines().filter_map(|line| line.strip_prefix("chaos: "));
    lines.map(|line| line.rsplit_once(" in ").map_or(line, |(line, _)| line).to_owned()).collect()
}

/// Runs chaos over a client; the faults that are left.
fn found(seed: u32, bug: Bug) -> (Vec<Value>, String) {
    let out = temporary(&format!("{bug:?}-{seed}.json")).to_string_lossy().into_owned();
    let seed = seed.to_string();
    let output = run(&["--chaos", &seed, "--chaos-runs", "20", "--chaos-out", &out, "--chaos-timeout", "20"], bug);
    assert_eq!(output.status.code(), Some(101), "{bug:?} with seed {seed}: {}", error(&output));
    let text = std::fs::read_to_string(&out).expect("the faults");
    assert!(error(&output).contains(text.trim()), "{}", error(&output));
    assert!(error(&output).contains(&format!(" exec --faults {out} -- env ")), "{}", error(&output));
    (serde_json::from_str(&text).expect("JSON"), out)
}

/// Seeds that the suite looks at; ten of them were looked at by hand.
const SEEDS: std::ops::RangeInclusive<u32> = 1..=2;

#[test]
fn a_message_sent_twice_is_found_and_shrunk_to_one_lost_reply() {
    for seed in SEEDS {
        let (faults, _) = found(seed, Bug::SendsTwice);

        let [fault] = faults.as_slice() else { panic!("seed {seed}: {faults:?}") };
        let is_carried_out = ["drop", "garbage", "delay_ms"].iter().any(|effect| fault["effect"].get(effect).is_some());
        assert!(is_carried_out, "{fault}");
    }
}

#[test]
fn a_lost_queue_is_found_shrunk_to_one_fault_and_repeated_by_its_file() {
    for seed in SEEDS {
        let (faults, file) = found(seed, Bug::ForgetsMissed);

        let [fault] = faults.as_slice() else { panic!("seed {seed}: {faults:?}") };
        assert_eq!(fault["effect"], json!({"lose_queue": true}));
        if seed == *SEEDS.start() {
            let repeated = (0..10).filter(|_| run(&["--faults", &file], Bug::ForgetsMissed).status.code() == Some(101));
            assert_eq!(repeated.count(), 10);
            assert_eq!(run(&["--faults", &file], Bug::None).status.code(), Some(0), "it is the client's fault");
        }
    }
}

#[test]
fn a_client_without_bugs_passes_and_the_same_seed_draws_the_same() {
    let options = ["--chaos", "3", "--chaos-runs", "6", "--chaos-faults", "4"];

    let [first, second] = [(); 2].map(|()| run(&options, Bug::None));

    assert_eq!(first.status.code(), Some(0), "{}", error(&first));
    assert_eq!(said(&first).len(), 6);
    assert_eq!(said(&first), said(&second));
    let lines = said(&first);
    assert!(lines.iter().all(|line| line.starts_with("run ") && line.ends_with(", passed")), "{lines:?}");
}

#[test]
fn a_client_that_hangs_is_ended_and_counts_as_failed() {
    let began = Instant::now();

    let faults = file("hang.json", r#"[{"match": {"path": "/events"}, "effect": {"lose_queue": true}}]"#);
    let mut child = exec(&["--faults", &faults], Bug::Hangs).spawn().expect("the program starts");
    std::thread::sleep(Duration::from_secs(2));
    assert!(child.try_wait().expect("it runs").is_none(), "it hangs where nobody watches the time");
    child.kill().expect("killed");
    child.wait().expect("it ends");
    let script = ["exec", "--chaos", "1", "--chaos-timeout", "1", "--", "sh", "-c", HANGS_SECOND];
    let marker = temporary("marker");
    let output = program(&script).env("MARKER", &marker).output().expect("the program starts");

    assert_eq!(output.status.code(), Some(124), "{}", error(&output));
    assert!(error(&output).contains("failed (124: it took too long)"), "{}", error(&output));
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

/// A command that asks one thing, and hangs from the second run on.
const HANGS_SECOND: &str = r#"test -e "$MARKER" && sleep 600; : > "$MARKER"; address="${CHATDOUBLE_URL##*/}"
    exec bash -c 'exec 3<>"/dev/tcp/${0%:*}/${0#*:}"; printf "GET /api/v1/server_settings HTTP/1.0\r\n\r\n" >&3; cat <&3' "$address""#;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(arguments).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

fn shell(options: &[&str], script: &str) -> Output {
    let arguments = [&["exec"], options, &["--", "sh", "-c", script]].concat();
    program(&arguments).output().expect("the program starts")
}

#[test]
fn nothing_is_learned_from_a_command_that_fails_without_faults_or_asks_nothing() {
    let failing = shell(&["--chaos", "1"], "exit 7");
    assert_eq!(failing.status.code(), Some(5));
    assert_eq!(error(&failing), "chaos: without faults the command failed (7)\n");

    let silent = shell(&["--chaos", "1"], "true");
    assert_eq!(silent.status.code(), Some(0));
    assert_eq!(
        error(&silent),
        "chaos: no fault can fire: the command sent no request of an operation to the server in CHATDOUBLE_URL\n"
    );
    let own_fault = r#"address="${CHATDOUBLE_URL##*/}"
    post() { exec 3<>"/dev/tcp/${address%:*}/${address#*:}"; printf "$1 HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${#2}\r\n\r\n%s" "$2" >&3; cat <&3; }
    post "POST /control/worlds/default/faults" '{"effect": {"error": {"status": 503}}}'
    post "GET /api/v1/server_settings" """#;
    let met = program(&["exec", "--chaos", "1", "--", "bash", "-c", own_fault]).output().expect("the program starts");
    assert_eq!(met.status.code(), Some(0));
    assert_eq!(
        error(&met),
        "chaos: no fault can fire: a fault that the command itself set up fired on its only request\n"
    );
    assert_eq!(
        program(&["exec", "--chaos", "1", "--", "/no/such/command"]).status().expect("it ends").code(),
        Some(127)
    );
}

#[test]
fn a_signal_ends_chaos_and_is_no_failure_of_the_command() {
    let script = "trap 'exit 5' TERM; echo ready; while :; do sleep 0.02; done";
    let mut child = program(&["exec", "--chaos", "1", "--", "sh", "-c", script])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut ready = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().expect("piped"), &mut ready).expect("a line");

    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill is there");

    assert!(sent.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(5));
}

#[test]
fn faults_of_a_file_are_armed_before_the_command_starts() {
    let faults = r#"[{"match": {"method": "GET", "path": "/server_settings"}, "times": 1, "effect": {"error":
        {"status": 503, "code": "MAINTENANCE", "msg": "Back soon"}}}]"#;
    let script = r#"bash -c 'exec 3<>"/dev/tcp/127.0.0.1/${CHATDOUBLE_URL##*:}"
        printf "GET /api/v1/server_settings HTTP/1.0\r\n\r\n" >&3; cat <&3'"#;

    let output = shell(&["--faults", &file("armed.json", faults)], script);

    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Back soon"), "{output:?}");
}

#[test]
fn what_is_no_list_of_faults_ends_the_start() {
    for (name, text, reason) in [
        ("json", "[{", "$: EOF while parsing"),
        ("object", r#"{"effect": {"garbage": true}}"#, "$: takes a list of faults"),
        (
            "rule",
            r#"[{"effect": {"garbage": true}}, {"effect": {"explode": true}}]"#,
            "$[1].effect.explode: is unknown",
        ),
        ("path", r#"[{"match": {"path": "/nope"}, "effect": {"garbage": true}}]"#, "$[0].match.path: no operation"),
    ] {
        let output = shell(&["--faults", &file(name, text)], "echo started");
        let (out, error) = (String::from_utf8_lossy(&output.stdout).into_owned(), error(&output));
        assert_eq!((output.status.code(), out.as_str()), (Some(1), ""), "{name}: {error}");
        assert!(
            error.starts_with("error: ") && error.contains(reason) && error.lines().count() == 1,
            "{name}: {error}"
        );
        assert!(error.contains(&format!("-{name}")), "the file is named: {error}");
    }
    let output = shell(&["--chaos", "1", "--chaos-out", "/no/such/folder/faults.json"], "echo started");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stdout).as_ref()), (Some(1), ""));
    assert!(error(&output).starts_with("error: cannot write /no/such/folder/faults.json: "), "{}", error(&output));
    assert_eq!(shell(&["--faults", "/no/such/file"], "true").status.code(), Some(1));
    for options in [
        &["--chaos-runs", "3"][..],
        &["--chaos", "x"],
        &["--chaos", "1", "--chaos-runs", "0"],
        &["--chaos", "1", "--faults", "x"],
    ] {
        assert_eq!(shell(options, "true").status.code(), Some(2), "{options:?}");
    }
}

/// Sends requests: `request PORT METHOD PATH BODY`.
const REQUEST: &str = r#"
    request() {
        exec 3<>"/dev/tcp/127.0.0.1/${CHATDOUBLE_URL##*:}"
        printf '%s %s HTTP/1.0\r\nHost: localhost\r\nAuthorization: Basic bWVsQGNoYXQudGVzdDptZWxLZXkwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA==\r\nContent-Length: %s\r\n\r\n%s' "$1" "$2" "${#3}" "$3" >&3
        cat <&3
    }
    fork() { request POST /control/worlds "{\"name\": \"$1\", \"fork_of\": \"default\"}" > /dev/null; }
"#;

fn bash(options: &[&str], script: &str) -> Output {
    let script = format!("{REQUEST}\n{script}");
    let arguments = [&["exec"], options, &["--", "bash", "-c", &script]].concat();
    program(&arguments).output().expect("the program starts")
}

#[test]
fn faults_are_in_each_world_that_the_command_makes_and_after_each_reset() {
    let faults = file(
        "worlds.json",
        r#"[{"match": {"path": "/users/me"}, "times": 1, "effect": {"error": {"status": 503, "code": "BUSY", "msg": ""}}}]"#,
    );
    let script = r#"
        fork one; fork two
        for world in one two default; do
            test "$world" = default && request POST /control/worlds/default/reset '{}' > /dev/null
            case "$(request GET /w/$world/api/v1/users/me)" in *BUSY*) ;; *) exit 21;; esac
            case "$(request GET /w/$world/api/v1/users/me)" in *success*) ;; *) exit 22;; esac
        done
        request POST /control/worlds/default/reset '{}' > /dev/null
        case "$(request GET /api/v1/users/me)" in *BUSY*) ;; *) exit 23;; esac"#;

    let output = bash(&["--faults", &faults], script);

    assert_eq!((output.status.code(), error(&output).as_str()), (Some(0), ""), "{output:?}");
}

#[test]
fn chaos_meets_commands_whose_tests_make_end_and_reset_worlds() {
    let ends = "fork mine; request GET /w/mine/api/v1/users/me > /dev/null; request DELETE /control/worlds/mine '' > /dev/null";
    let resets =
        "request GET /api/v1/users/me > /dev/null; request POST /control/worlds/default/reset '{}' > /dev/null";
    for script in [ends, resets] {
        let output = bash(&["--chaos", "1", "--chaos-runs", "1"], script);

        assert_eq!(output.status.code(), Some(0), "{}", error(&output));
        assert!(error(&output).starts_with("chaos: run 1 of 1: "), "{}", error(&output));
    }
}

#[test]
fn faults_that_never_fired_are_named_at_the_end() {
    let faults = r#"[
        {"match": {"path": "/users/me"}, "effect": {"delay_ms": 1}},
        {"match": {"path": "/messages"}, "effect": {"garbage": true}}
    ]"#;
    let faults = file("unfired.json", faults);

    let output = bash(&["--faults", &faults], "request GET /api/v1/users/me > /dev/null; exit 7");

    let expected = "faults: 1 of 2 faults never fired: $[1]\n";
    assert_eq!((output.status.code(), error(&output).as_str()), (Some(7), expected));
}
