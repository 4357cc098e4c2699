//! Rows of the error table that do not belong to one area: HTTP, parameters, webhook payloads, credentials, roles.

macro_rules! requests {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            // HTTP and routing.
            /// The bytes are not an HTTP request.
            MalformedHttp: 400 BAD_REQUEST "Malformed HTTP request";
            /// The path with its query is too long.
            UriTooLong: 414 BAD_REQUEST "Request address is too long";
            /// The headers are too many or too long.
            HeadTooLarge: 431 BAD_REQUEST "Request headers are too large";
            /// No operation has this path.
            UnknownPath: 404 BAD_REQUEST "Unknown path";
            /// Operations with this path have other methods.
            MethodNotAllowed { allowed_methods }: 405 BAD_REQUEST "Method Not Allowed" + [allowed_methods];
            /// There is no world with the name in the path or the host; without a name, there is no default world.
            UnknownWorld: 404 NONEXISTENT_SUBDOMAIN "Invalid subdomain";
            BodyTooLarge { limit_mib }: 413 BAD_REQUEST "Request body is larger than the allowed limit of {limit_mib} MiB";
            /// Too many large bodies arrive at the same time.
            BodiesTooLarge { limit_mib }: 503 BAD_REQUEST "Request bodies are larger than the allowed limit of {limit_mib} MiB for all of them together";
            BodyTooSlow: 408 BAD_REQUEST "Request body was not received in time";
            /// The body did not arrive whole or does not match its content type, or the body or the query has too many
            /// parameters or files.
            MalformedBody { reason }: 400 BAD_REQUEST "Malformed request body: {reason}";
            /// The body is compressed.
            EncodedBody { encoding }: 415 BAD_REQUEST "Request bodies are not unpacked: Content-Encoding is '{encoding}'";
            UploadTooLarge { limit_mib }: 413 BAD_REQUEST "File is larger than this server's configured maximum upload size ({limit_mib} MiB).";

            // Parameters.
            MissingParameter { var_name }: 400 REQUEST_VARIABLE_MISSING "Missing '{var_name}' argument" + [var_name];
            /// The request has two names of the same parameter.
            ConfusingParameter { var_name1, var_name2 }: 400 REQUEST_CONFUSING_VAR "Can't decide between '{var_name1}' and '{var_name2}' arguments" + [var_name1, var_name2];
            /// The value has the wrong type or form. `problem` is `is not an integer`, `is not valid JSON`, `cannot be
            /// blank`, …
            BadValue { parameter, problem }: 400 BAD_REQUEST "{parameter} {problem}";
            /// The value is not one of the allowed ones.
            InvalidValue { parameter }: 400 BAD_REQUEST "Invalid {parameter}";
            /// A validator refused the value; `reason` says why.
            InvalidValueBecause { parameter, reason }: 400 BAD_REQUEST "Invalid {parameter}: Value error, {reason}";
            /// The value is neither an allowed number nor an allowed word. Older levels refuse invalid values of other
            /// parameters with it too.
            RequestVariableInvalid { var_name, bad_value }: 400 REQUEST_VARIABLE_INVALID "Bad value for '{var_name}': {bad_value}" + [var_name, bad_value];
            /// An object that takes no other keys has an unknown one.
            UnexpectedKey { key, parameter }: 400 BAD_REQUEST "Argument \"{key}\" at {parameter} is unexpected";
            /// The request names a present value (`old`) or its hash (`prev_content_sha256`), and the value is another
            /// one.
            ExpectationMismatch { field_name }: 400 EXPECTATION_MISMATCH "'{field_name}' value does not match the expected value." + [field_name];
            /// The request has parameters that exclude each other.
            UnsupportedCombination { parameters }: 400 BAD_REQUEST "Unsupported parameter combination: {parameters}" + [parameters];

            // Deliveries of incoming webhooks.
            /// The payload is not JSON.
            PayloadNotJson: 400 BAD_REQUEST "Malformed JSON";
            /// A payload of Slack is not JSON.
            SlackPayloadNotJson: 400 INVALID_JSON "Malformed JSON";
            /// The service sent no header that names the event.
            MissingWebhookEvent { header }: 400 MISSING_HTTP_EVENT_HEADER "Missing the HTTP event header '{header}'" + [header];
            /// The event makes no message. The status is 200 because the service would repeat a failed delivery.
            UnsupportedWebhookEvent { webhook_name, event_type }: 200 UNSUPPORTED_WEBHOOK_EVENT_TYPE "The '{event_type}' event isn't currently supported by the {webhook_name} webhook; ignoring" + [webhook_name, event_type];
            /// The payload makes more messages than one request may post.
            TooManyWebhookMessages { limit }: 400 BAD_REQUEST "Too many messages in a payload (limit: {limit})";
            UnknownSlackMapping: 400 BAD_REQUEST "Error: channels_map_to_topics parameter other than 0 or 1";
            /// The request names no channel, and the account has no owner.
            NobodyToNotify: 400 BAD_REQUEST "Missing 'stream' argument: the account has no owner to send messages to";

            // Credentials.
            /// The operation, or what the request asks it for, requires credentials.
            NotLoggedIn: 401 UNAUTHORIZED "Not logged in: API authentication or user session required";
            /// A request of a session changes something but does not prove that it comes from a page that may use the
            /// session.
            CsrfFailed { reason }: 403 CSRF_FAILED "CSRF error: {reason}" + [reason];
            /// The one-time pad does not have 64 hexadecimal digits.
            InvalidOtp: 400 BAD_REQUEST "Invalid OTP";
            /// The scheme of the `Authorization` header is not `Basic`.
            BasicAuthenticationRequired: 400 BAD_REQUEST "This endpoint requires HTTP basic authentication.";
            /// The `Authorization` header cannot be decoded, or the request has several.
            InvalidAuthorizationHeader: 401 UNAUTHORIZED "Invalid authorization header for basic auth";
            /// The key does not have the form of an API key.
            MalformedApiKey: 401 INVALID_API_KEY "Malformed API key";
            /// The key belongs to no user, or to a user with another address.
            InvalidApiKey: 401 INVALID_API_KEY "Invalid API key";
            UserDeactivated: 401 USER_DEACTIVATED "Account is deactivated";
            RealmDeactivated: 401 REALM_DEACTIVATED "This organization has been deactivated";
            /// Incoming webhook bots may only send messages, deliver webhooks and call the operations that need no
            /// credentials.
            WebhookBotNotAllowed: 401 UNAUTHORIZED "This API is not available to incoming webhook bots.";
            /// The address or the password is wrong.
            AuthenticationFailed: 401 AUTHENTICATION_FAILED "Your username or password is incorrect";
            JwtMissing: 400 BAD_REQUEST "No JSON web token passed in request";
            /// The token is malformed or expired, or has a wrong signature.
            JwtInvalid: 400 BAD_REQUEST "Bad JSON web token";
            JwtWithoutEmail: 400 BAD_REQUEST "No email specified in JSON web token claims";
            InvalidEmailSyntax: 400 BAD_REQUEST "Enter a valid email address.";
            PasswordAuthDisabled: 401 PASSWORD_AUTH_DISABLED "Password authentication is disabled in this organization";
            /// The organization does not hand out keys the way development servers do.
            DevAuthDisabled: 400 BAD_REQUEST "DevAuthBackend not enabled.";
            /// Spectators may not switch the parameter on.
            NotForAnonymous { key }: 400 BAD_REQUEST "Invalid '{key}' parameter for anonymous request";

            // Roles.
            /// The caller lacks a permission.
            InsufficientPermission: 400 BAD_REQUEST "Insufficient permission";
            AdministratorRequired: 400 UNAUTHORIZED_PRINCIPAL "Must be an organization administrator";
            OwnerRequired: 400 UNAUTHORIZED_PRINCIPAL "Must be an organization owner";
            /// Only owners may invite owners.
            OwnerRequiredToInviteOwner: 400 BAD_REQUEST "Must be an organization owner";
            /// The caller may not invite users of this role, or may not change another user's invitation.
            AdministratorRequiredForInvite: 400 BAD_REQUEST "Must be an organization administrator";
            GuestsNotAllowed: 400 BAD_REQUEST "Not allowed for guest users";
            BotsNotAllowed: 400 BAD_REQUEST "This endpoint does not accept bot requests.";
            /// The caller is a human user.
            BotsOnly: 403 PERMISSION_DENIED "This endpoint is only available to bots.";
            /// A guest asked for all public channels; below level 356 also: a non-administrator asked for all channels.
            NotAuthorizedForQuery: 400 BAD_REQUEST "User not authorized for this query";
        }
    };
}
pub(super) use requests;
