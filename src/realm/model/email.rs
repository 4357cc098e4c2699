//! The syntax check for email addresses.

/// The maximum length of an email address, in bytes (RFC 5321, section 4.5.3.1.3, whose 256 include angle brackets).
const MAX_EMAIL_LENGTH: usize = 254;

/// Whether a text is an ASCII email address of at most [`MAX_EMAIL_LENGTH`] bytes, with a plausible domain or at
/// `localhost`.
pub fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.rsplit_once('@').filter(|_| text.is_ascii()) else { return false };
    let is_valid_part = |part: &str| {
        let is_special = |character: char| {
            character.is_whitespace() || character.is_control() || "()<>[],;:\\\"".contains(character)
        };
        !part.is_empty() && !part.contains(is_special)
    };
    let is_label = |label: &str| is_valid_part(label) && !label.starts_with('-') && !label.ends_with('-');
    let is_domain = domain == "localhost" || (domain.contains('.') && domain.split('.').all(is_label));
    is_valid_part(name)
        && !name.contains('@')
        && name.split('.').all(is_valid_part)
        && is_domain
        && text.len() <= MAX_EMAIL_LENGTH
}
