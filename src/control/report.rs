//! The reply of the calls that return the report on clients.

use crate::report::Summary;
use serde_json::{Value, json};

/// The report as JSON. The conversion can't fail.
pub fn report_data(report: &Summary) -> Value {
    serde_json::to_value(report).unwrap_or_else(|_| json!({}))
}
