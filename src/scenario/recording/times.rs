//! Times in requests and replies, recognized by their values.

/// Whether a number can be a time from 2014 to 2096, in UNIX seconds or milliseconds.
pub fn is_unix_time(value: f64) -> bool {
    let is_plausible = |seconds: f64| (1.4e9..4e9).contains(&seconds);
    is_plausible(value) || is_plausible(value / 1e3)
}

/// Whether a text begins like a time such as `2026-01-01T00:00:00Z`.
pub fn is_timestamp_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 16
        && bytes.is_ascii()
        && bytes[4] == b'-'
        && bytes[7] == b'-'
        && [b'T', b' '].contains(&bytes[10])
        && bytes[13] == b':'
        && bytes[..4].iter().all(u8::is_ascii_digit)
}
