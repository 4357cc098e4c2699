//! The environment variables of options: empty ones are ignored, and misspelled ones cause warnings.

use crate::json_diagnostic::similar_name;
use clap::{Arg, Command};
use std::ffi::OsString;

/// Removes empty environment variables from the options, since tools that forward variables set them to an empty value.
/// Help does not show the values of the others.
pub(super) fn ignore_empty_variables(command: Command) -> Command {
    let is_empty = |arg: &Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    let remove_empty_variable =
        |arg: Arg| if is_empty(&arg) { arg.env(None::<&'static str>) } else { arg.hide_env_values(true) };
    command.mut_args(remove_empty_variable).mut_subcommands(ignore_empty_variables)
}

/// Variables that are known even if no option reads them: those of clients, of helper libraries, and of accounts.
const OTHER_VARIABLES: &[&str] =
    &["CHATDOUBLE_URL", "CHATDOUBLE_API_KEY", "CHATDOUBLE_BINARY", "CHATDOUBLE_LEVEL", "CHATDOUBLE_TLS_CA"];

/// The warnings for environment variables that look like misspelled variables of this program.
pub(super) fn misspelled_variable_warnings(command: &Command, names: impl Iterator<Item = OsString>) -> Vec<String> {
    const PREFIX: &str = "CHATDOUBLE_";
    let commands = std::iter::once(command).chain(command.get_subcommands());
    let options = commands.flat_map(Command::get_arguments).filter_map(|arg| arg.get_env()?.to_str());
    let known_names: Vec<&str> = options.chain(OTHER_VARIABLES.iter().copied()).collect();
    let suffixes: Vec<&str> = known_names.iter().filter_map(|name| name.strip_prefix(PREFIX)).collect();
    let mut warnings: Vec<String> = names
        .filter_map(|name| {
            let name = name.to_str()?.to_owned();
            let suffix = name.strip_prefix(PREFIX).filter(|_| !known_names.contains(&name.as_str()))?;
            // Kubernetes sets variables with the same prefix, such as CHATDOUBLE_PORT_9991_TCP.
            let nearest =
                similar_name(suffix, &suffixes).filter(|nearest| nearest.len().abs_diff(suffix.len()) <= 2)?;
            Some(format!("warning: there is no variable {name}; did you mean {PREFIX}{nearest}?"))
        })
        .collect();
    warnings.sort_unstable();
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_variables_get_a_suggestion() {
        let command = crate::cli::command();
        let names = ["CHATDOUBLE_CLOKC", "CHATDOUBLE_CLOCK", "CHATDOUBLE_URL", "CHATDOUBLE_PORT_9991_TCP", "PATH"];
        let warnings = misspelled_variable_warnings(&command, names.into_iter().map(OsString::from));
        assert_eq!(warnings, ["warning: there is no variable CHATDOUBLE_CLOKC; did you mean CHATDOUBLE_CLOCK?"]);
    }
}
