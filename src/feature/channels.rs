//! Features of channels, subscriptions, and the notices of both.

macro_rules! channels {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            /// `default_push_notifications` of a channel turns `push_notifications` on for users who subscribe for the
            /// first time.
            ChannelDefaultsTurnOnPushes = 507, ChangeLog,
                on "POST /users/me/subscriptions", test "channels_did_not_decide_on_pushes_before_507";
            /// A new name may not be blank; below 497, it could be.
            BlankDefaultGroupNamesRefused = 497, Between(388, 497),
                on "PATCH /default_stream_groups/{group_id}", test "blank_texts_were_accepted_before_497";
            /// The address is for users who may post to the channel; below 448, for users who can read it.
            ChannelEmailForPosters = 448, Documentation,
                on "GET /streams/{stream_id}/email_address", test "channel_addresses_were_for_readers_before_448";
            /// Sent for archived channels too when a user is deactivated; below 428, clients inferred it.
            PeerRemoveInArchivedChannels = 428, Documentation,
                on "event subscription peer_remove",
                test "peers_in_archived_channels_got_no_events_of_deactivations_before_428";
            /// If the same users join or leave several public channels: one event for the web-public channels, one for
            /// each other channel with guests, and one for the rest; below 378, one event per channel, except that one
            /// event covered all public channels if only one user joined or left.
            OnePeerEventPerChannelKind = 378, Source("2025-04-10"),
                on "event subscription peer_add, peer_remove",
                test "peer_events_of_several_users_were_sent_by_channel_before_378";
            /// The notice mentions the user who subscribed others silently, and says "subscribed you to #**name**";
            /// below 378, it mentioned them aloud, and said whether #**name** is a stream or a channel.
            SubscriptionNoticesMentionSilently = 378, Source("2025-04-15"),
                on "notice of a subscription by another user",
                test "notices_of_subscriptions_mentioned_aloud_before_378";
            /// Sent to clients with `archived_channels` when a channel is archived; below 378, they got `stream` delete
            /// like other clients.
            ArchivingSentAsUpdate = 378, ChangeLog,
                on "event stream update: is_archived", test "archiving_was_sent_as_deletion_before_378";
            /// Sent when a user is deactivated; below 377, clients inferred it.
            PeerRemoveOnDeactivation = 377, ChangeLog,
                on "event subscription peer_remove", test "peers_got_no_events_of_deactivations_before_377";
            /// Subscriptions to archived channels may change; below 362, users could not subscribe to archived
            /// channels, and the channels did not exist for users who had unsubscribed.
            ArchivedChannelSubscriptionsEditable = 362, ChangeLog,
                on "POST, PATCH and DELETE /users/me/subscriptions",
                test "archived_channels_could_not_be_changed_before_362";
            /// Private channels stay when the last subscriber leaves; below 361, they were archived.
            VacantChannelsNotArchived = 361, Source("2025-02-27"),
                on "DELETE and PATCH /users/me/subscriptions",
                test "vacant_private_channels_were_archived_before_361";
            /// The notice is marked as read for all subscribers; below 347, it was unread.
            ArchivingNoticeMarkedRead = 347, Source("2025-02-04"),
                on "notice of an archived channel", test "notices_of_archiving_were_unread_before_347";
            /// Channels are checked first; below 342, the users to subscribe.
            ChannelsCheckedBeforeSubscribers = 342, Source("2025-01-22"),
                on "POST /users/me/subscriptions",
                test "subscribers_were_checked_before_channels_before_342";
            /// The notice mentions who could post before the change and who can now; below 333, it named policies.
            PostingNoticesNameGroups = 333, Source("2025-01-07"),
                on "notice of changed posting permissions", test "posting_notices_named_policies_before_333";
            /// Groups may post to a channel; below 333, a policy decided.
            PostingByGroups = 333, ChangeLog;
            /// Sent only if they change with `can_send_message_group`; below 333, at each change of that permission.
            PostingPoliciesSentOnlyOnChange = 333, Source("2025-01-07"),
                on "event stream update: stream_post_policy, is_announcement_only",
                test "unchanged_posting_policies_were_sent_before_333";
            /// If settings of the organization name a channel that is archived, one event resets all of them; below
            /// 331, one event each.
            ArchivingResetsSettingsInOneEvent = 331, ChangeLog;
            /// Open to users who may administer the channel; below 325, to administrators of the organization.
            ChannelAdministrators = 325, ChangeLog,
                on "PATCH and DELETE /streams/{stream_id}", test "only_administrators_changed_channels_before_325",
                /// The creator of a channel may administer it; below 325, only administrators could.
                on "POST /users/me/subscriptions", test "only_administrators_changed_channels_before_325";
            /// Any group may hold the permission to unsubscribe others; below 320, only a system group.
            AnyGroupMayRemoveSubscribers = 320, ChangeLog;
            /// Archived channels keep their subscribers, name and privacy, a notice announces the change, and `realm`
            /// events reset the settings that named the channel; below 315, archived channels became private and lost
            /// their subscribers and name, and `stream` delete was sent without a notice and `realm` events.
            ArchivedChannelsVisible = 315, ChangeLog,
                on "DELETE /streams/{stream_id}", test "archived_channels_lost_name_and_subscribers_before_315";
            /// Values are checked first; below 274, the channel.
            SubscriptionValuesCheckedFirst = 274, Source("2024-07-21"),
                on "PATCH /users/me/subscriptions/{stream_id}, POST /users/me/subscriptions/properties",
                test "channels_were_checked_before_values_before_274";
            /// The notices link the help pages of channels; below 256, those of streams.
            HelpLinksSayChannel = 256, Source("2024-05-03"),
                on "notices of changed channels", test "notices_linked_help_of_streams_before_256";
            /// The notices speak of channels, in the topics `channel events` and `new channels`; below 255, of streams.
            NoticesSayChannel = 255, ChangeLog,
                on "notices of new and changed channels", test "notices_said_stream_before_255";
            /// Lists of subscribers hold IDs; below 79, addresses.
            SubscribersById = 79, ChangeLog;
            /// The event has `stream_ids` and `user_ids`; below 35, there was an event for each channel and user, with
            /// `stream_id` and `user_id`.
            PeerEventsWithLists = 35, ChangeLog,
                on "event subscription peer_add, peer_remove",
                test "peer_events_were_single_before_35_and_named_channels_before_19";
        }
    };
}
pub(super) use channels;
