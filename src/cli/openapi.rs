//! `chatdouble openapi`: prints the OpenAPI document of the API, or that of control.

use super::CliError;
use super::output::print_line;
use super::serve::{load_dialect, parse_feature_level};
use crate::api::NEWEST_FEATURE_LEVEL;
use clap::Args;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "For example:\n\n  chatdouble openapi --dialect zulip > openapi.json")]
pub struct Openapi {
    /// The document of /control instead, whose names are the same in every dialect
    #[arg(long)]
    control: bool,

    /// Names in the document: neutral, zulip, or a file that maps neutral names to a vendor's
    #[arg(long, value_name = "NAME|FILE", default_value = "neutral")]
    dialect: String,

    /// Feature level of the document, or newest [default: the newest]
    #[arg(long, value_name = "N", value_parser = parse_feature_level, conflicts_with = "control")]
    feature_level: Option<i64>,
}

pub fn run(openapi: &Openapi) -> Result<ExitCode, CliError> {
    let dialect = load_dialect(&openapi.dialect)?;
    let document = if openapi.control {
        crate::control::openapi::control_document()
    } else {
        let level = openapi.feature_level.unwrap_or(NEWEST_FEATURE_LEVEL);
        crate::openapi::document_at(level, &dialect)
    };
    print_line(format_args!("{document:#}"))?;
    Ok(ExitCode::SUCCESS)
}
