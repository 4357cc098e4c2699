//! The page for a path of a world that does not exist.

use super::layout;
use crate::http::Response;
use maud::html;

const MAX_LISTED_WORLDS: usize = 100;

/// Lists the existing worlds, those with the most similar names first.
pub fn unknown_world_page(name: &str, world_names: &[String]) -> Response {
    // In millionths, because `f64` is not `Ord` and can't be a part of a key to sort by.
    let similarity = |world: &&String| (strsim::jaro_winkler(name, world) * 1e6) as i64;
    let mut sorted_names: Vec<&String> = world_names.iter().collect();
    sorted_names.sort_by_key(|name| (std::cmp::Reverse(similarity(name)), *name));
    let body = html! {
        h1 { "There is no world ‘" (name) "’" }
        @if !sorted_names.is_empty() {
            p { "These worlds are here:" }
            ul {
                @for world_name in sorted_names.iter().take(MAX_LISTED_WORLDS) {
                    li { a href={ "/console/w/" (world_name) } { (world_name) } }
                }
            }
        }
        @if sorted_names.len() > MAX_LISTED_WORLDS {
            p { "There are " (sorted_names.len() - MAX_LISTED_WORLDS) " more." }
        }
        p { a href="/console" { "Open the console" } }
    };
    layout::page(404, "No such world", &body, None)
}
