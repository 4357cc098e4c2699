//! Features of channels, subscriptions, and the notices of both.

macro_rules! channels {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            /// `default_push_notifications` of a channel turns `push_notifications` on for users who subscribe for the
            /// first time.
            ChannelsDecideOnPushes = 507, ChangeLog,
                on "POST /users/me/subscriptions", test "channels_did_not_decide_on_pushes_before_507";
            /// A new name may not be blank; before, it could be.
            BlankDefaultGroupNamesRefused = 497, Between(388, 497),
                on "PATCH /default_stream_groups/{group_id}", test "blank_texts_were_taken_before_497";
            /// Only for users who may post to the channel; before, for users who can read it.
            ChannelEmailForPosters = 448, Documentation,
                on "GET /streams/{stream_id}/email_address", test "addresses_of_channels_were_for_readers_before_448";
            /// Sent for archived channels too when a user is deactivated; before, clients inferred it.
            DeactivationLeavesArchived = 428, Documentation,
                on "event subscription peer_remove",
                test "peers_in_archived_channels_got_no_events_of_deactivations_before_428";
            /// If the same users join or leave several channels: one event for the web-public channels and one for the
            /// public channels without guests; before, one for each channel, but one for all public channels that a
            /// single user joins or leaves.
            OneEventPerChannelKind = 378, Source("2025-04-10"),
                on "event subscription peer_add, peer_remove",
                test "peers_heard_of_one_user_at_once_and_of_several_by_channel_before_378";
            /// Mentions that user silently, and says "subscribed you to #**name**"; before, it mentioned them aloud,
            /// and said what #**name** is.
            SubscriptionNoticesSilent = 378, Source("2025-04-15"),
                on "notice of a subscription by another user",
                test "notices_of_subscriptions_mentioned_aloud_before_378";
            /// Sent to clients with `archived_channels` when a channel is archived; before, they got `stream` delete
            /// like other clients.
            ArchivingSent = 378, ChangeLog,
                on "event stream update: is_archived", test "archiving_was_deleting_before_378";
            /// Sent when a user is deactivated; before, clients inferred it.
            DeactivationLeaves = 377, ChangeLog,
                on "event subscription peer_remove", test "peers_got_no_events_of_deactivations_before_377";
            /// Subscriptions to archived channels may change; before, users could not subscribe to them, and to users
            /// who unsubscribed they did not exist.
            ArchivedSubscriptionsOpen = 362, ChangeLog,
                on "POST, PATCH and DELETE /users/me/subscriptions", test "archived_channels_were_closed_before_362";
            /// Private channels stay when the last subscriber leaves; before, they were archived.
            VacantChannelsStay = 361, Source("2025-02-27"),
                on "DELETE and PATCH /users/me/subscriptions",
                test "private_channels_ended_with_their_last_subscriber_before_361";
            /// Nobody has it unread.
            ArchivingNoticeMarkedRead = 347, Source("2025-02-04"),
                on "notice of an archived channel", test "notices_of_archiving_were_unread_before_347";
            /// Channels are checked first; before, the users to subscribe.
            ChannelsBeforeSubscribers = 342, Source("2025-01-22"),
                on "POST /users/me/subscriptions",
                test "who_is_to_be_subscribed_was_looked_at_before_channels_before_342";
            /// Mentions who may post, before and now; before, it named policies.
            PostersNamed = 333, Source("2025-01-07"),
                on "notice of changed posting permissions", test "notices_named_policies_of_posting_before_333";
            /// Groups may post to a channel; before, a policy decided.
            PostingByGroups = 333, ChangeLog;
            /// Sent where they change with `can_send_message_group`; before, always.
            PostingPoliciesSentByChange = 333, Source("2025-01-07"),
                on "event stream update: stream_post_policy, is_announcement_only",
                test "policies_of_posting_were_sent_again_before_333";
            /// One event reports all purposes that a channel loses; before, one each.
            ArchivingSettingsInOneEvent = 331, ChangeLog;
            /// For users who may administer the channel; before, for administrators of the organization.
            AdministratorsOfChannels = 325, ChangeLog,
                on "PATCH and DELETE /streams/{stream_id}", test "administrators_alone_changed_channels_before_325",
                /// The creator of a channel may administer it; before, only administrators could.
                on "POST /users/me/subscriptions", test "administrators_alone_changed_channels_before_325";
            /// Any group may hold the permission to unsubscribe others.
            AnyGroupRemoves = 320, ChangeLog;
            /// Archived channels keep their subscribers, name and privacy, a notice announces the change, and `realm`
            /// events report the purposes that they lost; before, they became private and lost their subscribers and
            /// name, and only `stream` delete was sent.
            ArchivedChannelsVisible = 315, ChangeLog,
                on "DELETE /streams/{stream_id}", test "archived_channels_were_buried_before_315";
            /// Values are checked first; before, the channel.
            SubscriptionValuesFirst = 274, Source("2024-07-21"),
                on "PATCH /users/me/subscriptions/{stream_id}, POST /users/me/subscriptions/properties",
                test "channels_were_looked_at_before_values_before_274";
            /// Link the help pages of channels; before, those of streams.
            HelpLinksSayChannel = 256, Source("2024-05-03"),
                on "notices of changed channels", test "notices_linked_help_of_streams_before_256";
            /// They speak of channels, in the topics `channel events` and `new channels`; before, of streams.
            NoticesSayChannel = 255, ChangeLog,
                on "notices of new and changed channels", test "notices_spoke_of_streams_before_255";
            /// Lists of subscribers hold IDs; before, addresses.
            SubscribersById = 79, ChangeLog;
            /// `stream_ids` and `user_ids`; before, an event for each channel and user, with `stream_id` and `user_id`.
            PeerEventsWithLists = 35, ChangeLog,
                on "event subscription peer_add, peer_remove",
                test "others_subscriptions_were_sent_singly_before_35_and_by_name_before_19";
        }
    };
}
pub(super) use channels;
