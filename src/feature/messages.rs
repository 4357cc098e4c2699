//! Features of messages: sending, changing, finding, their HTML, their topics and flags.

macro_rules! messages {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            /// Refused where the report cannot be sent to the channel for moderation requests; before, the reply was a
            /// success.
            ReportsMustArrive = 511, ChangeLog,
                on "POST /messages/{message_id}/report", test "reports_that_could_not_be_sent_succeeded_before_511";
            /// `flag` takes `hide_link_previews`.
            PreviewsHiddenByFlag = 510, ChangeLog,
                on "POST /messages/flags, POST /messages/flags/narrow", test "link_previews_were_not_hidden_before_510";
            /// `stream_id` of the channel in which the message is moves nothing; before, it was a move between
            /// channels.
            SameChannelNoMove = 509, ChangeLog,
                on "PATCH /messages/{message_id}", test "the_same_channel_was_a_move_before_509";
            /// With `change_all`, MOVE_MESSAGES_TIME_LIMIT_EXCEEDED for a message past the time limit too if another of
            /// its topic is not; before, BAD_REQUEST.
            OldMessagesCountTopic = 505, ChangeLog,
                on "PATCH /messages/{message_id}", test "old_messages_were_just_too_old_before_505";
            /// A `<time:…>` is a time of ISO 8601; before, seconds, other forms of dates, and words were taken too.
            OnlyIsoTimes = 503, ChangeLog,
                on "message", test "times_had_other_forms_before_503";
            /// A `<time:…>` that can't be read stays as it is in the HTML; before, it was shown as an error.
            FaultyTimesAsText = 451, Documentation,
                on "message", test "faulty_times_were_errors_before_451";
            /// `![…](…)` of an uploaded image or audio file shows it inline; before, it was plain text.
            ImagesInText = 441, Between(421, 442),
                on "message", test "images_were_no_part_of_the_text_before_441";
            /// The oldest message comes first; before, the newest.
            DeletionsOldestFirst = 393, ChangeLog,
                on "event delete_message", test "the_newest_of_deleted_messages_came_first";
            /// An empty name means the empty topic; before, the whole channel.
            EmptyTopicMarked = 388, Between(388, 497),
                on "POST /mark_topic_as_read", test "an_empty_topic_was_the_whole_channel_before_388";
            // The level is assumed (A-270 in docs/assumptions.md).
            /// Guests can read the messages of web-public channels; before, only where they were subscribed.
            GuestsReadWebPublic = 388, Between(388, 442),
                on "operations on a message, POST /messages/flags", test "guests_read_where_they_subscribed_before_388";
            // The level is assumed (A-270 in docs/assumptions.md).
            /// A mention reaches human users who can read the channel; before, it reached only bots and subscribers.
            MentionsReachReaders = 388, Between(388, 442),
                on "POST /messages, PATCH /messages/{message_id}", test "mentions_reached_subscribers_alone_before_388";
            // The level is assumed (A-270 in docs/assumptions.md).
            /// A user who may not rename a topic gets `You don't have permission to move this message`; before, `… to
            /// edit this message`.
            RenamingIsMoving = 388, Between(388, 442),
                on "PATCH /messages/{message_id}", test "renaming_was_editing_before_388";
            // The level is assumed (A-270 in docs/assumptions.md).
            /// `search` can be negated; before, all searches were one, which was not negated.
            SearchNegated = 388, Between(388, 442),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "searches_were_never_negated_before_388";
            /// `resolved_topic_notice_auto_read_policy` decides for which users the notice of a mark is read; before,
            /// it was unread for users who had sent or reacted to one of the messages.
            ResolveNoticesReadBySetting = 385, ChangeLog,
                on "PATCH /messages/{message_id}", test "marks_were_unread_for_participants_before_385";
            /// Link topics by their address where a name would break the usual form of such links.
            TopicsLinkedByUrl = 384, Source("2025-05-13"),
                on "notices of moves", test "names_broke_links_in_notices_of_moves_before_384";
            /// `:smile:` is 1f604 and `:slight_smile:` 1f642; before, `:smile:` was 1f642 and `:big_smile:` 1f604. The
            /// emoticon `:)` follows, and so do reactions and statuses.
            SlightSmile = 377, Source("2025-04-07"),
                on "message", test "emoji_had_other_names";
            // Part of the choice A-105 in docs/assumptions.md.
            /// `(no topic)` means the empty topic; from 334 on and before, a topic of that name.
            NoTopicConvertedInTyping = 372, ChangeLog,
                on "POST /typing", test "no_topic_was_a_name_where_messages_are_sent_before_370_and_typed_before_372";
            // Part of the choice A-105 in docs/assumptions.md.
            /// `(no topic)` means the empty topic; from 334 on and before, a topic of that name.
            NoTopicConvertedInMessages = 370, ChangeLog,
                on "POST /messages, POST /scheduled_messages",
                test "no_topic_was_a_name_where_messages_are_sent_before_370_and_typed_before_372";
            /// Messages are found where they can be read; before, a row was enough to find a message.
            NarrowsCheckRows = 368, Source("2025-03-14"),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "a_row_found_a_message_before_368";
            /// `can_resolve_topics_group` decides who may mark topics as resolved; before, users who may rename them
            /// could.
            ResolvePermission = 367, ChangeLog,
                on "PATCH /messages/{message_id}", test "marking_was_renaming_before_367";
            /// Previews of videos at a video site show `mqdefault.jpg`; before, `default.jpg`.
            LargeVideoThumbnails = 361, Source("2025-03-05"),
                on "message", test "videos_had_smaller_stills_before_361";
            /// Work for messages in archived channels too; before, `Invalid message(s)`.
            ArchivedMessagesReadable = 360, ChangeLog,
                on "GET /messages/{message_id}, GET /messages/{message_id}/read_receipts",
                test "messages_in_archived_channels_were_not_given_before_360";
            /// Links to topics in the HTML name the topic's first message.
            TopicLinksNameMessage = 347, ChangeLog,
                on "message", test "links_to_topics_named_no_message_before_347";
            /// Terms of channels and of direct messages exclude each other unless one is negated, and `-is:dm` is a
            /// term of channels; before, negated terms excluded each other too.
            NegatedTermsCombined = 343, Source("2025-01-29"),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "negated_terms_excluded_others_before_343";
            /// When messages move out of a channel with public history, sent to the subscribers of the new channel too.
            MovesSentToNewChannel = 340, Source("2025-01-21"),
                on "event update_message", test "moves_were_not_sent_to_the_new_channel_before_340";
            /// The empty topic exists.
            EmptyTopics = 334, ChangeLog,
                /// `#**channel>**` links the empty topic; before, it was plain text.
                on "message", test "empty_topics_were_not_linked_before_334";
            /// What users said of the topic is forgotten, with `muted_topics` and `user_topic`.
            TopicPoliciesEnd = 333, Source("2025-01-07"),
                on "POST /streams/{stream_id}/delete_topic", test "policies_outlived_their_topic_before_333";
            /// Mention the members of its subgroups too; before, only direct members.
            SubgroupsMentioned = 332, Source("2025-01-06"),
                on "messages that mention a user group",
                test "groups_were_mentioned_without_their_subgroups_before_332";
            /// 226 emoji have other aliases.
            OtherAliasesOfEmoji = 332, Source("2025-01-02"),
                on "message", test "emoji_had_other_names";
            /// `is:followed` finds only messages with a row; before, others too.
            FollowedByRows = 323, Source("2024-12-02"),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "followed_topics_had_their_history_before_323";
            /// Links in the HTML start with `/#narrow/channel/`, before with `/#narrow/stream/`; mentions of a whole
            /// channel have the class `channel-wildcard-mention`; system groups can be mentioned; channels that the
            /// sender can't see are not linked.
            ChannelsInHtml = 320, ChangeLog,
                on "message", test "html_spoke_of_streams_before_320";
            /// `in:home` can be negated; before, that had no effect.
            HomeNegated = 319, Source("2024-11-14"),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "home_was_never_negated_before_319";
            /// `#**channel>topic@id**` links a message; before, a topic with that name.
            MessageLinks = 319, ChangeLog,
                on "message", test "messages_were_not_linked_before_319";
            /// Archived channels take no messages; before, those that had been web-public did.
            ArchivedChannelsClosed = 315, Source("2024-10-25"),
                on "POST /messages, POST /scheduled_messages, PATCH /scheduled_messages/{scheduled_message_id}",
                test "archived_channels_of_the_web_took_messages_before_315",
                /// Archived channels are found by their names; before, by their IDs alone.
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "archived_channels_had_no_name_in_narrows_before_315";
            /// The server provides the pictures of system bots; before, they were left to clients that compute
            /// pictures.
            SystemPictures = 311, Source("2024-10-17"),
                on "message: avatar_url", test "pictures_of_system_bots_were_left_to_clients_before_311";
            /// Of messages in public channels sent to users who have received, starred or reacted to one of them too,
            /// and of those in private channels with protected history only to subscribers who have; before, to the
            /// channel's subscribers.
            ActionsSentToHolders = 300, Source("2024-10-07"),
                on "event delete_message", test "others_got_no_events_of_deleting_before_300",
                /// Sent to the users who would get `delete_message` for the message; before, reactions to the users who
                /// get its edits, and submessages to those who have received, starred or reacted to it.
                on "event reaction, submessage", test "reactions_and_additions_were_sent_to_others_before_300";
            /// Topics whose names differ only in case are listed as one; before, each spelling was listed separately.
            UnreadTopicsIgnoreCase = 299, Source("2024-10-03"),
                on "register reply: unread_msgs.streams", test "unread_topics_were_listed_by_each_spelling";
            /// The emoji 1f64f is `folded_hands`, too; before, `pray` alone.
            FoldedHands = 276, Source("2024-07-24"),
                on "message", test "emoji_had_other_names";
            /// Sent to the user who deleted the messages too.
            DeletionsSentToDeleter = 274, ChangeLog,
                on "event delete_message", test "whoever_deleted_got_no_event_before_274";
            /// 28 more emoji have names.
            MoreEmojiNames = 274, Source("2024-07-17"),
                on "message", test "emoji_had_other_names";
            /// Previews show thumbnails of uploaded images; before, the images themselves, recognized by the file name.
            Thumbnails = 273, ChangeLog,
                on "message", test "previews_showed_whole_images_before_273";
            /// A notice says that a topic is resolved if nothing else of its name changes; before, also if the rest of
            /// the name changed.
            RenamedTopicsMoved = 267, Source("2024-07-06"),
                on "PATCH /messages/{message_id}", test "topics_with_another_name_were_marked_before_267";
            /// Marking a topic again within a minute deletes the notice of its mark; before, there was another notice.
            ResolveNoticesDeleted = 264, Source("2024-06-10"),
                on "PATCH /messages/{message_id}", test "notices_of_marks_stayed_before_264";
            /// `is:resolved` finds messages without a row.
            ResolvedForAll = 261, Source("2024-05-20"),
                on "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
                test "resolved_topics_had_no_history_before_261";
            /// Reports a changed `first_message_id` after messages were deleted.
            FirstMessageChanges = 256, ChangeLog,
                on "event stream update", test "the_first_message_stayed_before_256";
            /// Unread messages count in unmuted topics of muted channels.
            UnmutedTopicsCounted = 213, ChangeLog;
            /// Muting a topic again is not an error; before, `Topic already muted`.
            MutingIsIdempotent = 169, ChangeLog,
                on "PATCH /users/me/subscriptions/muted_topics", test "topics_were_not_muted_twice_before_169";
            /// `messages` holds the messages whose flag changed; before, also those whose flag was already so.
            OnlyChangedFlags = 155, ChangeLog,
                on "event update_message_flags, after POST /messages/flags",
                test "flags_were_sent_of_unchanged_messages_before_155";
            /// Leaves out users who muted the caller or are muted by the caller.
            ReceiptsWithoutMuted = 144, ChangeLog,
                on "GET /messages/{message_id}/read_receipts", test "receipts_had_the_muted_before_144";
            /// Sent only to queues without `user_topic`; before, these were the only events about topics.
            UserTopics = 134, ChangeLog,
                on "event muted_topics", test "muted_topics_were_sent_whole_before_134";
            /// Events say where messages are that become unread again.
            MessageDetails = 121, ChangeLog;
            /// Unread direct messages name the other user; before, only the sender.
            OtherUserNamed = 119, ChangeLog;
            /// Direct messages without `recipient_id` and `sender_id`.
            DirectDeletionsWithoutSender = 77, ChangeLog,
                on "event delete_message", test "deleted_messages_had_a_sender";
            /// Without `sender`, an address, and `sender_id`; before, all had them.
            DeletionsWithoutSender = 13, ChangeLog,
                on "event delete_message", test "deleted_messages_had_a_sender";
        }
    };
}
pub(super) use messages;
