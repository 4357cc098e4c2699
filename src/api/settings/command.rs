//! Slash commands: `/ping`, and those that change a setting of the caller (A-144 in docs/assumptions.md).

use super::change_own_setting;
use crate::api::{OperationContext, Write, operation};
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
        /// `/ping`, which does nothing, `/dark`, `/light`, `/fluid-width` or `/fixed-width`.
        command: String,
    }
    reply CommandReply;
    errors [CommandWithoutSlash, NoSuchCommand];
    events [UserSettingsUpdate];
    message |reply| reply.message;
}

/// No data: `msg` tells the result in words.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct CommandReply {
    /// The `msg` of the reply.
    #[serde(skip)]
    message: &'static str,
}

impl Write for RunCommand {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<CommandReply, Error> {
        let command = params.command.strip_prefix('/').ok_or(Error::CommandWithoutSlash)?;
        if command == "ping" {
            return Ok(CommandReply { message: "" });
        }
        // Older levels call the themes night and day, and don't know the newer names.
        let name = match command {
            "night" if !context.has(Feature::DarkAndLightCommands) => "dark",
            "day" if !context.has(Feature::DarkAndLightCommands) => "light",
            "dark" | "light" if !context.has(Feature::DarkAndLightCommands) => "",
            command => command,
        };
        let effect = command_effect(name).ok_or_else(|| Error::NoSuchCommand { command: command.into() })?;
        let user = context.caller().id;
        if *tx.user_state(user).setting_named(effect.setting) == effect.value {
            return Ok(CommandReply { message: effect.message_if_unchanged });
        }

        change_own_setting(tx, user, effect.setting, effect.value);
        Ok(CommandReply { message: effect.message_if_changed })
    }
}

/// The setting that a command changes, its new value, and the replies.
struct CommandEffect {
    setting: &'static str,
    value: Value,
    message_if_changed: &'static str,
    message_if_unchanged: &'static str,
}

fn command_effect(command: &str) -> Option<CommandEffect> {
    let (setting, value, message_if_changed, message_if_unchanged) = match command {
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
    Some(CommandEffect { setting, value, message_if_changed, message_if_unchanged })
}
