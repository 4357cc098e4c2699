//! The feature levels of the real server's releases, as its change log has them (docs/levels.md), and the
//! text about levels above the newest.

use super::NEWEST_FEATURE_LEVEL;

/// The major versions of the releases, each with the feature level of its first release.
const RELEASES: [(u32, i64); 10] =
    [(3, 25), (4, 65), (5, 122), (6, 156), (7, 185), (8, 237), (9, 277), (10, 371), (11, 421), (12, 498)];

/// The feature level of a release such as `10.0`, `v10.4` or `10.x`: that of the first release with the same major
/// version. None if the text is not a release, or one whose level is unknown.
pub fn level_of_release(text: &str) -> Option<i64> {
    let (major, minor) = text.trim().trim_start_matches('v').split_once('.')?;
    let is_minor = minor == "x" || !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let major: u32 = major.parse().ok().filter(|_| is_minor)?;
    RELEASES.iter().find(|(release, _)| *release == major).map(|(_, level)| *level)
}

/// A sentence that says how worlds at levels above the newest behave. `subject` is its beginning up to the verb, such
/// as `feature level 600 is`.
pub fn newer_level_text(subject: &str) -> String {
    format!(
        "{subject} newer than {NEWEST_FEATURE_LEVEL}, the newest that chatdouble knows: such a world behaves as at \
         {NEWEST_FEATURE_LEVEL}, reports its own level, and adds fields and events that no client knows"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_have_the_levels_of_the_documentation() {
        let page = include_str!("../../docs/levels.md");
        let row = |name: &str| page.lines().find(|line| line.starts_with(name)).expect("a row").split('|').skip(2);
        let documented: Vec<(String, i64)> = row("| release |")
            .zip(row("| level |"))
            .filter_map(|(release, level)| Some((release.trim().to_owned(), level.trim().parse().ok()?)))
            .collect();

        assert_eq!(documented.len(), RELEASES.len());
        for (release, level) in documented {
            assert_eq!(level_of_release(&release), Some(level), "{release}");
        }
    }

    #[test]
    fn only_releases_have_a_level() {
        assert_eq!(
            ["v9.0", "10.4", "11.x", "10.0.1"].map(level_of_release),
            [Some(277), Some(371), Some(421), Some(371)]
        );
        for text in ["10", "2.1", "13.0", "newest", "", ".", "10.", "-9.0", "9.0-dev"] {
            assert_eq!(level_of_release(text), None, "{text}");
        }
    }
}
