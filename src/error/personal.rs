//! Rows of the error table for what belongs to a single user: invitations, uploads, drafts and other personal lists,
//! devices, event queues; also typing notifications and video calls.

macro_rules! personal {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            // Invitations.
            NoSuchInvitation: 400 BAD_REQUEST "No such invitation";
            InvitationRevoked: 400 BAD_REQUEST "Invitation has already been revoked";
            InvitationExpired: 400 BAD_REQUEST "Invitation has expired";
            /// The channel is unknown or archived, or the caller cannot access it.
            InvalidInviteChannel { channel_id }: 400 BAD_REQUEST "Invalid channel ID {channel_id}. No invites were sent.";
            /// The caller may not add subscribers to a channel of the invitation that is no default channel, or to none
            /// of its channels.
            MayNotSubscribeOthers: 400 BAD_REQUEST "You do not have permission to subscribe other users to channels.";
            NoInvitees: 400 BAD_REQUEST "You must specify at least one email address.";
            /// Some texts are not email addresses, or are addresses that the organization does not allow.
            InvitesNotValid { errors, sent_invitations, license_limit_reached, daily_limit_reached }: 400 INVITATION_FAILED "Some emails did not validate, so we didn't send any invitations." + [errors, sent_invitations, license_limit_reached, daily_limit_reached];
            /// All addresses belong to accounts.
            NobodyInvited { errors, sent_invitations, license_limit_reached, daily_limit_reached }: 400 INVITATION_FAILED "We weren't able to invite anyone." + [errors, sent_invitations, license_limit_reached, daily_limit_reached];
            /// Some addresses belong to accounts; the other people are invited.
            SomeNotInvited { errors, sent_invitations, license_limit_reached, daily_limit_reached }: 400 INVITATION_FAILED "Some of those addresses are already using the service, so we didn't send them an invitation. We did send invitations to everyone else!" + [errors, sent_invitations, license_limit_reached, daily_limit_reached];

            // Typing.
            MissingTo: 400 BAD_REQUEST "Missing 'to' argument";
            EmptyTo: 400 BAD_REQUEST "Empty 'to' list";
            /// `to` has several channels. Sent below level 215 only.
            SeveralTypingChannels: 400 BAD_REQUEST "Cannot send to multiple streams";
            MissingStreamId: 400 BAD_REQUEST "Missing 'stream_id' argument";
            TypingDisabledDirect: 400 BAD_REQUEST "User has disabled typing notifications for direct messages";
            TypingDisabledChannel: 400 BAD_REQUEST "User has disabled typing notifications for channel messages";

            // Uploads.
            NoFile: 400 BAD_REQUEST "You must specify a file to upload";
            SeveralFiles: 400 BAD_REQUEST "You may only upload one file at a time";
            UploadQuotaExceeded: 400 REALM_UPLOAD_QUOTA "Upload would exceed your organization's upload quota.";
            /// The token in the temporary URL of a file is malformed or has expired.
            InvalidFileToken: 400 BAD_REQUEST "Invalid token";
            /// The temporary URL of a file ends with another file's name.
            InvalidFilename: 400 BAD_REQUEST "Invalid filename";
            FileNotFound: 404 BAD_REQUEST "This file does not exist or has been deleted.";
            /// The attachment is unknown or belongs to another user.
            InvalidAttachment: 400 BAD_REQUEST "Invalid attachment";
            FileForbidden: 403 BAD_REQUEST "You are not authorized to view this file.";
            PictureTooLarge { limit_mib }: 400 BAD_REQUEST "Uploaded file is larger than the allowed limit of {limit_mib} MiB";
            /// An emoji or a picture of the organization cannot be decoded, or its content type is not a picture's.
            BadImage: 400 BAD_IMAGE "Invalid image format";
            /// A user's picture cannot be decoded.
            UnreadablePicture: 400 BAD_IMAGE "Could not decode image; did you upload an image file?";

            // The user's own lists.
            BuiltInViewNamed: 400 BAD_REQUEST "Built-in views cannot have a custom name.";
            CustomViewUnnamed: 400 BAD_REQUEST "Custom views must have a valid name.";
            /// Another view of the user has the same fragment or the same name.
            NavigationViewExists: 400 BAD_REQUEST "Navigation view already exists.";
            NoSuchNavigationView: 404 BAD_REQUEST "Navigation view does not exist.";
            /// The snippet is unknown or belongs to another user.
            NoSuchSnippet: 404 BAD_REQUEST "Saved snippet does not exist.";
            /// The caller's setting `enable_drafts_synchronization` is off.
            DraftsDisabled: 400 BAD_REQUEST "User has disabled synchronizing drafts.";
            /// The draft is unknown or belongs to another user.
            NoSuchDraft: 404 BAD_REQUEST "Draft does not exist";
            NegativeTimestamp: 400 BAD_REQUEST "Timestamp must not be negative.";
            OneDraftChannelExpected: 400 BAD_REQUEST "Must specify exactly 1 channel ID for channel messages";
            DraftTopicNullBytes: 400 BAD_REQUEST "Topic must not contain null bytes";
            DeliveryNotInFuture: 400 BAD_REQUEST "Scheduled delivery time must be in the future.";
            /// The time is after the year 9999, as a time in milliseconds would be.
            TimestampTooLarge { parameter }: 400 BAD_REQUEST "{parameter} is too large";
            /// The scheduled message is unknown or belongs to another user.
            NoSuchScheduledMessage: 404 BAD_REQUEST "Scheduled message does not exist";
            /// The message became due before the change.
            ScheduledMessageSent: 400 BAD_REQUEST "Scheduled message was already sent";
            /// `to` is not a single ID where a channel is expected.
            InvalidChannelIdType: 400 BAD_REQUEST "Invalid data type for channel ID";
            /// The request has the `type` of a scheduled message and no `to`.
            RecipientRequired: 400 BAD_REQUEST "Recipient required when updating type of scheduled message.";
            /// The request has the `type` of a channel message and no `topic`.
            TopicRequired: 400 BAD_REQUEST "Topic required when updating scheduled message type to channel.";
            /// The reminder is unknown or belongs to another user.
            NoSuchReminder: 404 BAD_REQUEST "Reminder does not exist";
            NoteTooLong { limit }: 400 BAD_REQUEST "Maximum reminder note length: {limit} characters";

            // Resumable uploads.
            /// The credentials are missing or wrong, or the caller may not upload files.
            UnauthenticatedUpload: 401 UNAUTHORIZED "Unauthenticated upload";
            /// The protocol version is missing or unsupported.
            UnsupportedTusVersion: 412 BAD_REQUEST "Tus-Resumable must be 1.0.0";
            /// The request announces no file size.
            DeferredLengthNotSupported: 411 BAD_REQUEST "SizeIsDeferred is not supported";
            InvalidTusHeader { header }: 400 BAD_REQUEST "Missing or invalid header: {header}";
            InvalidTusContentType: 415 BAD_REQUEST "Content-Type must be application/offset+octet-stream";
            /// The upload is unknown or belongs to another user.
            NoSuchUpload: 404 BAD_REQUEST "Upload not found";
            UploadOffsetMismatch: 409 BAD_REQUEST "Upload-Offset does not match the upload's offset";
            UploadTooLong: 413 BAD_REQUEST "The upload is longer than announced";
            /// The upload is a file by now, which `DELETE /attachments/{attachment_id}` removes.
            UploadFinished: 403 BAD_REQUEST "Finished uploads can't be terminated";

            // Devices and push notifications.
            /// The token is empty or longer than 4,096 characters.
            InvalidTokenLength: 400 BAD_REQUEST "Empty or invalid length token";
            /// The token of an Apple device is not hexadecimal; below 497, not Base64.
            InvalidPlatformToken: 400 BAD_REQUEST "Invalid APNS token";
            /// The token is unknown or belongs to another user.
            NoSuchToken: 400 BAD_REQUEST "Token does not exist";
            PushNotConfigured: 400 PUSH_SERVICE_NOT_CONFIGURED "Server is not configured to use push notification service.";
            PushDataMissing: 400 BAD_REQUEST "Missing parameters: must provide either all push key fields, all token fields, or both.";
            /// The request replaces a key, but the device has none yet: its first key comes with its token.
            NoKeyToRotate: 400 BAD_REQUEST "No push registration exists to rotate key for.";
            /// The request replaces a token, but the device has none yet: its first token comes with its key.
            NoTokenToRotate: 400 BAD_REQUEST "No push registration exists to rotate token for.";
            InvalidPushKey: 400 BAD_REQUEST "Invalid `push_key`";
            /// The token for a test push is unknown or belongs to another user.
            PushTokenUnknown: 400 INVALID_PUSH_DEVICE_TOKEN "Device not recognized";
            NoActivePushDevice: 400 NO_ACTIVE_PUSH_DEVICE "No active registered push device";
            /// The request names another organization than that of this world.
            RemoteRealmMissing: 403 MISSING_REMOTE_REALM "Organization not registered";
            /// The key is not Base64 of 32 bytes. It is not compared with a key of the relay.
            InvalidRelayKey: 400 INVALID_BOUNCER_PUBLIC_KEY "Invalid bouncer_public_key";
            /// The registration is not Base64, is too short to be encrypted, or is plain JSON without a `timestamp`.
            InvalidSealedRegistration: 400 BAD_REQUEST "Invalid encrypted_push_registration";
            /// The `timestamp` of the registration, which is plain JSON, is more than a day ago.
            RegistrationExpired: 400 REQUEST_EXPIRED "Request expired";
            /// A fault makes the relay reply with an error.
            InternalRelayFailure: 502 INTERNAL_SERVER_ERROR_ON_BOUNCER "Internal server error on push notification service, retry later.";
            /// A fault makes the relay unreachable.
            RelayUnreachable: 502 FAILED_TO_CONNECT_BOUNCER "Network error while connecting to push notification service.";
            /// A fault makes the relay refuse this server.
            RelayAdminActionRequired: 403 ADMIN_ACTION_REQUIRED "Push notification configuration issue on server, contact the server administrator or retry later.";

            // Video calls.
            /// The caller has no account at the video call service.
            InvalidZoomToken: 400 INVALID_ZOOM_TOKEN "Invalid Zoom access token";

            // Event queues.
            /// The queue is unknown or expired, or belongs to another user.
            BadEventQueue { queue_id }: 400 BAD_EVENT_QUEUE_ID "Bad event queue ID: {queue_id}" + [queue_id];
            MissingQueueId: 400 BAD_REQUEST "Missing 'queue_id' argument";
            MissingLastEventId: 400 BAD_REQUEST "Missing 'last_event_id' argument";
            /// The client acknowledged a later event before, so the events after this one were deleted.
            EventPruned { event_id }: 400 BAD_REQUEST "An event newer than {event_id} has already been pruned!";
            EventNotInQueue { event_id }: 400 BAD_REQUEST "Event {event_id} was not in this queue";
        }
    };
}
pub(super) use personal;
