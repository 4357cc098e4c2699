//! Documents made from the tables: `docs/reference/`. A test fails when one is stale;
//! `CHATDOUBLE_UPDATE_DOCS=1 cargo test generated` updates them.

use chatdouble::api::{OPERATIONS, OperationRow};
use chatdouble::error::Error;
use chatdouble::openapi;
use chatdouble::openapi::meaning::MeaningTable;
use chatdouble::realm::permission::{
    CHANNEL_PERMISSIONS, DefaultHolder, GROUP_PERMISSIONS, PermissionSetting, REALM_PERMISSIONS,
};
use chatdouble::realm::setting::{REALM_SETTINGS, Setting, USER_SETTINGS};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

const NOTICE: &str =
    "<!-- Made from the tables in the code; `CHATDOUBLE_UPDATE_DOCS=1 cargo test generated` updates it. -->";

fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference").join(name);
    if std::env::var_os("CHATDOUBLE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).expect("the document can be written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/reference/{name} is stale: CHATDOUBLE_UPDATE_DOCS=1 cargo test generated");
}

#[test]
fn the_table_of_operations_is_up_to_date() {
    check("operations.md", &operations());
}

#[test]
fn defaults_are_documented_as_clients_send_them() {
    let code = operations().lines().filter(|line| line.contains("Default: ") && line.contains("::")).count();
    assert_eq!(code, 0, "see DEFAULTS_AS_SENT in src/openapi.rs");
}

#[test]
fn the_table_of_errors_is_up_to_date() {
    check("errors.md", &errors());
}

#[test]
fn the_tables_of_settings_are_up_to_date() {
    check("settings.md", &settings());
}

#[test]
fn the_table_of_levels_is_up_to_date() {
    check("levels.md", &levels());
}

#[test]
fn the_rules_of_the_report_are_up_to_date() {
    check("rules.md", &rules());
}

fn rules() -> String {
    let mut text = format!(
        "# Rules of the report\n\n{NOTICE}\n\nWhat [the report on clients](../report.md) finds. `chatdouble rules` prints the same.\n\n| rule | severity | what the client did |\n|---|---|---|\n"
    );
    for rule in chatdouble::report::rules::all() {
        let _ = writeln!(text, "| [{0}](#{0}) | {1} | {2} |", rule.name, rule.severity, rule.message("…"));
    }
    for rule in chatdouble::report::rules::all() {
        let until = rule.removed_in.map(|removed_in| format!(" to {}", removed_in - 1)).unwrap_or_default();
        let levels = if rule.since == 0 && until.is_empty() {
            "every level".to_owned()
        } else {
            format!("level {}{until} on", rule.since)
        };
        let _ = writeln!(
            text,
            "\n## {}\n\n{}, at {levels}: {}.\n\n- Why it hurts: {}\n- Instead: {}\n- For example: `{}`",
            rule.name,
            rule.severity,
            rule.message("…"),
            rule.why,
            rule.help,
            rule.example
        );
    }
    text
}

#[test]
fn the_commands_are_up_to_date() {
    check("commands.md", &commands());
}

fn commands() -> String {
    let mut text = format!(
        "# Commands\n\n{NOTICE}\n\nWhat the command line takes; [commands](../commands.md) explains exit statuses and how the server is found. An option\nwins over its variable; a switch's variable takes `1` or `true`. `--help` of each command says the same.\n"
    );
    let mut program = chatdouble::cli::command();
    program.build();
    for command in program.get_subcommands() {
        command_and_its_own(&mut text, "chatdouble", command);
    }
    text
}

/// A command with its arguments, and the commands below it. `help` and `--help` are everywhere and need no saying.
fn command_and_its_own(text: &mut String, above: &str, command: &clap::Command) {
    if command.get_name() == "help" || command.is_hide_set() {
        return;
    }
    let name = format!("{above} {}", command.get_name());
    let below: Vec<_> = command.get_subcommands().collect();
    if below.is_empty() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(text, "\n## {name}\n\n{about}.");
        let arguments: Vec<_> = command.get_arguments().filter(|argument| argument.get_id() != "help").collect();
        if !arguments.is_empty() {
            let _ = writeln!(text, "\n| argument | variable | default | |\n|---|---|---|---|");
            arguments.into_iter().for_each(|argument| argument_row(text, argument));
        }
    }
    below.into_iter().for_each(|command| command_and_its_own(text, &name, command));
}

