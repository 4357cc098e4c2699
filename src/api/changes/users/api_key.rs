//! The reply of operations that create an API key.

use schemars::JsonSchema;
use serde::Serialize;

/// The new key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NewApiKeyReply {
    /// 32 letters and digits.
    pub api_key: String,
}
