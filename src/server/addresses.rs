//! The addresses of this machine, and the properties of hosts on which a server listens.

use std::net::IpAddr;

/// The addresses of this machine, including loopback but not link-local IPv6.
#[cfg(feature = "tls")]
pub fn machine_addresses() -> Vec<IpAddr> {
    /// Further addresses are ignored: a certificate lists all of them, and some machines have one for each container.
    const MAX_ADDRESSES: usize = 100;
    // Such an address works only together with the name of an interface.
    let is_link_local = |address: &IpAddr| matches!(address, IpAddr::V6(address) if address.is_unicast_link_local());
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let addresses = interfaces.iter().map(if_addrs::Interface::ip).filter(|address| !is_link_local(address));
    addresses.take(MAX_ADDRESSES).collect()
}

/// None without TLS: only its certificates need the addresses of this machine.
#[cfg(not(feature = "tls"))]
pub fn machine_addresses() -> Vec<IpAddr> {
    Vec::new()
}

/// Formats `HOST:PORT`, with an IPv6 address in brackets.
pub fn with_port(host: &str, port: u16) -> String {
    if host.contains(':') && !host.starts_with('[') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// Whether the host is an address such as `0.0.0.0`, with which a server listens on all interfaces.
pub fn is_unspecified(host: &str) -> bool {
    host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_unspecified())
}

/// Whether the host is `localhost` or a loopback address, which only this machine can reach.
pub fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