fn argument_row(text: &mut String, argument: &clap::Arg) {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    // Defaults that depend on something are said in the help text.
    let (help, said) = match help.split_once(" [default: ") {
        Some((help, said)) => (help.to_owned(), said.trim_end_matches(']').to_owned()),
        None => (help, String::new()),
    };
    let takes_values = argument.get_action().takes_values();
    let given = argument.get_default_values().first().filter(|_| takes_values);
    let default = match given {
        Some(value) => format!("`{}`", value.to_string_lossy()),
        None if argument.is_required_set() => "required".to_owned(),
        None => said,
    };
    let variable = argument.get_env().map(|name| format!("`{}`", name.to_string_lossy())).unwrap_or_default();
    let way = format!("`{}`", spelt(argument)).replace('|', "\\|");
    let _ = writeln!(text, "| {way} | {variable} | {default} | {} |", help.replace('|', "\\|"));
}

/// An argument as it is on a command line.
fn spelt(argument: &clap::Arg) -> String {
    let names: Vec<&str> = argument.get_value_names().into_iter().flatten().map(|name| name.as_str()).collect();
    let takes_values = argument.get_action().takes_values();
    let several =
        if argument.is_positional() && matches!(argument.get_action(), clap::ArgAction::Append) { "…" } else { "" };
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let mut words: Vec<String> = vec![short.into_iter().chain(long).collect::<Vec<_>>().join(", ")];
    if argument.is_last_set() {
        words.push("--".to_owned());
    }
    if takes_values {
        words.push(format!("{}{several}", names.join(" ")));
    }
    words.join(" ").trim().to_owned()
}

fn levels() -> String {
    format!(
        "# Feature levels\n\n{NOTICE}\n\nEvery change that worlds at older levels undo, the newest first; [levels](../levels.md) explains. \"New\" marks\nwhat does not exist below the level. `chatdouble levels` prints the same. \"Known by\"\nsays where the level comes from ([following the API](../contributing/levels.md))\n\n{}",
        chatdouble::level::to_markdown_table(&chatdouble::level::list_changes())
    )
}

fn operations() -> String {
    let mut text = format!(
        "# Operations\n\n{NOTICE}\n\nEvery operation that is served, as it is at the newest feature level or was last, with neutral names. Paths are relative to `/api/v1`. Incoming webhook bots may call only the operations that name them, and those for anyone.\n"
    );
    let _ = writeln!(text, "\n| operation | for | since level |\n|---|---|---|");
    for row in OPERATIONS {
        let since = match (row.docs.since, row.removed_in) {
            (0, None) => "always".to_owned(),
            (since, None) => since.to_string(),
            (since, Some(until)) => format!("{since} to {}", until - 1),
        };
        let _ = writeln!(text, "| [{}](#{}) | {} | {since} |", way(row), anchor(row), row.access.description());
    }
    for row in OPERATIONS {
        operation(&mut text, row);
    }
    text
}

fn way(row: &OperationRow) -> String {
    format!("{} {}", row.route.method, row.route.path.replace("{*", "{"))
}

fn anchor(row: &OperationRow) -> String {
    way(row)
        .to_lowercase()
        .chars()
        .filter_map(|one| match one {
            ' ' => Some('-'),
            one if one.is_alphanumeric() || one == '_' || one == '-' => Some(one),
            _ => None,
        })
        .collect()
}

