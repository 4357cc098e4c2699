//! The account that requests are sent as.

use std::fmt;

/// An account on a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// The email address that the account logs in with.
    pub email: String,
    pub api_key: String,
}

/// Omits the API key, which must not appear in messages.
impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("email", &self.email).finish_non_exhaustive()
    }
}

/// Reads an account from the text of a `zuliprc` file: `email` and `key` in the section `[api]`. Other keys and
/// sections are ignored.
///
/// # Errors
///
/// Which key of the section is missing or empty.
pub fn parse_zuliprc(text: &str) -> Result<Account, String> {
    let mut is_in_api_section = false;
    let (mut email, mut api_key) = (None, None);
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        if line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            is_in_api_section = section.trim() == "api";
        } else if let Some((key, value)) = line.split_once(['=', ':']).filter(|_| is_in_api_section) {
            match key.trim().to_ascii_lowercase().as_str() {
                "email" => email = Some(value.trim().to_owned()),
                "key" => api_key = Some(value.trim().to_owned()),
                _ => {}
            }
        }
    }
    let required = |value: Option<String>, key: &str| {
        value.filter(|value| !value.is_empty()).ok_or_else(|| format!("has no {key} in its section [api]"))
    };
    Ok(Account { email: required(email, "email")?, api_key: required(api_key, "key")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zuliprc_is_read() {
        let text =
            "\u{feff}# mine\n[other]\nkey=no\n[api]\n email = mel@chat.test\nKey: abc=\n;key=x\nsite=https://x\n";
        let account = Account { email: "mel@chat.test".to_owned(), api_key: "abc=".to_owned() };
        assert_eq!(parse_zuliprc(text), Ok(account));
    }

    #[test]
    fn missing_keys_are_named() {
        assert_eq!(parse_zuliprc("email=a\nkey=b"), Err("has no email in its section [api]".to_owned()));
        assert_eq!(parse_zuliprc("[api]\nemail=a\nkey=\n"), Err("has no key in its section [api]".to_owned()));
    }

    #[test]
    fn an_account_is_shown_without_its_key() {
        let account = Account { email: "mel@chat.test".to_owned(), api_key: "secret".to_owned() };
        assert!(!format!("{account:?}").contains("secret"));
    }
}
