//! `chatdouble levels`: lists what each feature level changed.

use super::CliError;
use super::output::{eprint_line, print_line};
use crate::api::NEWEST_FEATURE_LEVEL;
use crate::level::{ListedChange, list_changes};
use clap::Args;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "For example:\n\n  chatdouble levels --between 387 421\n  chatdouble levels --from 500 --json")]
pub struct Levels {
    /// Only changes between two levels: above FROM, up to TO
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    between: Option<Vec<i64>>,

    /// Only changes of this level and above
    #[arg(long, value_name = "LEVEL", conflicts_with = "between")]
    from: Option<i64>,

    /// Only changes up to this level
    #[arg(long, value_name = "LEVEL", conflicts_with = "between")]
    to: Option<i64>,

    /// Print one JSON document instead of a table
    #[arg(long)]
    json: bool,
}

pub fn run(levels: &Levels) -> Result<ExitCode, CliError> {
    let mut changes = list_changes();
    if let Some([from, to]) = levels.between.as_deref() {
        if from > to {
            return Err(CliError::usage(format!("--between takes the older level first, not {from} {to}")));
        }
        changes.retain(|change| change.level > *from && change.level <= *to);
    }
    if let (Some(from), Some(to)) = (levels.from, levels.to)
        && from > to
    {
        return Err(CliError::usage(format!("--from is no newer than --to, not {from} and {to}")));
    }
    changes.retain(|change| levels.from.is_none_or(|from| change.level >= from));
    changes.retain(|change| levels.to.is_none_or(|to| change.level <= to));
    if changes.is_empty() && !levels.json {
        eprint_line(format_args!("there is no change in this range; the newest level is {NEWEST_FEATURE_LEVEL}"));
        return Ok(ExitCode::SUCCESS);
    }
    let text = if levels.json {
        serde_json::to_string_pretty(&changes).map_err(CliError::internal)?
    } else {
        format_lines(&changes)
    };
    print_line(text.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

fn format_lines(changes: &[ListedChange]) -> String {
    let format_line = |ListedChange { level, on, change, known_by }: &ListedChange| {
        format!("{level:>4}  {on}: {change} ({known_by})\n")
    };
    changes.iter().map(format_line).collect()
}
