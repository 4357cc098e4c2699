//! Writes files atomically, so that no reader sees a part of a regular file, and checks beforehand that they can be
//! written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The maximum number of symbolic links that are followed, so that a cycle ends.
const MAX_LINKS: usize = 40;

/// Writes a text to a file as [`write_atomically_with`] does.
///
/// # Errors
///
/// An I/O error.
pub(super) fn write_atomically(file: &Path, text: &str) -> io::Result<()> {
    write_atomically_with(file, |writer| writer.write_all(text.as_bytes()))
}

/// Writes a temporary file and renames it when it is complete and stored on the disk, so that no reader sees a part of
/// it. Symbolic links are followed. Pipes and devices are written to directly, since their readers would not see a
/// replacement.
///
/// # Errors
///
/// An I/O error. An existing regular file then remains unchanged.
pub(super) fn write_atomically_with(
    file: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    if is_special_file(file) {
        return write_buffered(OpenOptions::new().write(true).open(file)?, write).map(drop);
    }
    let target = follow_links(file)?;
    let temporary_path = temporary_path(&target);
    let result = File::create(&temporary_path).and_then(|file| write_buffered(file, write)?.sync_all());
    let result = result.and_then(|()| fs::rename(&temporary_path, &target));
    if result.is_err() {
        let _ = fs::remove_file(&temporary_path);
    }
    result
}

fn write_buffered(file: File, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<File> {
    let mut writer = BufWriter::new(file);
    write(&mut writer)?;
    writer.into_inner().map_err(io::IntoInnerError::into_error)
}

/// Checks that [`write_atomically`] can write a file, without changing it.
///
/// # Errors
///
/// An I/O error.
pub(super) fn check_writable(file: &Path) -> io::Result<()> {
    if is_special_file(file) {
        return OpenOptions::new().write(true).open(file).map(drop);
    }
    let temporary_path = temporary_path(&follow_links(file)?);
    File::create(&temporary_path)?;
    fs::remove_file(&temporary_path)
}

/// Whether a path leads to something other than a regular file. The system follows the links here, because some, such
/// as `/dev/stdout`, lead to a pipe, which has no path.
fn is_special_file(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|metadata| !metadata.is_file())
}

fn temporary_path(target: &Path) -> PathBuf {
    let mut temporary_path = target.as_os_str().to_owned();
    temporary_path.push(".partial");
    temporary_path.into()
}

/// The path of the file after following symbolic links. The file need not exist yet.
fn follow_links(file: &Path) -> io::Result<PathBuf> {
    let mut path = file.to_owned();
    for _ in 0..MAX_LINKS {
        if !fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            return Ok(path);
        }
        let link_target = fs::read_link(&path)?;
        path = path.parent().unwrap_or(Path::new("")).join(link_target);
    }
    Err(io::Error::other("too many symbolic links"))
}
