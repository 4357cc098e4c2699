//! Translates patterns from the syntax of a real server's regular expression engine to that of the `regex` crate.
//!
//! The two engines agree on nearly everything. Where they differ, [`translate`] either rewrites the pattern (such as
//! brackets and doubled operators in character classes) or refuses it with the real server's error message.

/// The largest repetition count that a real server's engine accepts.
const MAX_REPETITIONS: u32 = 1000;

struct Translator<'p> {
    pattern: &'p str,
    position: usize,
    output: String,
    open_group_count: usize,
    /// Start of the repetition operator directly before the current position.
    last_operator: Option<usize>,
    /// Whether the last element can be repeated: false at the start, and after `(`, `|` or flags such as `(?i)`.
    is_repeatable: bool,
}

/// Translates a pattern for the `regex` crate.
///
/// # Errors
///
/// The real server's error: `missing )`, `unexpected )`, `missing ]`, `trailing \`, `bad repetition operator`,
/// `no argument for repetition operator`, `invalid repetition size`, `invalid perl operator` (look-around, atomic
/// groups, conditionals, comments, named references), `invalid escape sequence` (back-references, `\G`). All but
/// `trailing \` are followed by `: ` and the offending part of the pattern, or the whole pattern.
pub(super) fn translate(pattern: &str) -> Result<String, String> {
    let mut translator = Translator {
        pattern,
        position: 0,
        output: String::with_capacity(pattern.len()),
        open_group_count: 0,
        last_operator: None,
        is_repeatable: false,
    };
    while let Some(character) = translator.remaining().chars().next() {
        translator.translate_next(character)?;
    }
    if translator.open_group_count == 0 { Ok(translator.output) } else { Err(format!("missing ): {pattern}")) }
}

impl<'p> Translator<'p> {
    fn remaining(&self) -> &'p str {
        &self.pattern[self.position..]
    }

    fn copy(&mut self, bytes: usize) {
        self.output.push_str(&self.pattern[self.position..self.position + bytes]);
        self.position += bytes;
    }

    fn translate_next(&mut self, character: char) -> Result<(), String> {
        match character {
            '\\' => self.translate_escape(),
            '[' => self.translate_class(),
            '(' => self.translate_group_start(),
            ')' => self.translate_group_end(),
            '*' | '+' | '?' => self.translate_operator(1),
            '{' => match parse_repetition(self.remaining()) {
                Some((length, largest)) if largest <= MAX_REPETITIONS => self.translate_operator(length),
                Some((length, _)) => Err(format!("invalid repetition size: {}", &self.remaining()[..length])),
                // A brace that opens no repetition is a literal for real servers, but an error for the `regex` crate.
                None => {
                    self.output.push_str("\\{");
                    self.position += 1;
                    self.end_element();
                    Ok(())
                }
            },
            '}' => {
                self.output.push_str("\\}");
                self.position += 1;
                self.end_element();
                Ok(())
            }
            _ => {
                self.copy(character.len_utf8());
                self.last_operator = None;
                self.is_repeatable = character != '|';
                Ok(())
            }
        }
    }

    fn end_element(&mut self) {
        self.last_operator = None;
        self.is_repeatable = true;
    }

    fn translate_escape(&mut self) -> Result<(), String> {
        let Some(escaped) = self.remaining().chars().nth(1) else {
            return Err("trailing \\".to_owned());
        };
        if escaped.is_ascii_digit() && escaped != '0' || matches!(escaped, 'k' | 'G') {
            return Err(format!("invalid escape sequence: \\{escaped}"));
        }
        let remaining = self.remaining();
        let length = match escaped {
            'Z' => {
                self.output.push_str("\\z");
                self.position += 2;
                self.end_element();
                return Ok(());
            }
            // The braces of \x{…} and \p{…} belong to the escape.
            'x' | 'p' | 'P' if remaining[2..].starts_with('{') => {
                remaining.find('}').map_or(remaining.len(), |end| end + 1)
            }
            _ => 1 + escaped.len_utf8(),
        };
        self.copy(length);
        self.end_element();
        Ok(())
    }

    fn translate_class(&mut self) -> Result<(), String> {
        let start = self.position;
        self.copy(1);
        if self.remaining().starts_with('^') {
            self.copy(1);
        }
        let mut is_first = true;
        loop {
            let remaining = self.remaining();
            let Some(character) = remaining.chars().next() else {
                return Err(format!("missing ]: {}", &self.pattern[start..]));
            };
            match character {
                ']' if !is_first => {
                    self.copy(1);
                    break;
                }
                '[' if let Some(length) = named_class_length(remaining) => self.copy(length),
                '\\' => {
                    let length = 1 + remaining.chars().nth(1).map_or(0, char::len_utf8);
                    self.copy(length);
                }
                // Set operators of the `regex` crate are literals for real servers.
                '[' | ']' | '&' | '~' => {
                    self.output.push('\\');
                    self.copy(1);
                }
                '-' if remaining.starts_with("--") => {
                    self.output.push('\\');
                    self.copy(1);
                }
                _ => self.copy(character.len_utf8()),
            }
            is_first = false;
        }
        self.end_element();
        Ok(())
    }

    fn translate_group_start(&mut self) -> Result<(), String> {
        let remaining = self.remaining();
        for unsupported_operator in ["(?=", "(?!", "(?<=", "(?<!", "(?>", "(?#", "(?(", "(?P=", "(?P>"] {
            if remaining.starts_with(unsupported_operator) {
                return Err(format!("invalid perl operator: {unsupported_operator}"));
            }
        }
        let head_length = if remaining.starts_with("(?") {
            // Flags such as `(?i)` end with `)`; all other heads end with `:` or `>`.
            let length = remaining.find([':', '>', ')']).map_or(remaining.len(), |end| end + 1);
            if remaining[..length].ends_with(')') {
                self.copy(length);
                self.last_operator = None;
                self.is_repeatable = false;
                return Ok(());
            }
            length
        } else {
            1
        };
        self.open_group_count += 1;
        self.copy(head_length);
        self.last_operator = None;
        self.is_repeatable = false;
        Ok(())
    }

    fn translate_group_end(&mut self) -> Result<(), String> {
        self.open_group_count =
            self.open_group_count.checked_sub(1).ok_or_else(|| format!("unexpected ): {}", self.pattern))?;
        self.copy(1);
        self.end_element();
        Ok(())
    }

    fn translate_operator(&mut self, length: usize) -> Result<(), String> {
        let lazy_mark_length = usize::from(self.remaining()[length..].starts_with('?'));
        let end = self.position + length + lazy_mark_length;
        if let Some(start) = self.last_operator {
            return Err(format!("bad repetition operator: {}", &self.pattern[start..end]));
        }
        if !self.is_repeatable {
            return Err(format!("no argument for repetition operator: {}", &self.pattern[self.position..end]));
        }
        self.last_operator = Some(self.position);
        self.copy(length + lazy_mark_length);
        Ok(())
    }
}

