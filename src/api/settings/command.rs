//! Slash commands, which change a setting of the caller's (A-144 in docs/assumptions.md).

use super::change_own_setting;
use crate::api::{Call, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

operation! {
    /// Carries out a slash command.
    pub RunCommand = POST "/zcommand", for Human;
    params {
        /// `/ping`, which does nothing; `/dark`, `/light`; `/fluid-width`, `/fixed-width`.
        command: String,
    }
    reply CommandReply;
    errors [CommandWithoutSlash, NoSuchCommand];
    events [UserSettingsUpdate];
    message |reply| reply.message;
}

/// The result of the command, in words.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct CommandReply {
    /// The `msg` of the reply.
    #[serde(skip)]
    message: &'static str,
}

impl Write for RunCommand {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<CommandReply, Error> {
        let command = params.command.strip_prefix('/').ok_or(Error::CommandWithoutSlash)?;
        if command == "ping" {
            return Ok(CommandReply { message: "" });
        }
        let name = match command {
            "night" if !call.has(Feature::DarkAndLight) => "dark",
            "day" if !call.has(Feature::DarkAndLight) => "light",
            "dark" | "light" if !call.has(Feature::DarkAndLight) => "",
            command => command,
        };
        let meaning = meaning(name).ok_or_else(|| Error::NoSuchCommand { command: command.into() })?;
        let user = call.caller().id;
        if *tx.user_state(user).setting_named(meaning.setting) == meaning.value {
            return Ok(CommandReply { message: meaning.unchanged });
        }

        change_own_setting(tx, user, meaning.setting, meaning.value);
        Ok(CommandReply { message: meaning.changed })
    }
}

/// What a command does.
struct Meaning {
    /// The setting that it changes.
    setting: &'static str,
    /// The setting's value from then on.
    value: Value,
    /// What is said where it changed.
    changed: &'static str,
    /// What is said where it was so already.
    unchanged: &'static str,
}

fn meaning(command: &str) -> Option<Meaning> {
    let (setting, value, changed, unchanged) = match command {
        "dark" => (
            "color_scheme",
            json!(2),
            "Changed to dark theme! To revert dark theme, type `/light`.",
            "You are still in dark theme.",
        ),
        "light" => (
            "color_scheme",
            json!(3),
            "Changed to light theme! To revert light theme, type `/dark`.",
            "You are still in light theme.",
        ),
        "fluid-width" => (
            "fluid_layout_width",
            json!(true),
            "Changed to fluid-width mode! To revert fluid-width mode, type `/fixed-width`.",
            "You are still in fluid width mode.",
        ),
        "fixed-width" => (
            "fluid_layout_width",
            json!(false),
            "Changed to fixed-width mode! To revert fixed-width mode, type `/fluid-width`.",
            "You are still in fixed width mode.",
        ),
        _ => return None,
    };
    Some(Meaning { setting, value, changed, unchanged })
}
