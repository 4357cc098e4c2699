//! Errors of messages: their widgets, flags, reactions and emoji, and how their text is linked.

macro_rules! messages {
    ([$next:ident $($rest:ident)*] $($above:tt)*) => {
        $next! { [$($rest)*] $($above)*
            // Messages.
            /// Unknown or inaccessible message.
            InvalidMessage: 400 BAD_REQUEST "Invalid message(s)";
            /// No topic given.
            MissingTopic: 400 BAD_REQUEST "Missing topic";
            /// No recipients.
            NoRecipients: 400 BAD_REQUEST "Message must have recipients";
            /// Several channels.
            OneChannelExpected: 400 BAD_REQUEST "Expected exactly one channel";
            /// Neither a name nor an id.
            InvalidChannelType: 400 BAD_REQUEST "Invalid data type for channel";
            /// Neither addresses nor ids.
            InvalidRecipientsType: 400 BAD_REQUEST "Invalid data type for recipients";
            /// Addresses and ids mixed.
            MixedRecipients: 400 BAD_REQUEST "Recipient lists may contain emails or user IDs, but not both.";
            /// Nobody has this address.
            InvalidRecipientEmail { email }: 400 BAD_REQUEST "Invalid email '{email}'";
            /// Nobody has this id.
            InvalidRecipientId { user_id }: 400 BAD_REQUEST "Invalid user ID {user_id}";
            /// The recipient left.
            RecipientDeactivated { email }: 400 BAD_REQUEST "'{email}' is no longer using the service.";
            /// Nothing to say.
            MessageEmpty: 400 BAD_REQUEST "Message must not be empty";
            /// A NUL character in a text that is to be kept.
            ParameterNullBytes { var_name }: 400 BAD_REQUEST "{var_name} must not contain null bytes";
            /// A NUL character.
            MessageNullBytes: 400 BAD_REQUEST "Message must not contain null bytes";
            /// A character that a topic can't hold.
            TopicInvalidCharacter { position }: 400 BAD_REQUEST "Invalid character in topic, at position {position}!";
            /// Posting is limited.
            MayNotPost { policy }: 400 BAD_REQUEST "You do not have permission to post in this channel.";
            /// A private channel of others.
            NotAuthorizedToSend { channel_name }: 400 BAD_REQUEST "Not authorized to send to channel '{channel_name}'";
            /// New topics are limited.
            MayNotCreateTopic: 400 BAD_REQUEST "You do not have permission to create new topics in this channel.";
            /// The empty topic is not wanted here.
            TopicEmpty: 400 BAD_REQUEST "Topic can't be empty!";
            /// The empty topic where the organization or channel has switched it off.
            EmptyTopicNotAllowed { topic }: 400 BAD_REQUEST "Sending messages to the {topic} is not allowed in this channel.";
            /// Only the empty topic is wanted here.
            OnlyEmptyTopicAllowed { topic }: 400 BAD_REQUEST "Only the {topic} topic is allowed in this channel.";
            /// Nobody may send direct messages.
            DirectMessagesDisabled: 400 BAD_REQUEST "Direct messages are disabled in this organization.";
            /// May answer, not begin.
            MayNotInitiateDirect: 400 BAD_REQUEST "You do not have permission to initiate direct message conversations.";
            /// Nobody in it may allow it.
            DirectNotAuthorized: 400 BAD_REQUEST "This conversation does not include any users who can authorize it.";
            /// A guest who may not see the recipient.
            RecipientsInaccessible: 400 BAD_REQUEST "You do not have permission to access some of the recipients.";
            /// Many people at once.
            ChannelWildcardNotAllowed: 400 STREAM_WILDCARD_MENTION_NOT_ALLOWED "You do not have permission to use channel wildcard mentions in this channel.";
            /// Many people at once.
            TopicWildcardNotAllowed: 400 TOPIC_WILDCARD_MENTION_NOT_ALLOWED "You do not have permission to use topic wildcard mentions in this topic.";
            /// The group is not for everyone to mention.
            MayNotMentionGroup { group }: 400 BAD_REQUEST "You are not allowed to mention user group '{group}'.";
            /// The rendered message is over its limit.
            UnableToRender: 400 BAD_REQUEST "Unable to render message";
            /// Editing is off.
            EditingDisabled: 400 BAD_REQUEST "Your organization has turned off message editing";
            /// Someone else's message.
            MayNotEdit: 400 BAD_REQUEST "You don't have permission to edit this message";
            /// Too late to edit.
            EditTimePassed: 400 BAD_REQUEST "The time limit for editing this message has passed";
            /// Nothing given.
            NothingToChange: 400 BAD_REQUEST "Nothing to change";
            /// A direct message into a channel.
            DirectToChannel: 400 BAD_REQUEST "Direct messages cannot be moved to channels.";
            /// A topic for a direct message.
            DirectWithTopic: 400 BAD_REQUEST "Direct messages cannot have topics.";
            /// How far, but not where to.
            PropagateWithoutTopic: 400 BAD_REQUEST "Invalid propagate_mode without topic edit";
            /// The empty topic can't be resolved.
            ResolveEmptyTopic: 400 BAD_REQUEST "General chat cannot be marked as resolved";
            /// Two changes that exclude each other.
            ContentWhileMoving: 400 BAD_REQUEST "Cannot change message content while changing channel";
            /// Resolving is limited.
            MayNotResolve: 400 BAD_REQUEST "You don't have permission to resolve topics in this channel.";
            /// Moving is limited.
            MayNotMove: 400 BAD_REQUEST "You don't have permission to move this message";
            /// Too late to move to a topic.
            MoveTopicTimePassed: 400 BAD_REQUEST "The time limit for editing this message's topic has passed.";
            /// Too late to move to a channel.
            MoveChannelTimePassed: 400 BAD_REQUEST "The time limit for editing this message's channel has passed";
            /// Only a part of the topic may be moved.
            MoveTimeLimitExceeded { first_message_id_allowed_to_move, total_messages_in_topic, total_messages_allowed_to_move }: 400 MOVE_MESSAGES_TIME_LIMIT_EXCEEDED "You only have permission to move the {total_messages_allowed_to_move}/{total_messages_in_topic} most recent messages in this topic." + [first_message_id_allowed_to_move, total_messages_in_topic, total_messages_allowed_to_move];
            /// Not one's own, or not allowed to delete.
            MayNotDelete: 400 BAD_REQUEST "You don't have permission to delete this message";
            /// Too late to delete.
            DeleteTimePassed: 400 BAD_REQUEST "The time limit for deleting this message has passed";
            /// History is off.
            HistoryDisabled: 400 BAD_REQUEST "Message edit history is disabled in this organization";
            /// Receipts are off.
            ReceiptsDisabled: 400 BAD_REQUEST "Read receipts are disabled in this organization.";
            /// Fetching without an anchor.
            MissingAnchor: 400 BAD_REQUEST "Missing 'anchor' argument.";
            /// Not an anchor.
            InvalidAnchor: 400 BAD_REQUEST "Invalid anchor";
            /// Over the limit.
            TooManyMessages { max_messages }: 400 BAD_REQUEST "Too many messages requested (maximum {max_messages}).";
            /// The anchor in the middle can't be left out.
            AnchorInTheMiddle: 400 BAD_REQUEST "The anchor can only be excluded at an end of the range";
            /// Over the limit.
            TooManySubscriptions { max_subscriptions }: 400 BAD_REQUEST "Too many subscriptions at once (maximum {max_subscriptions}).";
            /// Over the limit.
            TooManyChannels { max_channels }: 400 BAD_REQUEST "Too many channels at once (maximum {max_channels}).";
            /// A narrow that can't be understood.
            BadNarrow { desc }: 400 BAD_NARROW "Invalid narrow operator: {desc}" + [desc];
            /// A narrow that contradicts itself.
            BadNarrowCombination { desc }: 400 BAD_NARROW "Invalid narrow operator combination: {desc}" + [desc];
            /// An operator that event queues don't filter by.
            OperatorNotSupported { operator }: 400 BAD_REQUEST "Operator {operator} not supported.";
            /// An operand that event queues don't filter by.
            OperandNotSupported { operand }: 400 BAD_REQUEST "Operand {operand} not supported.";
            /// No such topic.
            NoSuchTopic { topic }: 400 BAD_REQUEST "No such topic '{topic}'";
            /// A slash command that is none.
            CommandWithoutSlash: 400 BAD_REQUEST "A command begins with a slash.";
            /// No such slash command.
            NoSuchCommand { command }: 400 BAD_REQUEST "No such command: {command}";
            /// No model summarizes.
            NoModel: 400 BAD_REQUEST "AI features are not enabled on this server.";
            /// Reports of messages go to a channel that the organization must have for it.
            NoModerationChannel: 400 BAD_REQUEST "Moderation request channel must be specified to enable message reporting.";
            /// Nobody can post there.
            ReportNotSent: 400 BAD_REQUEST "The report could not be sent to the moderation request channel.";
            /// `other` says nothing by itself.
            ExplanationRequired: 400 BAD_REQUEST "An explanation is required.";

            // Widgets.
            /// Polls and to-do lists stay what they are.
            WidgetEdited: 400 BAD_REQUEST "Widgets cannot be edited.";
            /// Only polls and to-do lists have parts.
            NotAWidget: 400 BAD_REQUEST "You cannot attach a submessage to this message.";
            /// What a message is to be a widget of is JSON.
            WidgetNotJson: 400 BAD_REQUEST "Widgets: API programmer sent invalid JSON content";
            /// No form that clients know.
            WidgetGivenRefused { problem }: 400 BAD_REQUEST "Widgets: {problem}";
            /// Parts are JSON.
            InvalidSubmessage: 400 BAD_REQUEST "Invalid json for submessage";
            /// What this poll or list does not take.
            WidgetRefused { problem }: 400 BAD_REQUEST "{problem}";
            /// All parts of a message have a limit together.
            TooManySubmessages { limit_kib }: 400 BAD_REQUEST "This message has too many submessages (limit: {limit_kib} KiB)";

            // Flags.
            /// Not a flag.
            InvalidFlag { flag }: 400 BAD_REQUEST "Invalid flag: '{flag}'";
            /// A flag that the server keeps.
            FlagNotEditable { flag }: 400 BAD_REQUEST "Flag not editable: '{flag}'";
            /// Neither add nor remove.
            InvalidFlagOperation { op }: 400 BAD_REQUEST "Invalid message flag operation: '{op}'";

            // Reactions and emoji.
            /// The caller has it on the message already.
            ReactionAlreadyExists: 400 REACTION_ALREADY_EXISTS "Reaction already exists.";
            /// The caller has it not.
            ReactionDoesNotExist: 400 REACTION_DOES_NOT_EXIST "Reaction doesn't exist.";
            /// Neither a name nor a code.
            ReactionUnnamed: 400 BAD_REQUEST "At least one of the following arguments must be present: emoji_name, emoji_code";
            /// No emoji has this name.
            UnknownEmoji { emoji_name }: 400 BAD_REQUEST "Emoji '{emoji_name}' does not exist";
            /// Not a namespace.
            InvalidEmojiType: 400 BAD_REQUEST "Invalid emoji type.";
            /// Not a code of its namespace.
            InvalidEmojiCode: 400 BAD_REQUEST "Invalid emoji code";
            /// Code and name belong to different emoji.
            InvalidEmojiName: 400 BAD_REQUEST "Invalid emoji name.";
            /// No such custom emoji.
            InvalidCustomEmoji: 400 BAD_REQUEST "Invalid custom emoji.";
            /// Another custom emoji's name.
            InvalidCustomEmojiName: 400 BAD_REQUEST "Invalid custom emoji name.";
            /// Removed by an administrator.
            CustomEmojiDeactivated: 400 BAD_REQUEST "This custom emoji has been deactivated.";
            /// Nothing left after trimming.
            EmojiNameMissing: 400 BAD_REQUEST "Emoji name is missing";
            /// A character that can't be between colons.
            EmojiNameCharacters: 400 BAD_REQUEST "Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.";
            /// Ends in a dash or an underscore.
            EmojiNameEnding: 400 BAD_REQUEST "Emoji names must end with either a letter or digit.";
            /// An active one has the name.
            CustomEmojiExists: 400 BAD_REQUEST "A custom emoji with this name already exists.";
            /// None, or several.
            OneFileExpected: 400 BAD_REQUEST "You must upload exactly one file.";
            /// The name of an emoji that everybody knows.
            MayNotOverrideEmoji: 400 BAD_REQUEST "Only administrators can override default emoji.";
            /// No active custom emoji has the name.
            NoSuchCustomEmoji { emoji_name }: 404 BAD_REQUEST "Emoji '{emoji_name}' does not exist";
            /// Another's emoji.
            NotEmojiAuthor: 400 BAD_REQUEST "Must be an organization administrator or emoji author";

            // Linkifiers.
            /// Unknown linkifier.
            NoSuchLinkifier: 400 BAD_REQUEST "Linkifier not found.";
            /// What is wrong with it: the first thing, and all by field.
            LinkifierRefused { errors, message }: 400 BAD_REQUEST "{message}" + [errors];
            /// Twice in the list.
            LinkifierRepeated: 400 BAD_REQUEST "The ordered list must not contain duplicated linkifiers";
            /// One is missing, or does not exist.
            LinkifierOrderIncomplete: 400 BAD_REQUEST "The ordered list must enumerate all existing linkifiers exactly once";
        }
    };
}
pub(super) use messages;
