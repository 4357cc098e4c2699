//! Errors of the organization.

macro_rules! organization {
    ([$next:ident $($rest:ident)*] $($above:tt)*) => {
        $next! { [$($rest)*] $($above)*
            /// Nobody could log in any more.
            AuthenticationMethodRequired: 400 BAD_REQUEST "At least one authentication method must be enabled.";
            /// None of the providers and ratings that there are.
            NotOffered { setting, value }: 400 BAD_REQUEST "Invalid {setting} {value}";
            /// Data that go before they could be asked back for.
            DeletionTooSoon { min_allowed_days }: 400 BAD_REQUEST "Data deletion time must be at least {min_allowed_days} days in the future.";
            /// Organizations keep their place, those on trial apart.
            DemoOrganizationRequired: 400 BAD_REQUEST "Must be a demo organization.";
            /// No file, or several.
            OneIconExpected: 400 BAD_REQUEST "You must upload exactly one icon.";
            /// No file, or several.
            OneLogoExpected: 400 BAD_REQUEST "You must upload exactly one logo.";
            /// A text that is no domain.
            InvalidDomain { error }: 400 BAD_REQUEST "Invalid domain: {error}";
            /// Added already.
            DomainExists { domain }: 400 BAD_REQUEST "The domain {domain} is already a part of your organization.";
            /// No such domain.
            NoSuchDomain { domain }: 400 BAD_REQUEST "No entry found for domain {domain}.";
            /// Languages' names are plain.
            PlaygroundLanguage: 400 BAD_REQUEST "Invalid characters in pygments language";
            /// What is wrong with it: the first thing, and all by field.
            PlaygroundRefused { errors, message }: 400 BAD_REQUEST "{message}" + [errors];
            /// No such playground.
            NoSuchPlayground: 400 BAD_REQUEST "Invalid playground";
            /// An organization that is too large to be exported at once.
            ExportByHand { support_email }: 400 BAD_REQUEST "Please request a manual export from {support_email}.";
            /// No such export.
            InvalidExport: 400 BAD_REQUEST "Invalid data export ID";
            /// It is gone already.
            ExportDeleted: 400 BAD_REQUEST "Export already deleted";
            /// It never was there.
            ExportFailed: 400 BAD_REQUEST "Export failed, nothing to delete";
            /// It is not there yet.
            ExportPending: 400 BAD_REQUEST "Export still in progress";
        }
    };
}
pub(super) use organization;
