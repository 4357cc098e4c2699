//! Delays of previews.

use super::refused;
use super::times::Seconds;
use crate::error::Error;
use crate::realm::preview::PreviewDelays;
use crate::time::Span;
use crate::world::World;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The longest delay.
const MOST_DAYS: i64 = 36_525;

/// Delays; one that is left out stays as it is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PreviewTerms")]
pub struct Sent {
    /// From the upload of a picture to its thumbnails, by the world's clock; 0 at first.
    thumbnail_seconds: Option<Seconds>,
    /// From a message to the previews of the pages that it links, by the world's clock; without one there are none.
    link_seconds: Option<Seconds>,
}

/// Sets when previews arrive.
///
/// # Errors
///
/// `ControlRefused`.
pub fn set(world: &World, sent: &Sent) -> Result<Value, Error> {
    let checked = |delay: Option<Seconds>, at: &str| match delay {
        Some(Seconds(span)) if span < Span::seconds(0) || span > Span::days(MOST_DAYS) => {
            Err(refused(format!("{at}: takes at least 0 seconds, and at most 100 years")))
        }
        delay => Ok(delay.map(|Seconds(span)| span)),
    };
    let thumbnails = checked(sent.thumbnail_seconds, "$.thumbnail_seconds")?;
    let links = checked(sent.link_seconds, "$.link_seconds")?;
    world.commit(|tx| {
        let before = tx.preview_delays;
        tx.set_preview_delays(PreviewDelays {
            thumbnails: thumbnails.unwrap_or(before.thumbnails),
            links: links.or(before.links),
        });
        Ok(json!({}))
    })
}

/// The delays of previews.
pub fn show(world: &World) -> Value {
    let PreviewDelays { thumbnails, links } = world.snapshot().preview_delays;
    let seconds = |span: Span| span.micros() as f64 / 1e6;
    json!({"thumbnail_seconds": seconds(thumbnails), "link_seconds": links.map(seconds)})
}

/// Ends the delays of previews; those that are due later still arrive.
///
/// # Errors
///
/// None.
pub fn end(world: &World) -> Result<Value, Error> {
    world.commit(|tx| {
        tx.set_preview_delays(PreviewDelays::default());
        Ok(json!({}))
    })
}
