//! Plain pictures in place of pictures that may show people.

use super::anonymous::Anonymizer;
use crate::realm::picture;

/// The width and height of a picture whose size is not known, in pixels.
const SIDE: u16 = 16;

/// A picture of one colour in the size of another picture. With an anonymizer the colour follows from the name.
pub fn drawn(anonymizer: Option<&Anonymizer>, name: &str, like: &[u8]) -> Vec<u8> {
    let size = picture::dimensions(like).map(|(width, height)| (clamped(width), clamped(height)));
    let (width, height) = size.unwrap_or((SIDE, SIDE));
    let colour = match anonymizer {
        Some(anonymizer) => {
            let mut chance = anonymizer.chance(name);
            [0; 3].map(|_: u8| u8::try_from(64 + chance.below(160)).unwrap_or_default())
        }
        None => [0x9a; 3],
    };
    // A GIF's screen may be larger than its one picture, here of a pixel; its colour is that of the background.
    let mut gif = b"GIF89a".to_vec();
    gif.extend(width.to_le_bytes());
    gif.extend(height.to_le_bytes());
    gif.extend([0x80, 0, 0]);
    gif.extend(colour);
    gif.extend(colour);
    gif.extend([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]);
    gif
}

fn clamped(side: u32) -> u16 {
    u16::try_from(side).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawn_picture_has_the_size_of_the_other() {
        let small = drawn(None, "a", b"");
        assert_eq!((picture::extension(&small), picture::dimensions(&small)), (Some("gif"), Some((16, 16))));
        let mut large = small.clone();
        large[6..10].copy_from_slice(&[0x40, 1, 0xf0, 0]);
        assert_eq!(picture::dimensions(&drawn(None, "b", &large)), Some((320, 240)));
    }
}
