//! Files that are written.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Links that are followed from one to the next; a circle of them ends here.
const MAX_LINKS: usize = 40;

/// Writes a file so that nobody sees a part of it: what is there is replaced when the new one is complete. Links are
/// followed. A pipe, a device or the like is written to as it is, since replacing it would take it away from its readers.
///
/// # Errors
///
/// What the system says.
pub(super) fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    let target = followed(file)?;
    if fs::metadata(&target).is_ok_and(|there| !there.is_file()) {
        return OpenOptions::new().write(true).open(&target)?.write_all(text.as_bytes());
    }
    let mut partial = target.as_os_str().to_owned();
    partial.push(".partial");
    fs::write(&partial, text)?;
    fs::rename(&partial, &target)
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
