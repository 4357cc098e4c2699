//! Signals and exit statuses of the command on Unix.

use rustix::process::{Pid, Signal, kill_process};
use std::future::poll_fn;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::task::Poll;
use tokio::process::Child;
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};

/// The signals to forward to the command. By default, they would end this program and leave the command running.
pub struct Signals(Vec<(SignalStream, Signal)>);

impl Signals {
    /// Installs the signal handlers.
    ///
    /// # Errors
    ///
    /// When a handler can't be installed.
    pub fn listen() -> std::io::Result<Self> {
        let forwarded_signals = [
            (SignalKind::interrupt(), Signal::INT),
            (SignalKind::terminate(), Signal::TERM),
            (SignalKind::hangup(), Signal::HUP),
            (SignalKind::quit(), Signal::QUIT),
            (SignalKind::user_defined1(), Signal::USR1),
            (SignalKind::user_defined2(), Signal::USR2),
        ];
        forwarded_signals
            .into_iter()
            .map(|(kind, forwarded_signal)| Ok((signal(kind)?, forwarded_signal)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Waits for a signal to forward.
    pub async fn next(&mut self) -> Signal {
        poll_fn(|context| {
            let mut signals = self.0.iter_mut();
            let received_signal =
                signals.find_map(|(stream, signal)| stream.poll_recv(context).is_ready().then_some(*signal));
            received_signal.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// Forwards a signal to the command, unless the terminal sends it anyway. The command may have ended already.
pub fn forward(child: &Child, signal: Signal) {
    // A terminal sends Ctrl-C and Ctrl-\ to all processes of the foreground group, including the command:
    // forwarding would deliver it twice.
    if matches!(signal, Signal::INT | Signal::QUIT) && is_in_foreground() {
        return;
    }
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(Err(error)) = pid.map(|pid| kill_process(pid, signal)) {
        tracing::debug!("the signal could not be passed on: {error}");
    }
}

/// Whether a signal requests the end of a program.
pub fn is_terminating(signal: Signal) -> bool {
    !matches!(signal, Signal::USR1 | Signal::USR2)
}

/// Kills a command; on Linux also its descendants.
pub async fn kill(child: &mut Child) {
    #[cfg(target_os = "linux")]
    let descendants = child.id().and_then(|id| Pid::from_raw(id as i32)).map(super::process_tree::Descendants::list);
    let _ = child.kill().await;
    #[cfg(target_os = "linux")]
    descendants.into_iter().for_each(|descendants| descendants.signal(Signal::KILL));
}

fn is_in_foreground() -> bool {
    rustix::termios::tcgetpgrp(std::io::stdin()).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// The exit status of the command as shells report it: 128 plus the number of the signal if a signal ended it.
pub fn shell_status(exit_status: ExitStatus) -> u8 {
    let signal_status = exit_status.signal().and_then(|signal| u8::try_from(128 + signal).ok());
    exit_status.code().and_then(|code| u8::try_from(code).ok()).or(signal_status).unwrap_or(1)
}
