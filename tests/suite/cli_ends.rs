//! How the program begins and ends where something about its process is odd.

use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn serve(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(["serve", "--port", "0"]).args(arguments).env_clear().stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ended(mut child: Child) -> Output {
    let begin = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(5), "it should have ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it has ended")
}

#[test]
fn too_few_open_files_are_a_fault_of_one_line() {
    let program = env!("CARGO_BIN_EXE_chatdouble");
    let script = format!("ulimit -n 6; exec {program} serve --port 0");
    let output = Command::new("/bin/sh").args(["-c", &script]).env_clear().output().expect("a shell");

    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.starts_with("error: cannot open the files") && error.lines().count() == 1, "{error}");
}

#[test]
fn a_signal_while_the_fixture_is_loaded_ends_the_program_in_status_0() {
    let child = serve(&["--fixture", "large"]).spawn().expect("it starts");
    std::thread::sleep(Duration::from_millis(150));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it is there");

    let output = ended(child);

    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn who_asks_for_it_ends_with_standard_input() {
    let mut child = serve(&["--exit-with-stdin"]).stdin(Stdio::piped()).spawn().expect("it starts");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().expect("it can be asked").is_none(), "its input is open");
    drop(child.stdin.take());
    assert_eq!(ended(child).status.code(), Some(0));

    let mut child = serve(&[]).stdin(Stdio::null()).spawn().expect("it starts");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().expect("it can be asked").is_none(), "nobody asked for it");
    child.kill().expect("it is there");
    assert!(child.wait().expect("it has ended").code().is_none());
}

#[test]
fn who_asks_for_it_ends_with_a_process() {
    let mut other = Command::new("sleep").arg("60").spawn().expect("it starts");
    let pid = other.id().to_string();
    let mut child = serve(&["--exit-with-process", &pid]).spawn().expect("it starts");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().expect("it can be asked").is_none(), "the other is there");
    other.kill().expect("it is there");
    other.wait().expect("it has ended");
    assert_eq!(ended(child).status.code(), Some(0));

    let after = serve(&["--exit-with-process", &pid]).spawn().expect("it starts");
    assert_eq!(ended(after).status.code(), Some(0), "the other has ended before");
}
