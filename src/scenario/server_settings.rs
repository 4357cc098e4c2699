//! What scenarios read in the reply to `GET /server_settings`.

use serde_json::Value;

/// The feature level of a server. Each product has its name before the underscore. Servers without the field are of
/// level 0.
pub fn feature_level_in(settings: &Value) -> i64 {
    let mut members = settings.as_object().into_iter().flatten();
    let level = members.find(|(name, _)| name.ends_with("_feature_level"));
    level.and_then(|(_, level)| level.as_i64()).unwrap_or_default()
}
