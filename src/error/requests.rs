//! Errors of what is wrong with a request before its operation looks at it: its bytes, its parameters, its credentials, the role of its caller.

macro_rules! requests {
    ([$next:ident $($rest:ident)*] $($above:tt)*) => {
        $next! { [$($rest)*] $($above)*
            // Routing and reading of the request.
            /// Bytes that are no HTTP request.
            MalformedHttp: 400 BAD_REQUEST "Malformed HTTP request";
            /// A path with a query that is longer than a request's first line may be.
            AddressTooLong: 414 BAD_REQUEST "Request address is too long";
            /// More headers than a request may have.
            HeadTooLarge: 431 BAD_REQUEST "Request headers are too large";
            /// No operation has this path.
            UnknownPath: 404 BAD_REQUEST "Unknown path";
            /// The path exists, the method does not.
            MethodNotAllowed { allowed_methods }: 405 BAD_REQUEST "Method Not Allowed" + [allowed_methods];
            /// The host or path names no world.
            UnknownWorld: 404 NONEXISTENT_SUBDOMAIN "Invalid subdomain";
            /// A body over the limit.
            BodyTooLarge { limit_mib }: 413 BAD_REQUEST "Request body is larger than the allowed limit of {limit_mib} MiB";
            /// Many large bodies at once.
            BodiesTooLarge { limit_mib }: 503 BAD_REQUEST "Request bodies are larger than the allowed limit of {limit_mib} MiB for all of them together";
            /// The body did not arrive in time.
            BodyTooSlow: 408 BAD_REQUEST "Request body was not received in time";
            /// A body that can't be read as what it says it is.
            MalformedBody { reason }: 400 BAD_REQUEST "Malformed request body: {reason}";
            /// A body that has to be unpacked first.
            EncodedBody { encoding }: 415 BAD_REQUEST "Request bodies are not unpacked: Content-Encoding is '{encoding}'";
            /// A file is larger than the organization allows.
            UploadTooLarge { limit_mib }: 413 BAD_REQUEST "File is larger than this server's configured maximum upload size ({limit_mib} MiB).";

            // Parameters.
            /// A required parameter is absent.
            MissingParameter { var_name }: 400 REQUEST_VARIABLE_MISSING "Missing '{var_name}' argument" + [var_name];
            /// Two names of one parameter are given at once.
            ConfusingParameter { var_name1, var_name2 }: 400 REQUEST_CONFUSING_VAR "Can't decide between '{var_name1}' and '{var_name2}' arguments" + [var_name1, var_name2];
            /// A value of the wrong kind: `is not an integer`, `is not valid JSON`, `cannot be blank`, …
            BadValue { parameter, problem }: 400 BAD_REQUEST "{parameter} {problem}";
            /// A value outside the allowed ones.
            InvalidValue { parameter }: 400 BAD_REQUEST "Invalid {parameter}";
            /// A value that a validator refused, with its reason.
            InvalidValueBecause { parameter, reason }: 400 BAD_REQUEST "Invalid {parameter}: Value error, {reason}";
            /// A key that a closed object does not have.
            UnexpectedKey { key, parameter }: 400 BAD_REQUEST "Argument \"{key}\" at {parameter} is unexpected";
            /// Parameters that exclude each other.
            UnsupportedCombination { parameters }: 400 BAD_REQUEST "Unsupported parameter combination: {parameters}" + [parameters];

            // Deliveries of incoming webhooks.
            /// A payload that is not JSON.
            MalformedJson: 400 BAD_REQUEST "Malformed JSON";
            /// A payload of Slack that is not JSON.
            InvalidJson: 400 INVALID_JSON "Malformed JSON";
            /// A service's header that names the event is absent.
            MissingWebhookEvent { header }: 400 MISSING_HTTP_EVENT_HEADER "Missing the HTTP event header '{header}'" + [header];
            /// An event that makes no message: no failure, or the service would try again.
            UnsupportedWebhookEvent { webhook_name, event_type }: 200 UNSUPPORTED_WEBHOOK_EVENT_TYPE "The '{event_type}' event isn't currently supported by the {webhook_name} webhook; ignoring" + [webhook_name, event_type];
            /// More alerts in a payload than one request may post.
            TooManyWebhookMessages { limit }: 400 BAD_REQUEST "Too many messages in a payload (limit: {limit})";
            /// Neither 0 nor 1.
            UnknownSlackMapping: 400 BAD_REQUEST "Error: channels_map_to_topics parameter other than 0 or 1";
            /// No channel, and an account that nobody owns.
            NobodyToNotify: 400 BAD_REQUEST "Missing 'stream' argument: the account has no owner to send messages to";

            // Credentials.
            /// No credentials on an operation that needs them.
            NotLoggedIn: 401 UNAUTHORIZED "Not logged in: API authentication or user session required";
            /// A session's request that changes something and does not prove that a page of this server made it.
            CsrfFailed { reason }: 403 CSRF_FAILED "CSRF error: {reason}" + [reason];
            /// A one-time pad that is not 64 hexadecimal digits.
            InvalidOtp: 400 BAD_REQUEST "Invalid OTP";
            /// Another scheme than Basic.
            BasicAuthenticationRequired: 400 BAD_REQUEST "This endpoint requires HTTP basic authentication.";
            /// A header that can't be read.
            InvalidAuthorizationHeader: 401 UNAUTHORIZED "Invalid authorization header for basic auth";
            /// A key that has not the form of one.
            MalformedApiKey: 401 INVALID_API_KEY "Malformed API key";
            /// A key that nobody has, or that is another's.
            InvalidApiKey: 401 INVALID_API_KEY "Invalid API key";
            /// The account was deactivated.
            UserDeactivated: 401 USER_DEACTIVATED "Account is deactivated";
            /// The organization was deactivated, and with it all accounts.
            RealmDeactivated: 401 REALM_DEACTIVATED "This organization has been deactivated";
            /// A webhook bot outside message sending.
            WebhookBotNotAllowed: 401 UNAUTHORIZED "This API is not available to incoming webhook bots.";
            /// Wrong address or password.
            AuthenticationFailed: 401 AUTHENTICATION_FAILED "Your username or password is incorrect";
            /// An empty token.
            TokenMissing: 400 BAD_REQUEST "No JSON web token passed in request";
            /// A token that is malformed, over, or signed by somebody else.
            TokenInvalid: 400 BAD_REQUEST "Bad JSON web token";
            /// A token of nobody.
            TokenWithoutEmail: 400 BAD_REQUEST "No email specified in JSON web token claims";
            /// Not an address.
            InvalidEmailSyntax: 400 BAD_REQUEST "Enter a valid email address.";
            /// The organization takes no passwords.
            PasswordAuthDisabled: 401 PASSWORD_AUTH_DISABLED "Password authentication is disabled in this organization";
            /// The organization gives no keys away as development servers do.
            DevAuthDisabled: 400 BAD_REQUEST "DevAuthBackend not enabled.";
            /// A parameter that an anonymous visitor may not pass.
            NotForAnonymous { key }: 400 BAD_REQUEST "Invalid '{key}' parameter for anonymous request";

            // Roles.
            /// The caller lacks the right.
            InsufficientPermission: 400 BAD_REQUEST "Insufficient permission";
            /// Administrators only.
            AdministratorRequired: 400 UNAUTHORIZED_PRINCIPAL "Must be an organization administrator";
            /// Owners only.
            OwnerRequired: 400 UNAUTHORIZED_PRINCIPAL "Must be an organization owner";
            /// An invitation that makes an owner, by somebody who is none.
            OwnerInvitesOwners: 400 BAD_REQUEST "Must be an organization owner";
            /// An invitation to a role above the inviter's own.
            RoleAboveInviter: 400 BAD_REQUEST "Must be an organization administrator";
            /// Not for guests.
            GuestsNotAllowed: 400 BAD_REQUEST "Not allowed for guest users";
            /// Not for bots.
            BotsNotAllowed: 400 BAD_REQUEST "This endpoint does not accept bot requests.";
            /// Bots only.
            BotsOnly: 403 PERMISSION_DENIED "This endpoint is only available to bots.";
            /// A guest asked for everything public.
            NotAuthorizedForQuery: 400 BAD_REQUEST "User not authorized for this query";
        }
    };
}
pub(super) use requests;
