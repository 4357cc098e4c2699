//! Programs that call.

/// Whether a client is one that people write with, so that its user has read what it sends (A-7 in
/// docs/assumptions.md).
pub fn is_for_people(client: &str) -> bool {
    let words = ["mobile", "website", "electron", "desktop", "terminal", "mozilla"];
    words
        .iter()
        .any(|word| client.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes())))
}
