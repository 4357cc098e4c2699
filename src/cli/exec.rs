//! `chatdouble exec`: a server for as long as a command runs.

use super::Fault;
use super::serve::{Serve, status, waiting_runtime};
use crate::server::Server;
use clap::Args;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::future::poll_fn;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};
use std::task::Poll;
use tokio::process::{Child, Command};
use tokio::signal::unix::{Signal as Arriving, SignalKind, signal};

/// What shells give for a command that is not there, and for one that can't be run.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;

#[derive(Debug, Args)]
pub struct Exec {
    #[command(flatten)]
    serve: Serve,

    /// Command to run, with CHATDOUBLE_URL set
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub fn run(exec: Exec) -> Result<ExitCode, Fault> {
    let runtime = exec.serve.prepare()?;
    let waiting = waiting_runtime()?;
    let status =
        runtime.block_on(exec.serve.start(0)).and_then(|server| waiting.block_on(serve_while_running(&exec, server)));
    waiting.shutdown_background();
    runtime.shutdown_background();
    status
}

async fn serve_while_running(exec: &Exec, server: Server) -> Result<ExitCode, Fault> {
    exec.serve.tell_port(&server)?;
    let own = run_command(exec, &server).await?;
    let violations = server.violations();
    server.stop().await;
    // A failure of the command's own is told before one of ours.
    if own == 0 { status(&violations) } else { Ok(ExitCode::from(own)) }
}

/// Runs the command, passing signals on; its status as shells tell it.
async fn run_command(exec: &Exec, server: &Server) -> Result<u8, Fault> {
    let mut signals = Vec::new();
    for (kind, passed_on) in passed_on() {
        signals.push((signal(kind).map_err(Fault::of_start)?, passed_on));
    }
    let (program, arguments) = exec.command.split_first().ok_or_else(|| Fault::of_usage("no command is given"))?;
    let spawned = Command::new(program).args(arguments).env("CHATDOUBLE_URL", server.url()).spawn();
    let mut child = spawned.map_err(|error| Fault {
        status: if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_RUNNABLE },
        message: format!("cannot run {}: {error}", program.to_string_lossy()),
    })?;
    loop {
        tokio::select! {
            ended = child.wait() => return ended.map(status_of).map_err(Fault::of_start),
            signal = next(&mut signals) => pass_on(&child, signal),
        }
    }
}

/// The signals that would end this program, and the command would be left behind.
fn passed_on() -> [(SignalKind, Signal); 6] {
    [
        (SignalKind::interrupt(), Signal::INT),
        (SignalKind::terminate(), Signal::TERM),
        (SignalKind::hangup(), Signal::HUP),
        (SignalKind::quit(), Signal::QUIT),
        (SignalKind::user_defined1(), Signal::USR1),
        (SignalKind::user_defined2(), Signal::USR2),
    ]
}

/// The next signal that arrives.
async fn next(signals: &mut [(Arriving, Signal)]) -> Signal {
    poll_fn(|context| {
        let arrived =
            signals.iter_mut().find_map(|(arriving, signal)| arriving.poll_recv(context).is_ready().then_some(*signal));
        arrived.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

/// Gives a signal to the command, which may have ended a moment ago.
fn pass_on(child: &Child, signal: Signal) {
    // A terminal gives Ctrl-C and Ctrl-\ to the whole group in its foreground, the command included: twice would be once
    // too often.
    if matches!(signal, Signal::INT | Signal::QUIT) && is_in_foreground() {
        return;
    }
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(Err(error)) = pid.map(|pid| kill_process(pid, signal)) {
        tracing::debug!("the signal could not be passed on: {error}");
    }
}

fn is_in_foreground() -> bool {
    rustix::termios::tcgetpgrp(std::io::stdin()).is_ok_and(|group| group == rustix::process::getpgrp())
}

fn status_of(ended: ExitStatus) -> u8 {
    let killed = ended.signal().and_then(|signal| u8::try_from(128 + signal).ok());
    ended.code().and_then(|code| u8::try_from(code).ok()).or(killed).unwrap_or(1)
}
