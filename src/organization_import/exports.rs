//! Converts exports of the organization's data to those of a fixture.

use super::directory::Directory;
use super::json::JsonFields;
use crate::fixture::format::{Export, ExportKind};
use serde_json::Value;

/// Converts an export; None if the directory does not have its user, or if its time is missing.
pub fn convert_export(record: &Value, directory: &Directory) -> Option<Export> {
    let time = |key: &str| record[key].as_f64().map(|at| directory.convert_past_time(at as i64));
    Some(Export {
        id: record.integer("id"),
        by: directory.handle(record.integer("acting_user_id")?)?,
        created: time("export_time")?,
        export_type: match record.integer("export_type") {
            Some(2) => ExportKind::FullWithConsent,
            _ => ExportKind::Public,
        },
        failed: time("failed_timestamp"),
        deleted: time("deleted_timestamp"),
        export_from_prior_server: record.boolean("export_from_prior_server"),
    })
}
