//! TeX: what is shown, also where it has a fault (A-232 in docs/assumptions.md).

mod typeset;

use super::context::Context;
use super::html;
use typeset::typeset;

/// A text has no more sources than this.
const SOURCES_MAX: usize = 4_000;

/// With more HTML than this there is too much of it in any case.
const HTML_MAX_BYTES: usize = 2 * super::OUTPUT_MAX_CHARS;

/// The HTML of a source, if it has no fault and the text has not had too many before.
pub(super) fn typeset_in(context: &mut Context<'_>, source: &str, is_display: bool) -> Option<String> {
    context.sources += 1;
    let has_room = context.sources <= SOURCES_MAX && context.stash.bytes() <= HTML_MAX_BYTES;
    has_room.then(|| typeset(source, is_display)).flatten()
}

/// A block of math: one for each part between blank lines.
pub(super) fn display(context: &mut Context<'_>, body: &str) -> String {
    let error = |source: &str| format!("<span class=\"tex-error\">{}</span>", html::with_quotes(source, "&#x27;"));
    let part = |source: &str| typeset_in(context, source, true).unwrap_or_else(|| error(source));
    body.split("\n\n").map(part).collect::<Vec<_>>().join("\n\n")
}
