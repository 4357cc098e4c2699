//! TeX: what is shown, also where it has a fault (A-232 in docs/assumptions.md).

#[cfg(feature = "tex")]
mod typeset;

use super::context::Context;
use super::html;
#[cfg(feature = "tex")]
use typeset::typeset;

#[cfg(not(feature = "tex"))]
fn typeset(_: &str, _: bool) -> Option<String> {
    None
}

/// Steps that typesetting the shortest source takes.
const STEPS: usize = 10_000;

/// Steps that a byte of a source takes besides.
const STEPS_PER_BYTE: usize = 1_000;

/// The HTML of a source, if it has no fault and the budget suffices.
pub(super) fn typeset_in(context: &mut Context<'_>, source: &str, is_display: bool) -> Option<String> {
    context.budget.spend_steps(STEPS + STEPS_PER_BYTE * source.len()).ok()?;
    typeset(source, is_display)
}

/// A block of math: one for each part between blank lines.
pub(super) fn display(context: &mut Context<'_>, body: &str) -> String {
    let error = |source: &str| format!("<span class=\"tex-error\">{}</span>", html::with_quotes(source, "&#x27;"));
    let part = |source: &str| typeset_in(context, source, true).unwrap_or_else(|| error(source));
    body.split("\n\n").map(part).collect::<Vec<_>>().join("\n\n")
}
