//! The edit distance of two texts, which is computed first to decide whether comparing them costs too much.

use chat_markdown::budget::{Budget, Cost, Exhausted};

/// Texts whose distance takes more steps are not compared word by word. The limit suffices for any two texts of 10,000
/// characters with words of usual length.
const MAX_STEPS: usize = 6_000_000;

/// Whether two texts are similar enough to be compared. Takes as many steps as the comparison, but less memory.
pub(super) fn are_comparable(old: &[&str], new: &[&str], budget: &Budget) -> bool {
    let part = budget.part(Cost { steps: MAX_STEPS, ..Cost::UNLIMITED });
    let result = distance(old, new, &part);
    budget.settle(&part);
    result.is_ok()
}

/// The minimum number of deleted and inserted words (E. W. Myers, An O(ND) Difference Algorithm and Its Variations,
/// 1986). In the paper's terms, `old_index` is x, and the diagonal is k, the difference of the indices in the old and
/// new text.
fn distance(old: &[&str], new: &[&str], budget: &Budget) -> Result<usize, Exhausted> {
    let max_distance = old.len() + new.len();
    // The furthest index in the old text on each diagonal.
    let mut furthest = vec![0_usize; 2 * max_distance + 3];
    let slot = |diagonal: isize| (diagonal + max_distance as isize + 1) as usize;
    for changes in 0..=max_distance {
        let reach = changes as isize;
        // Skips diagonals that are outside both texts.
        let first = -(reach - 2 * reach.saturating_sub(new.len() as isize).max(0));
        let last = reach - 2 * reach.saturating_sub(old.len() as isize).max(0);
        for diagonal in (first..=last).step_by(2) {
            let [below, above] = [furthest[slot(diagonal - 1)], furthest[slot(diagonal + 1)]];
            let is_insertion = diagonal == -reach || diagonal != reach && below < above;
            let start = if is_insertion { above } else { below + 1 };
            let mut old_index = start;
            while let Some((old_word, new_word)) =
                old.get(old_index).zip(new.get((old_index as isize - diagonal) as usize))
                && old_word == new_word
            {
                old_index += 1;
            }
            budget.spend_steps(1 + old_index - start)?;
            furthest[slot(diagonal)] = old_index;
            if old_index >= old.len() && old_index as isize - diagonal >= new.len() as isize {
                return Ok(changes);
            }
        }
    }
    Ok(max_distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_the_number_of_deleted_and_inserted_words() {
        for (old, new, expected) in [
            ("a b c d", "a b c d", 0),
            ("a b c d", "a x c d", 2),
            ("", "a b", 2),
            ("a b", "", 2),
            ("a", "b b b b b", 6),
            ("a b c a b b a", "c b a b a c", 5),
        ] {
            let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
            let result = distance(&words(old), &words(new), &Budget::new(Cost::UNLIMITED));
            assert_eq!(result, Ok(expected), "{old} - {new}");
        }
    }

    #[test]
    fn texts_that_cost_too_much_are_not_compared() {
        let text = |first: usize| (first..first + 5_000).map(|word| word.to_string()).collect::<Vec<_>>();
        let (old, new) = (text(0), text(5_000));
        let [old, new] = [&old, &new].map(|text| text.iter().map(String::as_str).collect::<Vec<_>>());
        let budget = Budget::of_request();
        assert!(!are_comparable(&old, &new, &budget));
        assert!(are_comparable(&old, &old, &budget));
        assert!(budget.used().steps <= MAX_STEPS + old.len() + 1, "steps over the limit are not counted");
    }

    proptest::proptest! {
        /// Texts of only two different words have many words in common.
        #[test]
        fn the_distance_equals_that_of_the_comparison(old in "[ab]{0,12}", new in "[ab]{0,12}") {
            let words = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
            let (old, new) = (words(&old), words(&new));
            let [old, new] = [&old, &new].map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
            let operations = similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new);
            let common: usize = operations.iter().filter_map(|operation| match operation {
                similar::DiffOp::Equal { len, .. } => Some(*len),
                _ => None,
            }).sum();
            let result = distance(&old, &new, &Budget::new(Cost::UNLIMITED));
            proptest::prop_assert_eq!(result, Ok(old.len() + new.len() - 2 * common));
        }
    }
}
