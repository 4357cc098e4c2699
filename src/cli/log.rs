//! The log on standard error. Warnings are collected, so that a failed run can repeat them at its end.

use super::output::eprint_line;
use parking_lot::Mutex;
use std::io::{self, Write};
use tracing::{Level, Metadata};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Only the first warnings are repeated, since later ones often have the same cause.
const MAX_REPEATED_WARNINGS: usize = 20;

static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Starts the log. Messages below `max_level` in severity are left out.
pub(super) fn init(max_level: impl Into<LevelFilter>) {
    tracing_subscriber::fmt().with_max_level(max_level).with_writer(LogOutput).init();
}

/// Repeats the kept warnings, which may be far above the end of the output of a long run. Returns them.
pub(super) fn repeat_warnings() -> Vec<String> {
    let warnings = std::mem::take(&mut *WARNINGS.lock());
    warnings.iter().for_each(|warning| eprint_line(format_args!("warning: {warning}")));
    warnings
}

struct LogOutput;

/// Writes one message of the log.
struct MessageWriter {
    is_warning: bool,
}

impl<'a> MakeWriter<'a> for LogOutput {
    type Writer = MessageWriter;

    fn make_writer(&'a self) -> MessageWriter {
        MessageWriter { is_warning: false }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> MessageWriter {
        MessageWriter { is_warning: *metadata.level() == Level::WARN }
    }
}

impl Write for MessageWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // tracing writes each message with one call.
        if self.is_warning {
            keep_warning(&String::from_utf8_lossy(bytes));
        }
        io::stderr().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Keeps the text of a line, which follows its time, level and target (module).
fn keep_warning(line: &str) {
    let Some((_, text)) = line.trim_end().split_once(": ") else { return };
    let mut warnings = WARNINGS.lock();
    if warnings.len() < MAX_REPEATED_WARNINGS && !warnings.iter().any(|warning| warning == text) {
        warnings.push(text.to_owned());
    }
}
