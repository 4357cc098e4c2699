//! What becomes of the file when the program is killed, or when the file cannot be written.

use super::{START, command, contents, place, refused, start};
use crate::support::{Program, User};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How many times the program is killed. The variable `CHATDOUBLE_KILLS` asks for more.
const KILLS: u64 = 8;
/// After so many kills a new file is begun, so that it does not grow without end.
const KILLS_PER_FILE: u64 = 5;
const CLIENTS: u64 = 4;
/// `--state-every` of these programs.
const EVERY: Duration = Duration::from_millis(100);
/// Between two looks at the file.
const LOOK: Duration = Duration::from_millis(2);
/// In which a program on a machine that is busy with other tests has written.
const PATIENCE: Duration = Duration::from_millis(1_500);

fn kills() -> u64 {
    std::env::var("CHATDOUBLE_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(KILLS)
}

/// What was sent to a program, and when it was confirmed.
type Sent = Vec<(String, Instant)>;

/// Sends from several clients at once until the program is killed.
fn begin_load(mel: &User, round: u64, killed: &watch::Receiver<bool>) -> Vec<JoinHandle<Sent>> {
    let number = Arc::new(AtomicU64::new(0));
    let client = || {
        let (mel, number, mut killed) = (mel.clone(), number.clone(), killed.clone());
        tokio::spawn(async move {
            let mut sent = Sent::new();
            loop {
                let content = format!("{round} {} {}", number.fetch_add(1, Ordering::Relaxed), "x".repeat(500));
                tokio::select! {
                    biased;
                    _ = killed.changed() => return sent,
                    _ = mel.send_to("engineering", "stored", &content) => sent.push((content, Instant::now())),
                }
            }
        })
    };
    (0..CLIENTS).map(|_| client()).collect()
}

/// Looks at a file for so long; gives times just before it was replaced.
async fn replacements(file: &Path, span: Duration) -> Vec<Instant> {
    let version = || std::fs::metadata(file).and_then(|there| there.modified()).ok();
    let (mut before, mut times) = (Instant::now(), Vec::new());
    let (end, mut last) = (before + span, version());
    while Instant::now() < end {
        tokio::time::sleep(LOOK).await;
        let (look, now) = (Instant::now(), version());
        if now != last {
            times.push(before);
        }
        (before, last) = (look, now);
    }
    times
}

/// A write begins after the one before has replaced the file, so that the file has all that was sent until then.
#[tokio::test]
async fn a_program_that_is_killed_under_load_leaves_a_whole_file_of_its_last_write() {
    let (mut oldest, mut messages, mut writes) = (Duration::ZERO, 0, 0);
    let mut file = place("killed");
    for round in 0..kills() {
        if round % KILLS_PER_FILE == 0 {
            file = place("killed");
        }
        let (mut program, mel) = start(&["--clock", START, "--state-every", &EVERY.as_secs_f64().to_string()], &file);
        let (killed, is_killed) = watch::channel(false);
        let clients = begin_load(&mel, round, &is_killed);
        // At any time of a write and of the pause before the next, by a step that divides neither.
        let span = Duration::from_millis(300 + round * 271 % 1_900);
        let written = replacements(&file, span).await;
        program.signal("-KILL");
        let killed_at = Instant::now();
        killed.send_replace(true);
        let mut sent = Sent::new();
        for client in clients {
            sent.extend(client.await.expect("it ends"));
        }
        assert!(span < PATIENCE || !written.is_empty(), "nothing was written within {span:?}");

        let (mut program, mel) = start(&["--state-every", "0"], &file);
        let stored: HashSet<String> = contents(&mel).await.into_iter().collect();
        let lost = sent.iter().filter(|(content, _)| !stored.contains(content)).map(|(_, at)| *at).min();
        if let (Some(lost), [.., before_last, _]) = (lost, written.as_slice()) {
            assert!(lost >= *before_last, "kill {round}: what a write was to have is lost");
        }
        let sound = mel.send("GET", "/control/worlds/default/invariants", &Value::Null, Vec::new(), None).await;
        assert_eq!(sound.success()["violations"], json!([]));
        program.signal("-KILL");
        oldest = oldest.max(lost.map_or(Duration::ZERO, |lost| killed_at.saturating_duration_since(lost)));
        (messages, writes) = (messages + sent.len(), writes + written.len());
    }
    let count = kills();
    println!(
        "{count} kills, {messages} messages, {writes} writes; the oldest that was lost was sent {oldest:?} before"
    );
}

/// A limit on the size of files has the effect of a full disk.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_reported_and_leaves_what_was_written_before() {
    let file = place("full");
    let (mut program, mel) = start(&["--clock", START], &file);
    mel.send_to("engineering", "stored", "first").await;
    assert_eq!(program.signal("-TERM").0, Some(0));
    let before = std::fs::read_to_string(&file).expect("written");

    let mut shell = Command::new("sh");
    let line = "trap '' XFSZ; ulimit -f $1; shift; exec \"$@\"";
    let blocks = (before.len() / 512 / 2).to_string();
    shell.args(["-c", line, "sh", &blocks, env!("CARGO_BIN_EXE_chatdouble"), "serve", "--port", "0", "--log", "error"]);
    shell.args(["--state-every", "0.05", "--state"]).arg(&file);
    let mut program = Program::start(&mut shell);
    let mel = User::new(format!("http://127.0.0.1:{}", program.port), Some(mel.credentials().clone()));
    for number in 0..3 {
        mel.send_to("engineering", "stored", &number.to_string()).await;
        tokio::time::sleep(Duration::from_millis(120)).await;
    }
    let mut errors = program.child.stderr.take().expect("piped");
    assert_eq!(program.signal("-TERM").0, Some(1));
    let mut said = String::new();
    errors.read_to_string(&mut said).expect("text");
    let failures = said.matches("cannot write the state").count();
    assert_eq!(failures, 2, "once while it ran and once at the end: {said}");
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), before);
    assert!(!file.with_file_name("state.json.partial").exists());
}

