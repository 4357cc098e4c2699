//! The faults file of `exec`: reading it, installing the faults, and reporting those that never fired.

use crate::cli::CliError;
use crate::cli::output::eprint_line;
use crate::count_format::format_count;
use crate::json_diagnostic::describe_syntax_error;
use crate::server::Server;
use crate::server::standing_faults::StandingFaults;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Reads a file with a list of faults, as `POST /control/worlds/NAME/faults` takes them.
///
/// # Errors
///
/// When the file can't be read, or is not a list in JSON.
pub fn read(file: &Path) -> Result<Vec<Value>, CliError> {
    let file_error = |reason: String| CliError::failure(format!("{}: {reason}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| file_error(format!("cannot be read: {error}")))?;
    let syntax_error = |error| file_error(format!("$: {}", describe_syntax_error(&text, &error)));
    let faults: Value = serde_json::from_str(&text).map_err(syntax_error)?;
    match faults {
        Value::Array(faults) => Ok(faults),
        _ => Err(file_error("$: takes a list of faults".to_owned())),
    }
}

/// Installs faults in all worlds of a server, including worlds that the command will add. `source` is the option or
/// the file that they are from.
///
/// # Errors
///
/// The refusal by an existing world, with the position of the fault in the list.
pub fn install(server: &Server, faults: &Arc<StandingFaults>, source: &str) -> Result<(), CliError> {
    server.install_standing_faults(faults).map_err(|(index, reason)| {
        // A reason may begin with the JSON path of a member, such as `$.effect`, which continues that of the fault.
        let reason = reason.strip_prefix('$').map_or_else(|| format!(": {reason}"), str::to_owned);
        CliError::failure(format!("{source}: $[{index}]{reason}"))
    })
}

/// Lists on standard error the faults that never fired.
pub fn report_unfired(faults: &StandingFaults) {
    let unfired = faults.unfired_faults();
    if unfired.is_empty() {
        return;
    }
    let fault_path = |(index, refusal): &(usize, Option<String>)| match refusal {
        Some(reason) => format!("$[{index}] ({reason})"),
        None => format!("$[{index}]"),
    };
    let fault_paths: Vec<String> = unfired.iter().map(fault_path).collect();
    let total = format_count(faults.count(), "fault");
    eprint_line(format_args!("faults: {} of {total} never fired: {}", unfired.len(), fault_paths.join(", ")));
}
