//! The way back: records of older servers with the names that their fields have at the newest level.

use super::{ChangeKind, Object, changes};
use serde_json::{Map, Value};

/// Gives the fields of a record of a server at a level their newest names. What an older level said otherwise than by
/// another name remains as it is.
pub fn rename_fields(level: i64, object: &Object, record: &mut Map<String, Value>) {
    // From the newest change to the oldest in the table: the old names are followed to the new ones in order of time.
    for change in changes().iter().rev().filter(|change| change.level > level) {
        if let ChangeKind::RenamedField { object: of, old, new } = change.kind
            && of.name == object.name
            && !record.contains_key(new)
            && let Some(value) = record.shift_remove(old)
        {
            record.insert(new.to_owned(), value);
        }
    }
}
