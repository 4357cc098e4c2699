//! The feature levels at which a real server was recorded.

/// A feature level with its recordings.
pub struct Level {
    /// The level.
    pub number: i64,
    /// When it was recorded; accounts of the organization are as old as they were then.
    pub start: &'static str,
    /// The organization, as a fixture.
    pub organization: &'static str,
    /// The accounts by role: address and API key.
    pub accounts: &'static str,
    /// The recordings, in the order of the summary.
    pub recordings: &'static [&'static str],
}

impl Level {
    /// Whether a choice means one of the level's recordings: by the level, by the name, or by both with a slash.
    pub fn is_meant(&self, recording: &str, choice: &str) -> bool {
        let number = self.number.to_string();
        choice == number || choice == recording || choice.split_once('/') == Some((&number, recording))
    }

    /// The path of a file or folder of the level.
    pub fn path(&self, name: &str) -> std::path::PathBuf {
        crate::summary::path(&format!("tests/recorded/{}/{name}", self.number))
    }
}

/// All levels that were recorded.
pub const LEVELS: &[Level] = &[
    Level {
        number: 247,
        start: "2026-11-23T05:00:00Z",
        organization: include_str!("247/organization.json"),
        accounts: include_str!("247/accounts.json"),
        recordings: &[
            "s_state",
            "s_errors",
            "s_messages",
            "s_flows",
            "s_extra",
            "s_guests",
            "r_policies",
            "s_markdown",
            "r_markdown-11",
            "r_search-11",
            "r_random-11",
            "r_random-12",
            "r_random-13",
            "r_random-14",
        ],
    },
    Level {
        number: 387,
        start: "2026-11-26T07:19:00Z",
        organization: include_str!("387/organization.json"),
        accounts: include_str!("387/accounts.json"),
        recordings: &[
            "s_state",
            "s_errors",
            "s_errors387",
            "s_messages",
            "s_flows",
            "s_groups",
            "s_channels",
            "s_permissions",
            "s_people",
            "s_personal",
            "s_more",
            "s_extra",
            "s_guests",
            "s_markdown",
            "r_markdown-41",
            "r_markdown-42",
            "r_search-41",
            "r_random-41",
            "r_random-42",
            "r_random-43",
            "r_random-44",
        ],
    },
];
