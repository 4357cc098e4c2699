//! What a browser shows where there is no world.

use super::frame;
use crate::http::Response;
use maud::html;

/// So many worlds are listed.
const WORLDS_MAX: usize = 100;

/// The page for a world that there is not: the worlds that may be meant, those whose names are most alike first.
pub fn unknown_world(name: &str, worlds: &[String]) -> Response {
    let likeness = |other: &&String| (strsim::jaro_winkler(name, other) * 1e6) as i64;
    let mut listed: Vec<&String> = worlds.iter().collect();
    listed.sort_by_key(|other| (std::cmp::Reverse(likeness(other)), *other));
    let body = html! {
        h1 { "There is no world ‘" (name) "’" }
        @if !listed.is_empty() {
            p { "These worlds are here:" }
            ul {
                @for world in listed.iter().take(WORLDS_MAX) {
                    li { a href={ "/console/w/" (world) } { (world) } }
                }
            }
        }
        @if listed.len() > WORLDS_MAX {
            p { "There are " (listed.len() - WORLDS_MAX) " more." }
        }
        p { a href="/console" { "Open the console" } }
    };
    frame::page(404, "No such world", &body, None)
}
