//! The state file: keeps the default world from one run to the next, and locks it during a run.

use super::CliError;
use super::atomic_file::{check_writable, write_atomically_with};
use super::output::eprint_line;
use crate::control::times::SpanInput;
use crate::fixture::{Fixture, state};
use crate::realm::Realm;
use crate::server::Server;
use crate::time::Clock;
use crate::world::Worlds;
use clap::Args;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::time::MissedTickBehavior;

#[derive(Debug, Args)]
pub struct StateFile {
    /// File from which the default world is read where it exists (else from --fixture), and to which it is written at
    /// the end and while it changes
    #[arg(long = "state", env = "CHATDOUBLE_STATE", value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Seconds, or 1d2h30m, between two writes of --state while the world changes; 0: only at the end
    #[arg(long = "state-every", env = "CHATDOUBLE_STATE_EVERY", value_name = "SECONDS", default_value = "30", value_parser = parse_interval)]
    interval: Duration,
}

fn parse_interval(text: &str) -> Result<Duration, String> {
    let micros = u64::try_from(SpanInput::parse(text)?.0.micros());
    micros.map(Duration::from_micros).map_err(|_| "takes seconds from 0 on".to_owned())
}

impl StateFile {
    /// Reads the state. Returns None if no file is given, or if it does not exist yet.
    ///
    /// # Errors
    ///
    /// If the file can't be read, or is JSON but not a state; also if it can't be written, so that a run does not lose
    /// its state at the end.
    pub fn read(&self) -> Result<Option<Fixture>, CliError> {
        let Some(path) = &self.file else { return Ok(None) };
        let state_error = |action: &str, error: io::Error| {
            CliError::failure(format!("cannot {action} the state {}: {error}", path.display()))
        };
        let text = match read_regular_file(path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(state_error("read", error)),
        };
        if text.as_deref().is_some_and(is_other_document) {
            return Err(CliError::failure(format!(
                "{} is not a state, and would be overwritten: read a fixture by --fixture, and give --state a file of its own",
                path.display()
            )));
        }
        check_writable(path).map_err(|error| state_error("write", error))?;
        Ok(text.map(Fixture::from))
    }

    /// Locks the file against other servers until the lock is dropped. Returns None if no file is given, or if the lock
    /// file can't be created.
    ///
    /// # Errors
    ///
    /// If another server holds the lock.
    pub fn lock(&self) -> Result<Option<StateLock>, CliError> {
        self.file.as_deref().map_or(Ok(None), |state| StateLock::acquire(state, MAX_LOCK_RETRIES))
    }

    /// Logs that the default world comes from the file, if the file exists. If there are ignored options and
    /// `shows_hints` is set, prints a line that names these options instead.
    pub fn report_source(&self, server: &Server, ignored_options: &[&str], shows_hints: bool) {
        let Some(file) = self.file.as_deref().filter(|file| file.exists()) else { return };
        let Some(world) = server.worlds().get(Worlds::DEFAULT) else { return };
        let (path, as_of) = (file.display(), world.now().to_rfc3339());
        if ignored_options.is_empty() || !shows_hints {
            tracing::info!("the default world is from the state {path}, as of {as_of}");
        } else {
            let verb = if ignored_options.len() == 1 { "holds" } else { "hold" };
            let options = ignored_options.join(" and ");
            eprint_line(format_args!(
                "the default world is from the state {path}, as of {as_of}; {options} {verb} only for \
                 worlds that are made later"
            ));
        }
    }

    /// The error for the user if the contents of the file are invalid: the name of the file and `message`.
    pub fn read_error(&self, message: &str) -> CliError {
        let file = self.file.as_deref().unwrap_or(Path::new(""));
        CliError::failure(format!("{}: {message}", file.display()))
    }

    /// Starts to write the default world to the file at intervals; with an interval of 0, it is written only at the
    /// end. Must be called within a runtime. Returns None if no file is given.
    pub fn start_writing(&self, server: &Server) -> Option<Arc<StateWriter>> {
        let writer = Arc::new(StateWriter {
            file: self.file.clone()?,
            worlds: server.worlds().clone(),
            last_write: Mutex::new(LastWrite { version: None, has_failed: false }),
        });
        if let Some(version) = writer.version() {
            let exists = std::fs::exists(&writer.file).unwrap_or(false);
            writer.lock_last_write().version = Some(version).filter(|_| exists);
        }
        if !self.interval.is_zero() {
            tokio::spawn(write_at_intervals(Arc::downgrade(&writer), self.interval));
        }
        Some(writer)
    }
}

