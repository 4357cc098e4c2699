//! Permissions to send channel messages and direct messages (reference behaviour, POST /messages).

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::model::channel::{Channel, TopicsPolicy};
use crate::realm::model::group::SystemGroup;
use crate::realm::model::id::UserId;
use crate::realm::model::permission::{ChannelPermission, GroupSettingValue, RealmPermission};
use crate::realm::model::setting::RealmSetting;
use crate::realm::model::topic::EMPTY_TOPIC_DISPLAY_NAME;
use crate::realm::model::topic::TopicKey;
use crate::realm::model::user::User;
use std::sync::Arc;

impl Realm {
    /// Checks that a user may send messages to a topic. System bots always may.
    ///
    /// # Errors
    ///
    /// In this order: `MayNotPost`, `UnknownChannelId` if the sender can't see the channel, `NotAuthorizedToSend`,
    /// `MayNotCreateTopic`, `EmptyTopicNotAllowed`, `OnlyEmptyTopicAllowed`.
    pub fn check_may_post(&self, sender: &User, channel: &Channel, topic: &Arc<str>) -> Result<(), Error> {
        self.check_may_post_with(sender, channel, topic, false)
    }

    /// Does the same as [`Realm::check_may_post`]. With `skips_access_check`, the channel may be archived, and the
    /// sender need not be able to read it.
    ///
    /// # Errors
    ///
    /// Those of [`Realm::check_may_post`].
    pub fn check_may_post_with(
        &self,
        sender: &User,
        channel: &Channel,
        topic: &Arc<str>,
        skips_access_check: bool,
    ) -> Result<(), Error> {
        if sender.is_system_bot() {
            return Ok(());
        }
        self.check_may_send_in(sender, channel)?;
        let sender_and_owner = || std::iter::once(sender.id).chain(sender.bot_owner());
        let can_read =
            sender_and_owner().filter_map(|user| self.users.get(&user)).any(|user| self.can_read(user, channel));
        if !skips_access_check && (!can_read || channel.is_archived) {
            if !self.sender_can_see(sender, channel) {
                return Err(Error::UnknownChannelId { stream_id: channel.id.0.into() });
            }
            return Err(Error::NotAuthorizedToSend { channel_name: channel.name.clone().into() });
        }
        self.check_may_create_topic(sender, channel, topic)?;
        self.check_topic_policy(channel, topic)
    }

    /// Whether a sender can see the channel's name. System bots can see all channels, other bots also what their owners
    /// can see, and everybody can see archived channels that were web-public.
    pub fn sender_can_see(&self, sender: &User, channel: &Channel) -> bool {
        let mut sender_and_owner = std::iter::once(sender.id).chain(sender.bot_owner());
        let was_web_public = channel.is_archived && channel.was_web_public;
        sender.is_system_bot()
            || was_web_public
            || sender_and_owner.any(|id| self.users.get(&id).is_some_and(|user| self.can_see(user, channel)))
    }

    /// Checks that the topic exists or the user may create it. A bot also has its owner's permissions.
    ///
    /// # Errors
    ///
    /// `MayNotCreateTopic`.
    pub fn check_may_create_topic(&self, user: &User, channel: &Channel, topic: &Arc<str>) -> Result<(), Error> {
        let mut user_and_owner = std::iter::once(user.id).chain(user.bot_owner());
        let exists = self.topics.contains_key(&(channel.id, TopicKey::from_shared(topic)));
        let may_create =
            exists || user_and_owner.any(|user| self.may_in_channel(user, channel, ChannelPermission::CanCreateTopic));
        if may_create { Ok(()) } else { Err(Error::MayNotCreateTopic) }
    }

    /// Checks that a user holds the channel's permission to send. A bot also has its owner's permissions.
    ///
    /// # Errors
    ///
    /// `MayNotPost`.
    pub fn check_may_send_in(&self, sender: &User, channel: &Channel) -> Result<(), Error> {
        let mut sender_and_owner = std::iter::once(sender.id).chain(sender.bot_owner());
        let may_send =
            sender_and_owner.any(|user| self.may_in_channel(user, channel, ChannelPermission::CanSendMessage));
        if may_send {
            Ok(())
        } else {
            Err(Error::MayNotPost { policy: self.posting_policy_in_error(sender, channel).into() })
        }
    }

