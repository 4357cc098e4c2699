//! Reads the bodies of requests, within limits of size, time and memory (docs/limits.md).

use super::protocol::is_upload_chunk;
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

/// The largest body that is neither an upload nor a document for control, in MiB.
pub const MAX_BODY_MIB: usize = 32;
/// The largest uploaded file, in MiB; an organization may allow less (`max_file_upload_size_mib`).
pub const MAX_FILE_MIB: usize = MAX_FILE_UPLOAD_SIZE_MIB as usize;
/// The largest document in the body of a control call, such as a fixture, in MiB.
pub const MAX_DOCUMENT_MIB: usize = 1024;
/// A body with more bytes counts as large: it needs memory from [`BodyMemory`], and its request may be slow.
pub const LARGE_BODY_BYTES: usize = 64 * 1024;
/// The memory for the large bodies of the API and of control calls that take no documents, in MiB.
const API_BODY_MEMORY_MIB: usize = 512;
/// The memory for the large bodies of all control calls that take documents, in MiB.
const DOCUMENT_MEMORY_MIB: usize = 2048;
/// How long a client may pause within a body before the request is refused.
const MAX_BODY_PAUSE: Duration = Duration::from_secs(30);
/// How long a client may pause within a body that is discarded before the request is answered.
const MAX_DISCARD_PAUSE: Duration = Duration::from_millis(100);
/// A body with more bytes is stored in a mapping, so that the system gets the memory back when it is dropped.
const MAX_UNMAPPED_BYTES: usize = 1024 * 1024;
pub(super) const MIB: usize = 1024 * 1024;

/// The number of bytes that a body may have, and the error for more.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimit {
    max_bytes: usize,
    /// Makes the error for a larger body.
    too_large_error: fn() -> Error,
}

impl BodyLimit {
    /// The limit of control calls that take no documents.
    pub const CONTROL: Self = Self { max_bytes: MAX_BODY_MIB * MIB, too_large_error: body_too_large };
    /// The limit of control calls that take documents.
    pub const DOCUMENTS: Self = Self {
        max_bytes: MAX_DOCUMENT_MIB * MIB,
        too_large_error: || Error::BodyTooLarge { limit_mib: MAX_DOCUMENT_MIB.into() },
    };

    /// The limit of API requests: that of files for multipart bodies and for chunks of resumable uploads. The limit of
    /// an operation without files is checked later, when the operation is known.
    pub fn of_api(headers: &HeaderMap) -> Self {
        if content_type(headers).is_some_and(|kind| kind.starts_with("multipart/")) || is_upload_chunk(headers) {
            let too_large_error = || Error::UploadTooLarge { limit_mib: MAX_FILE_MIB.into() };
            // 64 KiB more, for the headers and boundaries of a multipart body.
            return Self { max_bytes: MAX_FILE_MIB * MIB + 64 * 1024, too_large_error };
        }
        Self { max_bytes: MAX_BODY_MIB * MIB, too_large_error: body_too_large }
    }
}

pub(super) fn body_too_large() -> Error {
    Error::BodyTooLarge { limit_mib: MAX_BODY_MIB.into() }
}

pub(super) fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok())
}

/// A limit on the memory for large bodies over all connections.
#[derive(Debug)]
pub struct BodyMemory {
    limit_bytes: usize,
    used_bytes: AtomicUsize,
}

impl BodyMemory {
    pub fn with_limit(limit_bytes: usize) -> Arc<Self> {
        Arc::new(Self { limit_bytes, used_bytes: AtomicUsize::new(0) })
    }

    /// For the API and the control calls that take no documents, which share it.
    pub fn of_api() -> Arc<Self> {
        Self::with_limit(API_BODY_MEMORY_MIB * MIB)
    }

    /// For the control calls that take documents.
    pub fn of_documents() -> Arc<Self> {
        Self::with_limit(DOCUMENT_MEMORY_MIB * MIB)
    }
}

/// A reserved part of the memory, which is released on drop.
#[derive(Debug)]
struct Reservation {
    memory: Arc<BodyMemory>,
    reserved_bytes: usize,
}

impl Reservation {
    /// Reserves more bytes. They count even if there is too little memory, until the drop releases them.
    fn grow(&mut self, added_bytes: usize) -> Result<(), Error> {
        let used_before = self.memory.used_bytes.fetch_add(added_bytes, Ordering::Relaxed);
        self.reserved_bytes += added_bytes;
        if used_before + added_bytes <= self.memory.limit_bytes {
            return Ok(());
        }
        Err(Error::BodiesTooLarge { limit_mib: self.memory.limit_bytes.div_ceil(MIB).into() })
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.memory.used_bytes.fetch_sub(self.reserved_bytes, Ordering::Relaxed);
    }
}

