//! Conditions under which a queue of the audience receives an event.

use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::log::queue::QueueOptions;
use crate::realm::model::id::UserId;

/// A condition on the queue's options or on the world's feature level. The queue's event types must have the event's
/// type too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeliveryCondition {
    /// Always fulfilled.
    #[default]
    Always,
    /// The client has the capability `stream_typing_notifications`.
    ChannelTyping,
    /// The client has the capability `linkifier_url_template`.
    LinkifierTemplates,
    /// The client has the capability `include_deactivated_groups`.
    DeactivatedGroups,
    /// The client has the capability `include_deactivated_groups`, and the world is at this level or above.
    DeactivatedGroupsFrom(i64),
    /// The client lacks the capability `include_deactivated_groups`.
    NoDeactivatedGroups,
    /// The client has the capability `archived_channels`.
    ArchivedChannels,
    /// The client has the capability `archived_channels`, and the world is at this level or above.
    ArchivedChannelsFrom(i64),
    /// The client has the capability `archived_channels`, and the world is at level 378 or above: below, archiving is
    /// sent as deletion.
    ArchivingAsUpdate,
    /// The client lacks the capability `archived_channels`, or the world is below level 378: the opposite of
    /// [`DeliveryCondition::ArchivingAsUpdate`].
    ArchivingAsDeletion,
    /// The client has the capability `individual_emoji_changes`.
    IndividualEmoji,
    /// The client lacks the capability `individual_emoji_changes`.
    EmojiList,
    /// `event_types` does not name `user_topic`, or the world's level does not have it.
    NoUserTopics,
    /// The client lacks the capability `user_list_incomplete`.
    CompleteUserList,
    /// The world is below level 439, and the client lacks `user_settings_object`.
    LegacySettings,
    /// The world is at this level or above.
    From(i64),
    /// The world is below this level.
    Before(i64),
}

impl DeliveryCondition {
    /// The condition of events about a channel: only clients that know archived channels receive those about one.
    pub fn of_channel(is_archived: bool) -> Self {
        if is_archived { DeliveryCondition::ArchivedChannels } else { DeliveryCondition::Always }
    }

    pub fn is_fulfilled_by(self, options: &QueueOptions) -> bool {
        let capabilities = &options.capabilities;
        match self {
            DeliveryCondition::Always => true,
            DeliveryCondition::ChannelTyping => capabilities.stream_typing_notifications,
            DeliveryCondition::LinkifierTemplates => capabilities.linkifier_url_template,
            DeliveryCondition::DeactivatedGroups => capabilities.include_deactivated_groups,
            DeliveryCondition::DeactivatedGroupsFrom(level) => {
                DeliveryCondition::DeactivatedGroups.is_fulfilled_by(options)
                    && DeliveryCondition::From(level).is_fulfilled_by(options)
            }
            DeliveryCondition::NoDeactivatedGroups => !capabilities.include_deactivated_groups,
            DeliveryCondition::ArchivedChannels => capabilities.archived_channels,
            DeliveryCondition::ArchivedChannelsFrom(level) => {
                DeliveryCondition::ArchivedChannels.is_fulfilled_by(options)
                    && DeliveryCondition::From(level).is_fulfilled_by(options)
            }
            DeliveryCondition::ArchivingAsUpdate => {
                DeliveryCondition::ArchivedChannelsFrom(Feature::ArchivingSentAsUpdate.since()).is_fulfilled_by(options)
            }
            DeliveryCondition::ArchivingAsDeletion => !DeliveryCondition::ArchivingAsUpdate.is_fulfilled_by(options),
            DeliveryCondition::IndividualEmoji => capabilities.individual_emoji_changes,
            DeliveryCondition::EmojiList => !capabilities.individual_emoji_changes,
            DeliveryCondition::NoUserTopics => {
                let names_user_topic =
                    || options.event_types.as_ref().is_some_and(|types| types.contains("user_topic"));
                !options.level.has(Feature::UserTopicEvents) || !names_user_topic()
            }
            DeliveryCondition::CompleteUserList => !capabilities.user_list_incomplete,
            DeliveryCondition::LegacySettings => {
                DeliveryCondition::Before(Feature::OnlyNewSettingsEvents.since()).is_fulfilled_by(options)
                    && !capabilities.user_settings_object
            }
            DeliveryCondition::From(level) => !options.level.is_before(level),
            DeliveryCondition::Before(level) => options.level.is_before(level),
        }
    }
}

impl Realm {
    /// Whether a queue or watcher of a user receives events of this type with this condition.
    pub fn has_reader_for(&self, user: UserId, event_type: &str, condition: DeliveryCondition) -> bool {
        self.event_readers().filter(|queue| queue.owner == user).any(|queue| {
            let types = queue.options.event_types.as_ref();
            condition.is_fulfilled_by(&queue.options) && types.is_none_or(|types| types.contains(event_type))
        })
    }
}
