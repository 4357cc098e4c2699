//! Lists of objects that are known by one of their keys.

use serde_json::{Map, Value};

/// A JSON object.
pub type Object = Map<String, Value>;

/// The object that a value is; an empty one if it is none.
pub fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

/// Whole numbers of a list.
pub fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_i64).collect()
}

/// Adds a number to a sorted list; false when it was there.
pub fn insert_number(list: &mut Value, number: i64) -> bool {
    let Some(list) = list.as_array_mut() else { return false };
    match list.binary_search_by_key(&number, |item| item.as_i64().unwrap_or(i64::MIN)) {
        Ok(_) => false,
        Err(place) => {
            list.insert(place, number.into());
            true
        }
    }
}

/// Takes a number out of a list; false when it was not there.
pub fn remove_number(list: &mut Value, number: i64) -> bool {
    let Some(list) = list.as_array_mut() else { return false };
    let before = list.len();
    list.retain(|item| item.as_i64() != Some(number));
    list.len() < before
}

/// Takes somebody out of a permission that lists users without a group between.
pub fn forget_member(permission: &mut Value, user: i64) {
    if let Some(members) = permission.get_mut("direct_members") {
        remove_number(members, user);
    }
}

/// The rows of a list that is kept.
pub fn rows<'state>(state: &'state mut Object, list: &str) -> Option<&'state mut Vec<Value>> {
    state.get_mut(list)?.as_array_mut()
}

/// The row of a list whose `key` has this value.
pub fn row<'state>(state: &'state mut Object, list: &str, key: &str, id: &Value) -> Option<&'state mut Object> {
    rows(state, list)?.iter_mut().find(|row| row.get(key) == Some(id))?.as_object_mut()
}

/// Adds a row, in the place of the one with the same `key` if there is one.
pub fn put(state: &mut Object, list: &str, key: &str, new: Object) {
    let id = new.get(key).cloned().unwrap_or_default();
    if let Some(old) = row(state, list, key, &id) {
        *old = new;
    } else if let Some(rows) = rows(state, list) {
        rows.push(new.into());
    }
}

/// Takes the row out whose `key` has this value.
pub fn take(state: &mut Object, list: &str, key: &str, id: &Value) -> Option<Object> {
    let rows = rows(state, list)?;
    let place = rows.iter().position(|row| row.get(key) == Some(id))?;
    Some(object(rows.remove(place)))
}

/// Puts the keys of `changes` into a row.
pub fn merge(row: &mut Object, changes: &Value) {
    for (key, value) in changes.as_object().into_iter().flatten() {
        row.insert(key.clone(), value.clone());
    }
}
