//! Shrinks a list of faults to a minimal one with which the command still fails (delta debugging, ddmin).

use serde_json::Value;

/// JSON pointers to the numbers in a fault, with the minimum of each.
const NUMBER_POINTERS: [(&str, u64); 5] = [
    ("/after", 0),
    ("/times", 1),
    ("/effect/delay_ms", 1),
    ("/effect/truncate_at", 0),
    ("/effect/rate_limit/retry_after", 0),
];

/// Finds a minimal part of `faults` with which the command fails, with the smallest numbers. A delay may be longer
/// than necessary, by at most 1 ms and an eighth of itself. No single fault can be removed from the result. The command
/// must fail with all of `faults`.
///
/// # Errors
///
/// Those of `fails`.
pub async fn minimal_faults<E>(
    faults: Vec<Value>,
    mut fails: impl AsyncFnMut(&[Value]) -> Result<bool, E>,
) -> Result<Vec<Value>, E> {
    let mut faults = shrink_list(faults, &mut fails).await?;
    loop {
        for index in 0..faults.len() {
            for (pointer, minimum) in NUMBER_POINTERS {
                minimize_number(&mut faults, (index, pointer), minimum, &mut fails).await?;
            }
        }
        // With smaller numbers, a fault may no longer need another one.
        let remaining = if faults.len() > 1 { shrink_list(faults.clone(), &mut fails).await? } else { faults.clone() };
        if remaining.len() == faults.len() {
            break;
        }
        faults = remaining;
    }
    for fault in faults.iter_mut().filter_map(Value::as_object_mut) {
        // 0 is the default, so the member is redundant.
        if fault.get("after").is_some_and(|after| *after == 0) {
            fault.shift_remove("after");
        }
    }
    Ok(faults)
}

/// Finds a list from which no fault can be removed, by removing parts of decreasing size.
async fn shrink_list<E>(
    mut faults: Vec<Value>,
    fails: &mut impl AsyncFnMut(&[Value]) -> Result<bool, E>,
) -> Result<Vec<Value>, E> {
    let mut part_count = 2;
    while faults.len() > 1 {
        let part_size = faults.len().div_ceil(part_count);
        let mut failing_part = None;
        for start in (0..faults.len()).step_by(part_size) {
            let end = (start + part_size).min(faults.len());
            let part = faults[start..end].to_vec();
            let complement = [&faults[..start], &faults[end..]].concat();
            // With two parts, the complement of one is the other.
            let candidates = if part_count == 2 { vec![part] } else { vec![part, complement] };
            for candidate in candidates {
                if failing_part.is_none() && !candidate.is_empty() && fails(&candidate).await? {
                    failing_part = Some(candidate);
                }
            }
        }
        match failing_part {
            Some(failing_part) => {
                part_count = 2.max((part_count - 1).min(failing_part.len()));
                faults = failing_part;
            }
            None if part_count >= faults.len() => break,
            None => part_count = (2 * part_count).min(faults.len()),
        }
    }
    Ok(faults)
}

/// Finds the smallest number with which the command still fails, by binary search. A delay is only approximated.
async fn minimize_number<E>(
    faults: &mut [Value],
    (index, pointer): (usize, &str),
    minimum: u64,
    fails: &mut impl AsyncFnMut(&[Value]) -> Result<bool, E>,
) -> Result<(), E> {
    let Some(mut failing_number) = faults[index].pointer(pointer).and_then(Value::as_u64) else { return Ok(()) };
    let mut passing_number = None;
    while failing_number > passing_number.map_or(minimum, |passing_number| passing_number + 1) {
        let candidate_number =
            passing_number.map_or(minimum, |passing_number| passing_number + (failing_number - passing_number) / 2);
        let mut candidate = faults.to_vec();
        if let Some(number) = candidate[index].pointer_mut(pointer) {
            *number = candidate_number.into();
        }
        if fails(&candidate).await? {
            failing_number = candidate_number;
            faults.clone_from_slice(&candidate);
        } else {
            passing_number = Some(candidate_number);
        }
        // A delay that is too long by at most an eighth of itself is good enough, and saves runs.
        if passing_number.is_some_and(|passing_number| {
            pointer.ends_with("_ms") && failing_number - passing_number <= 1 + failing_number / 8
        }) {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use serde_json::json;
    use std::convert::Infallible;

    /// Shrinks faults for a command that fails as `fails` returns. Returns the minimal faults and the number of runs.
    fn shrink(faults: Vec<Value>, fails: impl Fn(&[Value]) -> bool) -> (Vec<Value>, usize) {
        let mut run_count = 0;
        let counted_fails = async |faults: &[Value]| {
            run_count += 1;
            Ok::<bool, Infallible>(fails(faults))
        };
        let Ok(minimal_faults) = minimal_faults(faults, counted_fails).now_or_never().expect("nothing is waited for");
        (minimal_faults, run_count)
    }

    fn fault(name: u64) -> Value {
        json!({"times": 1, "effect": {"error": {"code": name}}})
    }

    #[test]
    fn faults_that_are_not_needed_are_removed() {
        let eight_faults: Vec<Value> = (0..8).map(fault).collect();
        for needed in 0..8 {
            let (minimal_faults, run_count) = shrink(eight_faults.clone(), |faults| faults.contains(&fault(needed)));
            assert_eq!(minimal_faults, [fault(needed)]);
            assert!(run_count <= 8, "{run_count}");
        }
        for (first, second) in [(0, 7), (2, 3), (1, 5)] {
            let (minimal_faults, run_count) = shrink(eight_faults.clone(), |faults| {
                faults.contains(&fault(first)) && faults.contains(&fault(second))
            });
            assert_eq!(minimal_faults, [fault(first), fault(second)]);
            assert!(run_count <= 40, "{run_count}");
        }
        let (minimal_faults, _) = shrink(eight_faults.clone(), |faults| faults.len() == 8);
        assert_eq!(minimal_faults, eight_faults);
    }

    #[test]
    fn a_fault_that_is_needed_only_with_larger_numbers_is_removed() {
        let late = json!({"after": 1, "times": 1, "effect": {"drop": "after"}});
        let helper = json!({"times": 1, "effect": {"drop": "before"}});
        let fails = |faults: &[Value]| match faults {
            [first] => first["effect"]["drop"] == "after" && first["after"].as_u64().unwrap_or(0) == 0,
            faults => faults.len() == 2,
        };

        let (minimal_faults, _) = shrink(vec![late, helper], fails);

        assert_eq!(minimal_faults, [json!({"times": 1, "effect": {"drop": "after"}})]);
    }

    #[test]
    fn numbers_are_minimized() {
        let faults = vec![json!({"after": 6, "times": 3, "effect": {"delay_ms": 12_000}})];
        let number = |faults: &[Value], pointer: &str| faults[0].pointer(pointer).and_then(Value::as_u64).unwrap_or(0);

        let (minimal_faults, _) = shrink(faults.clone(), |faults| number(faults, "/after") >= 2);
        assert_eq!(minimal_faults, [json!({"after": 2, "times": 1, "effect": {"delay_ms": 1}})]);
        let (minimal_faults, _) = shrink(faults, |faults| number(faults, "/effect/delay_ms") >= 3_000);
        let delay = number(&minimal_faults, "/effect/delay_ms");
        assert!((3_000..=3_450).contains(&delay), "{delay}");
        assert_eq!(minimal_faults[0].get("after"), None);
    }
}
