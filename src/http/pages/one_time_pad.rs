//! The one-time pad of a mobile app that logs in through the browser. The API key returns to the app in a redirect,
//! which another app may intercept, and so it is encrypted with a pad that the app generated.

use crate::error::Error;
use crate::realm::user::User;

/// A pad has two hexadecimal digits for each of the 32 characters of an API key.
const PAD_DIGITS: usize = 64;

#[derive(Clone, Copy, Debug)]
pub struct OneTimePad<'a>(&'a str);

impl<'a> OneTimePad<'a> {
    /// Checks that a text is a pad.
    ///
    /// # Errors
    ///
    /// `InvalidOtp`.
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        let is_well_formed = text.len() == PAD_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_well_formed { Ok(Self(text)) } else { Err(Error::InvalidOtp) }
    }

    pub fn digits(self) -> &'a str {
        self.0
    }

    /// Returns the hexadecimal digits of a key after XOR with those of the pad.
    pub fn encrypt(self, key: &str) -> String {
        let digits = key.bytes().flat_map(|byte| [byte >> 4, byte & 15]);
        let pad_digits = self.0.chars().filter_map(|digit| digit.to_digit(16));
        digits.zip(pad_digits).filter_map(|(digit, pad)| char::from_digit(u32::from(digit) ^ pad, 16)).collect()
    }

    /// The URL that opens the app and gives it the encrypted key of an account.
    pub fn app_url(self, scheme: &str, realm_url: &str, user: &User) -> String {
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("realm", realm_url)
            .append_pair("email", &user.email)
            .append_pair("user_id", &user.id.0.to_string())
            .append_pair("otp_encrypted_api_key", &self.encrypt(&user.api_key))
            .finish();
        format!("{scheme}://login?{query}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_decrypted_with_the_same_pad() {
        let pad = "1234abcd".repeat(8);
        let encrypted = OneTimePad::parse(&pad).expect("a pad").encrypt("melKey00000000000000000000000000");

        let digits = |text: &str| text.chars().map(|digit| digit.to_digit(16).expect("a digit")).collect::<Vec<_>>();
        let decrypted: Vec<u32> =
            digits(&encrypted).iter().zip(digits(&pad)).map(|(encrypted, pad)| encrypted ^ pad).collect();
        let bytes: Vec<u8> = decrypted.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect();
        assert_eq!(String::from_utf8(bytes).as_deref(), Ok("melKey00000000000000000000000000"));
        assert_eq!(encrypted.len(), 64);
    }

    #[test]
    fn a_pad_has_64_hexadecimal_digits() {
        assert!(OneTimePad::parse(&"aB".repeat(32)).is_ok());
        for text in ["", "1234", &"x".repeat(64), &"1".repeat(63), &"\u{e9}".repeat(32)] {
            assert_eq!(OneTimePad::parse(text).map(OneTimePad::digits), Err(Error::InvalidOtp));
        }
    }
}
