//! Headers that a request may have at most once.

use http::{HeaderMap, HeaderName};

/// The value of a header that a request may have at most once.
pub enum SingleHeader<'headers> {
    Absent,
    /// One value of visible ASCII characters.
    Value(&'headers str),
    /// Several values, or one with other characters.
    Unreadable,
}

impl<'headers> SingleHeader<'headers> {
    pub fn from_headers(headers: &'headers HeaderMap, name: HeaderName) -> Self {
        let mut values = headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (None, _) => SingleHeader::Absent,
            (Some(value), None) => value.to_str().map_or(SingleHeader::Unreadable, SingleHeader::Value),
            (Some(_), Some(_)) => SingleHeader::Unreadable,
        }
    }
}
