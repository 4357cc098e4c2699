//! Which clients are too old for the server (`is_incompatible`), by their User-Agent.
//!
//! A choice where the API is silent: A-136 in docs/assumptions.md.

/// The end of a product name that always counts as too old, with which developers can test that case.
const INVALID_SUFFIX: &str = "Invalid";
/// The end of the product names of mobile apps.
const MOBILE_SUFFIX: &str = "Mobile";
/// The oldest supported version of mobile apps.
const MIN_MOBILE_VERSION: [u64; 3] = [16, 2, 96];

/// Whether a client with this User-Agent is too old, such as `ChatMobile/15.9.1 (Android 14)`.
pub fn is_incompatible(user_agent: &str) -> bool {
    let product = user_agent.split_whitespace().next().unwrap_or_default();
    let (name, version) = product.split_once('/').unwrap_or((product, ""));
    if name.ends_with(INVALID_SUFFIX) {
        return true;
    }
    name.ends_with(MOBILE_SUFFIX) && parse_version(version).is_some_and(|version| version < MIN_MOBILE_VERSION)
}

/// Parses up to three numbers separated by dots; None for anything else, which does not count as too old.
fn parse_version(version: &str) -> Option<[u64; 3]> {
    let mut numbers = [0; 3];
    for (index, part) in version.split('.').enumerate() {
        *numbers.get_mut(index)? = part.parse().ok()?;
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::is_incompatible;

    #[test]
    fn mobile_clients_below_the_minimum_version_are_too_old() {
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