/// Starts a program without the rights of root, which may write everywhere.
#[cfg(target_os = "linux")]
fn unprivileged(arguments: &[&str], file: &Path) -> Command {
    let own = Command::new("id").arg("-u").output().expect("id is there");
    if own.stdout != b"0\n" {
        return command(arguments, file);
    }
    let own = command(arguments, file);
    let mut other = Command::new("setpriv");
    other.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(own.get_program()).args(own.get_args());
    other
}

#[cfg(target_os = "linux")]
fn set_mode(folder: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).expect("set");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_becomes_read_only_is_reported_and_written_again_later() {
    let file = place("read-only");
    let folder = file.parent().expect("a folder");
    set_mode(folder, 0o777);
    let mut program = Program::start(&mut unprivileged(&["--clock", START, "--state-every", "0.05"], &file));
    let mel = User::new(format!("http://127.0.0.1:{}", program.port), Some(super::mel()));
    let pause = async || tokio::time::sleep(Duration::from_millis(300)).await;
    mel.send_to("engineering", "stored", "first").await;
    pause().await;
    let before = std::fs::read_to_string(&file).expect("written");
    assert!(before.contains("first"));

    set_mode(folder, 0o555);
    mel.send_to("engineering", "stored", "second").await;
    pause().await;
    mel.send_to("engineering", "stored", "third").await;
    pause().await;
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), before);
    assert_eq!(contents(&mel).await, ["first", "second", "third"]);

    set_mode(folder, 0o777);
    pause().await;
    let mut errors = program.child.stderr.take().expect("piped");
    assert_eq!(program.signal("-TERM").0, Some(0));
    let mut said = String::new();
    errors.read_to_string(&mut said).expect("text");
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        matches!(lines[..], [first, second]
            if first.contains(&format!("cannot write the state {}: Permission denied", file.display()))
                && first.ends_with("what was written before is as it was")
                && second.ends_with("is written again")),
        "{said}"
    );
    assert!(std::fs::read_to_string(&file).expect("written").contains("third"));

    // A start in such a folder says so at once.
    set_mode(folder, 0o555);
    let refused = unprivileged(&[], &file).output().expect("it runs");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!((refused.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(
        said.starts_with(&format!("error: cannot write the state {}: Permission denied", file.display())),
        "{said}"
    );
    set_mode(folder, 0o777);
}

#[test]
fn a_second_server_with_the_same_file_is_refused_as_long_as_the_first_runs() {
    let file = place("shared");
    let (mut first, _) = start(&[], &file);
    let said = refused(&[], &file);
    assert!(said.contains("another server uses the state ") && said.contains("state.json; give this one"), "{said}");
    assert_eq!(first.signal("-TERM").0, Some(0));
    let left: Vec<_> = std::fs::read_dir(file.parent().expect("a folder")).expect("readable").flatten().collect();
    assert_eq!(left.len(), 1, "only the state is left: {left:?}");
    let (_second, _) = start(&[], &file);
}

#[test]
fn a_fixture_is_no_state() {
    let file = place("fixture");
    let fixture = r#"{"users": [{"handle": "olive", "full_name": "Olive", "role": "owner"}]}"#;
    std::fs::write(&file, fixture).expect("written");
    let refused = command(&[], &file).output().expect("runs");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("is not a state, and would be overwritten: read a fixture by --fixture"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).expect("read"), fixture);
}

