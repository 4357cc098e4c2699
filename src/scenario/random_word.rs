//! Random words for names in organizations that other runs use at the same time, or used before.

use std::hash::{BuildHasher, RandomState};

/// A word of 12 hexadecimal digits, for a run of scenarios or probes. The time would not do: runs may begin together.
pub fn random_word() -> String {
    // The standard library seeds these states randomly.
    format!("{:012x}", RandomState::new().hash_one(()) >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_differ_and_have_twelve_digits() {
        let [one, other] = [random_word(), random_word()];
        assert_ne!(one, other);
        assert!(one.len() == 12 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
    }
}