/// The length of `[:name:]` at the start of a text. `[:]` is not a named class.
fn named_class_length(text: &str) -> Option<usize> {
    Some("[:".len() + text.strip_prefix("[:")?.find(":]")? + ":]".len())
}

/// The length of `{n}`, `{n,}` or `{n,m}` at the start of a text, and its largest number.
fn parse_repetition(text: &str) -> Option<(usize, u32)> {
    let end = text.find('}')?;
    let (min, max) = text[1..end].split_once(',').unwrap_or((&text[1..end], ""));
    let number = |digits: &str| match digits {
        "" => Some(0),
        _ if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().unwrap_or(u32::MAX)),
        _ => None,
    };
    let largest = number(min)?.max(number(max)?);
    (!min.is_empty()).then_some((end + 1, largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_patterns_have_the_errors_of_the_engine() {
        for (pattern, message) in [
            ("(foo", "missing ): (foo"),
            ("foo)", "unexpected ): foo)"),
            ("x????", "bad repetition operator: ????"),
            ("a**", "bad repetition operator: **"),
            ("a{2}*", "bad repetition operator: {2}*"),
            ("*a", "no argument for repetition operator: *"),
            ("a|+", "no argument for repetition operator: +"),
            ("[a", "missing ]: [a"),
            ("a\\", "trailing \\"),
            ("(?=a)", "invalid perl operator: (?="),
            ("(?<!a)b", "invalid perl operator: (?<!"),
            ("(a)\\1", "invalid escape sequence: \\1"),
            ("a{1001}", "invalid repetition size: {1001}"),
        ] {
            assert_eq!(translate(pattern), Err(message.to_owned()), "{pattern}");
        }
    }

    #[test]
    fn common_syntax_is_translated_to_valid_patterns() {
        for pattern in ["#(?P<id>[0-9]+)", "(?i)a|b", "a{2,3}?", "(?:x)+", "[]a]", "[[:alpha:]]", "\\p{Greek}{2}"] {
            let translated = translate(pattern);
            assert!(translated.as_ref().is_ok_and(|text| regex::Regex::new(text).is_ok()), "{pattern} {translated:?}");
        }
    }

    #[test]
    fn syntax_that_only_the_server_supports_is_rewritten() {
        for (pattern, rewritten) in
            [("{a}", "\\{a\\}"), ("[[]", "[\\[]"), ("[a&&b]", "[a\\&\\&b]"), ("a\\Z", "a\\z"), ("[[:]", "[\\[:]")]
        {
            assert_eq!(translate(pattern).as_deref(), Ok(rewritten));
        }
    }
}
