//! Errors of what belongs to somebody: invitations, typing, uploads, lists, devices, calls and queues.

macro_rules! belongings {
    ([$next:ident $($rest:ident)*] $($above:tt)*) => {
        $next! { [$($rest)*] $($above)*
            // Invitations.
            /// Unknown invitation.
            NoSuchInvitation: 400 BAD_REQUEST "No such invitation";
            /// Taken back.
            InvitationRevoked: 400 BAD_REQUEST "Invitation has already been revoked";
            /// Over.
            InvitationExpired: 400 BAD_REQUEST "Invitation has expired";
            /// Unknown, archived, or not the caller's to read.
            InvalidInviteChannel { channel_id }: 400 BAD_REQUEST "Invalid channel ID {channel_id}. No invites were sent.";
            /// Neither a default channel nor one to which the caller may add subscribers.
            MayNotSubscribeOthers: 400 BAD_REQUEST "You do not have permission to subscribe other users to channels.";
            /// Nobody to invite.
            NoInvitees: 400 BAD_REQUEST "You must specify at least one email address.";
            /// Some are not addresses.
            InvitesNotValid { errors, sent_invitations, license_limit_reached, daily_limit_reached }: 400 INVITATION_FAILED "Some emails did not validate, so we didn't send any invitations." + [errors, sent_invitations, license_limit_reached, daily_limit_reached];
            /// All have accounts.
            NobodyInvited { errors, sent_invitations, license_limit_reached, daily_limit_reached }: 400 INVITATION_FAILED "We weren't able to invite anyone." + [errors, sent_invitations, license_limit_reached, daily_limit_reached];
            /// Some have accounts; the others are invited.
            SomeNotInvited { errors, sent_invitations, license_limit_reached, daily_limit_reached }: 400 INVITATION_FAILED "Some of those addresses are already using the service, so we didn't send them an invitation. We did send invitations to everyone else!" + [errors, sent_invitations, license_limit_reached, daily_limit_reached];

            // Typing.
            /// No recipients given.
            MissingTo: 400 BAD_REQUEST "Missing 'to' argument";
            /// An empty list.
            EmptyTo: 400 BAD_REQUEST "Empty 'to' list";
            /// No channel given.
            MissingStreamId: 400 BAD_REQUEST "Missing 'stream_id' argument";
            /// The caller switched it off.
            TypingDisabledDirect: 400 BAD_REQUEST "User has disabled typing notifications for direct messages";
            /// The caller switched it off.
            TypingDisabledChannel: 400 BAD_REQUEST "User has disabled typing notifications for channel messages";

            // Uploads.
            /// No file part.
            NoFile: 400 BAD_REQUEST "You must specify a file to upload";
            /// Several file parts.
            SeveralFiles: 400 BAD_REQUEST "You may only upload one file at a time";
            /// Over the organization's quota.
            UploadQuota: 400 REALM_UPLOAD_QUOTA "Upload would exceed your organization's upload quota.";
            /// A temporary address that is wrong or over.
            InvalidToken: 400 BAD_REQUEST "Invalid token";
            /// A temporary address with another file's name.
            InvalidFilename: 400 BAD_REQUEST "Invalid filename";
            /// No such file.
            FileNotFound: 404 BAD_REQUEST "This file does not exist or has been deleted.";
            /// No such upload, or another's.
            InvalidAttachment: 400 BAD_REQUEST "Invalid attachment";
            /// Someone else's file.
            FileForbidden: 403 BAD_REQUEST "You are not authorized to view this file.";
            /// A picture over the limit.
            PictureTooLarge { limit_mib }: 400 BAD_REQUEST "Uploaded file is larger than the allowed limit of {limit_mib} MiB";
            /// Not a picture that can be read.
            BadImage: 400 BAD_IMAGE "Invalid image format";
            /// A user's picture that can't be read.
            UnreadablePicture: 400 BAD_IMAGE "Could not decode image; did you upload an image file?";

            // The user's own lists.
            /// A view of the client's own with a name.
            BuiltInViewNamed: 400 BAD_REQUEST "Built-in views cannot have a custom name.";
            /// A view of the user's own without one.
            CustomViewUnnamed: 400 BAD_REQUEST "Custom views must have a valid name.";
            /// The fragment or the name is taken.
            NavigationViewExists: 400 BAD_REQUEST "Navigation view already exists.";
            /// Unknown view.
            NoSuchNavigationView: 404 BAD_REQUEST "Navigation view does not exist.";
            /// Unknown snippet, or another's.
            NoSuchSnippet: 404 BAD_REQUEST "Saved snippet does not exist.";
            /// The caller switched them off.
            DraftsDisabled: 400 BAD_REQUEST "User has disabled synchronizing drafts.";
            /// Unknown draft, or another's.
            NoSuchDraft: 404 BAD_REQUEST "Draft does not exist";
            /// Before 1970.
            NegativeTimestamp: 400 BAD_REQUEST "Timestamp must not be negative.";
            /// A draft to several channels, or none.
            OneDraftChannel: 400 BAD_REQUEST "Must specify exactly 1 channel ID for channel messages";
            /// A NUL character.
            DraftTopicNullBytes: 400 BAD_REQUEST "Topic must not contain null bytes";
            /// Now, or earlier.
            DeliveryNotInFuture: 400 BAD_REQUEST "Scheduled delivery time must be in the future.";
            /// Unknown scheduled message, or another's.
            NoSuchScheduledMessage: 404 BAD_REQUEST "Scheduled message does not exist";
            /// Its time has come before the change.
            ScheduledMessageSent: 400 BAD_REQUEST "Scheduled message was already sent";
            /// A list where one channel is wanted.
            InvalidChannelIdType: 400 BAD_REQUEST "Invalid data type for channel ID";
            /// Another type without recipients.
            RecipientNeeded: 400 BAD_REQUEST "Recipient required when updating type of scheduled message.";
            /// To a channel, but under which topic?
            TopicNeeded: 400 BAD_REQUEST "Topic required when updating scheduled message type to channel.";
            /// Unknown reminder, or another's.
            NoSuchReminder: 404 BAD_REQUEST "Reminder does not exist";
            /// Over the limit.
            NoteTooLong { limit }: 400 BAD_REQUEST "Maximum reminder note length: {limit} characters";

            // Resumable uploads.
            /// No credentials, or wrong ones.
            UnauthenticatedUpload: 401 UNAUTHORIZED "Unauthenticated upload";
            /// Another version of the protocol, or none.
            TusVersion: 412 BAD_REQUEST "Tus-Resumable must be 1.0.0";
            /// A file whose size is not said.
            DeferredLength: 411 BAD_REQUEST "SizeIsDeferred is not supported";
            /// A header that is missing or no number.
            TusHeader { header }: 400 BAD_REQUEST "Missing or invalid header: {header}";
            /// A piece of another type than the protocol's.
            TusContentType: 415 BAD_REQUEST "Content-Type must be application/offset+octet-stream";
            /// Unknown upload, or another's.
            NoSuchUpload: 404 BAD_REQUEST "Upload not found";
            /// Not where the upload is.
            UploadOffset: 409 BAD_REQUEST "Upload-Offset does not match the upload's offset";
            /// More bytes than were announced.
            UploadTooLong: 413 BAD_REQUEST "The upload is longer than announced";
            /// The file is there; DELETE /attachments/{attachment_id} removes it.
            UploadFinished: 403 BAD_REQUEST "Finished uploads can't be terminated";

            // Devices and push notifications.
            /// Empty, or over 4,096 characters.
            TokenLength: 400 BAD_REQUEST "Empty or invalid length token";
            /// Not hexadecimal.
            InvalidPlatformToken: 400 BAD_REQUEST "Invalid APNS token";
            /// Unknown token, or another's.
            NoSuchToken: 400 BAD_REQUEST "Token does not exist";
            /// The organization has no push notifications.
            PushNotConfigured: 400 PUSH_SERVICE_NOT_CONFIGURED "Server is not configured to use push notification service.";
            /// Neither a key nor a token, or not all of one.
            PushDataMissing: 400 BAD_REQUEST "Missing parameters: must provide either all push key fields, all token fields, or both.";
            /// A device that has no key yet gets one with its token.
            NoKeyToRotate: 400 BAD_REQUEST "No push registration exists to rotate key for.";
            /// A device that has no key yet gets one with its token.
            NoTokenToRotate: 400 BAD_REQUEST "No push registration exists to rotate token for.";
            /// Not a key of the form that devices make.
            InvalidPushKey: 400 BAD_REQUEST "Invalid `push_key`";
            /// Unknown token, or another's, where a test was asked for.
            PushTokenUnknown: 400 INVALID_PUSH_DEVICE_TOKEN "Device not recognized";
            /// Nothing to push to.
            NoActivePushDevice: 400 NO_ACTIVE_PUSH_DEVICE "No active registered push device";
            /// Another server's organization that the relay does not know.
            RemoteRealmMissing: 403 MISSING_REMOTE_REALM "Organization not registered";
            /// Not a key of the relay's.
            InvalidRelayKey: 400 INVALID_BOUNCER_PUBLIC_KEY "Invalid bouncer_public_key";
            /// Nothing that a device sealed for the relay.
            InvalidSealedRegistration: 400 BAD_REQUEST "Invalid encrypted_push_registration";
            /// A registration that took too long.
            RegistrationExpired: 400 REQUEST_EXPIRED "Request expired";
            /// The relay fails by itself.
            RelayBreaksDown: 502 INTERNAL_SERVER_ERROR_ON_BOUNCER "Internal server error on push notification service, retry later.";
            /// The relay can't be reached.
            RelayUnreachable: 502 FAILED_TO_CONNECT_BOUNCER "Network error while connecting to push notification service.";
            /// The relay refuses this server.
            RelayRefuses: 403 ADMIN_ACTION_REQUIRED "Push notification configuration issue on server, contact the server administrator or retry later.";

            // Video calls.
            /// No account at the service for video calls.
            InvalidZoomToken: 400 INVALID_ZOOM_TOKEN "Invalid Zoom access token";

            // Event queues.
            /// A queue that is gone, or another's.
            BadEventQueue { queue_id }: 400 BAD_EVENT_QUEUE_ID "Bad event queue ID: {queue_id}" + [queue_id];
            /// No queue given to the long poll.
            MissingQueueId: 400 BAD_REQUEST "Missing 'queue_id' argument";
            /// No event given to the long poll.
            MissingLastEventId: 400 BAD_REQUEST "Missing 'last_event_id' argument";
            /// Events before this were acknowledged.
            EventPruned { event_id }: 400 BAD_REQUEST "An event newer than {event_id} has already been pruned!";
            /// An id that the queue never had.
            EventNotInQueue { event_id }: 400 BAD_REQUEST "Event {event_id} was not in this queue";
        }
    };
}
pub(super) use belongings;
