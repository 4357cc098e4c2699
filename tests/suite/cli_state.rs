//! The default world in a file, from one run of the program to the next.

mod failures;

use crate::support::{Program, START, User};
use chatdouble::Credentials;
use chatdouble::realm::id::UserId;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// A path in a new folder, at which there is no file yet.
fn place(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("state-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("made");
    folder.join("state.json")
}

fn command(arguments: &[&str], file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(["serve", "--port", "0", "--log", "error"]).args(arguments).arg("--state").arg(file).env_clear();
    command
}

fn start(arguments: &[&str], file: &Path) -> (Program, User) {
    let program = Program::start(&mut command(arguments, file));
    let url = format!("http://127.0.0.1:{}", program.port);
    (program, User::new(url, Some(mel())))
}

fn mel() -> Credentials {
    let api_key = "melKey00000000000000000000000000".to_owned();
    Credentials { id: UserId(0), email: "mel@chat.test".into(), api_key }
}

/// What a start that fails says.
fn refused(arguments: &[&str], file: &Path) -> String {
    let Output { status, stderr, stdout } = command(arguments, file).output().expect("it runs");
    let errors = String::from_utf8_lossy(&stderr).into_owned();
    assert_eq!((status.code(), stdout.is_empty()), (Some(1), true), "{errors}");
    assert!(errors.starts_with("error: ") && errors.trim_end().lines().count() == 1, "{errors:?}");
    errors
}

async fn contents(user: &User) -> Vec<String> {
    let query = json!({"anchor": "newest", "num_before": 5000, "num_after": 0, "apply_markdown": false, "narrow": [["topic", "stored"]]});
    let found = user.get("/messages", query).await.success();
    let messages = found["messages"].as_array().expect("a list").clone();
    messages.iter().map(|message| message["content"].as_str().expect("a text").to_owned()).collect()
}

#[tokio::test]
async fn a_world_goes_on_from_its_file() {
    let file = place("goes-on");
    let (mut program, mel) = start(&["--clock", START, "--state-every", "0"], &file);
    assert!(!file.exists());
    let id = mel.send_to("engineering", "stored", "first").await;
    assert_eq!(program.signal("-TERM").0, Some(0));

    // The clock and all numbers go on, too.
    let (mut program, mel) = start(&["--clock", "2020-01-01T00:00:00Z", "--fixture", "empty"], &file);
    assert_eq!(contents(&mel).await, ["first"]);
    assert!(mel.send_to("engineering", "stored", "second").await > id);
    let clock = mel.send("GET", "/control/worlds/default/clock", &Value::Null, Vec::new(), None);
    assert_eq!(clock.await.success()["now"], json!(1_767_268_800.0));
    let before = std::fs::read_to_string(&file).expect("written");
    assert_eq!(program.signal("-INT").0, Some(0));
    let after = std::fs::read_to_string(&file).expect("written");
    assert!(!before.contains("second") && after.contains("second"));

    // Nothing changes, so nothing is written.
    let written = |file: &Path| std::fs::metadata(file).and_then(|there| there.modified()).expect("it is there");
    let at = written(&file);
    let (mut program, mel) = start(&[], &file);
    assert_eq!(contents(&mel).await, ["first", "second"]);
    assert_eq!(program.signal("-TERM").0, Some(0));
    assert_eq!(at, written(&file));
}

#[tokio::test]
async fn a_clock_that_runs_goes_on_from_real_time() {
    let file = place("runs");
    let (mut program, mel) = start(&[], &file);
    mel.send_to("engineering", "stored", "first").await;
    assert_eq!(program.signal("-TERM").0, Some(0));
    let (_program, mel) = start(&[], &file);
    let clock = mel.send("GET", "/control/worlds/default/clock", &Value::Null, Vec::new(), None).await.success();
    let real = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs_f64();
    let behind = real - clock["now"].as_f64().expect("seconds");
    assert!(clock["running"] == json!(true) && behind.abs() < 2.0, "{behind}: {clock}");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_ends_the_start_and_stays_as_it_is() {
    for (name, text, said) in [
        ("cut", "{\"state\": 1, \"clock\": {\"now\": ", "line 1"),
        ("empty", "", "line 1"),
        (
            "other",
            "{\"state\": 7, \"clock\": {\"now\": \"2026-01-01T00:00:00Z\", \"running\": false}, \"realm\": {}}",
            "$.realm",
        ),
        ("key", "{\"usres\": []}", "is not a state"),
    ] {
        let file = place(name);
        std::fs::write(&file, text).expect("written");
        let line = refused(&[], &file);
        assert!(line.contains(file.to_str().expect("text")) && line.contains(said), "{line}");
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), text);
    }
    let line = refused(&[], file_below_a_file().as_path());
    assert!(line.contains("cannot read the state"), "{line}");
    let line = refused(&[], Path::new("/dev/zero"));
    assert!(line.contains("cannot read the state /dev/zero: it is not a plain file"), "{line}");
}

fn file_below_a_file() -> PathBuf {
    let file = place("below");
    std::fs::write(&file, "").expect("written");
    file.join("state.json")
}

#[tokio::test]
async fn a_file_that_cannot_be_written_ends_the_start() {
    let file = place("nowhere").with_file_name("no folder").join("state.json");
    let line = refused(&[], &file);
    assert!(line.contains("cannot write the state") && line.contains("no folder/state.json"), "{line}");
}

#[tokio::test]
async fn a_command_leaves_the_state_behind() {
    let file = place("exec");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
        command.args(["exec", "--clock", START, "--log", "error", "--state"]).arg(&file).args(arguments).env_clear();
        command.output().expect("it runs")
    };
    let this = env!("CARGO_BIN_EXE_chatdouble");
    assert_eq!(run(&["--", this, "levels", "--between", "490", "497"]).status.code(), Some(0));
    assert!(std::fs::read_to_string(&file).expect("written").starts_with("{\"state\":1"));
    // The state is kept of a command that fails, too, whose status counts.
    std::fs::remove_file(&file).expect("removed");
    assert_eq!(run(&["--", this, "nonsense"]).status.code(), Some(2));
    assert!(file.exists());
}

#[test]
fn a_server_without_the_default_world_has_no_state() {
    let output = command(&["--no-root-world"], &place("none")).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A program in the place of the one that opens browsers.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_console_is_opened_in_a_browser() {
    use std::os::unix::fs::PermissionsExt;
    let asked = place("open");
    let opener = asked.with_file_name("xdg-open");
    std::fs::write(&opener, format!("#!/bin/sh\nprintf %s \"$1\" > {}\n", asked.display())).expect("written");
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).expect("runnable");
    let folder = opener.parent().expect("a folder").to_str().expect("text");
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(["serve", "--port", "0", "--log", "error", "--open"]).env_clear();
    command.env("PATH", format!("{folder}:/usr/bin:/bin"));
    let program = Program::start(&mut command);
    let began = Instant::now();
    let url = loop {
        match std::fs::read_to_string(&asked) {
            Ok(url) if !url.is_empty() => break url,
            _ => tokio::time::sleep(Duration::from_millis(20)).await,
        }
        assert!(began.elapsed() < Duration::from_secs(10), "nothing is opened");
    };
    assert_eq!(url, format!("http://127.0.0.1:{}/", program.port));
}
