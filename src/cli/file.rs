//! Files that are written.

use std::path::Path;

/// Writes a file so that nobody sees a part of it.
pub(super) fn write_whole(file: &Path, text: &str) -> std::io::Result<()> {
    let mut partial = file.as_os_str().to_owned();
    partial.push(".partial");
    std::fs::write(&partial, text)?;
    std::fs::rename(&partial, file)
}
