//! Rules of faults in a file, and arming them in the default world.

use crate::cli::CliError;
use crate::server::Server;
use http::Method;
use serde_json::Value;
use std::path::Path;

/// Reads a file with a list of rules, as `POST W/faults` takes them.
///
/// # Errors
///
/// A file that can't be read, or holds no list.
pub fn read(file: &Path) -> Result<Vec<Value>, CliError> {
    let fault = |reason: String| CliError::of_start(format!("{}: {reason}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| fault(format!("cannot be read: {error}")))?;
    let rules: Value = serde_json::from_str(&text).map_err(|error| fault(format!("$: {error}")))?;
    match rules {
        Value::Array(rules) => Ok(rules),
        _ => Err(fault("$: takes a list of faults".to_owned())),
    }
}

/// Arms rules in the default world.
///
/// # Errors
///
/// What control refuses, with the place in the list; nothing is armed where there is no default world.
pub async fn arm(server: &Server, rules: &[Value]) -> Result<(), CliError> {
    for (at, rule) in rules.iter().enumerate() {
        let answer = server.control(Method::POST, "/worlds/default/faults", Some(rule)).await;
        if answer.status != 200 {
            let reason = answer.body["msg"].as_str().unwrap_or_default();
            let reason = reason.strip_prefix('$').map_or_else(|| format!(": {reason}"), str::to_owned);
            return Err(CliError::of_start(format!("--faults: $[{at}]{reason}")));
        }
    }
    Ok(())
}
