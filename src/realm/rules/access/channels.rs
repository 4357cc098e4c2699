//! Access checks for channels: seeing their settings, reading their messages and changing them.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::log::event::Audience;
use crate::realm::model::channel::{Channel, Privacy};
use crate::realm::model::group::SystemGroup;
use crate::realm::model::id::{ChannelId, UserId};
use crate::realm::model::permission::{ChannelPermission, RealmPermission};
use crate::realm::model::user::User;
use crate::realm::rules::permission_holders::includes_user;
use imbl::OrdSet;
use std::sync::Arc;

impl Realm {
    /// Whether a user holds a permission of a channel.
    pub fn may_in_channel(&self, user: UserId, channel: &Channel, permission: ChannelPermission) -> bool {
        let setting = permission.setting();
        channel.permissions.get(setting.name).is_some_and(|value| includes_user(self, value, user, setting))
    }

    /// Whether a user can read the channel's messages, if its history is not protected.
    pub fn can_read(&self, user: &User, channel: &Channel) -> bool {
        if channel.subscribers.contains(&user.id) || channel.privacy == Privacy::WebPublic {
            return true;
        }
        if user.is_guest() {
            return false;
        }
        channel.privacy == Privacy::Public
            || self.may_in_channel(user.id, channel, ChannelPermission::CanAddSubscribers)
            || self.may_in_channel(user.id, channel, ChannelPermission::CanSubscribe)
    }

    /// Whether a user can see the channel's name, settings and subscribers.
    pub fn can_see(&self, user: &User, channel: &Channel) -> bool {
        self.can_read(user, channel)
            || user.is_admin()
            || (!user.is_guest() && self.may_in_channel(user.id, channel, ChannelPermission::CanAdministerChannel))
    }

    pub fn can_administer(&self, user: &User, channel: &Channel) -> bool {
        user.is_admin() || self.may_in_channel(user.id, channel, ChannelPermission::CanAdministerChannel)
    }

    /// A channel whose settings the user can see, including archived channels.
    ///
    /// # Errors
    ///
    /// `InvalidChannelId`, whether the channel does not exist or the user can't see it.
    pub fn visible_channel(&self, user: &User, id: ChannelId) -> Result<&Arc<Channel>, Error> {
        self.channels.get(&id).filter(|channel| self.can_see(user, channel)).ok_or(Error::InvalidChannelId)
    }

    /// A channel that the user can see and that is not archived.
    ///
    /// # Errors
    ///
    /// `InvalidChannelId`.
    pub fn visible_active_channel(&self, user: &User, id: ChannelId) -> Result<&Arc<Channel>, Error> {
        self.visible_channel(user, id)
            .and_then(|channel| if channel.is_archived { Err(Error::InvalidChannelId) } else { Ok(channel) })
    }

    /// A channel whose messages the user can read, including archived channels.
    ///
    /// # Errors
    ///
    /// `InvalidChannelId`.
    pub fn readable_channel(&self, user: &User, id: ChannelId) -> Result<&Arc<Channel>, Error> {
        self.channels.get(&id).filter(|channel| self.can_read(user, channel)).ok_or(Error::InvalidChannelId)
    }

    /// A channel whose messages the user can read and that is not archived.
    ///
    /// # Errors
    ///
    /// `InvalidChannelId`, the same for all reasons.
    pub fn readable_active_channel(&self, user: &User, id: ChannelId) -> Result<&Arc<Channel>, Error> {
        let channel = self.readable_channel(user, id)?;
        if channel.is_archived { Err(Error::InvalidChannelId) } else { Ok(channel) }
    }

    /// A channel that the user can see and that is not archived, by name.
    ///
    /// # Errors
    ///
    /// `InvalidChannelName`, the same for all reasons.
    pub fn visible_active_channel_by_name(&self, user: &User, name: &str) -> Result<&Arc<Channel>, Error> {
        self.channel_by_name(name.trim())
            .filter(|channel| self.can_see(user, channel) && !channel.is_archived)
            .ok_or_else(|| Error::InvalidChannelName { channel_name: name.into() })
    }

    /// A channel whose messages the user can read and that is not archived, by name.
    ///
    /// # Errors
    ///
    /// `InvalidChannelName`, the same for all reasons.
    pub fn readable_active_channel_by_name(&self, user: &User, name: &str) -> Result<&Arc<Channel>, Error> {
        self.visible_active_channel_by_name(user, name).and_then(|channel| {
            let can_read = self.can_read(user, channel);
            if can_read { Ok(channel) } else { Err(Error::InvalidChannelName { channel_name: name.into() }) }
        })
    }

    /// All users who can see a channel: the audience of its changes, and of `subscription` peer events.
    pub fn channel_audience(&self, channel: &Channel) -> Audience {
        let administrators = self
            .system_group_members(SystemGroup::Administrators)
            .clone()
            .union(self.system_group_members(SystemGroup::Owners).clone());
        match channel.privacy {
            // Guests too, unlike on a real server (A-338 in docs/assumptions.md).
            Privacy::WebPublic => Audience::of_users(self.active_users.clone()),
            Privacy::Public => {
                Audience::of_users(self.active_users.clone()).except_all(&self.unsubscribed_guests(channel))
            }
            _ => {
                let mut audience = Audience::of_users(channel.subscribers.clone()).with_users(administrators);
                let access_permissions = [
                    ChannelPermission::CanAdministerChannel,
                    ChannelPermission::CanAddSubscribers,
                    ChannelPermission::CanSubscribe,
                ];
                for permission in access_permissions {
                    audience = audience.with_users(self.non_guest_holders(channel, permission));
                }
                audience
            }
        }
    }

    fn non_guest_holders(&self, channel: &Channel, permission: ChannelPermission) -> OrdSet<UserId> {
        use crate::realm::model::permission::GroupSettingValue::{Anonymous, Group};
        let holders = match channel.permissions.get(permission.name()) {
            Some(Group(group)) => self.active_members_within(*group),
            Some(Anonymous(value)) => {
                let direct: OrdSet<UserId> = value.direct_members.iter().copied().collect();
                direct.union(self.active_members_of_any(value.direct_subgroups.iter().copied()))
            }
            None => OrdSet::new(),
        };
        holders.relative_complement(self.guests().clone())
    }

    /// Guests who are not subscribed to a channel.
    pub fn unsubscribed_guests(&self, channel: &Channel) -> OrdSet<UserId> {
        // This iterates over the guests, because most organizations have fewer guests than a channel has subscribers.
        self.guests().iter().filter(|guest| !channel.subscribers.contains(*guest)).copied().collect()
    }

    /// Checks that a user may subscribe other users to these channels, which must exist.
    ///
    /// # Errors
    ///
    /// `InsufficientPermission`.
    pub fn check_may_subscribe_others(&self, caller: &User, channels: &[ChannelId]) -> Result<(), Error> {
        let may_everywhere = self.may(caller.id, RealmPermission::CanAddSubscribers);
        let may_add_subscribers = |channel: &Channel| {
            may_everywhere
                || self.can_administer(caller, channel)
                || self.may_in_channel(caller.id, channel, ChannelPermission::CanAddSubscribers)
        };
        if channels.iter().all(|id| may_add_subscribers(&self.channels[id])) {
            Ok(())
        } else {
            Err(Error::InsufficientPermission)
        }
    }
}
