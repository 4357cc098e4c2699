//! Renders TeX, including the display of invalid TeX (A-232 in docs/assumptions.md).

#[cfg(feature = "tex")]
mod typeset;

use super::context::Context;
use super::html;
#[cfg(feature = "tex")]
use typeset::typeset;

/// Without the feature, all TeX is shown as invalid.
#[cfg(not(feature = "tex"))]
fn typeset(_: &str, _: bool) -> Option<String> {
    None
}

/// Steps of typesetting an empty source.
const BASE_STEPS: usize = 10_000;

/// Additional steps per byte of a source.
const STEPS_PER_BYTE: usize = 1_000;

/// The HTML of a source. None: it is invalid or too complex, the budget does not suffice, or the crate is built without
/// the feature `tex`. `is_display` is for formulas on separate lines.
pub(super) fn typeset_within_budget(context: &mut Context<'_>, source: &str, is_display: bool) -> Option<String> {
    context.budget.spend_steps(BASE_STEPS + STEPS_PER_BYTE * source.len()).ok()?;
    typeset(source, is_display)
}

/// Renders a fenced block. Parts between blank lines are separate formulas.
pub(super) fn render_math_block(context: &mut Context<'_>, body: &str) -> String {
    let error_html =
        |source: &str| format!("<span class=\"tex-error\">{}</span>", html::escape_with_quotes(source, "&#x27;"));
    let render_formula =
        |source: &str| typeset_within_budget(context, source, true).unwrap_or_else(|| error_html(source));
    body.split("\n\n").map(render_formula).collect::<Vec<_>>().join("\n\n")
}
