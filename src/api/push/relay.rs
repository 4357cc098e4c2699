//! What other servers ask the push relay for: the world is the relay of its own organization alone (A-156 and A-457 in
//! docs/assumptions.md).

use crate::api::{Call, Read, Success, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::time::{Span, Timestamp};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Bytes of a public key of the relay.
const PUBLIC_KEY_BYTES: usize = 32;
/// Bytes that sealing adds: the key of who seals, and a tag.
const SEAL_BYTES: usize = 48;
/// How old a registration may be.
const REGISTRATION_LIFE: Span = Span::seconds(86_400);

operation! {
    /// Registers a device at the push relay, for other servers; the registration is checked and not stored.
    pub RegisterRemotePush = POST "/remotes/push/e2ee/register", for Anyone, since 406;
    params {
        /// The organization's `realm_uuid`.
        realm_uuid: String,
        /// Identifies the token.
        token_id: String,
        /// Base64 of the registration that the device encrypted for the relay, or of its plain JSON, whose `timestamp`
        /// is then checked.
        encrypted_push_registration: String,
        /// The relay's public key that it was encrypted with: base64 of 32 bytes.
        bouncer_public_key: String,
    }
    errors [RemoteRealmMissing, InvalidRelayKey, InvalidSealedRegistration, RegistrationExpired];
}

impl Read for RegisterRemotePush {
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        if !params.realm_uuid.eq_ignore_ascii_case(&realm.organization.uuid) {
            return Err(Error::RemoteRealmMissing);
        }
        let key = STANDARD.decode(&params.bouncer_public_key).unwrap_or_default();
        if key.len() != PUBLIC_KEY_BYTES {
            return Err(Error::InvalidRelayKey);
        }
        check_registration(&params.encrypted_push_registration, call.now)?;
        Ok(Success {})
    }
}

fn check_registration(registration: &str, now: Timestamp) -> Result<(), Error> {
    let bytes = STANDARD.decode(registration).map_err(|_| Error::InvalidSealedRegistration)?;
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(Value::Object(open)) => {
            let made = open.get("timestamp").and_then(Value::as_i64).ok_or(Error::InvalidSealedRegistration)?;
            let oldest = now.seconds().saturating_sub(REGISTRATION_LIFE.micros() / 1_000_000);
            if made < oldest { Err(Error::RegistrationExpired) } else { Ok(()) }
        }
        _ if bytes.len() > SEAL_BYTES => Ok(()),
        _ => Err(Error::InvalidSealedRegistration),
    }
}
