//! The languages of the user interface.

/// The languages that `default_language` can have: the code of each, and its name in that language.
const LANGUAGES: [(&str, &str); 24] = [
    ("ar", "العربية"),
    ("bg", "Български"),
    ("ca", "català"),
    ("cs", "česky"),
    ("da", "dansk"),
    ("de", "Deutsch"),
    ("en", "English"),
    ("en-gb", "British English"),
    ("es", "español"),
    ("fa", "فارسی"),
    ("fi", "suomi"),
    ("fr", "français"),
    ("hi", "हिन्दी"),
    ("hu", "magyar"),
    ("it", "Italiano"),
    ("ja", "日本語"),
    ("ko", "한국어"),
    ("nl", "Nederlands"),
    ("pl", "polski"),
    ("pt-br", "Português brasileiro"),
    ("ru", "Русский"),
    ("sv", "svenska"),
    ("tr", "Türkçe"),
    ("zh-hans", "简体中文"),
];

/// The name of a language in that language. None for an unknown code.
pub fn language_name(code: &str) -> Option<&'static str> {
    LANGUAGES.iter().find(|(language_code, _)| *language_code == code).map(|(_, name)| *name)
}
