//! The data of replies with the report on clients.

use crate::report::Summary;
use serde_json::{Value, json};

pub fn report_data(report: &Summary) -> Value {
    serde_json::to_value(report).unwrap_or_else(|_| json!({}))
}
