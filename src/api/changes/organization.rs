//! Telling of the organization's settings.

use crate::realm::tx::Tx;
use crate::record::events::RealmUpdateDict;
use serde_json::Value;

/// Tells everybody of settings in the form that permissions have.
pub fn emit_data(tx: &mut Tx, data: impl IntoIterator<Item = (&'static str, Value)>) {
    let data = data.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    tx.emit(tx.everyone(), RealmUpdateDict { property: "default", data });
}
