//! Behaviours of errors that many operations share: former statuses and codes of paths, credentials, logins and rate
//! limits.

use crate::level::{Behaviour, Downgrade, SPECIFIED_LEVEL};

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "a path that does not take the method",
        description: "The error has a code; before, it had none.",
        test: "wrong_methods_and_paths_had_no_code",
        downgrade: Downgrade::Code { errors: &["MethodNotAllowed"], routes: &[], status: 405, code: "" },
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "an unknown path",
        description: "The error has a code; before, it had none.",
        test: "wrong_methods_and_paths_had_no_code",
        downgrade: Downgrade::Code { errors: &["UnknownPath"], routes: &[], status: 404, code: "" },
    },
    Behaviour {
        level: 76,
        subject: "errors of deactivated accounts",
        description: "HTTP status 401; before, 403.",
        test: "deactivated_accounts_got_403_before_76",
        downgrade: Downgrade::Code { errors: &["UserDeactivated"], routes: &[], status: 403, code: "USER_DEACTIVATED" },
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "credentials that are refused",
        description: "INVALID_API_KEY, USER_DEACTIVATED or REALM_DEACTIVATED; before, UNAUTHORIZED, except where a key is requested.",
        test: "refused_credentials_had_one_code",
        downgrade: Downgrade::CredentialsCode {
            errors: &["MalformedApiKey", "InvalidApiKey", "UserDeactivated", "RealmDeactivated"],
            code: "UNAUTHORIZED",
        },
    },
    Behaviour {
        level: 76,
        subject: "errors of deactivated organizations",
        description: "HTTP status 401; before, 403.",
        test: "deactivated_organizations_got_403_before_76",
        downgrade: Downgrade::Code {
            errors: &["RealmDeactivated"],
            routes: &[],
            status: 403,
            code: "REALM_DEACTIVATED",
        },
    },
    Behaviour {
        level: 76,
        subject: "POST /fetch_api_key, POST /dev_fetch_api_key",
        description: "HTTP status 401 for a wrong name or password; before, 403.",
        test: "wrong_passwords_got_403_before_76",
        downgrade: Downgrade::Code {
            errors: &["AuthenticationFailed"],
            routes: &[],
            status: 403,
            code: "AUTHENTICATION_FAILED",
        },
    },
    Behaviour {
        level: 76,
        subject: "POST /fetch_api_key",
        description: "HTTP status 401 where password logins are disabled; before, 403.",
        test: "disabled_password_logins_got_403_before_76",
        downgrade: Downgrade::Code {
            errors: &["PasswordAuthDisabled"],
            routes: &[],
            status: 403,
            code: "PASSWORD_AUTH_DISABLED",
        },
    },
    Behaviour {
        level: 36,
        subject: "errors of rate limits",
        description: "Their code is RATE_LIMIT_HIT; before, they had none.",
        test: "rate_limits_had_no_code_before_36",
        downgrade: Downgrade::Code { errors: &["RateLimitHit"], routes: &[], status: 429, code: "" },
    },
];
