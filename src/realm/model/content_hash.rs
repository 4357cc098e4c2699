//! Hashes of the contents of uploads and pictures.

use sha2::{Digest, Sha256};

/// The key of `Realm::blobs`: SHA-256 in hexadecimal.
pub fn content_hash(bytes: &[u8]) -> String {
    to_hexadecimal(&Sha256::digest(bytes))
}

/// Two digits per byte, in lower case.
pub fn to_hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
