//! Rows of the error table for the organization: settings, domains, pictures, playgrounds, exports.

macro_rules! organization {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            AuthenticationMethodRequired: 400 BAD_REQUEST "At least one authentication method must be enabled.";
            /// The setting does not offer the value.
            SettingValueNotOffered { setting, value }: 400 BAD_REQUEST "Invalid {setting} {value}";
            DeletionTooSoon { min_allowed_days }: 400 BAD_REQUEST "Data deletion time must be at least {min_allowed_days} days in the future.";
            /// Only demo organizations can change their subdomain.
            DemoOrganizationRequired: 400 BAD_REQUEST "Must be a demo organization.";
            OneIconExpected: 400 BAD_REQUEST "You must upload exactly one icon.";
            OneLogoExpected: 400 BAD_REQUEST "You must upload exactly one logo.";
            InvalidDomain { error }: 400 BAD_REQUEST "Invalid domain: {error}";
            DomainExists { domain }: 400 BAD_REQUEST "The domain {domain} is already a part of your organization.";
            NoSuchDomain { domain }: 400 BAD_REQUEST "No entry found for domain {domain}.";
            /// The language has a character that names of languages cannot contain.
            InvalidPlaygroundLanguage: 400 BAD_REQUEST "Invalid characters in pygments language";
            /// `message` is the first problem; `errors` holds all of them by field.
            PlaygroundRefused { errors, message }: 400 BAD_REQUEST "{message}" + [errors];
            NoSuchPlayground: 400 BAD_REQUEST "Invalid playground";
            /// The organization is too large for an export over the API.
            ManualExportRequired { support_email }: 400 BAD_REQUEST "Please request a manual export from {support_email}.";
            InvalidExport: 400 BAD_REQUEST "Invalid data export ID";
            ExportDeleted: 400 BAD_REQUEST "Export already deleted";
            ExportFailed: 400 BAD_REQUEST "Export failed, nothing to delete";
            ExportPending: 400 BAD_REQUEST "Export still in progress";
        }
    };
}
pub(super) use organization;
