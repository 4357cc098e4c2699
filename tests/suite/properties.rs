//! What holds for every sequence of requests: drawn by chance, by users of all roles, with jumps of the clock.
//!
//! A failure prints the shortest sequence that was found, as a story, and is kept in `tests/proptest-regressions/` to be
//! tried first from then on. `CHATDOUBLE_SOAK=1` (`just soak`) plays many more and longer ones.

mod draw;
mod play;
mod watch;

use play::Play;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestError, TestRunner};
use watch::{WATCHERS, Watcher};

fn is_soak() -> bool {
    std::env::var_os("CHATDOUBLE_SOAK").is_some()
}

/// Plays sequences until one breaks `law`.
fn hold(name: &'static str, (cases, length): (u32, usize), law: impl Fn(&mut Play, &[u64]) -> Result<(), String>) {
    let (cases, length) = if is_soak() { (cases * 50, length * 3) } else { (cases, length) };
    let file: &'static str =
        Box::leak(format!("{}/tests/proptest-regressions/{name}.txt", env!("CARGO_MANIFEST_DIR")).into_boxed_str());
    let config = Config {
        cases,
        max_shrink_iters: 400,
        // Every quick run draws the same sequences: a change is never blamed for what another day would have drawn.
        rng_seed: if is_soak() { RngSeed::Random } else { RngSeed::Fixed(1) },
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(file))),
        ..Config::default()
    };
    let steps = vec(any::<u64>().no_shrink(), 1..length);
    let outcome = TestRunner::new(config).run(&steps, |steps| {
        let mut play = Play::new(7);
        law(&mut play, &steps).map_err(|fault| {
            let story = play.story.join("\n");
            TestCaseError::fail(format!("{fault}\n\nafter\n{story}\n"))
        })
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(reason, steps)) => panic!("{reason}\nsteps: {steps:?}"),
        Err(TestError::Abort(reason)) => panic!("given up: {reason}"),
    }
}

#[test]
fn refused_requests_and_reads_change_nothing_and_every_step_keeps_the_invariants() {
    hold("steps", (60, 60), |play, steps| steps.iter().try_for_each(|step| play.step(*step)));
}

#[test]
fn registering_and_folding_the_events_equals_registering_later() {
    hold("folding", (30, 40), |play, steps| {
        let mut watchers = Vec::new();
        for (index, handle) in WATCHERS.into_iter().enumerate() {
            for understands in [true, false] {
                let is_eager = (index + usize::from(understands)).is_multiple_of(2);
                watchers.push(Watcher::new(play, handle, understands, is_eager));
            }
        }
        for step in steps {
            play.step(*step)?;
            if step % 5 == 0 {
                watchers.iter_mut().filter(|watcher| watcher.is_eager).try_for_each(|one| one.poll(play))?;
            }
        }
        watchers.iter_mut().try_for_each(|watcher| watcher.compare(play))
    });
}

#[test]
fn the_same_seed_and_steps_give_the_same_bytes() {
    hold("bytes", (6, 40), |play, steps| {
        let mut again = Play::new(7);
        for step in steps {
            play.step(*step)?;
            again.step(*step)?;
        }
        if play.replies == again.replies { Ok(()) } else { Err("the same steps gave other bytes".to_owned()) }
    });
}

#[test]
#[ignore]
fn survey() {
    let mut found: std::collections::BTreeMap<String, (usize, String)> = Default::default();
    let n: u64 = std::env::var("N").ok().and_then(|t| t.parse().ok()).unwrap_or(60);
    let start: u64 = std::env::var("S").ok().and_then(|t| t.parse().ok()).unwrap_or(1);
    for case in start..start + n {
        let mut play = Play::new(7);
        let play = &mut play;
        let mut watchers = Vec::new();
        for (index, handle) in WATCHERS.into_iter().enumerate() {
            for understands in [true, false] {
                watchers.push(Watcher::new(play, handle, understands, (index + usize::from(understands)) % 2 == 0));
            }
        }
        let mut steps = 0;
        let result: Result<(), String> = (|| {
            for step in 0..40u64 {
                steps = step;
                let seed = (case * 1_000_003 + step).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                play.step(seed)?;
                if step % 3 == 0 {
                    for one in watchers.iter_mut() {
                        if one.is_eager {
                            one.poll(play)?;
                        }
                    }
                    for one in watchers.iter_mut() {
                        if one.is_eager {
                            one.compare(play)?;
                        }
                    }
                }
            }
            watchers.iter_mut().try_for_each(|watcher| watcher.compare(play))
        })();
        if let Err(fault) = result {
            let kind = fault.lines().nth(1).unwrap_or(&fault).split(':').next().unwrap_or_default().to_owned();
            let kind: String = kind.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
            let entry = found.entry(kind).or_default();
            entry.0 += 1;
            if entry.1.is_empty() || entry.1.len() > fault.len() {
                let story = &play.story[play.story.len().saturating_sub(8)..];
                let cut = |t: &str| t.lines().map(|l| l.chars().take(420).collect::<String>()).collect::<Vec<_>>();
                let lines = cut(&fault);
                let tail = lines.len().saturating_sub(8);
                let shown = if lines.len() > 16 {
                    format!("{}\n ...\n{}", lines[..8].join("\n"), lines[tail.max(8)..].join("\n"))
                } else {
                    lines.join("\n")
                };
                entry.1 = format!("case {case} step {steps}\n{shown}\nstory:\n{}", cut(&story.join("\n")).join("\n"));
            }
        }
    }
    for (kind, (count, example)) in found {
        println!("=== {count} × {kind}\n{example}\n");
    }
}
