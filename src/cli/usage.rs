//! What is wrong with a command line, in one line.

use crate::json_diagnostic::nearest;
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
    let text = in_plain_words(&one_line(&error.to_string()));
    if let Some(advice) = advice(error, command, named) {
        return format!("{text}; {advice}");
    }
    match meant(error) {
        Some(meant) => format!("{text}; did you mean '{meant}'?"),
        None if named == Some("exec") && is_plain_word(error) => {
            format!("{text}; put -- before the command: chatdouble exec -- COMMAND")
        }
        None => text,
    }
}

/// What does what a word promises that is no command.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (&["organization", "organisation", "org", "realm", "import", "export", "from"], "fixture from"),
    (&["generate"], "fixture generate"),
    (&["check", "validate", "lint"], "fixture check"),
    (&["run", "play"], "scenario run"),
    (&["record", "proxy"], "scenario record"),
    (&["chaos", "fuzz"], "exec --chaos"),
    (&["fault", "faults"], "exec --faults"),
    (&["report", "findings"], "exec --report"),
    (&["test", "with", "wrap"], "exec"),
    (&["start", "server", "up"], "serve"),
    (&["diff"], "compare"),
    (&["tail", "log", "logs", "live"], "watch"),
    (&["ping", "status"], "health"),
    (&["agent", "agents", "tools"], "mcp"),
];

/// What was perhaps meant where the spelling alone does not say it.
fn advice(error: &Error, command: &Command, named: Option<&str>) -> Option<String> {
    let word = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    if let Some(unknown) = word(ContextKind::InvalidSubcommand) {
        let unknown = unknown.to_lowercase();
        let (_, meant) = ELSEWHERE.iter().find(|(words, _)| words.contains(&unknown.as_str()))?;
        // A build without some commands does not name them.
        let first = meant.split(' ').next().unwrap_or(meant);
        return command.find_subcommand(first).map(|_| format!("did you mean '{meant}'?"));
    }
    let argument = word(ContextKind::InvalidArg)?;
    let is_number = !argument.is_empty() && argument.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match named {
        Some("levels") if is_number && is_plain_word(error) => {
            Some(format!("give levels with --from {argument}, --to LEVEL or --between FROM TO"))
        }
        None | Some("serve") if argument == "--level" => Some("did you mean '--feature-level'?".to_owned()),
        Some(option) if option.starts_with('-') && argument == "--level" => {
            Some("did you mean '--feature-level'?".to_owned())
        }
        _ => None,
    }
}

/// A message in which the words of the library for numbers say what is taken.
fn in_plain_words(message: &str) -> String {
    [
        ("invalid digit found in string", "takes a whole number"),
        ("cannot parse integer from empty string", "takes a whole number"),
        ("number too large to fit in target type", "takes a smaller number"),
        ("number too small to fit in target type", "takes a larger number"),
        ("invalid float literal", "takes a number"),
    ]
    .into_iter()
    .fold(message.to_owned(), |message, (said, meant)| message.replace(said, meant))
}

/// Variables that are read elsewhere than by an option: by clients, by helpers, and by this program for accounts.
const OTHER_VARIABLES: &[&str] =
    &["CHATDOUBLE_URL", "CHATDOUBLE_API_KEY", "CHATDOUBLE_BINARY", "CHATDOUBLE_LEVEL", "CHATDOUBLE_TLS_CA"];

/// What is said of variables of the environment that are misspelt.
pub(super) fn misspelt_variables(command: &Command, names: impl Iterator<Item = OsString>) -> Vec<String> {
    const PREFIX: &str = "CHATDOUBLE_";
    let all = std::iter::once(command).chain(command.get_subcommands());
    let options = all.flat_map(Command::get_arguments).filter_map(|arg| arg.get_env()?.to_str());
    let known: Vec<&str> = options.chain(OTHER_VARIABLES.iter().copied()).collect();
    let endings: Vec<&str> = known.iter().filter_map(|name| name.strip_prefix(PREFIX)).collect();
    let mut misspelt: Vec<String> = names
        .filter_map(|name| {
            let name = name.to_str()?.to_owned();
            let ending = name.strip_prefix(PREFIX).filter(|_| !known.contains(&name.as_str()))?;
            // Clusters set variables that only begin like ours, such as CHATDOUBLE_PORT_9991_TCP.
            let nearest = nearest(ending, &endings).filter(|nearest| nearest.len().abs_diff(ending.len()) <= 2)?;
            Some(format!("warning: there is no variable {name}; did you mean {PREFIX}{nearest}?"))
        })
        .collect();
    misspelt.sort_unstable();
    misspelt
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_are_almost_right_are_named_with_the_right_one() {
        let command = crate::cli::command();
        let names = ["CHATDOUBLE_CLOKC", "CHATDOUBLE_CLOCK", "CHATDOUBLE_URL", "CHATDOUBLE_PORT_9991_TCP", "PATH"];
        let said = misspelt_variables(&command, names.into_iter().map(OsString::from));
        assert_eq!(said, ["warning: there is no variable CHATDOUBLE_CLOKC; did you mean CHATDOUBLE_CLOCK?"]);
    }

    #[test]
    fn what_words_promise_is_a_command() {
        let command = crate::cli::command();
        for (words, meant) in ELSEWHERE {
            let mut path = meant.split(' ').take_while(|part| !part.starts_with('-'));
            let found = path.try_fold(&command, |command, part| command.find_subcommand(part));
            assert!(found.is_some() || meant.starts_with("mcp"), "{meant}");
            assert!(words.iter().all(|word| command.find_subcommand(word).is_none()), "{words:?}");
        }
    }
}