fn operation(text: &mut String, row: &OperationRow) {
    let _ = writeln!(text, "\n## {}\n\n{}", way(row), row.docs.summary);
    if !row.parameters.is_empty() {
        let _ = writeln!(text, "\n| parameter | in | type | | |\n|---|---|---|---|---|");
        for info in row.parameters {
            let place = match (info.is_in_path, row.route.method) {
                (true, _) => "path",
                (false, "GET") => "query",
                _ => "form",
            };
            let need = if info.is_in_path || info.is_required { "required" } else { "optional" };
            let mut generator = schemars::SchemaGenerator::default();
            let kind = kind(&(info.schema)(&mut generator).to_value());
            let _ = writeln!(
                text,
                "| `{}` | {place} | {kind} | {need} | {} |",
                info.name,
                openapi::parameter_description(info).replace('|', "\\|")
            );
        }
    }
    let mut generator = schemars::SchemaGenerator::default();
    let schema = (row.reply_schema)(&mut generator).to_value();
    let definitions = generator.take_definitions(true);
    let keys = reply_keys(&schema, &definitions);
    let _ = writeln!(text, "\nReply: {}.", if keys.is_empty() { "only success".to_owned() } else { keys.join(", ") });
    if row.route.path == "/register" {
        text.push_str("\nThe state, of which the reply has the part that `fetch_event_types` requests:\n\n| key | type | |\n|---|---|---|\n");
        for (key, schema) in openapi::register_reply_properties() {
            let meaning = schema["description"].as_str().unwrap_or_default().replace('|', "\\|");
            let _ = writeln!(text, "| `{key}` | {} | {meaning} |", kind(&schema));
        }
    }
    if !row.docs.errors.is_empty() {
        let errors: Vec<String> =
            row.docs.errors.iter().map(|kind| format!("[{}](errors.md)", kind.row().name)).collect();
        let _ = writeln!(text, "\nErrors, in the order in which they are checked: {}.", errors.join(", "));
    }
    if !row.docs.events.is_empty() {
        let events: Vec<String> = row.docs.events.iter().map(|kind| format!("`{}`", kind.text())).collect();
        let _ = writeln!(text, "\nEvents: {}.", events.join(", "));
    }
}

/// A value without the quotes of JSON.
fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A schema in a word or two.
fn kind(schema: &serde_json::Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words.iter().map(|word| format!("`{}`", plain(word))).collect();
        return words.join(" or ");
    }
    if let Some(branches) = schema["anyOf"].as_array() {
        let mut kinds: Vec<String> = branches.iter().map(kind).collect();
        kinds.dedup();
        return kinds.join(" or ");
    }
    if let Some(kinds) = schema["type"].as_array() {
        return kinds.iter().map(plain).collect::<Vec<_>>().join(" or ");
    }
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", kind(&schema["items"])),
        Some(other) => other.to_owned(),
        None if schema.get("const").is_some() => format!("`{}`", schema["const"]),
        None if schema.get("$ref").is_some() => {
            schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()).unwrap_or("any").to_owned()
        }
        None => "any".to_owned(),
    }
}

fn reply_keys(schema: &serde_json::Value, definitions: &serde_json::Map<String, serde_json::Value>) -> Vec<String> {
    let schema = match schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        Some(name) => definitions.get(name).unwrap_or(schema),
        None => schema,
    };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(|name| name.as_str()).collect();
    let keys = schema["properties"].as_object().into_iter().flatten();
    keys.map(|(name, _)| format!("`{name}`{}", if required.contains(&name.as_str()) { "" } else { " (may be absent)" }))
        .collect()
}

#[test]
fn no_code_is_empty_and_no_link_is_dead() {
    let text = operations();
    assert!(!text.contains("``") && !text.contains("` `"), "an empty code span");
    let mut anchors = BTreeSet::new();
    for heading in text.lines().filter_map(|line| line.strip_prefix("## ")) {
        // As the common renderers of Markdown make it.
        let kept = |one: &char| one.is_alphanumeric() || "-_ ".contains(*one);
        let anchor: String = heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-");
        assert!(anchors.insert(anchor), "two headings {heading}");
    }
    let links = text.split("](#").skip(1).filter_map(|rest| rest.split(')').next());
    for link in links {
        assert!(anchors.contains(link), "{link}");
    }
}

fn errors() -> String {
    let mut text = format!(
        "# Errors\n\n{NOTICE}\n\nA refused request changes nothing. Its reply has `result` = `error`, `msg`, `code` and, where listed, further fields.\n\n| error | status | code | message | further fields |\n|---|---|---|---|---|\n"
    );
    for row in Error::TABLE {
        let fields: Vec<String> = row.extra_fields.iter().map(|field| format!("`{field}`")).collect();
        let message = row.message.replace('|', "\\|");
        let _ =
            writeln!(text, "| {} | {} | `{}` | {message} | {} |", row.name, row.status, row.code, fields.join(", "));
    }
    text
}

