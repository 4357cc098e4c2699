//! Deserializes sets and maps and refuses duplicates, which serde drops silently.

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

/// Deserializes a set from a list.
///
/// # Errors
///
/// The value is not a list of such members, or a member occurs twice.
pub fn set<'de, D, S>(deserializer: D) -> Result<S, D::Error>
where
    D: Deserializer<'de>,
    S: IntoIterator + FromIterator<S::Item>,
    S::Item: Deserialize<'de> + Serialize + Ord,
{
    let items = Vec::<S::Item>::deserialize(deserializer)?;
    check_no_duplicates(items.iter()).map_err(D::Error::custom)?;
    Ok(items.into_iter().collect())
}

/// Deserializes a set from a list, or None from null.
///
/// # Errors
///
/// The value is not a list of such members, or a member occurs twice.
pub fn optional_set<'de, D, S>(deserializer: D) -> Result<Option<S>, D::Error>
where
    D: Deserializer<'de>,
    S: IntoIterator + FromIterator<S::Item>,
    S::Item: Deserialize<'de> + Serialize + Ord,
{
    let Some(items) = Option::<Vec<S::Item>>::deserialize(deserializer)? else { return Ok(None) };
    check_no_duplicates(items.iter()).map_err(D::Error::custom)?;
    Ok(Some(items.into_iter().collect()))
}

/// Deserializes a map from an object.
///
/// # Errors
///
/// The value is not an object of such keys and values, or a key occurs twice.
pub fn map<'de, D, M, K, V>(deserializer: D) -> Result<M, D::Error>
where
    D: Deserializer<'de>,
    M: IntoIterator<Item = (K, V)> + FromIterator<(K, V)>,
    K: Deserialize<'de> + Serialize + Ord,
    V: Deserialize<'de>,
{
    struct Entries<K, V>(PhantomData<(K, V)>);

    impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
        type Value = Vec<(K, V)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some(entry) = map.next_entry()? {
                entries.push(entry);
            }
            Ok(entries)
        }
    }

    let entries = deserializer.deserialize_map(Entries(PhantomData))?;
    check_no_duplicates(entries.iter().map(|(key, _)| key)).map_err(D::Error::custom)?;
    Ok(entries.into_iter().collect())
}

/// Checks that no value occurs twice.
///
/// # Errors
///
/// A sentence that names a duplicate.
pub fn check_no_duplicates<'a, T: Ord + Serialize + 'a>(
    values: impl Iterator<Item = &'a T> + Clone,
) -> Result<(), String> {
    // Documents that this program writes are sorted, which is faster to check.
    if values.clone().is_sorted_by(|value, next| value < next) {
        return Ok(());
    }
    let mut known_values = BTreeSet::new();
    let Some(duplicate) = values.into_iter().find(|value| !known_values.insert(*value)) else { return Ok(()) };
    Err(format!("`{}` is here twice", serde_json::to_string(duplicate).unwrap_or_default().trim_matches('"')))
}
