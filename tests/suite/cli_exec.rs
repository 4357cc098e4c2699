//! `chatdouble exec`: a server while a command runs, and the command's own end.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn exec(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.arg("exec").args(arguments).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

fn run(arguments: &[&str]) -> Output {
    exec(arguments).output().expect("the program starts")
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_command_finds_the_server_and_nothing_else_is_printed() {
    let output = run(&["--", "sh", "-c", "printf %s \"$CHATDOUBLE_URL\""]);

    let (out, error) = texts(&output);
    assert_eq!((output.status.code(), error.as_str()), (Some(0), ""));
    let port: u16 = out.strip_prefix("http://127.0.0.1:").and_then(|port| port.parse().ok()).expect("a base URL");
    assert_ne!(port, 9991, "a free one");
}

#[test]
fn a_command_that_fails_is_followed_by_the_warnings_before_it() {
    let asks = r#"exec 3<>"/dev/tcp/127.0.0.1/${CHATDOUBLE_URL##*:}"
        printf 'GET /api/v1/server_settings HTTP/1.0\r\nUser-Agent: ZulipPython/0.9.1 (Linux)\r\n\r\n' >&3; cat <&3 > /dev/null
        echo "the command failed" >&2; exit "$0""#;
    let warning = "the client ZulipPython/0.9.1 looks for other names than the neutral ones of world default: it needs --dialect zulip";
    for (status, ends) in
        [("7", format!("the command failed\nwarning: {warning}\n")), ("0", "the command failed\n".to_owned())]
    {
        let output = run(&["--", "bash", "-c", asks, status]);

        let (_, error) = texts(&output);
        assert_eq!(output.status.code().map(|code| code.to_string()).as_deref(), Some(status), "{error}");
        assert!(error.contains(&format!(": {warning}\n")) && error.ends_with(&ends), "{error}");
    }
}

#[test]
fn a_command_that_fails_after_its_first_request_gets_a_hint_at_the_dialect() {
    let asks = |path: &str| {
        format!(
            r#"exec 3<>"/dev/tcp/127.0.0.1/${{CHATDOUBLE_URL##*:}}"
            printf 'GET /api/v1/{path} HTTP/1.0\r\nUser-Agent: own/1\r\n\r\n' >&3; cat <&3 > /dev/null; exit 1"#
        )
    };
    let hint = "hint: the last request was GET /server_settings; a client that looks for zulip_version or \
                zulip_feature_level in its reply needs --dialect zulip\n";
    for (options, path, expected) in [
        (&["--"][..], "server_settings", hint),
        (&["--"], "server_emoji_data", ""),
        (&["--dialect", "zulip", "--"], "server_settings", ""),
    ] {
        let output = run(&[options, &["bash", "-c", &asks(path)]].concat());
        assert_eq!((output.status.code(), texts(&output).1.as_str()), (Some(1), expected), "{options:?} {path}");
    }
}

/// What the command finds in variables that are about the server.
fn variables(arguments: &[&str]) -> Vec<String> {
    let output = run(&[arguments, &["--", "sh", "-c", "env | grep ^CHATDOUBLE_ | sort"]].concat());
    assert_eq!(output.status.code(), Some(0), "{:?}", texts(&output));
    texts(&output).0.lines().map(|line| line.to_owned()).collect()
}

#[test]
fn the_command_can_steer_the_server_and_trust_it() {
    let plain = variables(&[]);
    let level = format!("CHATDOUBLE_LEVEL={}", chatdouble::api::NEWEST_FEATURE_LEVEL);
    assert!(
        matches!(plain.as_slice(), [first, url] if *first == level && url.starts_with("CHATDOUBLE_URL=http://")),
        "{plain:?}"
    );

    let guarded = variables(&["--control-token", "s3"]);
    assert_eq!(guarded.first().map(String::as_str), Some("CHATDOUBLE_CONTROL_TOKEN=s3"), "{guarded:?}");

    let secure = variables(&["--tls"]);
    let file = secure[1].strip_prefix("CHATDOUBLE_TLS_CA=").expect("a file");
    assert!(secure[2].starts_with("CHATDOUBLE_URL=https://127.0.0.1:"), "{secure:?}");
    assert!(!std::path::Path::new(file).exists(), "it is gone with the server");

    let given = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-ca", std::process::id()));
    let given = given.to_str().expect("text");
    assert_eq!(variables(&["--tls", "--tls-ca-file", given])[1], format!("CHATDOUBLE_TLS_CA={given}"));
    assert!(std::path::Path::new(given).exists(), "it was asked for");
}

#[test]
fn the_programs_own_commands_work_over_tls_within_it() {
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/reactions.md");
    let script = r#""$0" scenario run "$1" --url "$CHATDOUBLE_URL""#;
    let program = env!("CARGO_BIN_EXE_chatdouble");

    let output = run(&["--tls", "--control-token", "s3", "--", "sh", "-c", script, program, scenario]);

    let (out, error) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{out} {error}");
    assert!(out.ends_with(" 0 skipped, 0 differ\n"), "{out}");
    let watched = run(&["--tls", "--", "sh", "-c", r#"timeout 1 "$0" watch "$CHATDOUBLE_URL""#, program]);
    assert!(texts(&watched).1.ends_with(": watching\n"), "{watched:?}");
    for command in [r#""$0" scenario run "$1" --url "#, r#""$0" watch "#] {
        for (variables, url, remedy) in [
            ("CHATDOUBLE_TLS_CA=", "$CHATDOUBLE_URL", "name the one to trust with --tls-ca"),
            ("", "http://${CHATDOUBLE_URL#https://}", "this server speaks HTTPS"),
        ] {
            let script = format!("{variables} {command}{url}");
            let output = run(&["--tls", "--", "sh", "-c", &script, program, scenario]);
            let error = texts(&output).1;
            assert_eq!(output.status.code(), Some(1), "{script}: {error}");
            assert!(error.starts_with("error: ") && error.contains(remedy), "{script}: {error}");
        }
    }
}

/// Whether a process is there and no mere remainder.
fn is_running(process: &str) -> bool {
    let listing = Command::new("ps").args(["-o", "stat=", "-p", process]).output().expect("ps is there");
    listing.stdout.trim_ascii().first().is_some_and(|state| *state != b'Z')
}

#[test]
fn a_kill_leaves_neither_the_command_nor_the_server() {
    let tell = "echo $$ $CHATDOUBLE_URL $CHATDOUBLE_TLS_CA";
    for script in [
        format!("{tell}; exec sleep 300"),
        format!("trap '' TERM; {tell}; while :; do sleep 0.1; done"),
        // What the command started is ended too.
        format!("sh -c '{tell}; sleep 300; true'; true"),
    ] {
        let mut child =
            exec(&["--tls", "--", "sh", "-c", &script]).stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let mut words = line.split_whitespace();
        let (process, url, file) = (words.next(), words.next(), words.next());
        let (process, file) = (process.expect("its number"), std::path::Path::new(file.expect("a file")));
        assert!(file.exists());
        assert!(is_running(process));
        // The guard is there a moment after the command.
        std::thread::sleep(Duration::from_millis(300));

        child.kill().expect("killed");
        child.wait().expect("it ends");

        let begun = Instant::now();
        while is_running(process) || file.exists() {
            assert!(begun.elapsed() < Duration::from_secs(5), "{script} goes on");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(std::net::TcpStream::connect(url.expect("one").trim_start_matches("https://")).is_err());
    }
}

#[test]
fn the_server_answers_while_the_command_runs_and_no_longer() {
    let script = r#"exec 3<>"/dev/tcp/127.0.0.1/${CHATDOUBLE_URL##*:}"
        printf 'GET /api/v1/server_settings HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' >&3
        cat <&3; echo "PORT ${CHATDOUBLE_URL##*:}""#;

    let output = run(&["--feature-level", "400", "--", "bash", "-c", script]);

    let (out, error) = texts(&output);
    assert!(out.contains("\"service_feature_level\":400"), "{out} {error}");
    let port: u16 = out.trim().rsplit(' ').next().and_then(|port| port.parse().ok()).expect("a port");
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn options_are_those_of_serve_and_the_port_is_the_one_given() {
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-exec-port", std::process::id()));
    let name = file.to_str().expect("text");
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let port = free.port().to_string();

    let output =
        run(&["--port", &port, "--port-file", name, "--", "sh", "-c", "echo $CHATDOUBLE_URL; cat \"$0\"", name]);

    assert_eq!(texts(&output).0, format!("http://127.0.0.1:{port}\n{port}\n"));
    for (arguments, status) in [
        (vec!["--"], 2),
        (vec!["true"], 2),
        (vec!["--clock", "noon", "--", "true"], 2),
        (vec!["--fixture", "/no/such/file", "--", "true"], 1),
    ] {
        let output = run(&arguments);
        let (out, error) = texts(&output);
        assert_eq!((output.status.code(), out.as_str()), (Some(status), ""), "{arguments:?}: {error}");
        assert!(error.starts_with("error: ") && error.trim_end().lines().count() == 1, "{error}");
    }
}

#[test]
fn the_end_is_the_commands_own() {
    assert_eq!(run(&["--", "sh", "-c", "exit 7"]).status.code(), Some(7));
    assert_eq!(run(&["--", "false"]).status.code(), Some(1));
    assert_eq!(run(&["--", "sh", "-c", "kill -KILL $$"]).status.code(), Some(137));
    let output = run(&["--", "/no/such/command"]);
    assert_eq!(output.status.code(), Some(127));
    assert!(texts(&output).1.starts_with("error: cannot run /no/such/command"), "{:?}", texts(&output));
    for (command, hint) in [("npm test", "give the command without quotes"), ("FOO=1", "-- env NAME=VALUE COMMAND")] {
        assert!(texts(&run(&["--", command])).1.contains(hint), "{command}");
    }
    assert_eq!(run(&["--", "/etc/passwd"]).status.code(), Some(126));
}

#[test]
fn the_commands_streams_are_those_of_the_program() {
    let mut child = exec(&["--", "sh", "-c", "cat; echo seen >&2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("piped").write_all(b"given").expect("written");

    let output = child.wait_with_output().expect("it ends");

    assert_eq!(texts(&output), ("given".into(), "seen\n".into()));
}

/// Starts a command that says when it is ready, and gives it this signal.
fn signalled(script: &str, signal: &str) -> (Child, String) {
    let mut child = exec(&["--", "sh", "-c", script])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    lines.read_line(&mut line).expect("a line");
    assert_eq!(line, "ready\n");
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("text");
    (child, rest)
}

#[test]
fn signals_are_passed_on() {
    for name in ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2"] {
        let begun = Instant::now();
        let script = format!("trap 'echo got {name}; exit 5' {name}; echo ready; while :; do sleep 0.02; done");

        let (mut child, rest) = signalled(&script, &format!("-{name}"));

        assert_eq!(rest, format!("got {name}\n"));
        assert_eq!(child.wait().expect("it ends").code(), Some(5));
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn a_command_that_a_signal_ends_is_reported_as_by_shells() {
    let (mut child, _) = signalled("echo ready; exec sleep 60", "-TERM");

    assert_eq!(child.wait().expect("it ends").code(), Some(143));
}
