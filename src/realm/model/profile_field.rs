//! The organization's own fields of profiles. The values are among the data of their users.

use super::id::ProfileFieldId;
use serde::{Deserialize, Serialize};

/// A field that the organization adds to the profiles of its users.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileField {
    pub id: ProfileFieldId,
    /// 1 short text, 2 paragraph, 3 choice, 4 date, 5 link, 6 users, 7 external account, 8 pronouns.
    pub kind: i64,
    pub name: String,
    pub hint: String,
    /// The position among the fields.
    pub order: i64,
    /// The choices, or the site of an external account, as JSON text; "" if the kind has no data.
    pub data: String,
    /// Whether it is shown in the summary of a profile.
    pub in_summary: bool,
    pub is_required: bool,
    /// Whether users may edit their own value. Administrators always may.
    pub is_editable: bool,
    /// Whether users can be searched by it.
    #[serde(default)]
    pub is_for_matching: bool,
}
