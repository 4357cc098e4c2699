//! How far two texts are apart, found out before they are compared.

use chat_markdown::budget::{Budget, Cost, Exhausted};

/// Two texts that differ by more are not compared word by word. It suffices for any two texts of 10,000 characters with
/// words of usual length.
const STEPS_MAX: usize = 6_000_000;

/// Whether two texts are alike enough to be compared. Finding out takes the steps of the comparison, but no memory.
pub(super) fn are_comparable(old: &[&str], new: &[&str], budget: &Budget) -> bool {
    let part = budget.part(Cost { steps: STEPS_MAX, ..Cost::UNLIMITED });
    let found = distance(old, new, &part);
    budget.settle(&part);
    found.is_ok()
}

/// How many words went and came, at least: from word to word, the furthest that can be gone on each diagonal with one
/// change more (E. W. Myers, An O(ND) Difference Algorithm and Its Variations, 1986).
fn distance(old: &[&str], new: &[&str], budget: &Budget) -> Result<usize, Exhausted> {
    let most = old.len() + new.len();
    // The furthest place in the old text, by diagonal: its place less that in the new text.
    let mut furthest = vec![0_usize; 2 * most + 3];
    let at = |diagonal: isize| (diagonal + most as isize + 1) as usize;
    for changes in 0..=most {
        let reach = changes as isize;
        // Diagonals that lie outside of both texts lead nowhere.
        let least = -(reach - 2 * reach.saturating_sub(new.len() as isize).max(0));
        let last = reach - 2 * reach.saturating_sub(old.len() as isize).max(0);
        for diagonal in (least..=last).step_by(2) {
            let [below, above] = [furthest[at(diagonal - 1)], furthest[at(diagonal + 1)]];
            let comes_from_above = diagonal == -reach || diagonal != reach && below < above;
            let start = if comes_from_above { above } else { below + 1 };
            let mut place = start;
            while let Some((one, other)) = old.get(place).zip(new.get((place as isize - diagonal) as usize))
                && one == other
            {
                place += 1;
            }
            budget.spend_steps(1 + place - start)?;
            furthest[at(diagonal)] = place;
            if place >= old.len() && place as isize - diagonal >= new.len() as isize {
                return Ok(changes);
            }
        }
    }
    Ok(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_of_texts_is_how_many_words_went_and_came() {
        for (old, new, expected) in [
            ("a b c d", "a b c d", 0),
            ("a b c d", "a x c d", 2),
            ("", "a b", 2),
            ("a b", "", 2),
            ("a", "b b b b b", 6),
            ("a b c a b b a", "c b a b a c", 5),
        ] {
            let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
            let found = distance(&words(old), &words(new), &Budget::new(Cost::UNLIMITED));
            assert_eq!(found, Ok(expected), "{old} - {new}");
        }
    }

    #[test]
    fn texts_that_cost_too_much_are_not_compared() {
        let text = |first: usize| (first..first + 5_000).map(|word| word.to_string()).collect::<Vec<_>>();
        let (one, other) = (text(0), text(5_000));
        let [one, other] = [&one, &other].map(|text| text.iter().map(String::as_str).collect::<Vec<_>>());
        let budget = Budget::of_request();
        assert!(!are_comparable(&one, &other, &budget));
        assert!(are_comparable(&one, &one, &budget));
        assert!(budget.used().steps <= STEPS_MAX + one.len() + 1, "what is too much is not counted");
    }

    proptest::proptest! {
        /// Texts of few words, which have much in common.
        #[test]
        fn the_distance_is_what_the_comparison_finds(old in "[ab]{0,12}", new in "[ab]{0,12}") {
            let words = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
            let (old, new) = (words(&old), words(&new));
            let [old, new] = [&old, &new].map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
            let operations = similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new);
            let same: usize = operations.iter().filter_map(|it| match it {
                similar::DiffOp::Equal { len, .. } => Some(*len),
                _ => None,
            }).sum();
            let found = distance(&old, &new, &Budget::new(Cost::UNLIMITED));
            proptest::prop_assert_eq!(found, Ok(old.len() + new.len() - 2 * same));
        }
    }
}
