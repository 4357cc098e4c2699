//! Error messages for wrong command lines, one line each.

use crate::json_diagnostic::similar_name;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use std::ffi::OsString;

/// The message of an error in one line, with a suggestion if there is one.
pub(super) fn error_message(error: &Error, command: &Command, arguments: &[OsString]) -> String {
    let first_argument = arguments.get(1).and_then(|argument| argument.to_str());
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        && let Some(group) = first_argument.and_then(|name| command.find_subcommand(name))
    {
        let name = group.get_name();
        let subcommand_names: Vec<&str> =
            group.get_subcommands().map(Command::get_name).filter(|name| *name != "help").collect();
        let subcommands_text = match subcommand_names.as_slice() {
            [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            names => names.concat(),
        };
        return format!("{name} takes {subcommands_text}; see 'chatdouble {name} --help'");
    }
    let text = replace_number_errors(&to_one_line(&error.to_string()));
    if error.kind() == ErrorKind::ArgumentConflict {
        return name_variables(text, command, arguments);
    }
    if let Some(hint) = hint(error, command, first_argument) {
        return format!("{text}; {hint}");
    }
    match suggestion(error) {
        Some(suggestion) => format!("{text}; did you mean '{suggestion}'?"),
        None if first_argument == Some("exec") && is_unexpected_positional(error) => {
            format!("{text}; put -- before the command: chatdouble exec -- COMMAND")
        }
        None => text,
    }
}

/// Words that are not commands, with the command that the user probably wants.
const SYNONYMS: &[(&[&str], &str)] = &[
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

/// A hint that the parser of arguments does not give: for synonyms of commands, for some misspelled subcommands, and
/// for some arguments of which it is known what the user probably wants.
fn hint(error: &Error, command: &Command, first_argument: Option<&str>) -> Option<String> {
    let context_text = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    if let Some(unknown_command) = context_text(ContextKind::InvalidSubcommand) {
        let unknown_command = unknown_command.to_lowercase();
        let synonym = SYNONYMS.iter().find(|(words, _)| words.contains(&unknown_command.as_str()));
        let Some((_, suggestion)) = synonym else {
            return similar_subcommand(error, command, first_argument, &unknown_command);
        };
        // The build may lack the command.
        let command_name = suggestion.split(' ').next().unwrap_or(suggestion);
        return command.find_subcommand(command_name).map(|_| format!("did you mean '{suggestion}'?"));
    }
    let argument = context_text(ContextKind::InvalidArg)?;
    let is_number = !argument.is_empty() && argument.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match first_argument {
        Some("levels") if is_number && is_unexpected_positional(error) => {
            Some(format!("give levels with --from {argument}, --to LEVEL or --between FROM TO"))
        }
        Some("scenario") if ["--fixture", "--feature-level", "--clock", "--seed", "--dialect"].contains(&argument) => {
            Some("a scenario names it in its `world` block; see docs/scenarios.md".to_owned())
        }
        None | Some("serve") if argument == "--level" => Some("did you mean '--feature-level'?".to_owned()),
        None | Some("serve")
            if is_unexpected_positional(error)
                && command.find_subcommand(argument).is_some_and(|subcommand| !subcommand.is_hide_set()) =>
        {
            Some(format!("put options after the command: chatdouble {argument} [OPTIONS]"))
        }
        Some(option) if option.starts_with('-') && argument == "--level" => {
            Some("did you mean '--feature-level'?".to_owned())
        }
        _ => None,
    }
}

/// A hint for a misspelled subcommand, where the parser of arguments has none: below another command, and after `help`.
fn similar_subcommand(
    error: &Error,
    command: &Command,
    first_argument: Option<&str>,
    unknown_command: &str,
) -> Option<String> {
    if suggestion(error).is_some() {
        return None;
    }
    let group = first_argument.and_then(|name| command.find_subcommand(name)).filter(|group| group.has_subcommands());
    let names: Vec<&str> = group.unwrap_or(command).get_subcommands().map(Command::get_name).collect();
    similar_name(unknown_command, &names).map(|nearest| format!("did you mean '{nearest}'?"))
}

/// Names the variable instead of an option that only the environment gives: nobody finds that option on the command
/// line.
fn name_variables(text: String, command: &Command, arguments: &[OsString]) -> String {
    let options: Vec<&str> =
        arguments.iter().filter_map(|argument| argument.to_str()).take_while(|argument| *argument != "--").collect();
    let is_given = |name: &str| {
        options.iter().any(|option| {
            option
                .strip_prefix("--")
                .and_then(|option| option.strip_prefix(name))
                .is_some_and(|end| end.is_empty() || end.starts_with('='))
        })
    };
    let subcommand = options.get(1).and_then(|name| command.find_subcommand(name));
    let options_of_command = subcommand.into_iter().flat_map(Command::get_arguments);
    options_of_command.fold(text, |text, option| {
        let variable_name =
            option.get_env().filter(|name| std::env::var_os(name).is_some()).and_then(|name| name.to_str());
        match variable_name.filter(|_| option.get_long().is_some_and(|name| !is_given(name))) {
            Some(variable_name) => {
                let replacement = format!("the variable {variable_name}");
                let name = option.to_string();
                let text = text.replace(&format!("the argument '{name}'"), &replacement);
                text.replace(&format!("'{name}'"), &replacement).replace(&name, &replacement)
            }
            None => text,
        }
    })
}

/// Replaces the standard library's errors for numbers with what the option accepts.
fn replace_number_errors(message: &str) -> String {
    [
        ("invalid digit found in string", "takes a whole number"),
        ("cannot parse integer from empty string", "takes a whole number"),
        ("number too large to fit in target type", "takes a smaller number"),
        ("number too small to fit in target type", "takes a larger number"),
        ("invalid float literal", "takes a number"),
    ]
    .into_iter()
    .fold(message.to_owned(), |message, (original, replacement)| message.replace(original, replacement))
}

/// The closest existing option, command or value, which is the last of clap's suggestions.
fn suggestion(error: &Error) -> Option<&str> {
    [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue].into_iter().find_map(
        |kind| match error.get(kind)? {
            ContextValue::String(text) => Some(text.as_str()),
            ContextValue::Strings(suggestions) => suggestions.last().map(String::as_str),
            _ => None,
        },
    )
}

/// Whether the error is an unexpected argument that is not an option.
fn is_unexpected_positional(error: &Error) -> bool {
    let invalid_argument = error.get(ContextKind::InvalidArg);
    error.kind() == ErrorKind::UnknownArgument
        && matches!(invalid_argument, Some(ContextValue::String(word)) if !word.starts_with('-'))
}

/// The first paragraph of a message, in one line and without `error: `.
fn to_one_line(message: &str) -> String {
    let first_paragraph = message.split("\n\n").next().unwrap_or(message);
    let text = first_paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_not_commands_but_suggest_commands() {
        let command = crate::cli::command();
        for (words, suggestion) in SYNONYMS {
            let mut path = suggestion.split(' ').take_while(|part| !part.starts_with('-'));
            let subcommand = path.try_fold(&command, |command, part| command.find_subcommand(part));
            assert!(subcommand.is_some() || suggestion.starts_with("mcp"), "{suggestion}");
            assert!(words.iter().all(|word| command.find_subcommand(word).is_none()), "{words:?}");
        }
    }
}
