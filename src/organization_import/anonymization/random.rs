//! Random numbers that are the same in each run.

use sha2::{Digest, Sha256};

/// The length of a SHA-256 hash.
const BLOCK_BYTES: usize = 32;

/// A random number generator that depends only on a seed, a text and the number of the attempt.
pub struct RandomGenerator {
    hasher: Sha256,
    block: [u8; BLOCK_BYTES],
    /// The next unused byte of the block; its length if none is left.
    position: usize,
    /// The number of blocks so far.
    block_count: u64,
}

impl RandomGenerator {
    pub fn new(seed: u64, text: &str, attempt: u32) -> Self {
        let hasher = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(attempt.to_le_bytes());
        Self {
            hasher: hasher.chain_update(text.as_bytes()),
            block: [0; BLOCK_BYTES],
            position: BLOCK_BYTES,
            block_count: 0,
        }
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if self.position + 4 > self.block.len() {
            self.block = self.hasher.clone().chain_update(self.block_count.to_le_bytes()).finalize().into();
            self.block_count += 1;
            self.position = 0;
        }
        let start = self.position;
        let bytes = [self.block[start], self.block[start + 1], self.block[start + 2], self.block[start + 3]];
        self.position += 4;
        u32::from_le_bytes(bytes) as usize % bound.max(1)
    }

    /// A random character of a text; `x` if the text is empty.
    pub fn character_of(&mut self, characters: &str) -> char {
        let count = characters.chars().count();
        characters.chars().nth(self.below(count)).unwrap_or('x')
    }
}
