//! The reply of operations that return only an API key.

use schemars::JsonSchema;
use serde::Serialize;

/// The API key of an account.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ApiKeyOnlyReply {
    /// 32 letters and digits.
    pub api_key: String,
}
