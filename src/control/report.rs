//! The reply of the calls that return the report on clients.

use crate::report::Summary;
use serde_json::Value;

pub fn report_json(report: &Summary) -> Value {
    serde_json::to_value(report).expect("a report is an object with texts as keys")
}
