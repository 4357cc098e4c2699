//! Renames the fields of records from older servers to their names at the newest level.

use super::{ChangeKind, ObjectKind, changes};
use serde_json::{Map, Value};

/// Renames the fields of a record from a server at `level`. Other differences of older levels remain.
pub fn rename_fields(level: i64, object: &ObjectKind, record: &mut Map<String, Value>) {
    // From the oldest change to the newest, because a field may have been renamed several times.
    for change in changes().iter().rev().filter(|change| change.level > level) {
        if let ChangeKind::RenamedField { object: renamed_object, old, new } = change.kind
            && renamed_object == object
            && !record.contains_key(new)
            && let Some(value) = record.shift_remove(old)
        {
            record.insert(new.to_owned(), value);
        }
    }
}
