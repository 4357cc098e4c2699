//! Sets and maps as they are read: of a member or key that is there twice, one would be lost without a word.

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

/// Reads a set from a list.
///
/// # Errors
///
/// That a member is in the list twice.
pub fn members<'de, D, S>(deserializer: D) -> Result<S, D::Error>
where
    D: Deserializer<'de>,
    S: IntoIterator + FromIterator<S::Item>,
    S::Item: Deserialize<'de> + Serialize + Ord,
{
    let read = Vec::<S::Item>::deserialize(deserializer)?;
    check(read.iter()).map_err(D::Error::custom)?;
    Ok(read.into_iter().collect())
}

/// As [`members`], or null.
///
/// # Errors
///
/// That a member is in the list twice.
pub fn members_if_any<'de, D, S>(deserializer: D) -> Result<Option<S>, D::Error>
where
    D: Deserializer<'de>,
    S: IntoIterator + FromIterator<S::Item>,
    S::Item: Deserialize<'de> + Serialize + Ord,
{
    let Some(read) = Option::<Vec<S::Item>>::deserialize(deserializer)? else { return Ok(None) };
    check(read.iter()).map_err(D::Error::custom)?;
    Ok(Some(read.into_iter().collect()))
}

/// Reads a map from an object.
///
/// # Errors
///
/// That a key is in the object twice.
pub fn keys<'de, D, M, K, V>(deserializer: D) -> Result<M, D::Error>
where
    D: Deserializer<'de>,
    M: IntoIterator<Item = (K, V)> + FromIterator<(K, V)>,
    K: Deserialize<'de> + Serialize + Ord,
    V: Deserialize<'de>,
{
    struct Entries<K, V>(PhantomData<(K, V)>);

    impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
        type Value = Vec<(K, V)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some(entry) = map.next_entry()? {
                entries.push(entry);
            }
            Ok(entries)
        }
    }

    let read = deserializer.deserialize_map(Entries(PhantomData))?;
    check(read.iter().map(|(key, _)| key)).map_err(D::Error::custom)?;
    Ok(read.into_iter().collect())
}

/// Whether all of them are different.
///
/// # Errors
///
/// A sentence that names one that is there twice.
pub fn check<'a, T: Ord + Serialize + 'a>(all: impl Iterator<Item = &'a T> + Clone) -> Result<(), String> {
    // What was written by this program is in order.
    if all.clone().is_sorted_by(|one, next| one < next) {
        return Ok(());
    }
    let mut seen = BTreeSet::new();
    let Some(twice) = all.into_iter().find(|one| !seen.insert(*one)) else { return Ok(()) };
    Err(format!("`{}` is here twice", serde_json::to_string(twice).unwrap_or_default().trim_matches('"')))
}
