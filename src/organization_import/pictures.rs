//! Plain pictures that replace those of the organization.

use super::anonymization::Anonymizer;
use crate::realm::picture;

/// The width and height in pixels, if the size of the original is unknown.
const DEFAULT_SIDE_LENGTH: u16 = 16;

/// A GIF of one color in the size of the original picture. With an anonymizer, the color depends on its seed and on the
/// name; without one, it is gray.
pub fn plain_picture(anonymizer: Option<&Anonymizer>, name: &str, original: &[u8]) -> Vec<u8> {
    let size = picture::dimensions(original).map(|(width, height)| (clamp_side(width), clamp_side(height)));
    let (width, height) = size.unwrap_or((DEFAULT_SIDE_LENGTH, DEFAULT_SIDE_LENGTH));
    let color = match anonymizer {
        Some(anonymizer) => {
            let mut generator = anonymizer.random_generator_for(name);
            [0; 3].map(|_: u8| u8::try_from(64 + generator.below(160)).unwrap_or_default())
        }
        None => [0x9a; 3],
    };
    // The screen of a GIF may be larger than its image, which is one pixel here; the background color fills the screen.
    let mut gif = b"GIF89a".to_vec();
    gif.extend(width.to_le_bytes());
    gif.extend(height.to_le_bytes());
    gif.extend([0x80, 0, 0]);
    gif.extend(color);
    gif.extend(color);
    gif.extend([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]);
    gif
}

fn clamp_side(side: u32) -> u16 {
    u16::try_from(side).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_picture_has_the_size_of_the_original() {
        let small = plain_picture(None, "a", b"");
        assert_eq!((picture::extension(&small), picture::dimensions(&small)), (Some("gif"), Some((16, 16))));
        let mut large = small.clone();
        large[6..10].copy_from_slice(&[0x40, 1, 0xf0, 0]);
        assert_eq!(picture::dimensions(&plain_picture(None, "b", &large)), Some((320, 240)));
    }
}