/// Whether a text is JSON, such as a fixture, but no document of a whole world.
fn is_other_document(text: &str) -> bool {
    !state::is_state(text) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

const MAX_LOCK_RETRIES: u8 = 10;

/// A lock on a separate file next to the state file, which itself is replaced with each write. The lock file is removed
/// at the end.
pub struct StateLock {
    path: PathBuf,
    /// The system releases the lock when the file is closed.
    _file: File,
}

impl StateLock {
    /// Returns None if the lock file can't be created; reading or writing the state then reports the reason. Fails if
    /// another server holds the lock.
    fn acquire(state: &Path, retries_left: u8) -> Result<Option<Self>, CliError> {
        let mut path = state.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let Ok(file) = file else { return Ok(None) };
        match file.try_lock() {
            // A server that ended meanwhile removed the file: another server would not see this lock. The retries are
            // limited, since some file systems report another inode for an open file than for its path.
            Ok(()) if retries_left > 0 && !is_file_at_path(&file, &path) => Self::acquire(state, retries_left - 1),
            Ok(()) => Ok(Some(Self { path, _file: file })),
            Err(TryLockError::WouldBlock) => Err(CliError::failure(format!(
                "another server uses the state {}; give this one a file of its own",
                state.display()
            ))),
            // Some network file systems have no locks.
            Err(TryLockError::Error(error)) => {
                tracing::warn!("the state {} is not locked: {error}", state.display());
                Ok(Some(Self { path, _file: file }))
            }
        }
    }
}

impl Drop for StateLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether a path still leads to this open file.
#[cfg(unix)]
fn is_file_at_path(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open_file), Ok(file_at_path)) = (file.metadata(), std::fs::metadata(path)) else { return false };
    (open_file.dev(), open_file.ino()) == (file_at_path.dev(), file_at_path.ino())
}

/// Always true, since the standard library can't tell on other systems whether two files are the same.
#[cfg(not(unix))]
fn is_file_at_path(_file: &File, _path: &Path) -> bool {
    true
}

/// Reads a regular file. Devices and pipes are refused, since they may have no end.
fn read_regular_file(path: &Path) -> io::Result<String> {
    if std::fs::metadata(path)?.is_file() {
        std::fs::read_to_string(path)
    } else {
        Err(io::Error::other("it is not a plain file"))
    }
}

/// A version of the world's state. The reference is weak, so that a replaced realm can be freed.
type Version = (Weak<Realm>, Clock);

struct LastWrite {
    /// The version that the file has; None if there is no file yet.
    version: Option<Version>,
    /// Whether the last write failed. Of consecutive failures, only the first is printed.
    has_failed: bool,
}

/// Writes the default world to the state file.
pub struct StateWriter {
    file: PathBuf,
    worlds: Arc<Worlds>,
    /// Locked during a write.
    last_write: Mutex<LastWrite>,
}

async fn write_at_intervals(writer: Weak<StateWriter>, interval: Duration) {
    let mut timer = tokio::time::interval(interval);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick comes at once.
    timer.tick().await;
    loop {
        timer.tick().await;
        let Some(writer) = writer.upgrade() else { return };
        // Writing a large world takes seconds.
        let _ = tokio::task::spawn_blocking(move || writer.write_and_report()).await;
    }
}

impl StateWriter {
    fn lock_last_write(&self) -> std::sync::MutexGuard<'_, LastWrite> {
        self.last_write.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn realm_and_clock(&self) -> Option<(Arc<Realm>, Clock)> {
        let world = self.worlds.get(Worlds::DEFAULT)?;
        Some((world.snapshot(), world.clock()))
    }

    fn version(&self) -> Option<Version> {
        self.realm_and_clock().map(|(realm, clock)| (Arc::downgrade(&realm), clock))
    }

    fn write_and_report(&self) {
        let result = self.write();
        let had_failed = std::mem::replace(&mut self.lock_last_write().has_failed, result.is_err());
        match result {
            Err(error) if !had_failed => eprint_line(format_args!("{error}; what was written before is as it was")),
            Ok(()) if had_failed => eprint_line(format_args!("the state {} is written again", self.file.display())),
            _ => {}
        }
    }

    /// Writes the current state, unless the file already contains it.
    fn write(&self) -> Result<(), String> {
        let mut last_write = self.lock_last_write();
        let Some((realm, clock)) = self.realm_and_clock() else { return Ok(()) };
        let is_unchanged = |(last_realm, last_clock): &Version| {
            std::ptr::eq(last_realm.as_ptr(), Arc::as_ptr(&realm)) && *last_clock == clock
        };
        if last_write.version.as_ref().is_some_and(is_unchanged) {
            return Ok(());
        }
        let document = state::dump(&realm, clock);
        write_atomically_with(&self.file, |writer| serde_json::to_writer(writer, &document).map_err(io::Error::from))
            .map_err(|error| format!("cannot write the state {}: {error}", self.file.display()))?;
        last_write.version = Some((Arc::downgrade(&realm), clock));
        tracing::info!("the state is written to {}", self.file.display());
        Ok(())
    }

    /// Writes the world when the server ends. A world with broken invariants is not written, since no server could load
    /// it.
    pub fn write_at_end(&self, is_valid: bool) -> Result<(), CliError> {
        if !is_valid {
            eprint_line(format_args!("the state {} stays as it was: the world is broken", self.file.display()));
            return Ok(());
        }
        self.write().map_err(CliError::failure)
    }
}
