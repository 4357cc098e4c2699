//! Patterns in the syntax of the server's linear-time engine, brought to the `regex` crate.
//!
//! The two engines agree on nearly everything. Where they differ, [`translate`] either rewrites the pattern (a bracket
//! or a doubled operator inside a character class) or refuses it with the server's own words.

/// The server's engine refuses more repetitions than this.
const MAX_REPETITIONS: u32 = 1000;

struct Scanner<'p> {
    pattern: &'p str,
    at: usize,
    out: String,
    /// Byte offsets of the open groups.
    open: Vec<usize>,
    /// Where the repetition operator directly before the current place started.
    last_operator: Option<usize>,
    /// Whether there is something that an operator may repeat.
    repeatable: bool,
}

/// Rewrites a pattern for the `regex` crate.
///
/// # Errors
///
/// The engine's complaint: `missing )`, `unexpected )`, `missing ]`, `trailing \`, `bad repetition operator`,
/// `no argument for repetition operator`, `invalid repetition size`, `invalid perl operator` (look-around),
/// `invalid escape sequence` (back-references), each followed by `: ` and the part of the pattern that it is about.
pub(super) fn translate(pattern: &str) -> Result<String, String> {
    let mut scanner = Scanner {
        pattern,
        at: 0,
        out: String::with_capacity(pattern.len()),
        open: Vec::new(),
        last_operator: None,
        repeatable: false,
    };
    while let Some(char) = scanner.rest().chars().next() {
        scanner.step(char)?;
    }
    if scanner.open.is_empty() { Ok(scanner.out) } else { Err(format!("missing ): {pattern}")) }
}

impl<'p> Scanner<'p> {
    fn rest(&self) -> &'p str {
        &self.pattern[self.at..]
    }

    fn take(&mut self, bytes: usize) {
        self.out.push_str(&self.pattern[self.at..self.at + bytes]);
        self.at += bytes;
    }

    fn step(&mut self, char: char) -> Result<(), String> {
        match char {
            '\\' => self.escape(),
            '[' => self.class(),
            '(' => self.group(),
            ')' => self.close(),
            '*' | '+' | '?' => self.operator(1),
            '{' => match repetition(self.rest()) {
                Some((length, largest)) if largest <= MAX_REPETITIONS => self.operator(length),
                Some((length, _)) => Err(format!("invalid repetition size: {}", &self.rest()[..length])),
                // A brace that opens no repetition is an ordinary character there, but an error here.
                None => {
                    self.out.push_str("\\{");
                    self.at += 1;
                    self.atom();
                    Ok(())
                }
            },
            '}' => {
                self.out.push_str("\\}");
                self.at += 1;
                self.atom();
                Ok(())
            }
            _ => {
                self.take(char.len_utf8());
                self.last_operator = None;
                self.repeatable = char != '|';
                Ok(())
            }
        }
    }

    fn atom(&mut self) {
        self.last_operator = None;
        self.repeatable = true;
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(escaped) = self.rest().chars().nth(1) else {
            return Err("trailing \\".to_owned());
        };
        if escaped.is_ascii_digit() && escaped != '0' || matches!(escaped, 'k' | 'G') {
            return Err(format!("invalid escape sequence: \\{escaped}"));
        }
        let rest = self.rest();
        // The braces of \x{…} and \p{…} belong to the escape.
        let length = match escaped {
            'Z' => {
                self.out.push_str("\\z");
                self.at += 2;
                self.atom();
                return Ok(());
            }
            'x' | 'p' | 'P' if rest[2..].starts_with('{') => rest.find('}').map_or(rest.len(), |end| end + 1),
            _ => 1 + escaped.len_utf8(),
        };
        self.take(length);
        self.atom();
        Ok(())
    }

    fn class(&mut self) -> Result<(), String> {
        let start = self.at;
        self.take(1);
        if self.rest().starts_with('^') {
            self.take(1);
        }
        let mut first = true;
        loop {
            let rest = self.rest();
            let Some(char) = rest.chars().next() else {
                return Err(format!("missing ]: {}", &self.pattern[start..]));
            };
            match char {
                ']' if !first => {
                    self.take(1);
                    break;
                }
                '[' if let Some(length) = named_class(rest) => self.take(length),
                '\\' => {
                    let length = 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
                    self.take(length);
                }
                // Set notation of the crate, ordinary characters for the server.
                '[' | ']' | '&' | '~' => {
                    self.out.push('\\');
                    self.take(1);
                }
                '-' if rest.starts_with("--") => {
                    self.out.push('\\');
                    self.take(1);
                }
                _ => self.take(char.len_utf8()),
            }
            first = false;
        }
        self.atom();
        Ok(())
    }

    fn group(&mut self) -> Result<(), String> {
        let rest = self.rest();
        for look_around in ["(?=", "(?!", "(?<=", "(?<!", "(?>", "(?#", "(?(", "(?P=", "(?P>"] {
            if rest.starts_with(look_around) {
                return Err(format!("invalid perl operator: {look_around}"));
            }
        }
        let head = if rest.starts_with("(?") {
            // `(?i)` is complete in itself; every other head ends with `:` or `>`.
            let length = rest.find([':', '>', ')']).map_or(rest.len(), |end| end + 1);
            if rest[..length].ends_with(')') {
                self.take(length);
                self.last_operator = None;
                self.repeatable = false;
                return Ok(());
            }
            length
        } else {
            1
        };
        self.open.push(self.at);
        self.take(head);
        self.last_operator = None;
        self.repeatable = false;
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        if self.open.pop().is_none() {
            return Err(format!("unexpected ): {}", self.pattern));
        }
        self.take(1);
        self.atom();
        Ok(())
    }

    fn operator(&mut self, length: usize) -> Result<(), String> {
        let lazy = usize::from(self.rest()[length..].starts_with('?'));
        let end = self.at + length + lazy;
        if let Some(start) = self.last_operator {
            return Err(format!("bad repetition operator: {}", &self.pattern[start..end]));
        }
        if !self.repeatable {
            return Err(format!("no argument for repetition operator: {}", &self.pattern[self.at..end]));
        }
        self.last_operator = Some(self.at);
        self.take(length + lazy);
        Ok(())
    }
}

