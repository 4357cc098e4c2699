//! Rows of the error table for control, faults and internal errors.

macro_rules! control {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            // Faults and control.
            /// The call is malformed, or asks for what is not possible; nothing was changed.
            ControlRefused { reason }: 400 BAD_REQUEST "{reason}";
            WorldExists { name }: 409 BAD_REQUEST "There is a world called '{name}' already";
            /// The snapshot, fault, queue or control call is unknown.
            ControlNotFound { message }: 404 BAD_REQUEST "{message}";
            /// There is no world with the name in the path, or it was deleted in the meantime.
            UnknownControlWorld { message }: 404 NONEXISTENT_SUBDOMAIN "{message}";
            /// The request comes from a page of a foreign origin or has several origins, or its host name is foreign,
            /// missing or repeated.
            ControlForbidden { requester }: 403 BAD_REQUEST "Access denied: control is not for {requester}";
            /// A page of another origin, or a request with a foreign host name, asks for API keys.
            KeysForbidden { requester }: 403 BAD_REQUEST "Access denied: keys are not given to {requester}";
            /// The control token is missing or wrong.
            InvalidControlToken: 401 UNAUTHORIZED "Control needs the token that the server was started with, in the header Authorization: Bearer TOKEN";
            /// The journal does not match the expectation.
            VerificationFailed { reason, count, nearest }: 400 VERIFICATION_FAILED "{reason}" + [count, nearest];
            /// The journal, the queues or the pushes did not match the expectation in time.
            VerificationTimedOut { reason, count, nearest }: 408 VERIFICATION_FAILED "{reason}" + [count, nearest];
            /// Caused by a fault with the effect `rate_limit`, or by a spent budget.
            RateLimitHit { retry_after }: 429 RATE_LIMIT_HIT "API usage exceeded rate limit" + [retry_after];

            // Internal errors.
            /// A bug of the server; the request changed nothing.
            Internal: 500 INTERNAL_ERROR "Internal server error";
        }
    };
}
pub(super) use control;
