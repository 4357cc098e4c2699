//! Events of restarts of the server, after which it may have another version.

use super::State;
use serde_json::Value;

impl State {
    pub(super) fn apply_restart(&mut self, event: &Value) {
        for key in ["service_version", "service_merge_base", "service_feature_level", "server_generation"] {
            self.replace(key, &event[key]);
        }
    }
}
