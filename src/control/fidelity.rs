//! How this build was compared with real servers: the result of the replay of the recordings, by operation.

use crate::api::{Row, rows};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The result of the last replay, which `CHATDOUBLE_UPDATE_DOCS=1 cargo test --test recorded` writes.
const RESULT: &str = include_str!("fidelity.json");

/// What the replay of the recordings found.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The recorded feature levels.
    pub levels: Vec<i64>,
    /// Why something differs.
    pub reasons: Vec<Reason>,
    /// By operation, as [`way`] names it, and feature level: what was compared.
    pub operations: BTreeMap<String, BTreeMap<i64, Compared>>,
    /// By feature level: requests for paths and methods that no operation has.
    pub elsewhere: BTreeMap<i64, Compared>,
}

/// Why something differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// `words`, `setup`, `recording`, `declared` or `wrong`; docs/fidelity.md explains them.
    pub kind: String,
    /// The reason in a sentence.
    pub reason: String,
    /// The number of the assumption that it is declared in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumption: Option<String>,
}

/// Recorded requests for one operation at one level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// How many were played and compared, with the events that followed.
    pub compared: usize,
    /// After how many of them something differs.
    pub differ: usize,
    /// By position in [`Manifest::reasons`]: how many of them differ for that reason. A request may have several.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<usize, usize>,
}

impl Compared {
    /// Adds one request with the positions of its reasons, each once.
    pub fn add(&mut self, reasons: impl IntoIterator<Item = usize>) {
        self.compared += 1;
        let before: usize = self.reasons.values().sum();
        reasons.into_iter().for_each(|reason| *self.reasons.entry(reason).or_default() += 1);
        self.differ += usize::from(self.reasons.values().sum::<usize>() > before);
    }
}

/// An operation as the manifest names it: `GET /users/{user_id}`.
pub fn way(row: &Row) -> String {
    format!("{} {}", row.route.method, row.route.path.replace("{*", "{"))
}

impl Manifest {
    /// The sums of a feature level: requests compared, and those that differ.
    pub fn total(&self, level: i64) -> (usize, usize) {
        let all = self.operations.values().chain(std::iter::once(&self.elsewhere));
        let of_level = all.filter_map(|levels| levels.get(&level));
        of_level.fold((0, 0), |(compared, differ), one| (compared + one.compared, differ + one.differ))
    }

    fn record(&self, level: i64, compared: &Compared) -> Value {
        let difference = |(position, requests): (&usize, &usize)| {
            let reason = self.reasons.get(*position)?;
            let Reason { kind, reason, assumption } = reason;
            Some(json!({"kind": kind, "reason": reason, "assumption": assumption, "requests": requests}))
        };
        json!({
            "feature_level": level,
            "compared": compared.compared,
            "differ": compared.differ,
            "differences": compared.reasons.iter().filter_map(difference).collect::<Vec<_>>(),
        })
    }

    fn records(&self, levels: Option<&BTreeMap<i64, Compared>>) -> Vec<Value> {
        levels.into_iter().flatten().map(|(level, compared)| self.record(*level, compared)).collect()
    }

    /// The manifest as the data of a reply, with all operations.
    fn shown(&self) -> Value {
        let operation = |row: &Row| {
            let recorded = self.records(self.operations.get(&way(row)));
            json!({
                "method": row.route.method,
                "path": row.route.path.replace("{*", "{"),
                "known_by": if recorded.is_empty() { "specification" } else { "recordings" },
                "recorded": recorded,
            })
        };
        let level = |level: &i64| {
            let (compared, differ) = self.total(*level);
            json!({"feature_level": level, "compared": compared, "differ": differ})
        };
        json!({
            "levels": self.levels.iter().map(level).collect::<Vec<_>>(),
            "operations": rows().map(operation).collect::<Vec<_>>(),
            "elsewhere": self.records(Some(&self.elsewhere)),
        })
    }
}

/// The data of the reply of `GET /control/fidelity`.
pub fn shown() -> Value {
    static SHOWN: LazyLock<Value> = LazyLock::new(|| {
        let manifest: Manifest = serde_json::from_str(RESULT).unwrap_or_default();
        manifest.shown()
    });
    SHOWN.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_in_the_program_is_well_formed() {
        let manifest: Manifest = serde_json::from_str(RESULT).expect("well-formed");
        let ways: Vec<String> = rows().map(way).collect();
        assert!(manifest.operations.keys().all(|name| ways.contains(name)), "an operation that is not served");
        let all = manifest.operations.values().chain(std::iter::once(&manifest.elsewhere)).flatten();
        let known = 0..manifest.reasons.len();
        for (level, compared) in all {
            assert!(manifest.levels.contains(level) && compared.differ <= compared.compared);
            assert!(compared.reasons.keys().all(|position| known.contains(position)));
        }
        assert!(manifest.levels.iter().all(|level| manifest.total(*level).0 > 0));
    }

    #[test]
    fn a_request_counts_once_whatever_its_reasons() {
        let mut compared = Compared::default();
        compared.add([0, 2]);
        compared.add([]);
        compared.add([2]);

        assert_eq!((compared.compared, compared.differ), (3, 2));
        assert_eq!(compared.reasons, BTreeMap::from([(0, 1), (2, 2)]));
    }
}
