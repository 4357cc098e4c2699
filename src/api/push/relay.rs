//! The push relay's operation for other servers. A world is the relay only of its own organization (A-156 and A-457 in
//! docs/assumptions.md).

use crate::api::{OperationContext, Read, Success, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::time::{Span, Timestamp};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Length of a public key of the relay, in bytes.
const PUBLIC_KEY_BYTES: usize = 32;
/// What encryption (a sealed box) adds to the length: the sender's public key and a tag.
const SEAL_BYTES: usize = 48;
/// Maximum age of a registration when it arrives at the relay.
const MAX_REGISTRATION_AGE: Span = Span::from_seconds(86_400);

operation! {
    /// Registers a device at the push relay, for other servers; the registration is checked and not stored.
    pub RegisterDeviceAtRelay = POST "/remotes/push/e2ee/register", for Anyone, since 406;
    params {
        /// `realm_uuid` of the register reply, regardless of case; other organizations are unknown.
        realm_uuid: String,
        /// Base64 of the first 8 bytes of the token's SHA-256; not checked.
        token_id formerly "push_account_id" 406..468: String,
        /// Base64 of the registration that the device encrypted for the relay, or of its plain JSON, whose `timestamp`
        /// is then checked.
        encrypted_push_registration: String,
        /// The relay's public key with which it was encrypted: base64 of 32 bytes.
        bouncer_public_key: String,
    }
    errors [RemoteRealmMissing, InvalidRelayKey, InvalidSealedRegistration, RegistrationExpired];
}

impl Read for RegisterDeviceAtRelay {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        if !params.realm_uuid.eq_ignore_ascii_case(&realm.organization.uuid) {
            return Err(Error::RemoteRealmMissing);
        }
        let key = STANDARD.decode(&params.bouncer_public_key).unwrap_or_default();
        if key.len() != PUBLIC_KEY_BYTES {
            return Err(Error::InvalidRelayKey);
        }
        check_registration(&params.encrypted_push_registration, context.now)?;
        Ok(Success {})
    }
}

fn check_registration(registration: &str, now: Timestamp) -> Result<(), Error> {
    let bytes = STANDARD.decode(registration).map_err(|_| Error::InvalidSealedRegistration)?;
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(Value::Object(plain_registration)) => {
            let timestamp =
                plain_registration.get("timestamp").and_then(Value::as_i64).ok_or(Error::InvalidSealedRegistration)?;
            let oldest_timestamp = now.seconds().saturating_sub(MAX_REGISTRATION_AGE.whole_seconds());
            if timestamp < oldest_timestamp { Err(Error::RegistrationExpired) } else { Ok(()) }
        }
        // Only the length of an encrypted registration can be checked.
        _ if bytes.len() > SEAL_BYTES => Ok(()),
        _ => Err(Error::InvalidSealedRegistration),
    }
}
