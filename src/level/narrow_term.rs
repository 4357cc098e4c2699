//! The operator and the operand of a narrow's term, which is an object or a list of both.

use serde_json::Value;

/// None if the term has no operator.
pub fn operator(term: &Value) -> Option<&Value> {
    term.get("operator").or_else(|| term.get(0))
}

/// None if the term has no operand.
pub fn operand(term: &Value) -> Option<&Value> {
    term.get("operand").or_else(|| term.get(1))
}

/// Replaces the operator of a term that has one.
pub fn set_operator(term: &mut Value, operator: &str) {
    set_part(term, "operator", 0, operator);
}

/// Replaces the operand of a term that has one.
pub fn set_operand(term: &mut Value, operand: &str) {
    set_part(term, "operand", 1, operand);
}

fn set_part(term: &mut Value, key: &str, index: usize, text: &str) {
    let part = if term.is_array() { term.get_mut(index) } else { term.get_mut(key) };
    if let Some(part) = part {
        *part = text.into();
    }
}
