//! Running a scenario: in which worlds it is played, and where it can't be.

use super::block::{Block, Kind};
use super::document::{Document, Scenario};
use super::founding::Founding;
use super::mistake::line_of;
use super::play::{Difference, Mode, Outcome, Player};
use super::stage::Stage;

/// Plays a scenario of a document: at the newest level, and at the first at which it says that it holds.
pub async fn play(stage: &Stage, document: &Document, scenario: &Scenario, mode: Mode) -> Outcome {
    let blocks: Vec<&Block> = document.background.iter().chain(&scenario.blocks).collect();
    let founding = Founding::together(blocks.iter().filter_map(|block| block.world()));
    if !stage.has_control() {
        let needed = match blocks.iter().any(|block| matches!(block.kind, Kind::Control(..))) {
            _ if !founding.options.is_empty() => Some("a world made for it"),
            true => Some("control of the world"),
            false => None,
        };
        if let Some(why) = needed {
            return Outcome::Skipped(format!("needs {why}, which this server does not give"));
        }
    }
    let newest = match stage.level().await {
        Ok(level) => level,
        Err(what) => return differs_at(scenario.line, what),
    };
    if let Some(first) = founding.from_level.filter(|first| *first > newest) {
        return Outcome::Skipped(format!("holds from feature level {first} on; this server has {newest}"));
    }
    // On a server without control there is one level to play at.
    let levels = if stage.has_control() { founding.levels(newest) } else { vec![newest] };
    for level in levels {
        let outcome = play_at(stage, document, scenario, (level, &founding, &blocks), mode).await;
        match outcome {
            Outcome::Played => {}
            Outcome::Differs(differences) if level != newest => {
                return Outcome::Differs(at_level(level, differences, mode));
            }
            other => return other,
        }
    }
    Outcome::Played
}

fn differs_at(line: usize, what: String) -> Outcome {
    Outcome::Differs(vec![Difference { line, what, edits: Vec::new() }])
}

/// Differences at an older level. They are not rewritten: the newest level would differ then.
fn at_level(level: i64, mut differences: Vec<Difference>, mode: Mode) -> Vec<Difference> {
    differences.truncate(1);
    for difference in &mut differences {
        difference.what = format!("at feature level {level}, from which it should hold: {}", difference.what);
        if mode != Mode::Check {
            difference.edits.clear();
        }
    }
    differences
}

/// Plays a scenario in a world at one level.
async fn play_at(
    stage: &Stage,
    document: &Document,
    scenario: &Scenario,
    (level, founding, blocks): (i64, &Founding, &[&Block]),
    mode: Mode,
) -> Outcome {
    let line = blocks.iter().find(|block| block.world().is_some());
    let line = line.map_or(scenario.line, |block| line_of(&document.text, block.range.start));
    let world = match stage.make_world(level, &founding.options, &document.name).await {
        Ok(world) => world,
        Err(reason) => return differs_at(line, reason),
    };
    let mut outcome = match Player::new(stage, document, &world, mode).await {
        Ok(mut player) => player.play(blocks).await,
        Err(reason) => differs_at(scenario.line, reason),
    };
    if let (Outcome::Played, Some(violation)) = (&outcome, stage.violation(&world).await) {
        outcome = differs_at(scenario.line, format!("the world is broken: {violation}"));
    }
    stage.end_world(&world).await;
    outcome
}