/// The length of a leading `[:name:]`. The colon of `[:` closes nothing, so that `[:]` is none.
fn named_class(text: &str) -> Option<usize> {
    Some("[:".len() + text.strip_prefix("[:")?.find(":]")? + ":]".len())
}

/// The length of a leading `{n}`, `{n,}` or `{n,m}` and its largest number.
fn repetition(text: &str) -> Option<(usize, u32)> {
    let end = text.find('}')?;
    let (least, most) = text[1..end].split_once(',').unwrap_or((&text[1..end], ""));
    let number = |digits: &str| match digits {
        "" => Some(0),
        _ if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().unwrap_or(u32::MAX)),
        _ => None,
    };
    let largest = number(least)?.max(number(most)?);
    (!least.is_empty()).then_some((end + 1, largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_complaints() {
        for (pattern, complaint) in [
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
            assert_eq!(translate(pattern), Err(complaint.to_owned()), "{pattern}");
        }
    }

    #[test]
    fn what_both_engines_take_is_kept() {
        for pattern in ["#(?P<id>[0-9]+)", "(?i)a|b", "a{2,3}?", "(?:x)+", "[]a]", "[[:alpha:]]", "\\p{Greek}{2}"] {
            let translated = translate(pattern);
            assert!(translated.as_ref().is_ok_and(|it| regex::Regex::new(it).is_ok()), "{pattern} {translated:?}");
        }
    }

    #[test]
    fn what_only_the_server_takes_is_rewritten() {
        for (pattern, rewritten) in
            [("{a}", "\\{a\\}"), ("[[]", "[\\[]"), ("[a&&b]", "[a\\&\\&b]"), ("a\\Z", "a\\z"), ("[[:]", "[\\[:]")]
        {
            assert_eq!(translate(pattern).as_deref(), Ok(rewritten));
        }
    }
}
