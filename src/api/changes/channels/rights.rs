//! Who may change channels.

use crate::api::Call;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::id::ChannelId;

/// A channel that the caller may change; archived ones too.
///
/// # Errors
///
/// `InvalidChannelId` when the caller can't see it, else `CannotAdministerChannel`; below 325 `AdministratorRequired`,
/// of public channels for guests too.
pub fn administered_channel<'realm>(
    realm: &'realm Realm,
    call: &Call<'_>,
    id: ChannelId,
) -> Result<&'realm Channel, Error> {
    let user = call.caller();
    if !call.has(Feature::AdministratorsOfChannels) {
        let channel = realm.channels.get(&id).ok_or(Error::InvalidChannelId)?;
        let is_known = !channel.privacy.is_private() || channel.subscribers.contains(&user.id);
        return match (user.is_admin(), is_known) {
            (true, _) => Ok(channel),
            (false, true) => Err(Error::AdministratorRequired),
            (false, false) => Err(Error::InvalidChannelId),
        };
    }
    let channel = realm.visible_channel(user, id)?;
    if realm.can_administer(user, channel) { Ok(channel) } else { Err(Error::CannotAdministerChannel) }
}
