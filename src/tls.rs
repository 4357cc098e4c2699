//! TLS: the certificate of a server, and the certificates that a client of this program trusts.

#[cfg(feature = "tls")]
mod authority;
#[cfg(feature = "tls")]
mod certificate;
#[cfg(not(feature = "tls"))]
mod stubs;
#[cfg(feature = "tls")]
mod trust;

#[cfg(feature = "tls")]
pub use certificate::{SecureStream, Tls, TlsConfig};
#[cfg(not(feature = "tls"))]
pub use stubs::{SecureStream, Tls, TlsConfig};
#[cfg(feature = "tls")]
pub use trust::{client_config, client_config_without_trust};

use std::fmt;
use std::net::Ipv4Addr;

/// The address of the host machine inside an Android emulator.
pub const ANDROID_EMULATOR_HOST: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 2);

/// Why a server can't speak TLS.
#[derive(Debug)]
pub struct TlsError(String);

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

/// A calendar date.
#[derive(Clone, Copy, Debug)]
pub struct Date {
    pub year: i32,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
}

/// The period in which a certificate is valid, in UTC.
#[derive(Clone, Copy, Debug)]
pub struct Validity {
    /// The first valid day.
    pub not_before: Date,
    /// The day after the last valid day.
    pub not_after: Date,
}
