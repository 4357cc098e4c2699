//! The report on clients.

use crate::report::Summary;
use serde_json::{Value, json};

/// A report as the data of a reply.
pub fn shown(report: &Summary) -> Value {
    serde_json::to_value(report).unwrap_or_else(|_| json!({}))
}