#[test]
fn options_that_the_state_replaces_are_named_with_its_time() {
    let file = place("replaced");
    let (mut program, _) = start(&["--clock", START], &file);
    assert_eq!(program.signal("-TERM").0, Some(0));

    let mut program = Program::start(&mut command(&["--clock", "2020-01-01T00:00:00Z", "--fixture", "empty"], &file));
    assert_eq!(program.signal("-TERM").0, Some(0));
    let mut said = String::new();
    program.child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("as of 2026-01-01T12:00:00Z; --clock and --fixture hold only for worlds that are made later"),
        "{said}"
    );

    let mut program = Program::start(&mut command(&["--clock", "2020-01-01T00:00:00Z"], &file));
    assert_eq!(program.signal("-TERM").0, Some(0));
    let mut said = String::new();
    program.child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
    assert!(said.contains("; --clock holds only for worlds that are made later"), "{said}");

    let mut logging = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    let mut program = Program::start(logging.args(["serve", "--port", "0", "--state"]).arg(&file).env_clear());
    assert_eq!(program.signal("-TERM").0, Some(0));
    let mut said = String::new();
    program.child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
    assert!(said.contains("the default world is from the state "), "{said}");
}

#[test]
fn a_value_of_another_type_is_refused_with_what_the_file_takes() {
    let file = place("types");
    let (mut program, _) = start(&["--clock", START], &file);
    assert_eq!(program.signal("-TERM").0, Some(0));
    let whole: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("written")).expect("JSON");
    for (place, value, takes) in [
        ("/realm/users/4/role", json!([1]), "takes `owner`, "),
        ("/realm/channels/1/privacy", json!(5), "takes `web_public`, "),
        ("/realm/channels/1/permissions/can_send_message_group", json!("all"), "takes the id of a group, or an object"),
        ("/realm/users/4/date_joined", json!("yesterday"), "takes an instant such as 2026-01-01T00:00:00Z"),
    ] {
        let mut wrong = whole.clone();
        *wrong.pointer_mut(place).unwrap_or_else(|| panic!("{place} is there")) = value;
        std::fs::write(&file, wrong.to_string()).expect("written");
        let said = refused(&[], &file);
        let path = place.replace('/', ".");
        assert!(said.contains(&format!("${path}: {takes}")) && !said.contains(" at line "), "{said}");
    }
}
