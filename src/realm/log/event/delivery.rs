//! Which queues get an event, besides those of its audience that ask for its type.

use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::log::queue::QueueOptions;
use crate::realm::model::id::UserId;

/// A condition on the queue besides its types of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeliveryCondition {
    /// None.
    #[default]
    Nothing,
    /// `stream_typing_notifications`
    ChannelTyping,
    /// `linkifier_url_template`
    LinkifierTemplates,
    /// `include_deactivated_groups`
    DeactivatedGroups,
    /// `include_deactivated_groups`, and the world is not below this level: older ones have no such event.
    DeactivatedGroupsFrom(i64),
    /// Not `include_deactivated_groups`
    NoDeactivatedGroups,
    ArchivedChannels,
    /// `archived_channels`, and the world is not below this level: older ones have no such event.
    ArchivedChannelsFrom(i64),
    /// `archived_channels`, and the world is not below 378: before, archiving was sent as deleting.
    ArchivedUpdates,
    /// Not what [`DeliveryCondition::ArchivedUpdates`] is.
    NoArchivedChannels,
    /// `individual_emoji_changes`
    SingleEmoji,
    /// Not `individual_emoji_changes`
    WholeEmoji,
    /// Does not ask for `user_topic` by name.
    NoUserTopics,
    /// `user_list_incomplete` keeps it away.
    CompleteUserList,
    /// The world is below 439 and has the older events of settings, and the client did not say that it knows the newer.
    LegacySettings,
    /// The world is not below this level: older ones have no such event.
    From(i64),
    /// The world is below this level: later ones have no such event.
    Before(i64),
}

impl DeliveryCondition {
    /// Clients that don't know archived channels hear nothing of them.
    pub fn of_channel(is_archived: bool) -> Self {
        if is_archived { DeliveryCondition::ArchivedChannels } else { DeliveryCondition::Nothing }
    }

    /// Whether a queue with these options fulfils the condition.
    pub fn admits(self, options: &QueueOptions) -> bool {
        let capabilities = &options.capabilities;
        match self {
            DeliveryCondition::Nothing => true,
            DeliveryCondition::ChannelTyping => capabilities.stream_typing_notifications,
            DeliveryCondition::LinkifierTemplates => capabilities.linkifier_url_template,
            DeliveryCondition::DeactivatedGroups => capabilities.include_deactivated_groups,
            DeliveryCondition::DeactivatedGroupsFrom(level) => {
                DeliveryCondition::DeactivatedGroups.admits(options) && DeliveryCondition::From(level).admits(options)
            }
            DeliveryCondition::NoDeactivatedGroups => !capabilities.include_deactivated_groups,
            DeliveryCondition::ArchivedChannels => capabilities.archived_channels,
            DeliveryCondition::ArchivedChannelsFrom(level) => {
                DeliveryCondition::ArchivedChannels.admits(options) && DeliveryCondition::From(level).admits(options)
            }
            DeliveryCondition::ArchivedUpdates => {
                DeliveryCondition::ArchivedChannelsFrom(Feature::ArchivingSent.since()).admits(options)
            }
            DeliveryCondition::NoArchivedChannels => !DeliveryCondition::ArchivedUpdates.admits(options),
            DeliveryCondition::SingleEmoji => capabilities.individual_emoji_changes,
            DeliveryCondition::WholeEmoji => !capabilities.individual_emoji_changes,
            DeliveryCondition::NoUserTopics => {
                let gets_newer = || options.event_types.as_ref().is_some_and(|types| types.contains("user_topic"));
                !options.level.has(Feature::UserTopics) || !gets_newer()
            }
            DeliveryCondition::CompleteUserList => !capabilities.user_list_incomplete,
            DeliveryCondition::LegacySettings => {
                DeliveryCondition::Before(Feature::NewerSettingsAlone.since()).admits(options)
                    && !capabilities.user_settings_object
            }
            DeliveryCondition::From(level) => !options.level.is_before(level),
            DeliveryCondition::Before(level) => options.level.is_before(level),
        }
    }
}

impl Realm {
    /// Whether a user has a queue for events of a type that need this.
    pub fn is_wanted_by(&self, user: UserId, kind: &str, needs: DeliveryCondition) -> bool {
        self.queues.values().filter(|queue| queue.owner == user).any(|queue| {
            let types = queue.options.event_types.as_ref();
            needs.admits(&queue.options) && types.is_none_or(|types| types.contains(kind))
        })
    }
}
