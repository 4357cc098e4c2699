//! What is wrong with a command line, in one line.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};
use std::ffi::OsString;

/// The command without the variables that are set to nothing: they count as unset, as tools that pass them on mean it.
pub(super) fn without_empty_variables(command: Command) -> Command {
    let is_empty = |arg: &Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    let forget = |arg: Arg| if is_empty(&arg) { arg.env(None::<&'static str>) } else { arg.hide_env_values(true) };
    command.mut_args(forget).mut_subcommands(without_empty_variables)
}

/// What is wrong, and what was perhaps meant.
pub(super) fn fault(error: &Error, command: &Command, arguments: &[OsString]) -> String {
    let named = arguments.get(1).and_then(|argument| argument.to_str());
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        && let Some(group) = named.and_then(|name| command.find_subcommand(name))
    {
        let name = group.get_name();
        let takes: Vec<&str> = group.get_subcommands().map(Command::get_name).filter(|one| *one != "help").collect();
        let takes = match takes.as_slice() {
            [several @ .., last] if !several.is_empty() => format!("{} or {last}", several.join(", ")),
            few => few.concat(),
        };
        return format!("{name} takes {takes}; see 'chatdouble {name} --help'");
    }
    let text = one_line(&error.to_string());
    match meant(error) {
        Some(meant) => format!("{text}; did you mean '{meant}'?"),
        None if named == Some("exec") && is_plain_word(error) => {
            format!("{text}; put -- before the command: chatdouble exec -- COMMAND")
        }
        None => text,
    }
}

/// The option or command that is most like the one that there is not: the last of several.
fn meant(error: &Error) -> Option<&str> {
    [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue].into_iter().find_map(
        |kind| match error.get(kind)? {
            ContextValue::String(one) => Some(one.as_str()),
            ContextValue::Strings(several) => several.last().map(String::as_str),
            _ => None,
        },
    )
}

/// Whether a word that is no option is where none is taken.
fn is_plain_word(error: &Error) -> bool {
    let invalid = error.get(ContextKind::InvalidArg);
    error.kind() == ErrorKind::UnknownArgument
        && matches!(invalid, Some(ContextValue::String(word)) if !word.starts_with('-'))
}

/// The part of a message of several lines that says what is wrong.
fn one_line(message: &str) -> String {
    let first = message.split("\n\n").next().unwrap_or(message);
    let text = first.split_whitespace().collect::<Vec<_>>().join(" ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}
