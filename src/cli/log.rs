//! The log on standard error, and the warnings in it, which a run that failed shows once more at its end.

use super::output::tell;
use parking_lot::Mutex;
use std::io::{self, Write};
use tracing::{Level, Metadata};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Warnings that are shown once more; the first ones, since the others often follow from them.
const MAX_REPEATED: usize = 20;

static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Begins to write messages of these levels to standard error.
pub(super) fn begin(levels: impl Into<LevelFilter>) {
    tracing_subscriber::fmt().with_max_level(levels).with_writer(Log).init();
}

/// Shows the warnings once more: those of a long run are far above its end.
pub(super) fn repeat_warnings() {
    for warning in WARNINGS.lock().drain(..) {
        tell(format_args!("warning: {warning}"));
    }
}

struct Log;

/// One message.
struct Message {
    is_warning: bool,
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Message;

    fn make_writer(&'a self) -> Message {
        Message { is_warning: false }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> Message {
        Message { is_warning: *metadata.level() == Level::WARN }
    }
}

impl Write for Message {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_warning {
            note(&String::from_utf8_lossy(bytes));
        }
        io::stderr().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Notes the text of a line behind its time, level and place in the source.
fn note(line: &str) {
    let Some((_, text)) = line.trim_end().split_once(": ") else { return };
    let mut warnings = WARNINGS.lock();
    if warnings.len() < MAX_REPEATED && !warnings.iter().any(|known| known == text) {
        warnings.push(text.to_owned());
    }
}