/// The body of a request; unread if it is large and the caller may not send it.
#[derive(Debug)]
pub struct Body {
    /// Empty if the body was not read.
    pub bytes: Bytes,
    pub is_read: bool,
    _reservation: Option<Reservation>,
}

impl Body {
    fn from_bytes(bytes: Bytes, reservation: Option<Reservation>) -> Self {
        Self { bytes, is_read: true, _reservation: reservation }
    }

    fn unread() -> Self {
        Self { bytes: Bytes::new(), is_read: false, _reservation: None }
    }
}

/// Checks that a body is not compressed: its decompressed size would have no limit.
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

/// Reads a body to its end. `accepts_large_body` is called once the body is known to be large; if it returns false, the
/// body is discarded. If the connection breaks during a resumable upload, the body is what arrived.
///
/// # Errors
///
/// `EncodedBody`, `BodyTooLarge`, `UploadTooLarge`, `BodiesTooLarge`, `BodyTooSlow`; `MalformedBody` when the
/// connection breaks, or the system has no memory.
pub async fn read_body(
    headers: &HeaderMap,
    limit: BodyLimit,
    memory: &Arc<BodyMemory>,
    body: impl Stream<Item = Result<impl Buf, impl Display>>,
    accepts_large_body: impl Fn() -> bool,
) -> Result<Body, Error> {
    check_encoding(headers)?;
    let is_resumable = is_upload_chunk(headers);
    let announced_length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<usize>().ok());
    if announced_length.is_some_and(|length| length > limit.max_bytes) {
        return Err((limit.too_large_error)());
    }
    pin_mut!(body);
    if announced_length.is_some_and(|length| length > LARGE_BODY_BYTES) && !accepts_large_body() {
        discard(headers, limit, body).await;
        return Ok(Body::unread());
    }
    let mut buffer = BodyBuffer::default();
    let mut reservation: Option<Reservation> = None;
    loop {
        // Most bodies are empty or have arrived already, and need no timer.
        let next_chunk = match body.next().now_or_never() {
            Some(next_chunk) => next_chunk,
            None => tokio::time::timeout(MAX_BODY_PAUSE, body.next()).await.map_err(|_| Error::BodyTooSlow)?,
        };
        let mut chunk = match next_chunk {
            Some(Ok(chunk)) => chunk,
            // A client whose connection broke during a resumable upload continues after the bytes that arrived.
            Some(Err(error)) if !is_resumable => return Err(Error::MalformedBody { reason: error.to_string().into() }),
            _ => return Ok(Body::from_bytes(buffer.into_bytes(), reservation)),
        };
        let length = buffer.len() + chunk.remaining();
        if length > limit.max_bytes {
            return Err((limit.too_large_error)());
        }
        if length > LARGE_BODY_BYTES {
            if reservation.is_none() && announced_length.is_none() && !accepts_large_body() {
                discard(headers, limit, body).await;
                return Ok(Body::unread());
            }
            let added_bytes = if reservation.is_none() { length } else { chunk.remaining() };
            reservation
                .get_or_insert_with(|| Reservation { memory: memory.clone(), reserved_bytes: 0 })
                .grow(added_bytes)?;
        }
        buffer.push(chunk.copy_to_bytes(chunk.remaining()), announced_length.unwrap_or_default())?;
    }
}

/// Receives and drops a body, because many clients read the reply only after they have sent the body. Gives up when the
/// client pauses for [`MAX_DISCARD_PAUSE`] or sends more than the limit.
async fn discard(
    headers: &HeaderMap,
    limit: BodyLimit,
    mut body: impl Stream<Item = Result<impl Buf, impl Display>> + Unpin,
) {
    // With this header, a client sends the body only after the reply 100.
    if headers.contains_key(header::EXPECT) {
        return;
    }
    let mut remaining = limit.max_bytes;
    while let Ok(Some(Ok(chunk))) = tokio::time::timeout(MAX_DISCARD_PAUSE, body.next()).await {
        match remaining.checked_sub(chunk.remaining()) {
            Some(difference) => remaining = difference,
            None => return,
        }
    }
}

/// Collects the bytes of a body: in one allocation while they are few, in a mapping when they are many.
#[derive(Default)]
struct BodyBuffer {
    /// Most bodies arrive in one chunk, which is not copied.
    small: Bytes,
    /// None until the body is longer than [`MAX_UNMAPPED_BYTES`].
    large: Option<MmapMut>,
    /// The length of the body within `large`.
    large_length: usize,
}

