//! The files for the result of a comparison. They are checked before it, because a comparison takes long.

use super::result::ComparisonResult;
use crate::cli::CliError;
use crate::cli::atomic_file::{check_writable, write_atomically};
use crate::cli::output::print_line;
use std::fmt::Display;
use std::path::Path;

/// The files to which a comparison writes its result. Without a file for the text, the text is printed.
pub struct ResultFiles<'a> {
    text_file: Option<&'a Path>,
    json_file: Option<&'a Path>,
}

impl<'a> ResultFiles<'a> {
    /// Checks that the files can be written, and that no file has two purposes. Changes no file.
    ///
    /// # Errors
    ///
    /// If a file can't be written, is `-`, or is given twice, as a file to read or to write.
    pub fn prepare(
        text_file: Option<&'a Path>,
        json_file: Option<&'a Path>,
        accounts_file: &Path,
        baseline_file: Option<&Path>,
    ) -> Result<Self, CliError> {
        for (option, file) in [("--output", text_file), ("--json", json_file)] {
            if file == Some(Path::new("-")) {
                let message = format!("{option} takes a file, not '-'; the result is printed without --output");
                return Err(CliError::usage(message));
            }
        }
        for file in text_file.into_iter().chain(json_file) {
            check_writable(file).map_err(|error| write_error(file, &error))?;
        }
        for (option, file, other_option, other_file) in [
            ("--output", text_file, "--json", json_file),
            ("--output", text_file, "--accounts", Some(accounts_file)),
            ("--json", json_file, "--accounts", Some(accounts_file)),
        ] {
            if let (Some(file), Some(other_file)) = (file, other_file)
                && is_same_file(file, other_file)
            {
                let message = format!("{option} and {other_option} are the same file, {}", other_file.display());
                return Err(CliError::usage(message));
            }
        }
        for (option, file) in [("--output", text_file), ("--json", json_file)] {
            if let (Some(file), Some(baseline_file)) = (file, baseline_file)
                && is_same_file(file, baseline_file)
            {
                return Err(CliError::usage(format!(
                    "{option} and --baseline are the same file, {}: the next run would take what is new in this one for \
                     known; give the result another name",
                    baseline_file.display()
                )));
            }
        }
        Ok(Self { text_file, json_file })
    }

    /// Removes the results of earlier runs, so that nobody takes them for that of this run, which may fail.
    pub fn remove_former_results(&self) {
        for file in self.text_file.into_iter().chain(self.json_file) {
            if std::fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_file()) {
                // A file that can't be removed is replaced at the end.
                let _ = std::fs::remove_file(file);
            }
        }
    }

    /// Writes the result to the files. Prints its counts if there is a file for the text, else its text.
    ///
    /// # Errors
    ///
    /// If a file can't be written. The text is printed then, so that the result is not lost.
    pub fn write(&self, comparison: &ComparisonResult) -> Result<(), CliError> {
        let result = self.write_files(comparison);
        match self.text_file {
            Some(_) if result.is_ok() => print_line(comparison.counts_text())?,
            _ => print_line(comparison.to_text().trim_end())?,
        }
        result
    }

    fn write_files(&self, comparison: &ComparisonResult) -> Result<(), CliError> {
        if let Some(file) = self.json_file {
            let json = serde_json::to_string_pretty(&comparison.to_record()).map_err(CliError::internal)?;
            write_atomically(file, &format!("{json}\n")).map_err(|error| write_error(file, &error))?;
        }
        match self.text_file {
            Some(file) => write_atomically(file, &comparison.to_text()).map_err(|error| write_error(file, &error)),
            None => Ok(()),
        }
    }
}

fn write_error(file: &Path, reason: &dyn Display) -> CliError {
    CliError::failure(format!("{} can't be written: {reason}", file.display()))
}

/// Whether two paths are one file. Files that don't exist yet are compared by their folder and name.
fn is_same_file(file: &Path, other: &Path) -> bool {
    let location = |file: &Path| {
        file.canonicalize().ok().or_else(|| {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(file.file_name()?))
        })
    };
    location(file).is_some_and(|path| location(other) == Some(path))
}
