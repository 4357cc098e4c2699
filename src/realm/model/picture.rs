//! Pictures: their format, their dimensions and whether they are animated, read from their bytes, and the formats of
//! thumbnails.

/// A format of thumbnails, in WebP.
pub struct ThumbnailFormat {
    /// The last part of a thumbnail's path.
    pub name: &'static str,
    /// In pixels.
    pub max_width: u32,
    /// In pixels.
    pub max_height: u32,
    pub is_animated: bool,
}

/// The value of `server_thumbnail_formats`.
pub const THUMBNAIL_FORMATS: [ThumbnailFormat; 2] = [ANIMATED_THUMBNAIL, STILL_THUMBNAIL];
/// The format for animated pictures.
pub const ANIMATED_THUMBNAIL: ThumbnailFormat =
    ThumbnailFormat { name: chat_markdown::ANIMATED_THUMBNAIL, max_width: 840, max_height: 560, is_animated: true };
/// The format for other pictures.
pub const STILL_THUMBNAIL: ThumbnailFormat =
    ThumbnailFormat { name: chat_markdown::STILL_THUMBNAIL, max_width: 840, max_height: 560, is_animated: false };

/// Width and height in pixels, from the header; None if it is not a PNG, GIF, JPEG or WebP picture.
pub fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    let size = imagesize::blob_size(bytes).ok()?;
    Some((u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?))
}

/// The file name extension for the format of the first bytes; None if it is not a PNG, GIF, JPEG or WebP picture.
pub fn extension(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("png"),
        [b'G', b'I', b'F', b'8', ..] => Some("gif"),
        [0xff, 0xd8, 0xff, ..] => Some("jpg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("webp"),
        _ => None,
    }
}

/// Whether a picture is a GIF with more than one frame, or a PNG or WebP picture that is marked as animated.
pub fn is_animated(bytes: &[u8]) -> bool {
    match extension(bytes) {
        Some("gif") => has_second_gif_frame(bytes).unwrap_or(false),
        // The animation chunk precedes the image data.
        Some("png") => {
            let end = memchr::memmem::find(bytes, b"IDAT").unwrap_or(bytes.len());
            memchr::memmem::find(&bytes[..end], b"acTL").is_some()
        }
        // Only the extended format can be animated; bit 1 of its flags says so.
        Some("webp") => bytes.get(12..16) == Some(b"VP8X") && bytes.get(20).is_some_and(|flags| flags & 0x02 != 0),
        _ => false,
    }
}

/// Whether a GIF has a second frame; None if the data ends before it.
fn has_second_gif_frame(bytes: &[u8]) -> Option<bool> {
    let color_table_size = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 0x07) + 1) };
    // The header and the screen descriptor have 13 bytes, with the flags of the color table at 10.
    let mut position = 13 + color_table_size(*bytes.get(10)?);
    let mut frame_count = 0;
    loop {
        position = match *bytes.get(position)? {
            // An extension, with its label before its blocks.
            0x21 => skip_blocks(bytes, position + 2)?,
            0x2c if frame_count == 1 => return Some(true),
            // The descriptor of an image has 10 bytes, with the flags of its color table at 9; a code size follows.
            0x2c => {
                frame_count += 1;
                skip_blocks(bytes, position + 11 + color_table_size(*bytes.get(position + 9)?))?
            }
            _ => return Some(false),
        };
    }
}

/// The position after a sequence of GIF data sub-blocks. Each begins with its length; length 0 ends the sequence.
fn skip_blocks(bytes: &[u8], mut position: usize) -> Option<usize> {
    loop {
        let length = usize::from(*bytes.get(position)?);
        position += 1 + length;
        if length == 0 {
            return Some(position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A GIF whose frames have one pixel, with a table of two colors and a comment.
    fn gif(frame_count: usize) -> Vec<u8> {
        let mut bytes = b"GIF89a\x01\0\x01\0\x80\0\0".to_vec();
        bytes.extend([0, 0, 0, 0xff, 0xff, 0xff]);
        bytes.extend(b"\x21\xfe\x02,,\0");
        for _ in 0..frame_count {
            bytes.extend(b"\x21\xf9\x04\0\x0a\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0");
        }
        bytes.push(0x3b);
        bytes
    }

    #[test]
    fn pictures_with_several_frames_are_animated() {
        assert_eq!([1, 2, 3].map(|frame_count| is_animated(&gif(frame_count))), [false, true, true]);
        let png = |chunks: &[u8]| [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), chunks].concat();
        assert!(is_animated(&png(b"....acTL....IDAT")) && !is_animated(&png(b"....IDAT....acTL")));
        let webp = |flags: u8| [b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0".as_slice(), &[flags]].concat();
        assert!(is_animated(&webp(0x02)) && !is_animated(&webp(0x10)) && !is_animated(b"RIFF\0\0\0\0WEBPVP8 "));
    }

    #[test]
    fn pictures_cut_off_before_the_second_frame_are_not_animated() {
        let bytes = gif(2);
        for end in 0..bytes.len() {
            assert!(!is_animated(&bytes[..end]) || end > bytes.len() / 2, "{end}");
        }
        assert!(!is_animated(b"") && !is_animated(b"GIF8") && !is_animated(b"text"));
    }
}
