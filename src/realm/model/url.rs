//! The syntax check for URLs.

/// Whether a text is an `http` or `https` URL with a plausible host.
pub fn is_url(text: &str) -> bool {
    text.parse::<http::Uri>()
        .is_ok_and(|uri| matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(is_host))
}

/// Whether a host is `localhost`, an IP address, or a name of several labels. The last label has at least two
/// characters and, unless it begins with `xn--`, no digits.
fn is_host(host: &str) -> bool {
    if host == "localhost" || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok() {
        return true;
    }
    let Some((parent_labels, top_label)) = host.trim_end_matches('.').rsplit_once('.') else { return false };
    let is_label = |label: &str| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
    let is_top_label_valid = top_label.chars().count() >= 2
        && (top_label.starts_with("xn--") || !top_label.contains(|character: char| character.is_ascii_digit()));
    is_top_label_valid && is_label(top_label) && parent_labels.split('.').all(is_label)
}
