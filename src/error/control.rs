//! Errors of faults, control, and the program itself.

macro_rules! control {
    ([$next:ident $($rest:ident)*] $($above:tt)*) => {
        $next! { [$($rest)*] $($above)*
            // Faults and control.
            /// What a control request asked for is not understood; nothing was changed.
            ControlRefused { reason }: 400 BAD_REQUEST "{reason}";
            /// A world's name is taken.
            WorldExists { name }: 409 BAD_REQUEST "There is a world called '{name}' already";
            /// No such snapshot, fault, queue or control path.
            ControlNotFound { what }: 404 BAD_REQUEST "{what}";
            /// A call of control names no world, or one that was deleted meanwhile.
            UnknownControlWorld { what }: 404 NONEXISTENT_SUBDOMAIN "{what}";
            /// A foreign page or host name asks for control.
            ControlForbidden { what }: 403 BAD_REQUEST "Access denied: control is not for {what}";
            /// A foreign page or host name asks for what gives keys.
            KeysForbidden { what }: 403 BAD_REQUEST "Access denied: keys are not given to {what}";
            /// The control token is missing or wrong.
            ControlToken: 401 UNAUTHORIZED "Control needs the token that the server was started with";
            /// The journal does not hold what was asked of it.
            VerificationFailed { reason, count, nearest }: 400 VERIFICATION_FAILED "{reason}" + [count, nearest];
            /// The journal did not come to hold it in time.
            VerificationTimedOut { reason, count, nearest }: 408 VERIFICATION_FAILED "{reason}" + [count, nearest];
            /// A fault of the rule `rate_limit`: there are no limits otherwise.
            RateLimitHit { retry_after }: 429 RATE_LIMIT_HIT "API usage exceeded rate limit" + [retry_after];

            // The program itself.
            /// A fault of our own; the request changed nothing.
            Internal: 500 INTERNAL_ERROR "Internal server error";
        }
    };
}
pub(super) use control;
