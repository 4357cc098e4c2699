//! Helpers for JSON: objects, sorted lists of IDs, and lists of objects that are identified by one of their keys.

use serde_json::{Map, Value};

pub type Object = Map<String, Value>;

/// Converts a value to an object, which is empty if the value is not an object.
pub fn into_object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

/// The integers in an array; empty if the value is not an array.
pub fn to_integers(value: &Value) -> Vec<i64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_i64).collect()
}

/// Adds a number to a sorted array. Returns false if it was there already, or the value is not an array.
pub fn insert_number(list: &mut Value, number: i64) -> bool {
    let Some(list) = list.as_array_mut() else { return false };
    match list.binary_search_by_key(&number, |item| item.as_i64().unwrap_or(i64::MIN)) {
        Ok(_) => false,
        Err(position) => {
            list.insert(position, number.into());
            true
        }
    }
}

/// Removes a number from an array. Returns false if it was not there, or the value is not an array.
pub fn remove_number(list: &mut Value, number: i64) -> bool {
    let Some(list) = list.as_array_mut() else { return false };
    let previous_length = list.len();
    list.retain(|item| item.as_i64() != Some(number));
    list.len() < previous_length
}

/// Removes a user from the direct members of a permission.
pub fn remove_member(permission: &mut Value, user: i64) {
    if let Some(members) = permission.get_mut("direct_members") {
        remove_number(members, user);
    }
}

/// The rows of a list; empty if the state does not have it.
pub fn rows<'state>(state: &'state Object, list: &str) -> &'state [Value] {
    state.get(list).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The rows of a list. None if the state does not have it.
pub fn rows_mut<'state>(state: &'state mut Object, list: &str) -> Option<&'state mut Vec<Value>> {
    state.get_mut(list)?.as_array_mut()
}

/// The row whose `key` has the value `id`. None if the state does not have the list or the row.
pub fn row<'state>(state: &'state Object, list: &str, key: &str, id: &Value) -> Option<&'state Object> {
    rows(state, list).iter().find(|row| row.get(key) == Some(id))?.as_object()
}

/// [`row`], to change it.
pub fn row_mut<'state>(state: &'state mut Object, list: &str, key: &str, id: &Value) -> Option<&'state mut Object> {
    rows_mut(state, list)?.iter_mut().find(|row| row.get(key) == Some(id))?.as_object_mut()
}

/// Adds a row, or replaces the one with the same value of `key`. Does nothing if the state does not have the list.
pub fn put(state: &mut Object, list: &str, key: &str, new_row: Object) {
    let id = new_row.get(key).cloned().unwrap_or_default();
    if let Some(old_row) = row_mut(state, list, key, &id) {
        *old_row = new_row;
    } else if let Some(rows) = rows_mut(state, list) {
        rows.push(new_row.into());
    }
}

/// Removes and returns the row whose `key` has the value `id`. None if the state does not have the list or the row.
pub fn take(state: &mut Object, list: &str, key: &str, id: &Value) -> Option<Object> {
    let rows = rows_mut(state, list)?;
    let position = rows.iter().position(|row| row.get(key) == Some(id))?;
    Some(into_object(rows.remove(position)))
}

/// Sets the keys of `changes` in a row.
pub fn merge_into_row(row: &mut Object, changes: &Value) {
    for (key, value) in changes.as_object().into_iter().flatten() {
        row.insert(key.clone(), value.clone());
    }
}
