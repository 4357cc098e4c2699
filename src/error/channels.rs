//! Rows of the error table for channels, channel folders, subscriptions, muted topics and groups of default channels.

macro_rules! channels {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            // Channels.
            /// The channel is unknown or, for many operations, archived, or the caller cannot access it.
            InvalidChannelId: 400 BAD_REQUEST "Invalid channel ID";
            /// The channel is unknown or archived, or the caller cannot access it.
            InvalidChannelName { channel_name }: 400 BAD_REQUEST "Invalid channel name '{channel_name}'";
            /// For recipients of messages and subscriptions, instead of `InvalidChannelName`: clients know its code.
            UnknownChannel { stream }: 400 STREAM_DOES_NOT_EXIST "Channel '{stream}' does not exist" + [stream];
            /// For recipients of messages, instead of `InvalidChannelId`.
            UnknownChannelId { stream_id }: 400 STREAM_DOES_NOT_EXIST "Channel with ID '{stream_id}' does not exist" + [stream_id];
            ChannelAlreadyExists { channel_name }: 409 CHANNEL_ALREADY_EXISTS "Channel '{channel_name}' already exists" + [channel_name];
            /// The caller can see the channel but may not change it.
            CannotAdministerChannel: 400 CANNOT_ADMINISTER_CHANNEL "You do not have permission to administer this channel.";
            ChannelArchived: 400 BAD_REQUEST "Channel is already deactivated";
            ChannelNotArchived: 400 BAD_REQUEST "Channel is not currently deactivated";
            /// Unarchiving a private channel without subscribers, which nobody could read. The grammar is that of real
            /// servers.
            ChannelWithoutSubscribers: 400 BAD_REQUEST "Channel is private and have no subscribers";
            ChannelNameUnchanged: 400 BAD_REQUEST "Channel already has that name.";
            /// The channel for moderation requests has to stay private.
            ModerationChannelCannotBecomePublic: 400 BAD_REQUEST "A moderation request channel cannot be public.";
            ModerationChannelMustBePrivate: 400 BAD_REQUEST "Moderation request channel must be private.";
            /// The caller can see the channel's settings but not its messages.
            ContentAccessRequired: 400 BAD_REQUEST "Channel content access is required.";
            MayNotChangeDefaults: 400 BAD_REQUEST "You do not have permission to change default channels.";
            OtherTopicsExist { topic }: 400 BAD_REQUEST "To enable this configuration, all messages in this channel must be in the {topic} topic. Consider renaming or deleting other topics.";
            ChannelNameEmpty: 400 BAD_REQUEST "Channel name can't be empty.";
            ChannelNameTooLong { limit }: 400 BAD_REQUEST "Channel name too long (limit: {limit} characters).";
            /// The name has a control character or a Unicode noncharacter.
            ChannelNameInvalidCharacter { position }: 400 BAD_REQUEST "Invalid character in channel name, at position {position}.";
            /// The caller may not subscribe to these channels.
            UnableToAccessChannels { names }: 400 BAD_REQUEST "Unable to access channel ({names}).";
            WebPublicDisabled: 400 BAD_REQUEST "Web-public channels are not enabled.";
            DefaultChannelCannotBePrivate: 400 BAD_REQUEST "A default channel cannot be private.";
            PrivateChannelCannotBeDefault: 400 BAD_REQUEST "Private channels cannot be made default.";
            /// The combination of privacy settings is impossible.
            InvalidPrivacyCombination: 400 BAD_REQUEST "Invalid parameters";

            // Channel folders.
            /// The folder is unknown or archived.
            InvalidFolder: 400 BAD_REQUEST "Invalid channel folder ID";
            FolderNameEmpty: 400 BAD_REQUEST "Channel folder name can't be empty.";
            /// The name has a control character or a Unicode noncharacter.
            FolderNameInvalidCharacter { position }: 400 BAD_REQUEST "Invalid character in channel folder name, at position {position}.";
            /// Another folder that is not archived has the name.
            FolderNameTaken: 400 BAD_REQUEST "Channel folder name already in use";
            FolderNotEmpty: 400 BAD_REQUEST "You need to remove all the channels from this folder to archive it.";
            /// The order does not list each folder once.
            InvalidFolderOrder: 400 BAD_REQUEST "Invalid order mapping.";

            // Subscriptions.
            UnknownSubscriptionProperty { property }: 400 BAD_REQUEST "Unknown subscription property: {property}";
            PropertyNotBoolean { property }: 400 BAD_REQUEST "{property} is not a boolean";
            NotSubscribed { channel_id }: 400 BAD_REQUEST "Not subscribed to channel ID {channel_id}";
            NoSubscriptionsToChange: 400 BAD_REQUEST "Nothing to do. Specify at least one of \"add\" or \"delete\".";
            TooManySubscriptions { max_subscriptions }: 400 BAD_REQUEST "Too many subscriptions at once (maximum {max_subscriptions}).";
            TooManyChannels { max_channels }: 400 BAD_REQUEST "Too many channels at once (maximum {max_channels}).";

            // Muted topics.
            /// Sent below level 169 only.
            TopicAlreadyMuted: 400 BAD_REQUEST "Topic already muted";
            TopicNotMuted: 400 BAD_REQUEST "Topic is not muted";

            // Groups of default channels.
            NoDefaultGroupChanges: 400 BAD_REQUEST "You must pass \"new_description\" or \"new_group_name\".";
            NoSuchDefaultGroup { group_id }: 400 BAD_REQUEST "Default channel group with id '{group_id}' does not exist.";
            DefaultGroupNameUnchanged { group_name }: 400 BAD_REQUEST "This default channel group is already named '{group_name}'";
            /// The name is empty or has a forbidden character.
            InvalidDefaultGroupName { group_name }: 400 BAD_REQUEST "Invalid default channel group name '{group_name}'";
            DefaultGroupNameTooLong { limit }: 400 BAD_REQUEST "Default channel group name too long (limit: {limit} characters)";
            DefaultGroupNameNullBytes { group_name }: 400 BAD_REQUEST "Default channel group name '{group_name}' contains NULL (0x00) characters.";
            DefaultGroupExists { group_name }: 400 BAD_REQUEST "Default channel group '{group_name}' already exists";
            /// New users are subscribed to the channel anyway.
            ChannelIsDefault { channel_name, group_name }: 400 BAD_REQUEST "'{channel_name}' is a default channel and cannot be added to '{group_name}'";
            InDefaultGroup { channel_name, group_name }: 400 BAD_REQUEST "Channel '{channel_name}' is already present in default channel group '{group_name}'";
            NotInDefaultGroup { channel_name, group_name }: 400 BAD_REQUEST "Channel '{channel_name}' is not present in default channel group '{group_name}'";
        }
    };
}
pub(super) use channels;