fn settings() -> String {
    let mut text = format!("# Settings and permissions\n\n{NOTICE}\n");
    for (title, table, meanings) in [
        ("Users' settings", &*USER_SETTINGS, MeaningTable::UserSettings),
        ("The organization's settings (with `realm_` before them)", &*REALM_SETTINGS, MeaningTable::Organization),
    ] {
        let _ = writeln!(text, "\n## {title}\n\n| setting | default | |\n|---|---|---|");
        for Setting { name, default, .. } in table {
            let meaning = meanings.meaning(name).unwrap_or_default();
            let _ = writeln!(text, "| `{name}` | `{default}` | {meaning} |");
        }
    }
    for (title, table) in [
        ("Permissions of the organization (with `realm_` before them)", REALM_PERMISSIONS),
        ("Permissions of a channel", CHANNEL_PERMISSIONS),
        ("Permissions of a user group", GROUP_PERMISSIONS),
    ] {
        let _ = writeln!(text, "\n## {title}\n\n| permission | held by default by | not for |\n|---|---|---|");
        for row in table {
            let _ = writeln!(text, "| `{}` | {} | {} |", row.name, holder(row), refused(row));
        }
    }
    text
}

fn holder(row: &PermissionSetting) -> &'static str {
    match row.default {
        DefaultHolder::System(group) => group.name(),
        DefaultHolder::Creator => "its creator",
    }
}

fn refused(row: &PermissionSetting) -> String {
    let mut refused = Vec::new();
    if !row.allow_internet {
        refused.push("role:internet");
    }
    if !row.allow_everyone {
        refused.push("role:everyone");
    }
    if !row.allow_nobody {
        refused.push("role:nobody");
    }
    refused.extend(row.refused_group.map(|group| group.name()));
    refused.join(", ")
}

/// Operations that would end or change accounts if a server did not refuse what is sent.
const NOT_PROBED: [&str; 6] = ["deactivate", "regenerate", "export", "fetch_api_key", "/tus", "/json"];

#[test]
fn the_probes_of_refusals_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/probes/refusals.md");
    let text = refusals();
    if std::env::var_os("CHATDOUBLE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).expect("the file can be written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "scenarios/probes/refusals.md is stale: CHATDOUBLE_UPDATE_DOCS=1 cargo test generated");
}

/// A probe for each operation with required parameters: each is left out, and each that is JSON is malformed.
fn refusals() -> String {
    let mut text = format!(
        "# Probes: missing and malformed parameters\n\n{NOTICE}\n\nProbes of `chatdouble compare`: each required parameter of each operation is left out, or is no JSON.\n"
    );
    let is_probed = |row: &&OperationRow| !NOT_PROBED.iter().any(|part| row.route.path.contains(part));
    for row in OPERATIONS.iter().filter(|row| row.removed_in.is_none()).filter(is_probed) {
        let needed = crate::every_operation::required(row);
        if needed.is_empty() || row.access == chatdouble::api::Access::Bot {
            continue;
        }
        let path = crate::every_operation::path_of(row)
            .replace("/1", "/999999")
            .replace("mel%40chat.test", "nobody%40example.com");
        let _ = writeln!(text, "\n## {}\n", way(row));
        let mut request = |changed: &str, value: Option<&str>| {
            let _ = writeln!(text, "```request\nadam: {} {path}", row.route.method);
            for (name, example) in &needed {
                match value {
                    _ if name != changed => {
                        let _ = writeln!(text, "{name}: {}", plain(example));
                    }
                    Some(value) => {
                        let _ = writeln!(text, "{name}: {value}");
                    }
                    None => {}
                }
            }
            text += "```\n";
        };
        for name in needed.keys() {
            request(name, None);
            if row.parameters.iter().any(|info| info.name == name && info.is_json) {
                request(name, Some("{malformed"));
            }
        }
    }
    text
}
