//! What the bytes of a picture say.

/// A form in which smaller copies of pictures are asked for, in WebP.
pub struct Thumbnail {
    /// The last part of its path.
    pub name: &'static str,
    /// Pixels.
    pub max_width: u32,
    /// Pixels.
    pub max_height: u32,
    /// It moves.
    pub is_animated: bool,
}

/// All forms (`server_thumbnail_formats`).
pub const THUMBNAILS: [Thumbnail; 2] = [ANIMATED_THUMBNAIL, STILL_THUMBNAIL];
/// Of a picture that moves.
pub const ANIMATED_THUMBNAIL: Thumbnail =
    Thumbnail { name: chat_markdown::ANIMATED_THUMBNAIL, max_width: 840, max_height: 560, is_animated: true };
/// Of any other.
pub const STILL_THUMBNAIL: Thumbnail =
    Thumbnail { name: chat_markdown::STILL_THUMBNAIL, max_width: 840, max_height: 560, is_animated: false };

/// Width and height of a picture, from its header: PNG, GIF, JPEG and WebP.
pub fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    let size = imagesize::blob_size(bytes).ok()?;
    Some((u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?))
}

/// The file name extension of a picture, from its first bytes.
pub fn extension(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("png"),
        [b'G', b'I', b'F', b'8', ..] => Some("gif"),
        [0xff, 0xd8, 0xff, ..] => Some("jpg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("webp"),
        _ => None,
    }
}

/// Whether a picture has more than one frame: GIF, PNG and WebP can.
pub fn is_animated(bytes: &[u8]) -> bool {
    match extension(bytes) {
        Some("gif") => gif_has_frames(bytes).unwrap_or(false),
        // The chunk that announces frames is before the first picture's.
        Some("png") => {
            let end = memchr::memmem::find(bytes, b"IDAT").unwrap_or(bytes.len());
            memchr::memmem::find(&bytes[..end], b"acTL").is_some()
        }
        Some("webp") => bytes.get(12..16) == Some(b"VP8X") && bytes.get(20).is_some_and(|flags| flags & 0x02 != 0),
        _ => false,
    }
}

/// Whether a GIF has a second picture; None when it breaks off before.
fn gif_has_frames(bytes: &[u8]) -> Option<bool> {
    let color_table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 0x07) + 1) };
    let mut at = 13 + color_table(*bytes.get(10)?);
    let mut pictures = 0;
    loop {
        at = match *bytes.get(at)? {
            0x21 => behind_blocks(bytes, at + 2)?,
            0x2c if pictures == 1 => return Some(true),
            0x2c => {
                pictures += 1;
                behind_blocks(bytes, at + 11 + color_table(*bytes.get(at + 9)?))?
            }
            _ => return Some(false),
        };
    }
}

/// What is behind a row of a GIF's blocks, each of which begins with its length; one of none ends the row.
fn behind_blocks(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += 1 + length;
        if length == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A GIF of so many frames of one pixel, with a table of two colours and a comment.
    fn gif(frames: usize) -> Vec<u8> {
        let mut bytes = b"GIF89a\x01\0\x01\0\x80\0\0".to_vec();
        bytes.extend([0, 0, 0, 0xff, 0xff, 0xff]);
        bytes.extend(b"\x21\xfe\x02,,\0");
        for _ in 0..frames {
            bytes.extend(b"\x21\xf9\x04\0\x0a\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0");
        }
        bytes.push(0x3b);
        bytes
    }

    #[test]
    fn pictures_move_when_they_have_frames() {
        assert_eq!([1, 2, 3].map(|frames| is_animated(&gif(frames))), [false, true, true]);
        let png = |chunks: &[u8]| [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), chunks].concat();
        assert!(is_animated(&png(b"....acTL....IDAT")) && !is_animated(&png(b"....IDAT....acTL")));
        let webp = |flags: u8| [b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0".as_slice(), &[flags]].concat();
        assert!(is_animated(&webp(0x02)) && !is_animated(&webp(0x10)) && !is_animated(b"RIFF\0\0\0\0WEBPVP8 "));
    }

    #[test]
    fn what_breaks_off_does_not_move() {
        let whole = gif(2);
        for end in 0..whole.len() {
            assert!(!is_animated(&whole[..end]) || end > whole.len() / 2, "{end}");
        }
        assert!(!is_animated(b"") && !is_animated(b"GIF8") && !is_animated(b"text"));
    }
}
