//! Reading the bodies of requests, within limits of size, time and memory (docs/limits.md).

use super::protocol::is_chunk;
use crate::error::Error;
use crate::realm::setting::MAX_FILE_UPLOAD_SIZE_MIB;
use bytes::{Buf, Bytes};
use futures_util::{FutureExt, Stream, StreamExt, pin_mut};
use http::{HeaderMap, header};
use memmap2::MmapMut;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Largest body that is not an upload, MiB.
pub const MAX_BODY_MIB: usize = 32;
/// Largest file of an upload, MiB; an organization may allow less (`max_file_upload_size_mib`).
pub const MAX_FILE_MIB: usize = MAX_FILE_UPLOAD_SIZE_MIB as usize;
/// Largest body of control that is a document, of a whole world for instance, MiB.
pub const MAX_DOCUMENT_MIB: usize = 1024;
/// Bodies of more bytes than this may take long to read and to carry out.
pub const LARGE_BODY: usize = 64 * 1024;
/// Bytes of all large bodies of the API that are in memory at once, MiB; and of all documents.
const BODIES_MIB: usize = 512;
const DOCUMENTS_MIB: usize = 2048;
/// How long a body may pause before the request is given up.
const BODY_PAUSE: Duration = Duration::from_secs(30);
/// How long a body that is not wanted may pause before the request is answered.
const UNWANTED_PAUSE: Duration = Duration::from_millis(100);
/// From here on bytes are in memory of their own, which goes back to the system with them.
const MAPPED: usize = 1024 * 1024;
pub(super) const MIB: usize = 1024 * 1024;

/// How large a body may be.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimit {
    bytes: usize,
    too_large: fn() -> Error,
}

impl BodyLimit {
    /// Of calls of control that take no documents.
    pub const OF_CONTROL: Self = Self { bytes: MAX_BODY_MIB * MIB, too_large: body_too_large };
    /// Of documents.
    pub const OF_DOCUMENTS: Self = Self {
        bytes: MAX_DOCUMENT_MIB * MIB,
        too_large: || Error::BodyTooLarge { limit_mib: MAX_DOCUMENT_MIB.into() },
    };

    /// Of requests of the API, as far as their type tells. An operation that takes no files allows less than this.
    pub fn of_api(headers: &HeaderMap) -> Self {
        if content_type(headers).is_some_and(|kind| kind.starts_with("multipart/")) || is_chunk(headers) {
            // An upload's frame of headers and boundaries comes on top of the file.
            let too_large = || Error::UploadTooLarge { limit_mib: MAX_FILE_MIB.into() };
            return Self { bytes: MAX_FILE_MIB * MIB + 64 * 1024, too_large };
        }
        Self { bytes: MAX_BODY_MIB * MIB, too_large: body_too_large }
    }
}

pub(super) fn body_too_large() -> Error {
    Error::BodyTooLarge { limit_mib: MAX_BODY_MIB.into() }
}

/// The value of Content-Type as text.
pub(super) fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok())
}

/// The memory for bodies of more than 64 KiB, over all connections.
#[derive(Debug)]
pub struct BodyRoom {
    most: usize,
    taken: AtomicUsize,
}

impl BodyRoom {
    /// Room for so many bytes.
    pub fn of(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: AtomicUsize::new(0) })
    }

    /// The room that the bodies of the API share.
    pub fn of_api() -> Arc<Self> {
        Self::of(BODIES_MIB * MIB)
    }

    /// The room that the documents of control share.
    pub fn of_documents() -> Arc<Self> {
        Self::of(DOCUMENTS_MIB * MIB)
    }
}

/// A part of the room, which is free again when this is dropped.
#[derive(Debug)]
struct Place {
    room: Arc<BodyRoom>,
    bytes: usize,
}

