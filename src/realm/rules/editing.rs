//! Whether messages may be changed.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::model::message::Message;
use crate::realm::model::setting::RealmSetting;
use crate::realm::model::user::User;
use crate::time::Span;

/// On top of a limit, for requests that were on their way.
const GRACE: Span = Span::seconds(20);

/// Whether a user may change a message's text.
///
/// # Errors
///
/// In this order: `EditingDisabled`, `MayNotEdit`, `EditTimePassed`.
pub fn check_may_edit(realm: &Realm, caller: &User, message: &Message) -> Result<(), Error> {
    if !realm.organization.is_on(RealmSetting::AllowMessageEditing) {
        return Err(Error::EditingDisabled);
    }
    if message.sender != caller.id {
        return Err(Error::MayNotEdit);
    }
    let limit = realm.organization.limit(RealmSetting::MessageContentEditLimitSeconds);
    if is_over(realm, message, limit) { Err(Error::EditTimePassed) } else { Ok(()) }
}

/// Whether the time is over in which a message may be changed, which is so many seconds.
pub fn is_over(realm: &Realm, message: &Message, limit: Option<i64>) -> bool {
    limit.is_some_and(|seconds| message.sent_at.plus(Span::seconds(seconds)).plus(GRACE) < realm.now)
}
