//! The check that a caller may administer a channel.

use crate::api::OperationContext;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::id::ChannelId;

/// A channel that the caller may administer, which may be archived.
///
/// # Errors
///
/// `InvalidChannelId` if the channel does not exist or the caller can't see it, otherwise `CannotAdministerChannel`.
/// Below 325 the second is `AdministratorRequired`, which guests get for all public channels, even for those that they
/// can't see.
pub fn administered_channel<'realm>(
    realm: &'realm Realm,
    context: &OperationContext<'_>,
    id: ChannelId,
) -> Result<&'realm Channel, Error> {
    let user = context.caller();
    if !context.has(Feature::ChannelAdministrators) {
        let channel = realm.channels.get(&id).ok_or(Error::InvalidChannelId)?;
        let is_visible = !channel.privacy.is_private() || channel.subscribers.contains(&user.id);
        return match (user.is_admin(), is_visible) {
            (true, _) => Ok(channel),
            (false, true) => Err(Error::AdministratorRequired),
            (false, false) => Err(Error::InvalidChannelId),
        };
    }
    let channel = realm.visible_channel(user, id)?;
    if realm.can_administer(user, channel) { Ok(channel) } else { Err(Error::CannotAdministerChannel) }
}
