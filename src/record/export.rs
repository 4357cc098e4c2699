//! The API's record of an export of the organization's data, which administrators see.

use crate::realm::Realm;
use crate::realm::export::{Export, ExportState};
use schemars::JsonSchema;
use serde::Serialize;

/// An export of the organization's data.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RealmExport")]
pub struct ExportRecord {
    /// ID of the export.
    pub id: i64,
    /// ID of the user who requested it.
    pub acting_user_id: i64,
    /// When it was requested, UNIX seconds.
    pub export_time: i64,
    /// When it was deleted, UNIX seconds; null unless it was.
    pub deleted_timestamp: Option<i64>,
    /// When it failed, UNIX seconds; null unless it did.
    pub failed_timestamp: Option<i64>,
    /// Where it can be fetched, relative to the organization's URL; null if it can't be.
    pub export_url: Option<String>,
    /// Whether it is in progress.
    pub pending: bool,
    /// 1 public data only, 2 also the private data of users who consent.
    #[schemars(extend("enum" = [1, 2]))]
    pub export_type: i64,
    /// Whether it was made on the server from which the organization was imported; its file is not here.
    pub export_from_prior_server: bool,
}

impl ExportRecord {
    pub fn new(realm: &Realm, export: &Export) -> Self {
        let (mut deleted_timestamp, mut failed_timestamp) = (None, None);
        match export.state {
            ExportState::Deleted(time) => deleted_timestamp = Some(time.seconds()),
            ExportState::Failed(time) => failed_timestamp = Some(time.seconds()),
            ExportState::Pending | ExportState::Ready => {}
        }
        Self {
            id: export.id.0,
            acting_user_id: export.requested_by.0,
            export_time: export.requested_at.seconds(),
            deleted_timestamp,
            failed_timestamp,
            // Real servers keep exports in the same place as the pictures of users.
            export_url: export
                .has_file()
                .then(|| format!("/user_avatars/{}/exports/{}/export.json", realm.organization.id, export.key)),
            pending: export.state == ExportState::Pending,
            export_type: export.kind.number(),
            export_from_prior_server: export.is_from_prior_server,
        }
    }
}
