//! Forwards signals to a command, on Unix.

use rustix::process::{Pid, Signal, kill_process};
use std::future::poll_fn;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::task::Poll;
use tokio::process::Child;
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};

/// Signals to forward to the command: by default they would end this program and leave the command running.
pub struct Signals(Vec<(SignalStream, Signal)>);

impl Signals {
    /// Listens for them from now on.
    ///
    /// # Errors
    ///
    /// A handler cannot be installed.
    pub fn listen() -> std::io::Result<Self> {
        let passed_on = [
            (SignalKind::interrupt(), Signal::INT),
            (SignalKind::terminate(), Signal::TERM),
            (SignalKind::hangup(), Signal::HUP),
            (SignalKind::quit(), Signal::QUIT),
            (SignalKind::user_defined1(), Signal::USR1),
            (SignalKind::user_defined2(), Signal::USR2),
        ];
        passed_on
            .into_iter()
            .map(|(kind, passed_on)| Ok((signal(kind)?, passed_on)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The next signal that arrives.
    pub async fn next(&mut self) -> Signal {
        poll_fn(|context| {
            let mut signals = self.0.iter_mut();
            let arrived =
                signals.find_map(|(arriving, signal)| arriving.poll_recv(context).is_ready().then_some(*signal));
            arrived.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// Forwards a signal to the command, which may have ended a moment ago.
pub fn forward(child: &Child, signal: Signal) {
    // A terminal gives Ctrl-C and Ctrl-\ to the whole group in its foreground, the command included:
    // forwarding would deliver it twice.
    if matches!(signal, Signal::INT | Signal::QUIT) && is_in_foreground() {
        return;
    }
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(Err(error)) = pid.map(|pid| kill_process(pid, signal)) {
        tracing::debug!("the signal could not be passed on: {error}");
    }
}

/// Whether a signal asks a program to end.
pub fn is_terminating(signal: Signal) -> bool {
    !matches!(signal, Signal::USR1 | Signal::USR2)
}

/// Ends a command at once, with what it started.
pub async fn kill(child: &mut Child) {
    #[cfg(target_os = "linux")]
    let descendants = child.id().and_then(|id| Pid::from_raw(id as i32)).map(super::tree::Tree::below);
    let _ = child.kill().await;
    #[cfg(target_os = "linux")]
    descendants.into_iter().for_each(|descendants| descendants.signal(Signal::KILL));
}

fn is_in_foreground() -> bool {
    rustix::termios::tcgetpgrp(std::io::stdin()).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// The exit status as shells report it: 128 and the number of the signal that killed the command.
pub fn status_of(ended: ExitStatus) -> u8 {
    let killed = ended.signal().and_then(|signal| u8::try_from(128 + signal).ok());
    ended.code().and_then(|code| u8::try_from(code).ok()).or(killed).unwrap_or(1)
}
