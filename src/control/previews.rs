//! The calls for the delays of thumbnails and link previews.

use super::refusal;
use super::times::SpanInput;
use crate::error::Error;
use crate::realm::preview_delays::PreviewDelays;
use crate::time::Span;
use crate::world::World;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The longest delay: 100 years.
const MAX_DELAY_DAYS: i64 = 36_525;

/// How long thumbnails and link previews take; a delay that is left out stays as it is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PreviewTerms")]
pub struct PreviewDelaySpec {
    /// Time from the upload of a picture to its thumbnails, by the world's clock; 0 at first.
    thumbnail_seconds: Option<SpanInput>,
    /// Time from a message to the previews of its links, by the world's clock; there are none until this is set.
    link_seconds: Option<SpanInput>,
}

/// Changes the delays of previews.
///
/// # Errors
///
/// `ControlRefused` for a negative delay, or one of more than 100 years.
pub fn set(world: &World, spec: &PreviewDelaySpec) -> Result<Value, Error> {
    let check_delay = |delay: Option<SpanInput>, path: &str| match delay {
        Some(SpanInput(span)) if span < Span::from_seconds(0) || span > Span::from_days(MAX_DELAY_DAYS) => {
            Err(refusal(format!("{path}: takes at least 0 seconds, and at most 100 years")))
        }
        delay => Ok(delay.map(|SpanInput(span)| span)),
    };
    let thumbnails = check_delay(spec.thumbnail_seconds, "$.thumbnail_seconds")?;
    let links = check_delay(spec.link_seconds, "$.link_seconds")?;
    world.commit(|tx| {
        let current = tx.preview_delays;
        tx.set_preview_delays(PreviewDelays {
            thumbnails: thumbnails.unwrap_or(current.thumbnails),
            links: links.or(current.links),
        });
        Ok(json!({}))
    })
}

pub fn show(world: &World) -> Value {
    let PreviewDelays { thumbnails, links } = world.snapshot().preview_delays;
    let seconds = |span: Span| span.micros() as f64 / 1e6;
    json!({"thumbnail_seconds": seconds(thumbnails), "link_seconds": links.map(seconds)})
}

/// Resets the delays to the defaults. Previews that are already scheduled arrive at their time.
///
/// # Errors
///
/// Never fails. It returns a `Result` like the other calls.
pub fn end(world: &World) -> Result<Value, Error> {
    world.commit(|tx| {
        tx.set_preview_delays(PreviewDelays::default());
        Ok(json!({}))
    })
}