impl BodyBuffer {
    fn len(&self) -> usize {
        if self.large.is_some() { self.large_length } else { self.small.len() }
    }

    /// Appends a chunk. `announced_length` is that of the whole body, or 0 if it is unknown.
    fn push(&mut self, chunk: Bytes, announced_length: usize) -> Result<(), Error> {
        let length = self.len() + chunk.len();
        if self.large.is_none() && length <= MAX_UNMAPPED_BYTES {
            self.small = if self.small.is_empty() { chunk } else { [&*self.small, &*chunk].concat().into() };
            return Ok(());
        }
        if self.large.as_ref().is_none_or(|large| large.len() < length) {
            // Untouched pages of a mapping take no memory, so a generous size costs nothing.
            let mut larger_mapping = MmapMut::map_anon(length.next_power_of_two().max(announced_length))
                .map_err(|error| Error::MalformedBody { reason: error.to_string().into() })?;
            let received_bytes = self.large.as_deref().map_or(&*self.small, |large| &large[..self.large_length]);
            larger_mapping[..received_bytes.len()].copy_from_slice(received_bytes);
            self.large_length = received_bytes.len();
            self.large = Some(larger_mapping);
            self.small = Bytes::new();
        }
        if let Some(large) = &mut self.large {
            large[self.large_length..length].copy_from_slice(&chunk);
            self.large_length = length;
        }
        Ok(())
    }

    fn into_bytes(self) -> Bytes {
        match self.large {
            Some(large) => Bytes::from_owner(large).slice(..self.large_length),
            None => self.small,
        }
    }
}

/// Copies more than [`MAX_UNMAPPED_BYTES`] to a mapping, so that the system gets their memory back when they are
/// dropped. Fewer bytes are returned as they are.
pub fn into_mapped(bytes: Bytes) -> Bytes {
    if bytes.len() <= MAX_UNMAPPED_BYTES {
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

    fn chunks(count: usize, bytes: usize) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::iter((0..count).map(move |index| Ok(Bytes::from(vec![index as u8; bytes]))))
    }

    fn read(memory: &Arc<BodyMemory>, count: usize, bytes: usize, accepts_large_body: bool) -> Result<Body, Error> {
        let headers = HeaderMap::new();
        let body =
            read_body(&headers, BodyLimit::of_api(&headers), memory, chunks(count, bytes), || accepts_large_body);
        body.now_or_never().expect("the whole body has arrived")
    }

    #[test]
    fn a_body_has_all_received_bytes_whatever_its_size() {
        let memory = BodyMemory::with_limit(8 * MIB);
        for (count, bytes) in [(0, 0), (1, 10), (3, 10), (3, 50_000), (5, 300_000), (40, 100_000)] {
            let body = read(&memory, count, bytes, true).expect("there is room");

            let expected: Vec<u8> = (0..count).flat_map(|index| vec![index as u8; bytes]).collect();
            assert_eq!(body.bytes, expected);
            assert_eq!(into_mapped(body.bytes), expected);
        }
    }

    #[test]
    fn large_bodies_share_a_memory_limit_and_release_it() {
        let memory = BodyMemory::with_limit(2 * MIB);

        let first = read(&memory, 15, 100_000, true).expect("there is room");
        assert_eq!(read(&memory, 15, 100_000, true).err(), Some(Error::BodiesTooLarge { limit_mib: 2.into() }));
        assert!(read(&memory, 1, 60_000, true).is_ok());
        drop(first);
        assert!(read(&memory, 15, 100_000, true).is_ok());
    }

    #[tokio::test]
    async fn an_unwanted_large_body_is_discarded() {
        let memory = BodyMemory::with_limit(MIB);

        let body = read(&memory, 30, 1_000_000, false).expect("it takes no room");

        assert!(body.bytes.is_empty() && !body.is_read);
        assert!(read(&memory, 1, 60_000, false).expect("it is small").is_read);
    }

    #[tokio::test]
    async fn a_client_with_an_endless_unwanted_body_is_answered() {
        let headers = HeaderMap::new();
        let endless = chunks(3, 100_000).chain(stream::pending());

        let limit = BodyLimit::of_api(&headers);
        let body =
            read_body(&headers, limit, &BodyMemory::with_limit(MIB), endless, || false).await.expect("it is given up");

        assert!(!body.is_read);
    }
}
