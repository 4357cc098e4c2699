//! The fidelity manifest: how this build compares with real servers, from the replay of their recordings.

use crate::api::{OperationRow, rows};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The manifest of the last replay, which `CHATDOUBLE_UPDATE_DOCS=1 cargo test --test recorded` writes.
const MANIFEST: &str = include_str!("fidelity.json");

/// How many replayed requests differ from their recordings, and why.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The recorded feature levels.
    pub levels: Vec<i64>,
    /// The reasons of all differences. The counts refer to them by position.
    pub reasons: Vec<Reason>,
    /// The counts by operation, named by [`operation_name`], and by feature level.
    pub operations: BTreeMap<String, BTreeMap<i64, ComparisonCounts>>,
    /// The counts of requests that belong to no operation, by feature level.
    pub elsewhere: BTreeMap<i64, ComparisonCounts>,
}

/// Why a replayed request differs from its recording.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// `words`, `setup`, `recording`, `declared` or `wrong`, which docs/fidelity.md explains.
    pub kind: String,
    /// Why the replies or events differ, in a sentence.
    pub reason: String,
    /// The assumption that declares the difference, such as `A-71`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumption: Option<String>,
}

/// The counts of recorded requests at one level, for one operation or for requests that belong to none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparisonCounts {
    /// Number of requests that were replayed and compared, with their events.
    pub compared: usize,
    /// Number of requests with differences.
    pub differ: usize,
    /// Number of requests for each reason, by its position in [`Manifest::reasons`]. A request may have several
    /// reasons.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<usize, usize>,
}

impl ComparisonCounts {
    /// Counts one more request. `reasons` has the position of each of its reasons once; it is empty if nothing differs.
    pub fn add(&mut self, reasons: impl IntoIterator<Item = usize>) {
        self.compared += 1;
        let reasons_before: usize = self.reasons.values().sum();
        reasons.into_iter().for_each(|reason| *self.reasons.entry(reason).or_default() += 1);
        self.differ += usize::from(self.reasons.values().sum::<usize>() > reasons_before);
    }
}

/// The name of an operation in the manifest, such as `GET /users/{user_id}`.
pub fn operation_name(row: &OperationRow) -> String {
    format!("{} {}", row.route.method, row.route.path.replace("{*", "{"))
}

impl Manifest {
    /// The numbers of compared and of differing requests at a feature level.
    pub fn total(&self, level: i64) -> (usize, usize) {
        let all_counts = self.operations.values().chain(std::iter::once(&self.elsewhere));
        let counts_of_level = all_counts.filter_map(|levels| levels.get(&level));
        counts_of_level.fold((0, 0), |(compared, differ), counts| (compared + counts.compared, differ + counts.differ))
    }

    fn counts_to_json(&self, level: i64, counts: &ComparisonCounts) -> Value {
        let difference_record = |(position, request_count): (&usize, &usize)| {
            let Reason { kind, reason, assumption } = self.reasons.get(*position)?;
            Some(json!({"kind": kind, "reason": reason, "assumption": assumption, "requests": request_count}))
        };
        json!({
            "feature_level": level,
            "compared": counts.compared,
            "differ": counts.differ,
            "differences": counts.reasons.iter().filter_map(difference_record).collect::<Vec<_>>(),
        })
    }

    fn levels_to_json(&self, levels: Option<&BTreeMap<i64, ComparisonCounts>>) -> Vec<Value> {
        levels.into_iter().flatten().map(|(level, counts)| self.counts_to_json(*level, counts)).collect()
    }

    /// The data of the reply, with all operations.
    fn to_reply_data(&self) -> Value {
        let operation_record = |row: &OperationRow| {
            let recorded_levels = self.levels_to_json(self.operations.get(&operation_name(row)));
            json!({
                "method": row.route.method,
                "path": row.route.path.replace("{*", "{"),
                "known_by": if recorded_levels.is_empty() { "specification" } else { "recordings" },
                "recorded": recorded_levels,
            })
        };
        let level_record = |level: &i64| {
            let (compared, differ) = self.total(*level);
            json!({"feature_level": level, "compared": compared, "differ": differ})
        };
        json!({
            "levels": self.levels.iter().map(level_record).collect::<Vec<_>>(),
            "operations": rows().map(operation_record).collect::<Vec<_>>(),
            "elsewhere": self.levels_to_json(Some(&self.elsewhere)),
        })
    }
}

/// The data of the reply of `GET /control/fidelity`.
pub fn reply_data() -> Value {
    static REPLY_DATA: LazyLock<Value> = LazyLock::new(|| {
        let manifest: Manifest = serde_json::from_str(MANIFEST).unwrap_or_default();
        manifest.to_reply_data()
    });
    REPLY_DATA.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_is_well_formed() {
        let manifest: Manifest = serde_json::from_str(MANIFEST).expect("well-formed");
        let operation_names: Vec<String> = rows().map(operation_name).collect();
        assert!(
            manifest.operations.keys().all(|name| operation_names.contains(name)),
            "an operation that is not served"
        );
        let all_counts = manifest.operations.values().chain(std::iter::once(&manifest.elsewhere)).flatten();
        let reason_positions = 0..manifest.reasons.len();
        for (level, counts) in all_counts {
            assert!(manifest.levels.contains(level) && counts.differ <= counts.compared);
            assert!(counts.reasons.keys().all(|position| reason_positions.contains(position)));
        }
        assert!(manifest.levels.iter().all(|level| manifest.total(*level).0 > 0));
    }

    #[test]
    fn a_request_counts_once_whatever_its_reasons() {
        let mut counts = ComparisonCounts::default();
        counts.add([0, 2]);
        counts.add([]);
        counts.add([2]);

        assert_eq!((counts.compared, counts.differ), (3, 2));
        assert_eq!(counts.reasons, BTreeMap::from([(0, 1), (2, 2)]));
    }
}
