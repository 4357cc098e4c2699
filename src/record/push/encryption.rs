//! Encrypts the payload of a push with the key of a device.

use crate::realm::push::PushKey;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crypto_secretbox::aead::Aead;
use crypto_secretbox::{Key, KeyInit, Nonce, XSalsa20Poly1305};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The first byte of keys for XSalsa20-Poly1305, which is NaCl's `secretbox`. No other algorithm is supported.
const SECRETBOX_PREFIX: u8 = 0x31;
const NONCE_BYTES: usize = 24;

/// The nonce and the encrypted payload after it, in Base64. None if the key is invalid or its algorithm is not
/// supported.
///
/// The nonce is derived from the key, the ID of the push and the payload, so that a push has the same record each time
/// it is listed.
pub fn encrypt(key: &PushKey, push_id: u64, payload: &Value) -> Option<String> {
    let bytes = STANDARD.decode(&key.key).ok()?;
    let (SECRETBOX_PREFIX, secret) = bytes.split_first().map(|(prefix, secret)| (*prefix, secret))? else {
        return None;
    };
    let secret: [u8; 32] = secret.try_into().ok()?;
    let text = payload.to_string();
    let digest = Sha256::new().chain_update(secret).chain_update(push_id.to_be_bytes()).chain_update(&text).finalize();
    let nonce = &digest[..NONCE_BYTES];
    let encrypted =
        XSalsa20Poly1305::new(Key::from_slice(&secret)).encrypt(Nonce::from_slice(nonce), text.as_bytes()).ok()?;
    Some(STANDARD.encode([nonce, &encrypted].concat()))
}
