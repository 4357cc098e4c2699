//! An authority that is made when the server starts, and signs for the names by which clients call.

use super::{Day, TlsError, Validity};
use parking_lot::Mutex;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, SerialNumber, date_time_ymd,
};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::{CertifiedKey, SigningKey};

/// What follows a world's name in a host's. A certificate for `*.localhost` would not do: clients take no wildcard for
/// all names below a top-level domain.
const LOCAL: &str = ".localhost";
/// The longest name below it.
const MAX_NAME: usize = 63;
/// For how many worlds certificates are kept; beyond, they are made again.
const MAX_KEPT: usize = 1_000;

/// Signs certificates, all for one key.
pub(super) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    validity: Validity,
    key: KeyPair,
    signing: Arc<dyn SigningKey>,
    /// For all names and addresses of this machine.
    main: Arc<CertifiedKey>,
    worlds: Mutex<HashMap<String, Arc<CertifiedKey>>>,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").field("validity", &self.validity).finish_non_exhaustive()
    }
}

impl Authority {
    /// Makes one, with a certificate for these names and addresses.
    ///
    /// # Errors
    ///
    /// When a name can't be in a certificate.
    pub fn make(names: Vec<String>, validity: Validity) -> Result<Self, TlsError> {
        let mut params = params("chatdouble test authority", validity)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().map_err(unmade)?).map_err(unmade)?;
        let key = KeyPair::generate().map_err(unmade)?;
        let secret = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let signing = ring::sign::any_ecdsa_type(&secret).map_err(unmade)?;
        let main = signed(&issuer, &key, &signing, names, validity)?;
        Ok(Self { issuer, validity, key, signing, main, worlds: Mutex::default() })
    }

    /// Its own certificate in PEM.
    pub fn certificate(&self) -> String {
        self.issuer.pem()
    }

    /// The certificate of a world's own host name.
    fn of_world(&self, host: &str) -> Option<Arc<CertifiedKey>> {
        if let Some(cached) = self.worlds.lock().get(host) {
            return Some(cached.clone());
        }
        let made = signed(&self.issuer, &self.key, &self.signing, vec![host.to_owned()], self.validity).ok()?;
        let mut worlds = self.worlds.lock();
        if worlds.len() >= MAX_KEPT {
            worlds.clear();
        }
        worlds.insert(host.to_owned(), made.clone());
        Some(made)
    }
}

impl ResolvesServerCert for Authority {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        match hello.server_name() {
            Some(host) if is_of_world(host) => self.of_world(&host.to_ascii_lowercase()),
            // Clients that call by an address name none.
            _ => Some(self.main.clone()),
        }
    }
}

fn is_of_world(host: &str) -> bool {
    let name = host.len().checked_sub(LOCAL.len()).and_then(|end| host.split_at_checked(end));
    name.is_some_and(|(name, end)| {
        (1..=MAX_NAME).contains(&name.len()) && !name.contains('.') && end.eq_ignore_ascii_case(LOCAL)
    })
}

fn signed(
    issuer: &CertifiedIssuer<'static, KeyPair>,
    key: &KeyPair,
    signing: &Arc<dyn SigningKey>,
    names: Vec<String>,
    validity: Validity,
) -> Result<Arc<CertifiedKey>, TlsError> {
    let mut params = params("chatdouble", validity)?;
    params.subject_alt_names = CertificateParams::new(names).map_err(unmade)?.subject_alt_names;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    let certificate = params.signed_by(key, issuer).map_err(unmade)?;
    Ok(Arc::new(CertifiedKey::new(vec![certificate.der().clone()], signing.clone())))
}

/// What all certificates have: a name, a validity, and a number that no other has, which some clients insist on. All that
/// is random is the system's.
fn params(name: &str, validity: Validity) -> Result<CertificateParams, TlsError> {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let date = |Day { year, month, day }: Day| date_time_ymd(year, month, day);
    (params.not_before, params.not_after) = (date(validity.from), date(validity.not_after));
    let mut serial = [0; 16];
    ring::default_provider()
        .secure_random
        .fill(&mut serial)
        .map_err(|_| TlsError("this system gives no random numbers".to_owned()))?;
    // A number above zero, in as many bytes.
    serial[0] = serial[0] & 0x3f | 0x40;
    params.serial_number = Some(SerialNumber::from_slice(&serial));
    Ok(params)
}

fn unmade(error: impl fmt::Display) -> TlsError {
    TlsError(format!("no certificate can be made: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_have_one_label_below_localhost() {
        for host in ["a.localhost", "test-1.LOCALHOST"] {
            assert!(is_of_world(host), "{host}");
        }
        for host in ["localhost", ".localhost", "a.b.localhost", "a.localhost.evil.test", "chat.test", "ü"] {
            assert!(!is_of_world(host), "{host}");
        }
        assert!(!is_of_world(&format!("{}.localhost", "a".repeat(64))));
    }

    #[test]
    fn certificates_are_kept_for_a_limited_number_of_worlds() {
        let day = |year| Day { year, month: 1, day: 1 };
        let validity = Validity { from: day(2026), not_after: day(2028) };
        let authority = Authority::make(vec!["localhost".to_owned()], validity).expect("made");

        for number in 0..=MAX_KEPT {
            assert!(authority.of_world(&format!("w{number}.localhost")).is_some());
            assert!(authority.worlds.lock().len() <= MAX_KEPT);
        }
        let again = authority.of_world("w1000.localhost").expect("kept");
        assert!(Arc::ptr_eq(&again, &authority.of_world("w1000.localhost").expect("kept")));
    }
}
