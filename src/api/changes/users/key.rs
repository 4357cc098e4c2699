//! The key by which an account calls the API.

use schemars::JsonSchema;
use serde::Serialize;

/// The new key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NewApiKeyReply {
    /// 32 letters and digits.
    pub api_key: String,
}
