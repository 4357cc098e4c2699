//! Errors of channels, and groups of default channels.

macro_rules! channels {
    ([$next:ident $($rest:ident)*] $($above:tt)*) => {
        $next! { [$($rest)*] $($above)*
            // Channels.
            /// Unknown or inaccessible channel.
            InvalidChannelId: 400 BAD_REQUEST "Invalid channel ID";
            /// Unknown or inaccessible channel, by name.
            InvalidChannelName { channel_name }: 400 BAD_REQUEST "Invalid channel name '{channel_name}'";
            /// No channel has this name.
            UnknownChannel { stream }: 400 STREAM_DOES_NOT_EXIST "Channel '{stream}' does not exist" + [stream];
            /// No channel has this number.
            UnknownChannelId { stream_id }: 400 STREAM_DOES_NOT_EXIST "Channel with ID '{stream_id}' does not exist" + [stream_id];
            /// The name is taken.
            ChannelAlreadyExists { channel_name }: 409 CHANNEL_ALREADY_EXISTS "Channel '{channel_name}' already exists" + [channel_name];
            /// Seen, but not the caller's to change.
            CannotAdministerChannel: 400 CANNOT_ADMINISTER_CHANNEL "You do not have permission to administer this channel.";
            /// Archived already.
            ChannelArchived: 400 BAD_REQUEST "Channel is already deactivated";
            /// Not archived, so it can't come back.
            ChannelNotArchived: 400 BAD_REQUEST "Channel is not currently deactivated";
            /// A private channel that nobody could read comes back.
            ChannelWithoutSubscribers: 400 BAD_REQUEST "Channel is private and have no subscribers";
            /// A rename to the same name.
            ChannelHasName: 400 BAD_REQUEST "Channel already has that name.";
            /// The channel for reported messages stays private.
            ModerationChannelPublished: 400 BAD_REQUEST "A moderation request channel cannot be public.";
            /// Reported messages don't go to a public channel.
            ModerationChannelPublic: 400 BAD_REQUEST "Moderation request channel must be private.";
            /// Seeing a channel's settings is not enough.
            ContentAccessRequired: 400 BAD_REQUEST "Channel content access is required.";
            /// Administrators choose what new users get.
            MayNotChangeDefaults: 400 BAD_REQUEST "You do not have permission to change default channels.";
            /// Only the empty topic is wanted, but there are others.
            OtherTopicsExist { topic }: 400 BAD_REQUEST "To enable this configuration, all messages in this channel must be in the {topic} topic. Consider renaming or deleting other topics.";
            /// Neither a number that is possible nor one of the words.
            RefusedValue { var_name, bad_value }: 400 REQUEST_VARIABLE_INVALID "Bad value for '{var_name}': {bad_value}" + [var_name, bad_value];
            /// Empty name.
            ChannelNameEmpty: 400 BAD_REQUEST "Channel name can't be empty.";
            /// Over the limit.
            ChannelNameTooLong { limit }: 400 BAD_REQUEST "Channel name too long (limit: {limit} characters).";
            /// A control character.
            ChannelNameInvalidCharacter { position }: 400 BAD_REQUEST "Invalid character in channel name, at position {position}.";
            /// The channels may not be subscribed to.
            UnableToAccessChannels { names }: 400 BAD_REQUEST "Unable to access channel ({names}).";
            /// Not on this server.
            WebPublicDisabled: 400 BAD_REQUEST "Web-public channels are not enabled.";
            /// A private channel as a default.
            DefaultChannelPrivate: 400 BAD_REQUEST "A default channel cannot be private.";
            /// Impossible combination of privacy settings.
            InvalidParameters: 400 BAD_REQUEST "Invalid parameters";
            /// Unknown folder.
            InvalidFolder: 400 BAD_REQUEST "Invalid channel folder ID";
            /// Blank.
            FolderNameEmpty: 400 BAD_REQUEST "Channel folder name can't be empty.";
            /// A control character.
            FolderNameInvalidCharacter { position }: 400 BAD_REQUEST "Invalid character in channel folder name, at position {position}.";
            /// Another folder's name, archived ones aside.
            FolderNameTaken: 400 BAD_REQUEST "Channel folder name already in use";
            /// Channels are in it.
            FolderNotEmpty: 400 BAD_REQUEST "You need to remove all the channels from this folder to archive it.";
            /// A folder is missing.
            InvalidFolderOrder: 400 BAD_REQUEST "Invalid order mapping.";
            /// Everybody gets the defaults, so they are open.
            PrivateMadeDefault: 400 BAD_REQUEST "Private channels cannot be made default.";
            /// No such property of a subscription.
            UnknownSubscriptionProperty { property }: 400 BAD_REQUEST "Unknown subscription property: {property}";
            /// A property of a subscription that is true or false.
            PropertyNotBoolean { property }: 400 BAD_REQUEST "{property} is not a boolean";
            /// The caller is not subscribed.
            NotSubscribed { channel_id }: 400 BAD_REQUEST "Not subscribed to channel ID {channel_id}";
            /// Both lists are empty.
            NothingToSubscribe: 400 BAD_REQUEST "Nothing to do. Specify at least one of \"add\" or \"delete\".";
            /// The caller has muted the topic already (below level 169).
            TopicAlreadyMuted: 400 BAD_REQUEST "Topic already muted";
            /// The caller has not muted the topic.
            TopicNotMuted: 400 BAD_REQUEST "Topic is not muted";

            // Groups of default channels.
            /// Nothing of a group of default channels changes.
            NothingForDefaultGroup: 400 BAD_REQUEST "You must pass \"new_description\" or \"new_group_name\".";
            /// No such group of default channels.
            NoSuchDefaultGroup { group_id }: 400 BAD_REQUEST "Default channel group with id '{group_id}' does not exist.";
            /// The group's own name.
            DefaultGroupHasName { group_name }: 400 BAD_REQUEST "This default channel group is already named '{group_name}'";
            /// Empty, or with characters that names can't have.
            InvalidDefaultGroupName { group_name }: 400 BAD_REQUEST "Invalid default channel group name '{group_name}'";
            /// A longer one.
            DefaultGroupNameTooLong { limit }: 400 BAD_REQUEST "Default channel group name too long (limit: {limit} characters)";
            /// One with a null in it.
            DefaultGroupNameNull { group_name }: 400 BAD_REQUEST "Default channel group name '{group_name}' contains NULL (0x00) characters.";
            /// Another group's name.
            DefaultGroupExists { group_name }: 400 BAD_REQUEST "Default channel group '{group_name}' already exists";
            /// Everybody gets the channel anyway.
            ChannelIsDefault { channel_name, group_name }: 400 BAD_REQUEST "'{channel_name}' is a default channel and cannot be added to '{group_name}'";
            /// In it already.
            InDefaultGroup { channel_name, group_name }: 400 BAD_REQUEST "Channel '{channel_name}' is already present in default channel group '{group_name}'";
            /// Not in it.
            NotInDefaultGroup { channel_name, group_name }: 400 BAD_REQUEST "Channel '{channel_name}' is not present in default channel group '{group_name}'";
        }
    };
}
pub(super) use channels;