    /// The legacy posting policy, as it appears in the error message for a user without permission.
    fn posting_policy_in_error(&self, user: &User, channel: &Channel) -> &'static str {
        let is_held_by = |group| {
            channel.permissions.get(ChannelPermission::CanSendMessage.name())
                == self.system_groups.get(&group).map(|id| GroupSettingValue::Group(*id)).as_ref()
        };
        if is_held_by(SystemGroup::Administrators) {
            "administrators"
        } else if is_held_by(SystemGroup::Moderators) {
            "moderators"
        } else if user.is_guest() {
            // Guests are refused as guests, even where only full members may post.
            "users"
        } else if is_held_by(SystemGroup::FullMembers) {
            "full members"
        } else {
            "others"
        }
    }

    /// Checks that the channel's policy for the empty topic allows the topic.
    ///
    /// # Errors
    ///
    /// `EmptyTopicNotAllowed`, `OnlyEmptyTopicAllowed`.
    pub fn check_topic_policy(&self, channel: &Channel, topic: &str) -> Result<(), Error> {
        let is_empty_topic_disabled = match channel.topics_policy {
            TopicsPolicy::Inherit => self.organization.setting(RealmSetting::TopicsPolicy) == "disable_empty_topic",
            TopicsPolicy::DisableEmptyTopic => true,
            TopicsPolicy::AllowEmptyTopic | TopicsPolicy::EmptyTopicOnly => false,
        };
        let display_name = || EMPTY_TOPIC_DISPLAY_NAME.into();
        if topic.is_empty() && is_empty_topic_disabled {
            return Err(Error::EmptyTopicNotAllowed { topic: display_name() });
        }
        if !topic.is_empty() && channel.topics_policy == TopicsPolicy::EmptyTopicOnly {
            return Err(Error::OnlyEmptyTopicAllowed { topic: display_name() });
        }
        Ok(())
    }

    /// Checks that a user may send a direct message to these users. Messages from bots, to bots alone, and to the
    /// sender alone need no permission.
    ///
    /// # Errors
    ///
    /// In this order: `RecipientsInaccessible`, `RecipientDeactivated`, `DirectMessagesDisabled`,
    /// `NoAuthorizingParticipant`, `MayNotInitiateDirect`.
    pub fn check_may_send_direct(&self, sender: &User, users: &[UserId]) -> Result<(), Error> {
        if !users.iter().all(|user| self.can_access_user(sender, *user)) {
            return Err(Error::RecipientsInaccessible);
        }
        let mut recipients = users.iter().filter_map(|id| self.users.get(id));
        if let Some(user) = recipients.find(|user| !user.is_active) {
            return Err(Error::RecipientDeactivated { email: self.api_email(user).into() });
        }
        let others: Vec<&User> = users
            .iter()
            .filter(|id| **id != sender.id)
            .filter_map(|id| self.users.get(id))
            .map(AsRef::as_ref)
            .collect();
        if sender.is_bot() || others.iter().all(|user| user.is_bot()) {
            return Ok(());
        }
        let may_authorize = |user: &UserId| self.may(*user, RealmPermission::DirectMessagePermission);
        if !users.iter().chain([&sender.id]).any(may_authorize) {
            let nobody = GroupSettingValue::Group(self.system_group(SystemGroup::Nobody));
            let holder = self.organization.permissions.get(RealmPermission::DirectMessagePermission.name());
            let is_disabled = holder == Some(&nobody);
            return Err(if is_disabled { Error::DirectMessagesDisabled } else { Error::NoAuthorizingParticipant });
        }
        let conversation = self.conversation_of(users.iter().copied().chain([sender.id]));
        let has_messages = conversation.is_some_and(|conversation| !conversation.messages.is_empty());
        if !has_messages && !self.may(sender.id, RealmPermission::DirectMessageInitiator) {
            return Err(Error::MayNotInitiateDirect);
        }
        Ok(())
    }
}
