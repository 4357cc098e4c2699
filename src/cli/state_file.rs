//! The default world in a file, from one run to the next, locked meanwhile.

use super::CliError;
use super::file::{self, write_whole_by};
use super::output::tell;
use crate::control::times::Seconds;
use crate::fixture::{Source, state};
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
    #[arg(long = "state-every", env = "CHATDOUBLE_STATE_EVERY", value_name = "SECONDS", default_value = "30", value_parser = every)]
    every: Duration,
}

fn every(text: &str) -> Result<Duration, String> {
    let micros = u64::try_from(Seconds::parse(text)?.0.micros());
    micros.map(Duration::from_micros).map_err(|_| "takes seconds from 0 on".to_owned())
}

impl StateFile {
    /// What the file holds; None without one, or where it does not exist yet. Where it can't be written, nothing starts.
    pub fn read(&self) -> Result<Option<Source>, CliError> {
        let Some(path) = &self.file else { return Ok(None) };
        let cannot = |what: &str, error: io::Error| {
            CliError::of_start(format!("cannot {what} the state {}: {error}", path.display()))
        };
        let text = match read_plain(path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(cannot("read", error)),
        };
        file::check_writable(path).map_err(|error| cannot("write", error))?;
        Ok(text.map(Source::from))
    }

    /// Keeps other servers from using the file as long as the lock lives; None without a file.
    pub fn lock(&self) -> Result<Option<StateLock>, CliError> {
        self.file.as_deref().map_or(Ok(None), StateLock::take)
    }

    /// Logs that the default world is from the file. Where options were given that hold only for other worlds then, they
    /// are named on standard error.
    pub fn tell(&self, server: &Server, ignored: &[&str], is_wanted: bool) {
        let Some(file) = self.file.as_deref().filter(|file| file.exists()) else { return };
        let Some(world) = server.worlds().get(Worlds::DEFAULT) else { return };
        let (shown, as_of) = (file.display(), world.now().to_rfc3339());
        let is_state = || read_plain(file).is_ok_and(|text| state::is_state(&text));
        if ignored.is_empty() || !is_wanted || !is_state() {
            tracing::info!("the default world is from the state {shown}, as of {as_of}");
        } else {
            let options = ignored.join(" and ");
            tell(format_args!(
                "the default world is from the state {shown}, as of {as_of}; {options} hold only for worlds that are made later"
            ));
        }
    }

    /// A fault of the file's text, with its name.
    pub fn fault(&self, fault: &str) -> CliError {
        let file = self.file.as_deref().unwrap_or(Path::new(""));
        CliError::of_start(format!("{}: {fault}", file.display()))
    }

    /// Has the default world written from now on, within a runtime; None without a file.
    pub fn follow(&self, server: &Server) -> Option<Arc<StateWriter>> {
        let writer = Arc::new(StateWriter {
            file: self.file.clone()?,
            worlds: server.worlds().clone(),
            written: Mutex::new(Written { version: None, fails: false }),
        });
        if let Some(version) = writer.version() {
            let exists = std::fs::exists(&writer.file).unwrap_or(false);
            writer.lock().version = Some(version).filter(|_| exists);
        }
        if !self.every.is_zero() {
            tokio::spawn(write_regularly(Arc::downgrade(&writer), self.every));
        }
        Some(writer)
    }
}

/// A lock of the system on a file next to the state's, which is removed at the end: the state itself is replaced with each
/// write.
pub struct StateLock {
    path: PathBuf,
    /// Held until it is closed.
    _file: File,
}

impl StateLock {
    /// None where no file can be made next to the state: reading or writing that says why.
    fn take(state: &Path) -> Result<Option<Self>, CliError> {
        let mut path = state.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let Ok(file) = opened else { return Ok(None) };
        match file.try_lock() {
            // A server that ended meanwhile removed the file: another server would not see this lock.
            Ok(()) if !is_at(&file, &path) => Self::take(state),
            Ok(()) => Ok(Some(Self { path, _file: file })),
            Err(TryLockError::WouldBlock) => Err(CliError::of_start(format!(
                "another server uses the state {}; give this one a file of its own",
                state.display()
            ))),
            // Some file systems of networks have no locks.
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

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(named)) = (file.metadata(), std::fs::metadata(path)) else { return false };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// An open file can't be removed.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

/// Reads a file; devices and pipes, which may have no end, are refused.
fn read_plain(path: &Path) -> io::Result<String> {
    if std::fs::metadata(path)?.is_file() {
        std::fs::read_to_string(path)
    } else {
        Err(io::Error::other("it is not a plain file"))
    }
}

/// A version of the world's state. The realm is not held, so that its memory is freed when it is replaced.
type Version = (Weak<Realm>, Clock);

struct Written {
    /// The version that was written last; None before the first write.
    version: Option<Version>,
    /// Whether the last write failed. Only the first of several failures is printed.
    fails: bool,
}

/// What writes the default world to a file.
pub struct StateWriter {
    file: PathBuf,
    worlds: Arc<Worlds>,
    /// Held while it is written.
    written: Mutex<Written>,
}

async fn write_regularly(writer: Weak<StateWriter>, every: Duration) {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.tick().await;
    loop {
        ticks.tick().await;
        let Some(writer) = writer.upgrade() else { return };
        // Of a large world it takes seconds.
        let _ = tokio::task::spawn_blocking(move || writer.write_meanwhile()).await;
    }
}

impl StateWriter {
    fn lock(&self) -> std::sync::MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn world(&self) -> Option<(Arc<Realm>, Clock)> {
        let world = self.worlds.get(Worlds::DEFAULT)?;
        Some((world.snapshot(), world.clock()))
    }

    fn version(&self) -> Option<Version> {
        self.world().map(|(realm, clock)| (Arc::downgrade(&realm), clock))
    }

    fn write_meanwhile(&self) {
        let written = self.write();
        let failed_before = std::mem::replace(&mut self.lock().fails, written.is_err());
        match written {
            Err(error) if !failed_before => tell(format_args!("{error}; what was written before is as it was")),
            Ok(()) if failed_before => tell(format_args!("the state {} is written again", self.file.display())),
            _ => {}
        }
    }

    /// Writes the world as it is, unless that is in the file already.
    fn write(&self) -> Result<(), String> {
        let mut written = self.lock();
        let Some((realm, clock)) = self.world() else { return Ok(()) };
        let is_same = |(last, at): &Version| std::ptr::eq(last.as_ptr(), Arc::as_ptr(&realm)) && *at == clock;
        if written.version.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        let document = state::dump(&realm, clock);
        write_whole_by(&self.file, |to| serde_json::to_writer(to, &document).map_err(io::Error::from))
            .map_err(|error| format!("cannot write the state {}: {error}", self.file.display()))?;
        written.version = Some((Arc::downgrade(&realm), clock));
        tracing::info!("the state is written to {}", self.file.display());
        Ok(())
    }

    /// Writes the world when the server ends. A world with broken invariants is not written: no start would read it.
    pub fn write_at_end(&self, is_sound: bool) -> Result<(), CliError> {
        if !is_sound {
            tell(format_args!("the state {} stays as it was: the world is broken", self.file.display()));
            return Ok(());
        }
        self.write().map_err(CliError::of_start)
    }
}
