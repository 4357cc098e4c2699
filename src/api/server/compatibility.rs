//! Which clients are too old for the server (`is_incompatible`), by what they call themselves.
//!
//! A choice where the API is silent: A-136 in docs/assumptions.md.

/// What a client calls itself that asks for the reply to those that are too old: developers try that path so.
const INVALID_SUFFIX: &str = "Invalid";
/// What the mobile apps call themselves.
const MOBILE_SUFFIX: &str = "Mobile";
/// The oldest version of these that is served.
const OLDEST_MOBILE: [u64; 3] = [16, 2, 96];

/// Whether a client with this User-Agent is too old: `ChatMobile/15.9.1 (Android 14)` is.
pub fn is_incompatible(user_agent: &str) -> bool {
    let product = user_agent.split_whitespace().next().unwrap_or_default();
    let (name, version) = product.split_once('/').unwrap_or((product, ""));
    if name.ends_with(INVALID_SUFFIX) {
        return true;
    }
    name.ends_with(MOBILE_SUFFIX) && parsed(version).is_some_and(|version| version < OLDEST_MOBILE)
}

/// Up to three numbers with dots between; None for anything else, which is not held against a client.
fn parsed(version: &str) -> Option<[u64; 3]> {
    let mut parsed = [0; 3];
    for (index, part) in version.split('.').enumerate() {
        *parsed.get_mut(index)? = part.parse().ok()?;
    }
    Some(parsed)
}

#[cfg(test)]
mod tests {
    use super::is_incompatible;

    #[test]
    fn mobile_clients_below_the_oldest_version_are_too_old() {
        for (agent, expected) in [
            ("ChatMobile/16.2.95 (Android 14)", true),
            ("ChatMobile/9 (iOS 17)", true),
            ("ChatInvalid/5.0", true),
            ("ChatInvalid", true),
            ("ChatMobile/16.2.96 (Android 14)", false),
            ("ChatMobile/27.192.0 (Android 14)", false),
            ("ChatMobile/flutter", false),
            ("ChatElectron/1.0.0", false),
            ("", false),
        ] {
            assert_eq!(is_incompatible(agent), expected, "{agent}");
        }
    }
}
