//! A seeded random number generator, so that keys and IDs are the same in every run with the same seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde::{Deserialize, Serialize};

/// The generator of a realm's keys, queue IDs and URL tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeededRng {
    pub seed: u64,
    /// The number of 32-bit words generated so far.
    pub position: u64,
}

const LETTERS_AND_DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const URL_SAFE: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE32: &[u8] = b"abcdefghijklmnopqrstuvwxyz234567";

impl SeededRng {
    pub fn from_seed(seed: u64) -> Self {
        Self { seed, position: 0 }
    }

    pub fn next_words<const N: usize>(&mut self) -> [u32; N] {
        let mut generator = ChaCha8Rng::seed_from_u64(self.seed);
        generator.set_word_pos(u128::from(self.position));
        self.position += N as u64;
        std::array::from_fn(|_| generator.next_u32())
    }

    /// A number from 0 to less than 1.
    pub fn next_fraction(&mut self) -> f64 {
        let [word] = self.next_words();
        f64::from(word) / (f64::from(u32::MAX) + 1.0)
    }

    /// An API key: 32 letters and digits.
    pub fn api_key(&mut self) -> String {
        self.random_text::<32>(LETTERS_AND_DIGITS)
    }

    /// The random part of an upload's URL: 24 characters that need no escaping.
    pub fn upload_token(&mut self) -> String {
        self.random_text::<24>(URL_SAFE)
    }

    /// The secret part of an export's URL: 24 letters and digits.
    pub fn export_key(&mut self) -> String {
        self.random_text::<24>(LETTERS_AND_DIGITS)
    }

    /// The key of an invitation: 24 characters of a-z and 2-7.
    pub fn invite_key(&mut self) -> String {
        self.random_text::<24>(BASE32)
    }

    /// The name of a video call room: 16 characters of a-z and 2-7.
    pub fn room_name(&mut self) -> String {
        self.random_text::<16>(BASE32)
    }

    /// One or two hexadecimal digits, without a leading zero.
    pub fn upload_directory(&mut self) -> String {
        let [word] = self.next_words();
        format!("{:x}", word & 0xff)
    }

    /// A version 4 UUID.
    pub fn uuid(&mut self) -> String {
        let [a, b, c, d] = self.next_words::<4>();
        format!(
            "{a:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{d:08x}",
            b >> 16,
            b & 0xfff,
            (c >> 16) & 0x3fff | 0x8000,
            c & 0xffff
        )
    }

    fn random_text<const N: usize>(&mut self, alphabet: &[u8]) -> String {
        // The bias of the modulo is below 1 in 10^7, which is acceptable in a test double.
        self.next_words::<N>().into_iter().map(|word| char::from(alphabet[word as usize % alphabet.len()])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_position_give_the_same_texts() {
        let mut first = SeededRng::from_seed(7);
        first.uuid();
        let mut second = first;

        assert_eq!(first.api_key(), second.api_key());
        assert_ne!(first.api_key(), SeededRng::from_seed(8).api_key());
    }

    #[test]
    fn keys_and_uuids_have_their_formats() {
        let mut rng = SeededRng::from_seed(0);

        assert_eq!(rng.api_key().len(), 32);
        assert!(rng.invite_key().bytes().all(|byte| BASE32.contains(&byte)));
        let uuid = rng.uuid();
        assert_eq!(uuid.len(), 36);
        assert_eq!(&uuid[14..15], "4");
    }
}
