//! The page that a browser shows for an address without a world.

use super::frame;
use crate::http::Response;
use maud::html;

const MAX_LISTED_WORLDS: usize = 100;

/// The page for an unknown world, which lists the existing ones with the most similar names first.
pub fn unknown_world(name: &str, worlds: &[String]) -> Response {
    let similarity = |other: &&String| (strsim::jaro_winkler(name, other) * 1e6) as i64;
    let mut sorted_worlds: Vec<&String> = worlds.iter().collect();
    sorted_worlds.sort_by_key(|other| (std::cmp::Reverse(similarity(other)), *other));
    let body = html! {
        h1 { "There is no world ‘" (name) "’" }
        @if !sorted_worlds.is_empty() {
            p { "These worlds are here:" }
            ul {
                @for world in sorted_worlds.iter().take(MAX_LISTED_WORLDS) {
                    li { a href={ "/console/w/" (world) } { (world) } }
                }
            }
        }
        @if sorted_worlds.len() > MAX_LISTED_WORLDS {
            p { "There are " (sorted_worlds.len() - MAX_LISTED_WORLDS) " more." }
        }
        p { a href="/console" { "Open the console" } }
    };
    frame::page(404, "No such world", &body, None)
}
