//! Rules of faults in a file, and arming them in the worlds of a server.

use crate::cli::CliError;
use crate::cli::output::tell;
use crate::counted::counted;
use crate::server::Server;
use crate::server::standing_faults::StandingFaults;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

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

/// Installs rules in all worlds of a server, also in those that the command adds.
///
/// # Errors
///
/// What the worlds that there are refuse, with the place in the list.
pub fn arm(server: &Server, faults: &Arc<StandingFaults>) -> Result<(), CliError> {
    server.install_standing_faults(faults).map_err(|(at, reason)| {
        let reason = reason.strip_prefix('$').map_or_else(|| format!(": {reason}"), str::to_owned);
        CliError::of_start(format!("--faults: $[{at}]{reason}"))
    })
}

/// Names those faults of the file on standard error that never fired.
pub fn tell_unfired(faults: &StandingFaults) {
    let unfired = faults.unfired();
    if unfired.is_empty() {
        return;
    }
    let place = |(at, refused): &(usize, Option<String>)| match refused {
        Some(reason) => format!("$[{at}] ({reason})"),
        None => format!("$[{at}]"),
    };
    let places: Vec<String> = unfired.iter().map(place).collect();
    let all = counted(faults.count(), "fault");
    tell(format_args!("faults: {} of {all} never fired: {}", unfired.len(), places.join(", ")));
}
