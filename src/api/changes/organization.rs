//! The `realm` update_dict event about changed settings of the organization.

use crate::realm::tx::Tx;
use crate::record::events::RealmUpdateDict;
use serde_json::Value;

/// Event: `realm` update_dict to everyone, with names and new values of settings.
pub fn emit_update_dict(tx: &mut Tx, data: impl IntoIterator<Item = (&'static str, Value)>) {
    let data = data.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    tx.emit(tx.everyone(), RealmUpdateDict { property: "default", data });
}
