//! Which texts have the form of an address, of email or of the web.

/// Whether a text has the form of an address: something, an @, and a domain.
pub fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.rsplit_once('@').filter(|_| text.is_ascii()) else { return false };
    let is_plain = |part: &str| {
        !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control() || "()<>[],;:\\\"".contains(c))
    };
    let is_label = |label: &str| is_plain(label) && !label.starts_with('-') && !label.ends_with('-');
    let is_domain = domain == "localhost" || (domain.contains('.') && domain.split('.').all(is_label));
    is_plain(name) && !name.contains('@') && name.split('.').all(is_plain) && is_domain && text.len() <= 254
}

/// Whether a text is a web address: a scheme for it, and a host.
pub fn is_url(text: &str) -> bool {
    text.parse::<http::Uri>()
        .is_ok_and(|uri| matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(is_host))
}

/// Whether a host can be reached from afar, or is this machine: an address, or a name whose top level has two letters
/// at least.
fn is_host(host: &str) -> bool {
    if host == "localhost" || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok() {
        return true;
    }
    let Some((below, top)) = host.trim_end_matches('.').rsplit_once('.') else { return false };
    let is_label = |label: &str| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
    let is_top =
        top.chars().count() >= 2 && (top.starts_with("xn--") || !top.contains(|one: char| one.is_ascii_digit()));
    is_top && is_label(top) && below.split('.').all(is_label)
}
