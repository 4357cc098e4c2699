//! Records for replies and events that contain them only at older levels, converted from records of the newest level.

use super::{ChangeKind, Downgrade, DowngradeContext, ObjectKind, changes};
use serde_json::{Map, Value};

/// Converts a record from the newest level to that of the change that puts it into a reply or event. The emulation then
/// applies the older changes to it.
pub fn record_at_level(
    level: i64,
    object: &'static ObjectKind,
    record: Value,
    context: &DowngradeContext<'_>,
) -> Value {
    let Value::Object(mut record) = record else { return record };
    for change in changes().iter().take_while(|change| change.level > level) {
        undo_change(&change.kind, object, &mut record, context);
    }
    record.into()
}

fn undo_change(
    kind: &ChangeKind,
    object: &'static ObjectKind,
    record: &mut Map<String, Value>,
    context: &DowngradeContext<'_>,
) {
    match *kind {
        ChangeKind::Field { object: changed_object, name } if changed_object == object => _ = record.shift_remove(name),
        ChangeKind::RenamedField { object: changed_object, old, new } if changed_object == object => {
            if let Some(value) = record.shift_remove(new) {
                record.insert(old.to_owned(), value);
            }
        }
        ChangeKind::RemovedField { object: changed_object, name, since, value, .. }
            if changed_object == object && context.level >= since =>
        {
            let value = value(record, context);
            record.insert(name.to_owned(), value);
        }
        ChangeKind::Behaviour(behaviour) => match behaviour.downgrade {
            Downgrade::Objects(changed_object, _, downgrade) if changed_object == object => downgrade(record, context),
            _ => {}
        },
        _ => {}
    }
}
