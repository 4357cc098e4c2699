//! Shell patterns that filter events by their names: `*`, `?`, `[abc]`, `[a-c]` and `[!abc]`.

/// Longest text and longest pattern, in bytes. The time is quadratic in the length; names of events have at most about
/// 30 characters.
const MAX_LENGTH: usize = 200;

/// Whether the whole text matches a pattern. Texts and patterns over the maximum length never match.
pub fn matches(text: &str, pattern: &str) -> bool {
    if text.len().max(pattern.len()) > MAX_LENGTH {
        return false;
    }
    let text: Vec<char> = text.chars().collect();
    let tokens: Vec<Token> = parse(&pattern.chars().collect::<Vec<_>>());
    let (mut text_index, mut token_index) = (0, 0);
    // The index of the last star and the end of the text that it matches. The tokens before it match already, so only
    // this star has to be extended on a mismatch.
    let mut last_star: Option<(usize, usize)> = None;
    while text_index < text.len() {
        match tokens.get(token_index) {
            Some(Token::Star) => {
                last_star = Some((token_index, text_index));
                token_index += 1;
            }
            Some(token) if token.matches(text[text_index]) => {
                text_index += 1;
                token_index += 1;
            }
            _ => match last_star.as_mut() {
                Some((star_index, star_end)) => {
                    *star_end += 1;
                    (token_index, text_index) = (*star_index + 1, *star_end);
                }
                None => return false,
            },
        }
    }
    tokens[token_index..].iter().all(|token| matches!(token, Token::Star))
}

enum Token {
    /// `*`: any number of characters.
    Star,
    /// `?`: any character.
    AnyCharacter,
    Character(char),
    /// `[a-z]`: a character in one of these ranges, or if negated in none of them. A single character in the brackets
    /// is a range too.
    Set {
        ranges: Vec<(char, char)>,
        is_negated: bool,
    },
}

impl Token {
    /// Whether the token matches a single character. A star is handled by the caller.
    fn matches(&self, character: char) -> bool {
        match self {
            Token::Star => false,
            Token::AnyCharacter => true,
            Token::Character(expected) => *expected == character,
            Token::Set { ranges, is_negated } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&character)) != *is_negated
            }
        }
    }
}

fn parse(pattern: &[char]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut index = 0;
    while let Some(character) = pattern.get(index) {
        index += 1;
        tokens.push(match character {
            '*' => Token::Star,
            '?' => Token::AnyCharacter,
            '[' => match parse_set(&pattern[index..]) {
                Some((set, length)) => {
                    index += length;
                    set
                }
                None => Token::Character('['),
            },
            other => Token::Character(*other),
        });
    }
    tokens
}

/// Parses a set after its opening bracket. Returns it with the number of characters up to and including its closing
/// bracket; None without a closing bracket.
fn parse_set(input: &[char]) -> Option<(Token, usize)> {
    let is_negated = input.first() == Some(&'!');
    let start = usize::from(is_negated);
    // A closing bracket at the beginning belongs to the set.
    let end = start + 1 + input.get(start + 1..)?.iter().position(|character| *character == ']')?;
    let mut ranges = Vec::new();
    let mut remaining = &input[start..end];
    while let Some(first) = remaining.first() {
        let last = remaining.get(2).filter(|_| remaining.get(1) == Some(&'-'));
        ranges.push((*first, *last.unwrap_or(first)));
        remaining = &remaining[if last.is_some() { 3 } else { 1 }..];
    }
    Some((Token::Set { ranges, is_negated }, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (text, pattern, is_match) in [
            ("push_commits", "push_commits", true),
            ("push_commits", "push*", true),
            ("push_commits", "*_comm*s", true),
            ("push_commits", "push", false),
            ("Push Hook", "push hook", false),
            ("push_tags", "push_?ags", true),
            ("push_tags", "push_[a-t]ags", true),
            ("push_tags", "push_[!a-t]ags", false),
            ("push_tags", "push_[!x]ags", true),
            ("a]", "a[]]", true),
            ("a[", "a[", true),
            ("", "", true),
            ("", "**", true),
            ("aaaa", "a*a*a*a*b", false),
            ("issues", "", false),
        ] {
            assert_eq!(matches(text, pattern), is_match, "{text} {pattern}");
        }
        let long = "a".repeat(MAX_LENGTH + 1);
        assert!(!matches(&long, "*") && !matches("a", &"*".repeat(MAX_LENGTH + 1)));
    }
}
