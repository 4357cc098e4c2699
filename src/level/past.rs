//! Objects that are in replies of older levels alone, made of the newest level's records.

use super::{ChangeKind, Context, Downgrade, Object, changes};
use serde_json::{Map, Value};

/// A record of the newest level as it is at the level of the change that puts it into a reply: what changed after that
/// is undone here, what changed before by the emulation, which goes on from there.
pub fn as_of(level: i64, object: &'static Object, record: Value, context: &Context<'_>) -> Value {
    let Value::Object(mut record) = record else { return record };
    for change in changes().iter().take_while(|change| change.level > level) {
        undo(&change.kind, object, &mut record, context);
    }
    record.into()
}

fn undo(kind: &ChangeKind, object: &'static Object, record: &mut Map<String, Value>, context: &Context<'_>) {
    match *kind {
        ChangeKind::Field { object: of, name } if is(of, object) => _ = record.shift_remove(name),
        ChangeKind::RenamedField { object: of, old, new } if is(of, object) => {
            if let Some(value) = record.shift_remove(new) {
                record.insert(old.to_owned(), value);
            }
        }
        ChangeKind::GoneField { object: of, name, since, value, .. } if is(of, object) && context.level >= since => {
            let value = value(record, context);
            record.insert(name.to_owned(), value);
        }
        ChangeKind::Behaviour(behaviour) => match behaviour.act {
            Downgrade::Objects(of, act) if is(of, object) => act(record, context),
            _ => {}
        },
        _ => {}
    }
}

fn is(one: &Object, other: &Object) -> bool {
    std::ptr::eq(one, other)
}
