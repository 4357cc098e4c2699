//! Files that are written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The most links that are followed, so that a circle of them ends.
const MAX_LINKS: usize = 40;

/// Writes a text to a file as [`write_whole_by`] does.
///
/// # Errors
///
/// The error of the system.
pub(super) fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    write_whole_by(file, |to| to.write_all(text.as_bytes()))
}

/// Writes a file so that no reader sees a part of it: an existing file is replaced when the new one is complete and stored.
/// Links are followed. A pipe or a device is written to directly, since its readers would not see a replacement.
///
/// # Errors
///
/// The error of the system; then an existing file remains unchanged.
pub(super) fn write_whole_by(
    file: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let target = followed(file)?;
    if fs::metadata(&target).is_ok_and(|there| !there.is_file()) {
        return written(OpenOptions::new().write(true).open(&target)?, write).map(drop);
    }
    let partial = partial(&target);
    let whole = File::create(&partial).and_then(|new| written(new, write)?.sync_all());
    let replaced = whole.and_then(|()| fs::rename(&partial, &target));
    if replaced.is_err() {
        let _ = fs::remove_file(&partial);
    }
    replaced
}

fn written(file: File, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<File> {
    let mut buffered = BufWriter::new(file);
    write(&mut buffered)?;
    buffered.into_inner().map_err(io::IntoInnerError::into_error)
}

/// Checks that [`write_whole`] can write a file, without changing it.
///
/// # Errors
///
/// The error of the system.
pub(super) fn check_writable(file: &Path) -> io::Result<()> {
    let target = followed(file)?;
    match fs::metadata(&target) {
        Ok(there) if !there.is_file() => OpenOptions::new().write(true).open(&target).map(drop),
        _ => {
            let partial = partial(&target);
            File::create(&partial)?;
            fs::remove_file(&partial)
        }
    }
}

/// The file that is written first and then replaces another one.
fn partial(target: &Path) -> PathBuf {
    let mut partial = target.as_os_str().to_owned();
    partial.push(".partial");
    partial.into()
}

/// The file that a path leads to, which need not exist yet.
fn followed(file: &Path) -> io::Result<PathBuf> {
    let mut path = file.to_owned();
    for _ in 0..MAX_LINKS {
        if !fs::symlink_metadata(&path).is_ok_and(|there| there.is_symlink()) {
            return Ok(path);
        }
        let next = fs::read_link(&path)?;
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::other("too many symbolic links"))
}
