//! Features of messages: sending, changing, finding, their HTML, their topics and flags.

macro_rules! messages {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            /// The request is refused if the report cannot be sent to the channel for moderation requests; below 511,
            /// the reply was a success.
            UndeliveredReportsRefused = 511, ChangeLog,
                on "POST /messages/{message_id}/report", test "reports_that_could_not_be_sent_succeeded_before_511";
            /// `flag` takes `hide_link_previews`.
            PreviewsHiddenByFlag = 510, ChangeLog,
                on "POST /messages/flags, POST /messages/flags/narrow", test "link_previews_were_not_hidden_before_510";
            /// If `stream_id` is the channel in which the message is, it is ignored; below 509, it was a move between
            /// channels.
            SameChannelIsNotMove = 509, ChangeLog,
                on "PATCH /messages/{message_id}", test "the_same_channel_was_a_move_before_509";
            /// With `change_all`, the error for a message past the time limit is MOVE_MESSAGES_TIME_LIMIT_EXCEEDED if
            /// another message of its topic can still be moved; below 505, BAD_REQUEST.
            MoveLimitCountsWholeTopic = 505, ChangeLog,
                on "PATCH /messages/{message_id}", test "moves_of_old_messages_did_not_count_the_topic_before_505";
            /// A `<time:…>` takes only times of ISO 8601; below 503, also seconds, other forms of dates, and words.
            OnlyIsoTimes = 503, ChangeLog,
                on "message", test "times_had_other_forms_before_503";
            /// A `<time:…>` that can't be read stays as it is in the HTML; below 451, it was shown as an error.
            InvalidTimesAsText = 451, Documentation,
                on "message", test "faulty_times_were_errors_before_451";
            /// `![…](…)` of an uploaded image or audio file shows the file inline; below 441, it was plain text.
            InlineMedia = 441, Between(421, 442),
                on "message", test "uploaded_media_were_not_shown_inline_before_441";
            /// The oldest message comes first; below 393, the newest.
            DeletionsOldestFirst = 393, ChangeLog,
                on "event delete_message", test "the_newest_of_deleted_messages_came_first";
            /// An empty name means the empty topic; below 388, the whole channel.
            EmptyNameMarksEmptyTopic = 388, Between(388, 497),
                on "POST /mark_topic_as_read", test "an_empty_topic_name_meant_the_whole_channel_before_388";
            // The level is assumed (A-270 in docs/assumptions.md).
            /// Guests can read the messages of web-public channels; below 388, only where they were subscribed.
            GuestsReadWebPublic = 388, Between(388, 442),
                on "operations on a message, POST /messages/flags",
                test "guests_read_only_subscribed_channels_before_388";
            // The level is assumed (A-270 in docs/assumptions.md).
            /// A mention reaches human users who can read the channel; below 388, it reached only bots and subscribers.
            MentionsReachReaders = 388, Between(388, 442),
                on "POST /messages, PATCH /messages/{message_id}", test "mentions_reached_only_subscribers_before_388";
            // The level is assumed (A-270 in docs/assumptions.md).
            /// A user who may not rename a topic gets `You don't have permission to move this message`; below 388, `…
            /// to edit this message`.
            RenamingRefusedAsMoving = 388, Between(388, 442),
                on "PATCH /messages/{message_id}", test "renaming_was_refused_as_editing_before_388";
            // The level is assumed (A-270 in docs/assumptions.md).
            /// `search` can be negated; below 388, all searches of a narrow were one search, which could not be
            /// negated.
            SearchCanBeNegated = 388, Between(388, 442),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "searches_were_never_negated_before_388";
            /// `resolved_topic_notice_auto_read_policy` decides for which users the notice of a resolved topic is read;
            /// below 385, it was unread for users who had sent or reacted to one of the messages.
            ResolveNoticesReadBySetting = 385, ChangeLog,
                on "PATCH /messages/{message_id}", test "resolve_notices_were_unread_for_participants_before_385";
            /// The notices link topics by their address where a name would break the usual form of such links.
            TopicsLinkedByUrl = 384, Source("2025-05-13"),
                on "notices of moves", test "names_broke_links_in_notices_of_moves_before_384";
            /// `:smile:` is 1f604 and `:slight_smile:` 1f642; below 377, `:smile:` was 1f642 and `:big_smile:` 1f604.
            /// The emoticon `:)` follows, and so do reactions and statuses.
            SlightSmileName = 377, Source("2025-04-07"),
                on "message", test "emoji_had_other_names";
            // Part of the choice A-105 in docs/assumptions.md.
            /// `(no topic)` means the empty topic; from 334 to 371, it was a topic of that name.
            NoTopicConvertedInTyping = 372, ChangeLog,
                on "POST /typing", test "no_topic_was_a_name_in_messages_before_370_and_in_typing_before_372";
            // Part of the choice A-105 in docs/assumptions.md.
            /// `(no topic)` means the empty topic; from 334 to 369, it was a topic of that name.
            NoTopicConvertedInMessages = 370, ChangeLog,
                on "POST /messages, POST /scheduled_messages",
                test "no_topic_was_a_name_in_messages_before_370_and_in_typing_before_372";
            /// Only messages that the user can read are found; below 368, having a user message was enough.
            NarrowsCheckAccess = 368, Source("2025-03-14"),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "narrows_did_not_check_access_before_368";
            /// `can_resolve_topics_group` decides who may mark topics as resolved; below 367, users who may rename them
            /// could.
            ResolvePermission = 367, ChangeLog,
                on "PATCH /messages/{message_id}", test "resolving_required_the_permission_to_rename_before_367";
            /// Previews of videos at a video site show `mqdefault.jpg`; below 361, `default.jpg`.
            LargeVideoThumbnails = 361, Source("2025-03-05"),
                on "message", test "video_thumbnails_were_smaller_before_361";
            /// Works for messages in archived channels too; below 360, `Invalid message(s)`.
            ArchivedMessagesReadable = 360, ChangeLog,
                on "GET /messages/{message_id}, GET /messages/{message_id}/read_receipts",
                test "messages_in_archived_channels_were_refused_before_360";
            /// Links to topics in the HTML name the topic's first message.
            TopicLinksNameMessage = 347, ChangeLog,
                on "message", test "links_to_topics_named_no_message_before_347";
            /// Terms of channels and of direct messages exclude each other unless one is negated, and `-is:dm` is a
            /// term of channels; below 343, negated terms excluded each other too.
            NegatedTermsCombined = 343, Source("2025-01-29"),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "negated_terms_excluded_others_before_343";
            /// When messages move out of a channel with public history, also sent to the subscribers of the new
            /// channel, except to guests who were not subscribed to the old one.
            MovesSentToNewChannel = 340, Source("2025-01-21"),
                on "event update_message", test "moves_were_not_sent_to_the_new_channel_before_340";
            /// The empty topic exists.
            EmptyTopics = 334, ChangeLog,
                /// `#**channel>**` links the empty topic; below 334, it was plain text.
                on "message", test "empty_topics_were_not_linked_before_334";
            /// The visibility policies of users for the topic are removed, with `muted_topics` and `user_topic` events.
            DeletedTopicsLosePolicies = 333, Source("2025-01-07"),
                on "POST /streams/{stream_id}/delete_topic", test "topic_policies_survived_deletion_before_333";
            /// The mention also reaches the members of the group's subgroups; below 332, only direct members.
            MentionsIncludeSubgroups = 332, Source("2025-01-06"),
                on "messages that mention a user group",
                test "groups_were_mentioned_without_their_subgroups_before_332";
            /// 226 emoji have other aliases than below 332.
            OtherAliasesOfEmoji = 332, Source("2025-01-02"),
                on "message", test "emoji_had_other_names";
            /// `is:followed` finds only messages for which the user has a user message; below 323, others too.
            IsFollowedExcludesHistory = 323, Source("2024-12-02"),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "is_followed_included_history_before_323";
            /// Links in the HTML start with `/#narrow/channel/`, below 320 with `/#narrow/stream/`; mentions of a whole
            /// channel have the class `channel-wildcard-mention`; system groups can be mentioned; channels that the
            /// sender can't see are not linked.
            ChannelsInHtml = 320, ChangeLog,
                on "message", test "html_said_stream_before_320";
            /// `in:home` can be negated; below 319, its negation had no effect.
            InHomeCanBeNegated = 319, Source("2024-11-14"),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "home_was_never_negated_before_319";
            /// `#**channel>topic@id**` links a message; below 319, a topic with that name.
            MessageLinks = 319, ChangeLog,
                on "message", test "messages_were_not_linked_before_319";
            /// Archived channels take no messages; below 315, those that had been web-public did.
            ArchivedChannelsClosed = 315, Source("2024-10-25"),
                on "POST /messages, POST /scheduled_messages, PATCH /scheduled_messages/{scheduled_message_id}",
                test "archived_web_public_channels_accepted_messages_before_315",
                /// Archived channels are found by their names; below 315, only by their IDs.
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "archived_channels_had_no_name_in_narrows_before_315";
            /// The server provides the pictures of system bots; below 311, it left them to clients that compute
            /// pictures.
            SystemBotAvatarsFromServer = 311, Source("2024-10-17"),
                on "message: avatar_url", test "pictures_of_system_bots_were_left_to_clients_before_311";
            /// Deletions in public channels are also sent to users who received, starred or reacted to one of the
            /// messages, and deletions in private channels with protected history only to subscribers who did; below
            /// 300, to the channel's subscribers.
            MessageEventsShareAudience = 300, Source("2024-10-07"),
                on "event delete_message", test "only_subscribers_got_deletions_before_300",
                /// Sent to the users who would get `delete_message` for the message; below 300, reactions were sent to
                /// the users who get its edits, and submessages to those who received, starred or reacted to it.
                on "event reaction, submessage", test "reactions_and_submessages_had_other_audiences_before_300";
            /// Topics whose names differ only in case are listed as one; below 299, each spelling was listed
            /// separately.
            UnreadTopicsIgnoreCase = 299, Source("2024-10-03"),
                on "register reply: unread_msgs.streams", test "unread_topics_were_listed_by_each_spelling";
            /// The emoji 1f64f has the name `folded_hands` too; below 276, only `pray`.
            FoldedHandsName = 276, Source("2024-07-24"),
                on "message", test "emoji_had_other_names";
            /// Also sent to the user who deleted the messages.
            DeletionsSentToDeleter = 274, ChangeLog,
                on "event delete_message", test "deleting_users_got_no_event_before_274";
            /// 28 emoji have names that had none below 274.
            MoreEmojiNames = 274, Source("2024-07-17"),
                on "message", test "emoji_had_other_names";
            /// Previews show thumbnails of uploaded images; below 273, the images themselves, recognized by the file
            /// name.
            Thumbnails = 273, ChangeLog,
                on "message", test "previews_showed_whole_images_before_273";
            /// The notice says that a topic is resolved only if nothing else of its name changes; below 267, also if
            /// the rest of the name changes.
            RenamingIsNotResolving = 267, Source("2024-07-06"),
                on "PATCH /messages/{message_id}", test "renamed_topics_were_marked_as_resolved_before_267";
            /// If a topic is resolved and unresolved within a minute, the notice is deleted; below 264, there was
            /// another notice.
            ResolveNoticesDeleted = 264, Source("2024-06-10"),
                on "PATCH /messages/{message_id}", test "resolve_notices_stayed_before_264";
            /// `is:resolved` also finds messages for which the user has no user message.
            IsResolvedIncludesHistory = 261, Source("2024-05-20"),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "is_resolved_excluded_history_before_261";
            /// Reports a changed `first_message_id` after messages were deleted.
            DeletionUpdatesFirstMessage = 256, ChangeLog,
                on "event stream update", test "the_first_message_stayed_before_256";
            /// The number of unread messages includes those in unmuted topics of muted channels; below 213, it did not.
            UnmutedTopicsCounted = 213, ChangeLog;
            /// Muting a topic again is not an error; below 169, `Topic already muted`.
            MutingIsIdempotent = 169, ChangeLog,
                on "PATCH /users/me/subscriptions/muted_topics", test "topics_were_not_muted_twice_before_169";
            /// `messages` lists the messages whose flag changed; below 155, also those that already had the new state.
            OnlyChangedFlags = 155, ChangeLog,
                on "event update_message_flags, after POST /messages/flags",
                test "flags_were_sent_of_unchanged_messages_before_155";
            /// Omits users who muted the caller or are muted by the caller.
            ReceiptsWithoutMuted = 144, ChangeLog,
                on "GET /messages/{message_id}/read_receipts", test "receipts_included_muted_users_before_144";
            /// Sent only to queues that do not name `user_topic` among their event types; below 134, these were the
            /// only events about topics.
            UserTopicEvents = 134, ChangeLog,
                on "event muted_topics", test "muted_topics_were_sent_to_all_clients_before_134";
            /// Events say where the messages are that become unread again.
            FlagEventsHaveMessageDetails = 121, ChangeLog;
            /// Unread direct messages name the other user; below 119, only the sender.
            UnreadDirectNamesOtherUser = 119, ChangeLog;
            /// Deletions of direct messages have no `recipient_id` and `sender_id`.
            DirectDeletionsWithoutSender = 77, ChangeLog,
                on "event delete_message", test "deleted_messages_had_a_sender";
            /// Deletions have no `sender`, an address, and those of channel messages no `sender_id`; below 13, all had
            /// both.
            DeletionsWithoutSender = 13, ChangeLog,
                on "event delete_message", test "deleted_messages_had_a_sender";
        }
    };
}
pub(super) use messages;
