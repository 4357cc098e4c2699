//! The changes of a first login.

use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::record::events::PersonUpdate;
use imbl::OrdSet;

/// Applies the first login of a user who was imported or created over the API.
///
/// Events: `realm_user` update of `is_imported_stub` and `date_joined`, each if it changes; if `date_joined` changes,
/// also those of [`Tx::update_full_members`] if the user becomes a full member or stops being one.
pub fn record_first_login(tx: &mut Tx, id: UserId, changes_date_joined: bool) {
    let now = tx.now;
    let was_stub = tx.users[&id].is_imported_stub;
    let user = tx.user_mut(id);
    user.is_imported_stub = false;
    user.joins_at_first_login = false;
    if changes_date_joined {
        user.date_joined = now;
    }
    let date_joined = user.date_joined.to_iso8601_minutes();
    let audience = tx.audience_with_access_to(id);
    if was_stub {
        tx.emit(audience.clone(), PersonUpdate::IsImportedStub { user_id: id, is_imported_stub: false });
    }
    if changes_date_joined {
        tx.emit(audience, PersonUpdate::DateJoined { user_id: id, date_joined });
        // The waiting period for full members begins with `date_joined`.
        tx.update_full_members(OrdSet::unit(id));
    }
}
