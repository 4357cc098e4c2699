//! Permission and time limit for editing messages.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::model::message::Message;
use crate::realm::model::setting::RealmSetting;
use crate::realm::model::user::User;
use crate::time::Span;

/// Added to time limits, so that edits that were started in time succeed.
const GRACE_PERIOD: Span = Span::from_seconds(20);

/// Checks that a user may change a message's text.
///
/// # Errors
///
/// In this order: `EditingDisabled`, `MayNotEdit`, `EditTimePassed`.
pub fn check_may_edit(realm: &Realm, caller: &User, message: &Message) -> Result<(), Error> {
    if !realm.organization.is_enabled(RealmSetting::AllowMessageEditing) {
        return Err(Error::EditingDisabled);
    }
    if message.sender != caller.id {
        return Err(Error::MayNotEdit);
    }
    let limit = realm.organization.integer(RealmSetting::MessageContentEditLimitSeconds);
    if is_time_limit_over(realm, message, limit) { Err(Error::EditTimePassed) } else { Ok(()) }
}

/// Whether the time limit for changing a message and [`GRACE_PERIOD`] have passed. `limit` is in seconds. None means no
/// limit.
pub fn is_time_limit_over(realm: &Realm, message: &Message, limit: Option<i64>) -> bool {
    limit.is_some_and(|seconds| message.sent_at.plus(Span::from_seconds(seconds)).plus(GRACE_PERIOD) < realm.now)
}
