//! Slash commands, which change a setting of the caller's (A-144 in docs/assumptions.md).

use super::change_own_setting;
use crate::api::parameter::parameters;
use crate::api::{About, Access, Call, Operation, Route, Success, Write};
use crate::error::Error;
use crate::realm::change::Tx;
use serde_json::{Value, json};

/// POST /zcommand
pub struct RunCommand;

parameters! {
    /// The command.
    pub struct RunCommandParams {
        /// `/ping`, which does nothing; `/dark` or `/night`, `/light` or `/day`; `/fluid-width`, `/fixed-width`.
        command: String,
    }
}

impl Operation for RunCommand {
    const ROUTE: Route = Route::post("/zcommand");
    const ACCESS: Access = Access::Human;
    const ABOUT: About = About {
        summary: "Carries out a slash command.",
        since: 0,
        is_specified: false,
        errors: &["CommandWithoutSlash", "NoSuchCommand"],
        events: &["user_settings update"],
    };
    type Params = RunCommandParams;
    type Reply = Success;
}

impl Write for RunCommand {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let command = params.command.strip_prefix('/').ok_or(Error::CommandWithoutSlash)?;
        if command == "ping" {
            return Ok(Success {});
        }
        let (name, value) = meaning(command).ok_or_else(|| Error::NoSuchCommand { command: command.into() })?;

        change_own_setting(tx, call.caller().id, name, value);
        Ok(Success {})
    }
}

/// The setting that a command changes, and its value.
fn meaning(command: &str) -> Option<(&'static str, Value)> {
    match command {
        "dark" | "night" => Some(("color_scheme", json!(2))),
        "light" | "day" => Some(("color_scheme", json!(3))),
        "fluid-width" => Some(("fluid_layout_width", json!(true))),
        "fixed-width" => Some(("fluid_layout_width", json!(false))),
        _ => None,
    }
}
