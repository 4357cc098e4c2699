//! The edit distance of two texts, which is computed first to decide whether comparing them costs too much.

use chat_markdown::budget::{Budget, Cost, Exhausted};

/// Texts whose distance takes more steps are not compared word by word. The limit suffices for any two texts of 10,000
/// characters with words of usual length.
const MAX_STEPS: usize = 6_000_000;

/// Whether two texts are similar enough to be compared. Takes as many steps as the comparison, but less memory.
pub(super) fn are_comparable(old: &[&str], new: &[&str], budget: &Budget) -> bool {
    let distance_budget = budget.part(Cost { steps: MAX_STEPS, ..Cost::UNLIMITED });
    let result = edit_distance(old, new, &distance_budget);
    budget.settle(&distance_budget);
    result.is_ok()
}

/// Returns the minimum number of deleted and inserted words (E. W. Myers, An O(ND) Difference Algorithm and Its
/// Variations, 1986). In the paper's terms, `old_index` is x, and the diagonal is k, the difference of the indexes in
/// the old and new text.
fn edit_distance(old: &[&str], new: &[&str], budget: &Budget) -> Result<usize, Exhausted> {
    let max_distance = old.len() + new.len();
    // The furthest index in the old text on each diagonal, with a border on both sides.
    let mut furthest_indexes = vec![0_usize; 2 * max_distance + 3];
    let table_index = |diagonal: isize| (diagonal + max_distance as isize + 1) as usize;
    for distance in 0..=max_distance {
        let max_diagonal = distance as isize;
        // Skips diagonals that are outside the table of the old and the new words.
        let first_diagonal = -(max_diagonal - 2 * max_diagonal.saturating_sub(new.len() as isize).max(0));
        let last_diagonal = max_diagonal - 2 * max_diagonal.saturating_sub(old.len() as isize).max(0);
        for diagonal in (first_diagonal..=last_diagonal).step_by(2) {
            let [index_below, index_above] =
                [furthest_indexes[table_index(diagonal - 1)], furthest_indexes[table_index(diagonal + 1)]];
            let is_insertion = diagonal == -max_diagonal || diagonal != max_diagonal && index_below < index_above;
            let start = if is_insertion { index_above } else { index_below + 1 };
            let mut old_index = start;
            while let Some((old_word, new_word)) =
                old.get(old_index).zip(new.get((old_index as isize - diagonal) as usize))
                && old_word == new_word
            {
                old_index += 1;
            }
            budget.spend_steps(1 + old_index - start)?;
            furthest_indexes[table_index(diagonal)] = old_index;
            if old_index >= old.len() && old_index as isize - diagonal >= new.len() as isize {
                return Ok(distance);
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
            let result = edit_distance(&words(old), &words(new), &Budget::new(Cost::UNLIMITED));
            assert_eq!(result, Ok(expected), "{old} - {new}");
        }
    }

    #[test]
    fn texts_that_cost_too_much_are_not_compared() {
        let text = |first: usize| (first..first + 5_000).map(|word| word.to_string()).collect::<Vec<_>>();
        let (old, new) = (text(0), text(5_000));
        let [old, new] = [&old, &new].map(|text| text.iter().map(String::as_str).collect::<Vec<_>>());
        let budget = Budget::for_request();
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
            let common_count: usize = operations.iter().filter_map(|operation| match operation {
                similar::DiffOp::Equal { len, .. } => Some(*len),
                _ => None,
            }).sum();
            let result = edit_distance(&old, &new, &Budget::new(Cost::UNLIMITED));
            proptest::prop_assert_eq!(result, Ok(old.len() + new.len() - 2 * common_count));
        }
    }
}
