//! The environment variables of options: empty ones are ignored, and misspelled ones cause warnings.

use crate::json_diagnostic::similar_name;
use clap::{Arg, Command};
use std::ffi::OsString;

const PREFIX: &str = "CHATDOUBLE_";
/// The variable with the URL of the server, which `exec` sets for its command.
pub(super) const URL_VARIABLE: &str = "CHATDOUBLE_URL";
/// The variable with the feature level of the default world, which `exec` sets for its command. No option reads it.
pub(super) const LEVEL_VARIABLE: &str = "CHATDOUBLE_LEVEL";
/// What to use instead of [`LEVEL_VARIABLE`] to choose a level.
const LEVEL_SUGGESTION: &str = "did you mean CHATDOUBLE_FEATURE_LEVEL, or exec --levels?";

/// Variables that are known even if no option reads them: those of clients, of helper libraries, and of accounts.
const OTHER_VARIABLES: &[&str] =
    &[URL_VARIABLE, "CHATDOUBLE_API_KEY", "CHATDOUBLE_BINARY", LEVEL_VARIABLE, "CHATDOUBLE_TLS_CA"];

/// Prepares the environment variables of the options. Empty ones are removed, since tools that forward variables set
/// those that are missing to an empty value. Help does not show the values of the others.
pub(super) fn prepare_variables(command: Command) -> Command {
    let is_empty = |arg: &Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    let prepare = |arg: Arg| if is_empty(&arg) { arg.env(None::<&'static str>) } else { arg.hide_env_values(true) };
    command.mut_args(prepare).mut_subcommands(prepare_variables)
}

/// The warnings for environment variables that look like misspelled variables of this program.
pub(super) fn misspelled_variable_warnings(command: &Command, names: impl Iterator<Item = OsString>) -> Vec<String> {
    let commands = std::iter::once(command).chain(command.get_subcommands());
    let options = commands.flat_map(Command::get_arguments).filter_map(|arg| arg.get_env()?.to_str());
    let known_names: Vec<&str> = options.chain(OTHER_VARIABLES.iter().copied()).collect();
    let suffixes: Vec<&str> = known_names.iter().filter_map(|name| name.strip_prefix(PREFIX)).collect();
    let mut warnings: Vec<String> = names
        .filter_map(|name| {
            let name = name.to_str()?.to_owned();
            let suffix = name.strip_prefix(PREFIX).filter(|_| !known_names.contains(&name.as_str()))?;
            // Lengths may differ by two at most, because Kubernetes sets variables with the same prefix, such as
            // CHATDOUBLE_PORT_9991_TCP.
            let nearest =
                similar_name(suffix, &suffixes).filter(|nearest| nearest.len().abs_diff(suffix.len()) <= 2)?;
            let nearest = format!("{PREFIX}{nearest}");
            Some(if nearest == LEVEL_VARIABLE {
                format!("warning: there is no variable {name}; {LEVEL_SUGGESTION}")
            } else {
                format!("warning: there is no variable {name}; did you mean {nearest}?")
            })
        })
        .collect();
    warnings.sort_unstable();
    warnings
}

/// The warning for a command that starts a server whose level is not given, if the user expects the level from
/// [`LEVEL_VARIABLE`]. The command of `exec` has that variable on purpose, together with [`URL_VARIABLE`].
pub(super) fn level_variable_warning() -> Option<String> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    (is_set(LEVEL_VARIABLE) && !is_set(URL_VARIABLE))
        .then(|| format!("warning: {LEVEL_VARIABLE} does not choose the level of the server; {LEVEL_SUGGESTION}"))
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
