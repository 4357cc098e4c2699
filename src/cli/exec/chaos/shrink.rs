//! Shrinking: the fewest faults, with the smallest numbers, with which a command still fails (ddmin).

use serde_json::Value;

/// The numbers of a fault, and the smallest that each may have.
const NUMBERS: [(&str, u64); 5] = [
    ("/after", 0),
    ("/times", 1),
    ("/effect/delay_ms", 1),
    ("/effect/truncate_at", 0),
    ("/effect/rate_limit/retry_after", 0),
];

/// The fewest of some faults with which the command fails, with the smallest numbers; all of them are known to make it
/// fail. None of those that are left can be left out.
///
/// # Errors
///
/// What keeps a run from starting.
pub async fn fewest<E>(
    faults: Vec<Value>,
    mut fails: impl AsyncFnMut(&[Value]) -> Result<bool, E>,
) -> Result<Vec<Value>, E> {
    let mut faults = minimal(faults, &mut fails).await?;
    loop {
        for at in 0..faults.len() {
            for (pointer, least) in NUMBERS {
                smallest(&mut faults, (at, pointer), least, &mut fails).await?;
            }
        }
        // With smaller numbers, a fault may no longer need another one.
        let fewer = if faults.len() > 1 { minimal(faults.clone(), &mut fails).await? } else { faults.clone() };
        if fewer.len() == faults.len() {
            break;
        }
        faults = fewer;
    }
    for rule in faults.iter_mut().filter_map(Value::as_object_mut) {
        // It says what is so without it.
        if rule.get("after").is_some_and(|after| *after == 0) {
            rule.shift_remove("after");
        }
    }
    Ok(faults)
}

/// A list from which none can be left out, by leaving out ever smaller parts.
async fn minimal<E>(
    mut faults: Vec<Value>,
    fails: &mut impl AsyncFnMut(&[Value]) -> Result<bool, E>,
) -> Result<Vec<Value>, E> {
    let mut parts = 2;
    while faults.len() > 1 {
        let size = faults.len().div_ceil(parts);
        let mut smaller = None;
        for from in (0..faults.len()).step_by(size) {
            let to = (from + size).min(faults.len());
            let part = faults[from..to].to_vec();
            let rest = [&faults[..from], &faults[to..]].concat();
            // With two parts, the rest of the one is the other.
            let candidates = if parts == 2 { vec![part] } else { vec![part, rest] };
            for candidate in candidates {
                if smaller.is_none() && !candidate.is_empty() && fails(&candidate).await? {
                    smaller = Some(candidate);
                }
            }
        }
        match smaller {
            Some(smaller) => {
                parts = 2.max((parts - 1).min(smaller.len()));
                faults = smaller;
            }
            None if parts >= faults.len() => break,
            None => parts = (2 * parts).min(faults.len()),
        }
    }
    Ok(faults)
}

/// Makes a number of a fault as small as the command still fails with, by halving the distance to what is too small.
async fn smallest<E>(
    faults: &mut [Value],
    (at, pointer): (usize, &str),
    least: u64,
    fails: &mut impl AsyncFnMut(&[Value]) -> Result<bool, E>,
) -> Result<(), E> {
    let Some(mut enough) = faults[at].pointer(pointer).and_then(Value::as_u64) else { return Ok(()) };
    let mut too_small = None;
    while enough > too_small.map_or(least, |too_small| too_small + 1) {
        let tried = too_small.map_or(least, |too_small| too_small + (enough - too_small) / 2);
        let mut candidate = faults.to_vec();
        if let Some(number) = candidate[at].pointer_mut(pointer) {
            *number = tried.into();
        }
        if fails(&candidate).await? {
            enough = tried;
            faults.clone_from_slice(&candidate);
        } else {
            too_small = Some(tried);
        }
        // More exact than this nobody needs to know a time.
        if too_small.is_some_and(|too_small| pointer.ends_with("_ms") && enough - too_small <= 1 + enough / 8) {
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

    /// Shrinks faults with which a command fails as the function says; the result, and how many runs that took.
    fn shrunk(faults: Vec<Value>, fails: impl Fn(&[Value]) -> bool) -> (Vec<Value>, usize) {
        let mut runs = 0;
        let counted = async |faults: &[Value]| {
            runs += 1;
            Ok::<bool, Infallible>(fails(faults))
        };
        let Ok(fewest) = fewest(faults, counted).now_or_never().expect("nothing is waited for");
        (fewest, runs)
    }

    fn rule(name: u64) -> Value {
        json!({"times": 1, "effect": {"error": {"code": name}}})
    }

    #[test]
    fn what_is_not_needed_is_left_out() {
        let eight: Vec<Value> = (0..8).map(rule).collect();
        for needed in 0..8 {
            let (fewest, runs) = shrunk(eight.clone(), |faults| faults.contains(&rule(needed)));
            assert_eq!(fewest, [rule(needed)]);
            assert!(runs <= 8, "{runs}");
        }
        for (one, other) in [(0, 7), (2, 3), (1, 5)] {
            let (fewest, runs) =
                shrunk(eight.clone(), |faults| faults.contains(&rule(one)) && faults.contains(&rule(other)));
            assert_eq!(fewest, [rule(one), rule(other)]);
            assert!(runs <= 40, "{runs}");
        }
        let (fewest, _) = shrunk(eight.clone(), |faults| faults.len() == 8);
        assert_eq!(fewest, eight);
    }

    #[test]
    fn a_fault_that_only_larger_numbers_need_is_left_out_with_smaller_ones() {
        let late = json!({"after": 1, "times": 1, "effect": {"drop": "after"}});
        let helper = json!({"times": 1, "effect": {"drop": "before"}});
        let fails = |faults: &[Value]| match faults {
            [one] => one["effect"]["drop"] == "after" && one["after"].as_u64().unwrap_or(0) == 0,
            faults => faults.len() == 2,
        };

        let (fewest, _) = shrunk(vec![late, helper], fails);

        assert_eq!(fewest, [json!({"times": 1, "effect": {"drop": "after"}})]);
    }

    #[test]
    fn numbers_become_as_small_as_they_can() {
        let faults = vec![json!({"after": 6, "times": 3, "effect": {"delay_ms": 12_000}})];
        let number = |faults: &[Value], pointer: &str| faults[0].pointer(pointer).and_then(Value::as_u64).unwrap_or(0);

        let (fewest, _) = shrunk(faults.clone(), |faults| number(faults, "/after") >= 2);
        assert_eq!(fewest, [json!({"after": 2, "times": 1, "effect": {"delay_ms": 1}})]);
        let (fewest, _) = shrunk(faults, |faults| number(faults, "/effect/delay_ms") >= 3_000);
        let delay = number(&fewest, "/effect/delay_ms");
        assert!((3_000..=3_450).contains(&delay), "{delay}");
        assert_eq!(fewest[0].get("after"), None);
    }
}
