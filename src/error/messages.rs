//! Rows of the error table for messages: sending, editing, reading, reporting, commands, widgets, flags, reactions,
//! emoji, linkifiers.

macro_rules! messages {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            // Messages.
            /// The message is unknown, the caller cannot access it, or it cannot change because its channel is
            /// archived.
            InvalidMessage: 400 BAD_REQUEST "Invalid message(s)";
            MissingTopic: 400 BAD_REQUEST "Missing topic";
            NoRecipients: 400 BAD_REQUEST "Message must have recipients";
            OneChannelExpected: 400 BAD_REQUEST "Expected exactly one channel";
            /// The channel is neither a name nor an ID.
            InvalidChannelType: 400 BAD_REQUEST "Invalid data type for channel";
            /// The recipients are neither addresses nor IDs.
            InvalidRecipientsType: 400 BAD_REQUEST "Invalid data type for recipients";
            MixedRecipients: 400 BAD_REQUEST "Recipient lists may contain emails or user IDs, but not both.";
            /// No user has this address.
            InvalidRecipientEmail { email }: 400 BAD_REQUEST "Invalid email '{email}'";
            /// No user has this ID, or the caller can't access the user.
            InvalidRecipientId { user_id }: 400 BAD_REQUEST "Invalid user ID {user_id}";
            RecipientDeactivated { email }: 400 BAD_REQUEST "'{email}' is no longer using the service.";
            MessageEmpty: 400 BAD_REQUEST "Message must not be empty";
            /// A text parameter has a NUL character.
            ParameterNullBytes { var_name }: 400 BAD_REQUEST "{var_name} must not contain null bytes";
            MessageNullBytes: 400 BAD_REQUEST "Message must not contain null bytes";
            TopicInvalidCharacter { position }: 400 BAD_REQUEST "Invalid character in topic, at position {position}!";
            /// The sender lacks `can_send_message_group`, and so does its owner if it is a bot. `policy` is for the
            /// levels that name it in the text.
            MayNotPost { policy }: 400 BAD_REQUEST "You do not have permission to post in this channel.";
            /// The channel is archived, or the sender cannot read it, and neither can its owner if it is a bot.
            NotAuthorizedToSend { channel_name }: 400 BAD_REQUEST "Not authorized to send to channel '{channel_name}'";
            /// The topic is new, and the sender lacks `can_create_topic_group`, as does its owner if it is a bot.
            MayNotCreateTopic: 400 BAD_REQUEST "You do not have permission to create new topics in this channel.";
            /// The topic of a message to a channel is empty. Sent below level 334 only.
            TopicEmpty: 400 BAD_REQUEST "Topic can't be empty!";
            /// The organization or the channel disallows the empty topic.
            EmptyTopicNotAllowed { topic }: 400 BAD_REQUEST "Sending messages to the {topic} is not allowed in this channel.";
            OnlyEmptyTopicAllowed { topic }: 400 BAD_REQUEST "Only the {topic} topic is allowed in this channel.";
            DirectMessagesDisabled: 400 BAD_REQUEST "Direct messages are disabled in this organization.";
            /// The caller may reply in a direct message conversation but not start one.
            MayNotInitiateDirect: 400 BAD_REQUEST "You do not have permission to initiate direct message conversations.";
            /// No participant holds `direct_message_permission_group`.
            NoAuthorizingParticipant: 400 BAD_REQUEST "This conversation does not include any users who can authorize it.";
            /// The caller is a guest with limited access to users.
            RecipientsInaccessible: 400 BAD_REQUEST "You do not have permission to access some of the recipients.";
            /// The channel has many subscribers, and the caller lacks `can_mention_many_users_group`.
            ChannelWildcardNotAllowed: 400 STREAM_WILDCARD_MENTION_NOT_ALLOWED "You do not have permission to use channel wildcard mentions in this channel.";
            /// The topic has many participants, and the caller lacks `can_mention_many_users_group`.
            TopicWildcardNotAllowed: 400 TOPIC_WILDCARD_MENTION_NOT_ALLOWED "You do not have permission to use topic wildcard mentions in this topic.";
            MayNotMentionGroup { group }: 400 BAD_REQUEST "You are not allowed to mention user group '{group}'.";
            /// The text or its HTML is too long, is nested too deeply, or takes too many steps to render.
            UnableToRender: 400 BAD_REQUEST "Unable to render message";
            EditingDisabled: 400 BAD_REQUEST "Your organization has turned off message editing";
            /// The message was sent by another user. Below level 388 also: the caller may not rename the topic.
            MayNotEdit: 400 BAD_REQUEST "You don't have permission to edit this message";
            EditTimePassed: 400 BAD_REQUEST "The time limit for editing this message has passed";
            NothingToChange: 400 BAD_REQUEST "Nothing to change";
            DirectMessageToChannel: 400 BAD_REQUEST "Direct messages cannot be moved to channels.";
            DirectWithTopic: 400 BAD_REQUEST "Direct messages cannot have topics.";
            PropagateWithoutTopic: 400 BAD_REQUEST "Invalid propagate_mode without topic edit";
            ResolveEmptyTopic: 400 BAD_REQUEST "General chat cannot be marked as resolved";
            ContentChangeWhileMoving: 400 BAD_REQUEST "Cannot change message content while changing channel";
            /// The caller lacks `can_resolve_topics_group`.
            MayNotResolve: 400 BAD_REQUEST "You don't have permission to resolve topics in this channel.";
            MayNotMove: 400 BAD_REQUEST "You don't have permission to move this message";
            MoveTopicTimePassed: 400 BAD_REQUEST "The time limit for editing this message's topic has passed.";
            MoveChannelTimePassed: 400 BAD_REQUEST "The time limit for editing this message's channel has passed";
            /// Some messages of the topic are too old to be moved.
            MoveTimeLimitExceeded { first_message_id_allowed_to_move, total_messages_in_topic, total_messages_allowed_to_move }: 400 MOVE_MESSAGES_TIME_LIMIT_EXCEEDED "You only have permission to move the {total_messages_allowed_to_move}/{total_messages_in_topic} most recent messages in this topic." + [first_message_id_allowed_to_move, total_messages_in_topic, total_messages_allowed_to_move];
            MayNotDelete: 400 BAD_REQUEST "You don't have permission to delete this message";
            DeleteTimePassed: 400 BAD_REQUEST "The time limit for deleting this message has passed";
            HistoryDisabled: 400 BAD_REQUEST "Message edit history is disabled in this organization";
            ReceiptsDisabled: 400 BAD_REQUEST "Read receipts are disabled in this organization.";
            MissingAnchor: 400 BAD_REQUEST "Missing 'anchor' argument.";
            InvalidAnchor: 400 BAD_REQUEST "Invalid anchor";
            TooManyMessages { max_messages }: 400 BAD_REQUEST "Too many messages requested (maximum {max_messages}).";
            /// `include_anchor` is false, and the range extends to both sides of the anchor.
            AnchorInTheMiddle: 400 BAD_REQUEST "The anchor can only be excluded at an end of the range";
            /// A term of the narrow has an unknown operator or an invalid operand.
            BadNarrow { desc }: 400 BAD_NARROW "Invalid narrow operator: {desc}" + [desc];
            /// The narrow has several `with` terms.
            BadNarrowCombination { desc }: 400 BAD_NARROW "Invalid narrow operator combination: {desc}" + [desc];
            /// Narrows of event queues do not support the operator.
            OperatorNotSupported { operator }: 400 BAD_REQUEST "Operator {operator} not supported.";
            /// Narrows of event queues do not support the operand.
            OperandNotSupported { operand }: 400 BAD_REQUEST "Operand {operand} not supported.";
            NoSuchTopic { topic }: 400 BAD_REQUEST "No such topic '{topic}'";
            CommandWithoutSlash: 400 BAD_REQUEST "A command begins with a slash.";
            NoSuchCommand { command }: 400 BAD_REQUEST "No such command: {command}";
            /// This server has no language model for summaries.
            NoLanguageModel: 400 BAD_REQUEST "AI features are not enabled on this server.";
            NoModerationChannel: 400 BAD_REQUEST "Moderation request channel must be specified to enable message reporting.";
            /// There is no notification bot, or it cannot post in the channel for moderation requests.
            ReportNotSent: 400 BAD_REQUEST "The report could not be sent to the moderation request channel.";
            /// A report of type `other` has no description.
            ExplanationRequired: 400 BAD_REQUEST "An explanation is required.";

            // Widgets.
            /// The message has submessages, as polls and to-do lists do, so its content is fixed.
            WidgetNotEditable: 400 BAD_REQUEST "Widgets cannot be edited.";
            /// The sender has added no submessage to the message, so other users can't add one.
            NotAWidget: 400 BAD_REQUEST "You cannot attach a submessage to this message.";
            /// `widget_content` is not JSON.
            WidgetNotJson: 400 BAD_REQUEST "Widgets: API programmer sent invalid JSON content";
            /// `widget_content` does not describe a widget that clients know.
            InvalidWidgetContent { problem }: 400 BAD_REQUEST "Widgets: {problem}";
            InvalidSubmessage: 400 BAD_REQUEST "Invalid json for submessage";
            /// The poll or to-do list does not accept the submessage.
            SubmessageRefused { problem }: 400 BAD_REQUEST "{problem}";
            TooManySubmessages { limit_kib }: 400 BAD_REQUEST "This message has too many submessages (limit: {limit_kib} KiB)";

            // Flags.
            InvalidFlag { flag }: 400 BAD_REQUEST "Invalid flag: '{flag}'";
            /// The server sets the flag itself.
            FlagNotEditable { flag }: 400 BAD_REQUEST "Flag not editable: '{flag}'";
            /// The operation is neither `add` nor `remove`.
            InvalidFlagOperation { op }: 400 BAD_REQUEST "Invalid message flag operation: '{op}'";

            // Reactions and emoji.
            ReactionAlreadyExists: 400 REACTION_ALREADY_EXISTS "Reaction already exists.";
            ReactionDoesNotExist: 400 REACTION_DOES_NOT_EXIST "Reaction doesn't exist.";
            ReactionWithoutEmoji: 400 BAD_REQUEST "At least one of the following arguments must be present: emoji_name, emoji_code";
            UnknownEmoji { emoji_name }: 400 BAD_REQUEST "Emoji '{emoji_name}' does not exist";
            /// The reaction type is unknown.
            InvalidEmojiType: 400 BAD_REQUEST "Invalid emoji type.";
            /// The reaction type has no such code.
            InvalidEmojiCode: 400 BAD_REQUEST "Invalid emoji code";
            /// The emoji with the code does not have the name.
            InvalidEmojiName: 400 BAD_REQUEST "Invalid emoji name.";
            InvalidCustomEmoji: 400 BAD_REQUEST "Invalid custom emoji.";
            /// The custom emoji with the code has another name.
            InvalidCustomEmojiName: 400 BAD_REQUEST "Invalid custom emoji name.";
            CustomEmojiDeactivated: 400 BAD_REQUEST "This custom emoji has been deactivated.";
            /// The name is empty after trimming.
            EmojiNameEmpty: 400 BAD_REQUEST "Emoji name is missing";
            EmojiNameInvalidCharacters: 400 BAD_REQUEST "Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.";
            EmojiNameInvalidEnding: 400 BAD_REQUEST "Emoji names must end with either a letter or digit.";
            CustomEmojiExists: 400 BAD_REQUEST "A custom emoji with this name already exists.";
            OneFileExpected: 400 BAD_REQUEST "You must upload exactly one file.";
            /// The name is that of a Unicode emoji.
            MayNotOverrideEmoji: 400 BAD_REQUEST "Only administrators can override default emoji.";
            /// No active custom emoji has the name.
            NoSuchCustomEmoji { emoji_name }: 404 BAD_REQUEST "Emoji '{emoji_name}' does not exist";
            NotEmojiAuthor: 400 BAD_REQUEST "Must be an organization administrator or emoji author";

            // Linkifiers.
            NoSuchLinkifier: 400 BAD_REQUEST "Linkifier not found.";
            /// `message` is the first problem; `errors` holds all of them by field.
            LinkifierRefused { errors, message }: 400 BAD_REQUEST "{message}" + [errors];
            LinkifierRepeated: 400 BAD_REQUEST "The ordered list must not contain duplicated linkifiers";
            LinkifierOrderIncomplete: 400 BAD_REQUEST "The ordered list must enumerate all existing linkifiers exactly once";
        }
    };
}
pub(super) use messages;
