//! TLS: the certificate that a server shows, and what a client of this program trusts.

#[cfg(feature = "tls")]
mod authority;
#[cfg(feature = "tls")]
mod certificate;
#[cfg(feature = "tls")]
mod trust;
#[cfg(not(feature = "tls"))]
mod without;

#[cfg(feature = "tls")]
pub use certificate::{SecureStream, Secured, Tls};
#[cfg(feature = "tls")]
pub use trust::{trusting, trusting_nobody};
#[cfg(not(feature = "tls"))]
pub use without::{SecureStream, Secured, Tls};

use std::fmt;
use std::net::Ipv4Addr;

/// Where the host machine of an Android emulator is found from inside it.
pub const EMULATORS_HOST: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 2);

/// Why a server can't speak TLS.
#[derive(Debug)]
pub struct TlsError(String);

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

/// A day of the calendar.
#[derive(Clone, Copy, Debug)]
pub struct Day {
    pub year: i32,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
}

/// For how long a made certificate is valid.
#[derive(Clone, Copy, Debug)]
pub struct Validity {
    /// Its first day.
    pub from: Day,
    /// The day after its last.
    pub not_after: Day,
}