impl Place {
    fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        let before = self.room.taken.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        if before + bytes <= self.room.most {
            return Ok(());
        }
        Err(Error::BodiesTooLarge { limit_mib: self.room.most.div_ceil(MIB).into() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.room.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A body that was read, or was not, because its sender may not send one.
#[derive(Debug)]
pub struct Body {
    /// The bytes; none where it was not read.
    pub bytes: Bytes,
    /// Whether it was read.
    pub is_read: bool,
    _place: Option<Place>,
}

impl Body {
    fn read(bytes: Bytes, place: Option<Place>) -> Self {
        Self { bytes, is_read: true, _place: place }
    }

    fn unread() -> Self {
        Self { bytes: Bytes::new(), is_read: false, _place: None }
    }
}

/// Asserts that a body is as it is sent: what it would unpack to has no limit.
///
/// # Errors
///
/// `EncodedBody`.
fn check_encoding(headers: &HeaderMap) -> Result<(), Error> {
    let encoding = headers.get(header::CONTENT_ENCODING).and_then(|encoding| encoding.to_str().ok());
    match encoding.filter(|encoding| !encoding.trim().is_empty() && !encoding.trim().eq_ignore_ascii_case("identity")) {
        Some(encoding) => Err(Error::EncodedBody { encoding: encoding.into() }),
        None => Ok(()),
    }
}

/// Reads a body to its end. Whether it is wanted is asked before more than 64 KiB of it are taken.
///
/// # Errors
///
/// `EncodedBody`, `BodyTooLarge`, `UploadTooLarge`, `BodiesTooLarge`, `BodyTooSlow`, `MalformedBody` when the connection breaks.
pub async fn read_body(
    headers: &HeaderMap,
    limit: BodyLimit,
    room: &Arc<BodyRoom>,
    body: impl Stream<Item = Result<impl Buf, impl Display>>,
    is_wanted: impl Fn() -> bool,
) -> Result<Body, Error> {
    check_encoding(headers)?;
    let is_chunk = is_chunk(headers);
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit.bytes) {
        return Err((limit.too_large)());
    }
    pin_mut!(body);
    if announced.is_some_and(|length| length > LARGE_BODY) && !is_wanted() {
        discard(headers, limit, body).await;
        return Ok(Body::unread());
    }
    let mut bytes = Collected::default();
    let mut place: Option<Place> = None;
    loop {
        // Most of the time it is there already, or there is none: no need to look at the clock.
        let next = match body.next().now_or_never() {
            Some(next) => next,
            None => tokio::time::timeout(BODY_PAUSE, body.next()).await.map_err(|_| Error::BodyTooSlow)?,
        };
        let mut chunk = match next {
            Some(Ok(chunk)) => chunk,
            // What arrived of a resumable upload before the connection broke is not sent again.
            Some(Err(error)) if !is_chunk => return Err(Error::MalformedBody { reason: error.to_string().into() }),
            _ => return Ok(Body::read(bytes.whole(), place)),
        };
        let length = bytes.len() + chunk.remaining();
        if length > limit.bytes {
            return Err((limit.too_large)());
        }
        if length > LARGE_BODY {
            if place.is_none() && announced.is_none() && !is_wanted() {
                discard(headers, limit, body).await;
                return Ok(Body::unread());
            }
            let grown = if place.is_none() { length } else { chunk.remaining() };
            place.get_or_insert_with(|| Place { room: room.clone(), bytes: 0 }).grow(grown)?;
        }
        bytes.add(chunk.copy_to_bytes(chunk.remaining()), announced.unwrap_or_default())?;
    }
}

/// Takes a body without keeping it, so that the client comes to read the reply; a client that pauses gets it at once.
async fn discard(
    headers: &HeaderMap,
    limit: BodyLimit,
    mut body: impl Stream<Item = Result<impl Buf, impl Display>> + Unpin,
) {
    // With this header, a client sends nothing before it is asked to.
    if headers.contains_key(header::EXPECT) {
        return;
    }
    let mut left = limit.bytes;
    while let Ok(Some(Ok(chunk))) = tokio::time::timeout(UNWANTED_PAUSE, body.next()).await {
        match left.checked_sub(chunk.remaining()) {
            Some(less) => left = less,
            None => return,
        }
    }
}

/// The bytes of a body so far.
#[derive(Default)]
struct Collected {
    /// Most bodies come in one piece, which is taken as it is.
    small: Bytes,
    /// Those of a large one.
    large: Option<MmapMut>,
    /// How many of the large ones are filled.
    filled: usize,
}

impl Collected {
    fn len(&self) -> usize {
        if self.large.is_some() { self.filled } else { self.small.len() }
    }

    /// Adds a piece of a body that is to have so many bytes in all, as far as that is known.
    fn add(&mut self, piece: Bytes, announced: usize) -> Result<(), Error> {
        let length = self.len() + piece.len();
        if self.large.is_none() && length <= MAPPED {
            self.small = if self.small.is_empty() { piece } else { [&*self.small, &*piece].concat().into() };
            return Ok(());
        }
        if self.large.as_ref().is_none_or(|large| large.len() < length) {
            // Pages that nothing was written to take no memory.
            let mut larger = MmapMut::map_anon(length.next_power_of_two().max(announced))
                .map_err(|error| Error::MalformedBody { reason: error.to_string().into() })?;
            let before = self.large.as_deref().map_or(&*self.small, |large| &large[..self.filled]);
            larger[..before.len()].copy_from_slice(before);
            self.filled = before.len();
            self.large = Some(larger);
            self.small = Bytes::new();
        }
        if let Some(large) = &mut self.large {
            large[self.filled..length].copy_from_slice(&piece);
            self.filled = length;
        }
        Ok(())
    }

    fn whole(self) -> Bytes {
        match self.large {
            Some(large) => Bytes::from_owner(large).slice(..self.filled),
            None => self.small,
        }
    }
}

/// Bytes in memory that goes back to the system with them, if they are many.
pub fn apart(bytes: Bytes) -> Bytes {
    if bytes.len() <= MAPPED {
        return bytes;
    }
    let Ok(mut mapped) = MmapMut::map_anon(bytes.len()) else { return bytes };
    mapped.copy_from_slice(&bytes);
    Bytes::from_owner(mapped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;
    use std::convert::Infallible;

    fn pieces(count: usize, bytes: usize) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::iter((0..count).map(move |index| Ok(Bytes::from(vec![index as u8; bytes]))))
    }

    fn read(room: &Arc<BodyRoom>, count: usize, bytes: usize, is_wanted: bool) -> Result<Body, Error> {
        let headers = HeaderMap::new();
        let read = read_body(&headers, BodyLimit::of_api(&headers), room, pieces(count, bytes), || is_wanted);
        read.now_or_never().expect("all of it is there")
    }

    #[test]
    fn a_body_is_what_came_whatever_its_size() {
        let room = BodyRoom::of(8 * MIB);
        for (count, bytes) in [(0, 0), (1, 10), (3, 10), (3, 50_000), (5, 300_000), (40, 100_000)] {
            let body = read(&room, count, bytes, true).expect("there is room");

            let expected: Vec<u8> = (0..count).flat_map(|index| vec![index as u8; bytes]).collect();
            assert_eq!(body.bytes, expected);
            assert_eq!(apart(body.bytes), expected);
        }
    }

    #[test]
    fn large_bodies_share_their_room_and_give_it_back() {
        let room = BodyRoom::of(2 * MIB);

        let first = read(&room, 15, 100_000, true).expect("there is room");
        assert_eq!(read(&room, 15, 100_000, true).err(), Some(Error::BodiesTooLarge { limit_mib: 2.into() }));
        assert!(read(&room, 1, 60_000, true).is_ok());
        drop(first);
        assert!(read(&room, 15, 100_000, true).is_ok());
    }

    #[tokio::test]
    async fn a_large_body_that_is_not_wanted_is_not_kept() {
        let room = BodyRoom::of(MIB);

        let body = read(&room, 30, 1_000_000, false).expect("it takes no room");

        assert!(body.bytes.is_empty() && !body.is_read);
        assert!(read(&room, 1, 60_000, false).expect("it is small").is_read);
    }

    #[tokio::test]
    async fn who_sends_an_unwanted_body_without_end_is_answered() {
        let headers = HeaderMap::new();
        let endless = pieces(3, 100_000).chain(stream::pending());

        let limit = BodyLimit::of_api(&headers);
        let body = read_body(&headers, limit, &BodyRoom::of(MIB), endless, || false).await.expect("it is given up");

        assert!(!body.is_read);
    }
}
