//! The certificate authority that a server creates when it starts, which signs certificates for the server's host
//! names.

use super::{Date, TlsError, Validity};
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

/// The host name of a world is its name with this suffix. Each world needs its own certificate, because clients do not
/// accept `*.localhost`, a wildcard below a top-level domain.
const LOCALHOST_SUFFIX: &str = ".localhost";
/// The maximum length of a label of a host name (RFC 1035).
const MAX_LABEL_LENGTH: usize = 63;
/// The cache is emptied before it would hold more certificates than this.
const MAX_CACHED_CERTIFICATES: usize = 1_000;

/// Signs certificates of the server, all of which have the same key.
pub(super) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    validity: Validity,
    key: KeyPair,
    signing_key: Arc<dyn SigningKey>,
    /// The certificate for the names and addresses of the server, except the hosts of worlds.
    main_certificate: Arc<CertifiedKey>,
    world_certificates: Mutex<HashMap<String, Arc<CertifiedKey>>>,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").field("validity", &self.validity).finish_non_exhaustive()
    }
}

impl Authority {
    /// Creates an authority, and signs the main certificate for these host names and addresses.
    ///
    /// # Errors
    ///
    /// When a name can't be part of a certificate, or the system gives no random numbers.
    pub fn new(names: Vec<String>, validity: Validity) -> Result<Self, TlsError> {
        let mut params = certificate_params("chatdouble test authority", validity)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().map_err(certificate_error)?)
            .map_err(certificate_error)?;
        let key = KeyPair::generate().map_err(certificate_error)?;
        let secret = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let signing_key = ring::sign::any_ecdsa_type(&secret).map_err(certificate_error)?;
        let main_certificate = sign(&issuer, &key, &signing_key, names, validity)?;
        Ok(Self { issuer, validity, key, signing_key, main_certificate, world_certificates: Mutex::default() })
    }

    /// The authority's own certificate in PEM.
    pub fn certificate(&self) -> String {
        self.issuer.pem()
    }

    /// The certificate for the host of a world, made at the first use. None if none can be made.
    fn world_certificate(&self, host: &str) -> Option<Arc<CertifiedKey>> {
        if let Some(cached) = self.world_certificates.lock().get(host) {
            return Some(cached.clone());
        }
        let certificate =
            sign(&self.issuer, &self.key, &self.signing_key, vec![host.to_owned()], self.validity).ok()?;
        let mut world_certificates = self.world_certificates.lock();
        if world_certificates.len() >= MAX_CACHED_CERTIFICATES {
            world_certificates.clear();
        }
        world_certificates.insert(host.to_owned(), certificate.clone());
        Some(certificate)
    }
}

impl ResolvesServerCert for Authority {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        match hello.server_name() {
            Some(host) if is_world_host(host) => self.world_certificate(&host.to_ascii_lowercase()),
            // Any other name, or none, as from clients that call an IP address.
            _ => Some(self.main_certificate.clone()),
        }
    }
}

fn is_world_host(host: &str) -> bool {
    let name =
        host.len().checked_sub(LOCALHOST_SUFFIX.len()).and_then(|name_length| host.split_at_checked(name_length));
    name.is_some_and(|(name, suffix)| {
        (1..=MAX_LABEL_LENGTH).contains(&name.len())
            && !name.contains('.')
            && suffix.eq_ignore_ascii_case(LOCALHOST_SUFFIX)
    })
}

fn sign(
    issuer: &CertifiedIssuer<'static, KeyPair>,
    key: &KeyPair,
    signing_key: &Arc<dyn SigningKey>,
    names: Vec<String>,
    validity: Validity,
) -> Result<Arc<CertifiedKey>, TlsError> {
    let mut params = certificate_params("chatdouble", validity)?;
    params.subject_alt_names = CertificateParams::new(names).map_err(certificate_error)?.subject_alt_names;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    let certificate = params.signed_by(key, issuer).map_err(certificate_error)?;
    Ok(Arc::new(CertifiedKey::new(vec![certificate.der().clone()], signing_key.clone())))
}

/// The parameters of every certificate: name, validity, and a unique serial number, which some clients require. Random
/// numbers come from the system.
fn certificate_params(name: &str, validity: Validity) -> Result<CertificateParams, TlsError> {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    let to_date_time = |Date { year, month, day }: Date| date_time_ymd(year, month, day);
    (params.not_before, params.not_after) = (to_date_time(validity.not_before), to_date_time(validity.not_after));
    let mut serial = [0; 16];
    ring::default_provider()
        .secure_random
        .fill(&mut serial)
        .map_err(|_| TlsError("this system gives no random numbers".to_owned()))?;
    // Clearing the sign bit and setting the next one makes the number positive and of full length.
    serial[0] = serial[0] & 0x3f | 0x40;
    params.serial_number = Some(SerialNumber::from_slice(&serial));
    Ok(params)
}

fn certificate_error(error: impl fmt::Display) -> TlsError {
    TlsError(format!("no certificate can be made: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_world_has_one_label_below_localhost() {
        for host in ["a.localhost", "test-1.LOCALHOST"] {
            assert!(is_world_host(host), "{host}");
        }
        for host in ["localhost", ".localhost", "a.b.localhost", "a.localhost.evil.test", "chat.test", "ü"] {
            assert!(!is_world_host(host), "{host}");
        }
        assert!(!is_world_host(&format!("{}.localhost", "a".repeat(64))));
    }

    #[test]
    fn certificates_are_cached_for_a_limited_number_of_worlds() {
        let day = |year| Date { year, month: 1, day: 1 };
        let validity = Validity { not_before: day(2026), not_after: day(2028) };
        let authority = Authority::new(vec!["localhost".to_owned()], validity).expect("made");

        for number in 0..=MAX_CACHED_CERTIFICATES {
            assert!(authority.world_certificate(&format!("w{number}.localhost")).is_some());
            assert!(authority.world_certificates.lock().len() <= MAX_CACHED_CERTIFICATES);
        }
        let cached = authority.world_certificate("w1000.localhost").expect("kept");
        assert!(Arc::ptr_eq(&cached, &authority.world_certificate("w1000.localhost").expect("kept")));
    }
}
