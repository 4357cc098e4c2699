//! Runs a scenario: creates its worlds, plays it at each level, or skips it.

use super::block::{Block, BlockKind};
use super::document::{Document, Scenario};
use super::mistake::line_of;
use super::mode::Mode;
use super::outcome::{Difference, Outcome};
use super::play::Player;
use super::stage::Stage;
use super::world_setup::WorldSetup;

/// Runs a scenario of a document at the feature level of the server, and with control also at the lowest level from
/// which it holds, unless its `world` block sets the level. Skips it if the server is too old, or lacks the control
/// that it needs.
pub async fn run(stage: &Stage, document: &Document, scenario: &Scenario, mode: Mode) -> Outcome {
    let blocks: Vec<&Block> = document.background.iter().chain(&scenario.blocks).collect();
    let setup = WorldSetup::merge(blocks.iter().filter_map(|block| block.world_setup()));
    if !stage.has_control() {
        let requirement = match blocks.iter().any(|block| matches!(block.kind, BlockKind::Control(..))) {
            _ if !setup.options.is_empty() => {
                Some(("a world made for it", "; without its `world` block, it is played in the organization there"))
            }
            true => Some(("control of the world", "")),
            false => None,
        };
        if let Some((requirement, remedy)) = requirement {
            return Outcome::Skipped(format!("needs {requirement}, which this server does not give{remedy}"));
        }
    }
    let server_level = match stage.read_level().await {
        Ok(level) => level,
        Err(reason) => return failed_outcome(scenario.line, reason),
    };
    if let Some(lowest_level) = setup.from_level.filter(|lowest_level| *lowest_level > server_level) {
        return Outcome::Skipped(format!("holds from feature level {lowest_level} on; this server has {server_level}"));
    }
    // A server without control has only one level.
    let levels = if stage.has_control() { setup.levels(server_level) } else { vec![server_level] };
    for level in levels {
        let outcome = run_at(stage, document, scenario, level, &setup, &blocks, mode).await;
        match outcome {
            Outcome::Passed => {}
            Outcome::Differs(differences) if level != server_level => {
                return Outcome::Differs(mark_level_difference(level, differences, mode));
            }
            other => return other,
        }
    }
    Outcome::Passed
}

/// The feature level that a scenario's `world` blocks set. None if they set none.
pub fn level_in_world_blocks(stage: &Stage, document: &Document, scenario: &Scenario) -> Option<i64> {
    let blocks = document.background.iter().chain(&scenario.blocks);
    let setup = WorldSetup::merge(blocks.filter_map(Block::world_setup));
    let (_, text) = setup.options.iter().rfind(|(name, _)| name == "feature_level")?;
    if text == "newest" { stage.newest_level() } else { text.parse().ok() }
}

fn failed_outcome(line: usize, reason: String) -> Outcome {
    Outcome::Failed(Difference { line, message: reason, edits: Vec::new() })
}

/// Keeps only the first difference, and marks it as one at an older level. If the file is being updated, the edits
/// of the difference are removed, because they would not match the level of the server.
fn mark_level_difference(level: i64, mut differences: Vec<Difference>, mode: Mode) -> Vec<Difference> {
    differences.truncate(1);
    for difference in &mut differences {
        difference.message = format!("at feature level {level}, from which it should hold: {}", difference.message);
        if mode != Mode::Check {
            difference.edits.clear();
        }
    }
    differences
}

/// Runs a scenario in a world at one level.
async fn run_at(
    stage: &Stage,
    document: &Document,
    scenario: &Scenario,
    level: i64,
    setup: &WorldSetup,
    blocks: &[&Block],
    mode: Mode,
) -> Outcome {
    let world_block = blocks.iter().find(|block| block.world_setup().is_some());
    let line = world_block.map_or(scenario.line, |block| line_of(&document.text, block.range.start));
    let world = match stage.make_world(level, &setup.options, &document.path).await {
        Ok(world) => world,
        Err(reason) => return failed_outcome(line, reason),
    };
    let mut outcome = match Player::new(stage, document, &world, mode).await {
        Ok(mut player) => player.play(blocks).await,
        Err(reason) => failed_outcome(scenario.line, reason),
    };
    if let (Outcome::Passed, Some(violation)) = (&outcome, stage.first_violation(&world).await) {
        let message = format!("the world is broken: {violation}");
        outcome = Outcome::Differs(vec![Difference { line: scenario.line, message, edits: Vec::new() }]);
    }
    stage.end_world(&world).await;
    outcome
}
