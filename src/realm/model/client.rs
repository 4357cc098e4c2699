//! Recognizes clients by their names.

/// Whether the client's name is that of a program for people, whose sent messages count as read by the sender (A-7 in
/// docs/assumptions.md).
pub fn is_for_people(client: &str) -> bool {
    let name_parts = ["mobile", "website", "electron", "desktop", "terminal", "mozilla"];
    name_parts
        .iter()
        .any(|part| client.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes())))
}
