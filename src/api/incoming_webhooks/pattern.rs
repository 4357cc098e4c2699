//! Patterns that events are chosen by: `*`, `?`, `[abc]` and `[!abc]`, as in a shell.

/// Characters of a name and of a pattern: each is read for each of the other. Names of events have some thirty.
const LENGTH_MAX: usize = 200;

/// Whether all of a text fits a pattern; what is longer than any name of an event never does.
pub fn fits(text: &str, pattern: &str) -> bool {
    if text.len().max(pattern.len()) > LENGTH_MAX {
        return false;
    }
    let text: Vec<char> = text.chars().collect();
    let pattern: Vec<Piece> = pieces(&pattern.chars().collect::<Vec<_>>());
    let (mut at, mut piece) = (0, 0);
    // The last star, and how much of the text it took: all before it fits, so that no other star need be tried again.
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(piece) {
            Some(Piece::Any) => {
                star = Some((piece, at));
                piece += 1;
            }
            Some(one) if one.takes(text[at]) => {
                at += 1;
                piece += 1;
            }
            _ => match star.as_mut() {
                Some((after, taken)) => {
                    *taken += 1;
                    (piece, at) = (*after + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[piece..].iter().all(|piece| matches!(piece, Piece::Any))
}

/// A part of a pattern.
enum Piece {
    /// `*`: any number of characters.
    Any,
    /// `?`: any character.
    One,
    /// This character.
    Exactly(char),
    /// A character from one of these ranges, or from none of them.
    Range { ranges: Vec<(char, char)>, is_negated: bool },
}

impl Piece {
    fn takes(&self, character: char) -> bool {
        match self {
            Piece::Any => false,
            Piece::One => true,
            Piece::Exactly(one) => *one == character,
            Piece::Range { ranges, is_negated } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&character)) != *is_negated
            }
        }
    }
}

fn pieces(pattern: &[char]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(character) = pattern.get(at) {
        at += 1;
        pieces.push(match character {
            '*' => Piece::Any,
            '?' => Piece::One,
            '[' => match range(&pattern[at..]) {
                Some((piece, length)) => {
                    at += length;
                    piece
                }
                None => Piece::Exactly('['),
            },
            other => Piece::Exactly(*other),
        });
    }
    pieces
}

/// The range that follows a bracket, and how many characters it has; None where nothing closes it.
fn range(rest: &[char]) -> Option<(Piece, usize)> {
    let is_negated = rest.first() == Some(&'!');
    let start = usize::from(is_negated);
    // A bracket at the beginning closes nothing.
    let end = start + 1 + rest.get(start + 1..)?.iter().position(|character| *character == ']')?;
    let mut ranges = Vec::new();
    let mut inside = &rest[start..end];
    while let Some(first) = inside.first() {
        let last = inside.get(2).filter(|_| inside.get(1) == Some(&'-'));
        ranges.push((*first, *last.unwrap_or(first)));
        inside = &inside[if last.is_some() { 3 } else { 1 }..];
    }
    Some((Piece::Range { ranges, is_negated }, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_in_a_shell() {
        for (text, pattern, is_fitting) in [
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
            assert_eq!(fits(text, pattern), is_fitting, "{text} {pattern}");
        }
        let long = "a".repeat(LENGTH_MAX + 1);
        assert!(!fits(&long, "*") && !fits("a", &"*".repeat(LENGTH_MAX + 1)));
    }
}
