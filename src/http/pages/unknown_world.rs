//! The page for a path of a world that does not exist.

use super::layout;
use crate::http::Response;
use maud::html;

const MAX_LISTED_WORLDS: usize = 100;

/// Lists the existing worlds, those with the most similar names first.
pub fn unknown_world_page(name: &str, worlds: &[String]) -> Response {
    // In millionths, because `f64` is not `Ord` and can't be a part of a key to sort by.
    let similarity = |world: &&String| (strsim::jaro_winkler(name, world) * 1e6) as i64;
    let mut sorted_worlds: Vec<&String> = worlds.iter().collect();
    sorted_worlds.sort_by_key(|world| (std::cmp::Reverse(similarity(world)), *world));
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
    layout::page(404, "No such world", &body, None)
}
