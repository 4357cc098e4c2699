//! What holds for every sequence of requests: drawn by chance, by users of all roles, over the built-in realm and
//! generated ones, with jumps of the clock, faults and forks in between.
//!
//! A failure prints the shortest sequence that was found, as a scenario to be saved and played, and is kept in `tests/proptest-regressions/` to be
//! tried first from then on. `just soak` plays many more and longer ones.

mod canaries;
mod discretion;
pub mod draw;
mod long_texts;
mod play;
mod story;
mod watch;
mod younger;

use crate::support::soak_seed;
use chatdouble::scenario::{self, Accounts, Document, Mode, Outcome, Stage};
use draw::Request;
use play::Play;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestError, TestRunner};
use serde_json::{Map, Value, json};
use watch::{WATCHERS, Watcher};

/// Plays sequences until one breaks `law`.
fn hold(name: &'static str, (cases, length): (u32, usize), law: impl Fn(&mut Play, &[u64]) -> Result<(), String>) {
    let soak = soak_seed();
    if let Some(seed) = soak {
        println!("{name}: CHATDOUBLE_SOAK={seed} plays this again");
    }
    let (cases, length) = if soak.is_some() { (cases * 50, length * 3) } else { (cases, length) };
    let file: &'static str =
        Box::leak(format!("{}/tests/proptest-regressions/{name}.txt", env!("CARGO_MANIFEST_DIR")).into_boxed_str());
    let config = Config {
        cases,
        max_shrink_iters: 400,
        // Every quick run draws the same sequences: a change is never blamed for what another day would have drawn.
        rng_seed: RngSeed::Fixed(soak.unwrap_or(1)),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(file))),
        ..Config::default()
    };
    // Every other realm is the built-in one, which has one of each kind.
    let realm = prop_oneof![Just(0), 1..1_000_u64];
    let steps = vec(any::<u64>().no_shrink(), 1..length);
    let outcome = TestRunner::new(config).run(&(realm, steps), |(realm, steps)| {
        let mut play = Play::new(realm);
        law(&mut play, &steps).map_err(|fault| {
            let story = play.scenario(name);
            TestCaseError::fail(format!(
                "{fault}\n\nafter this scenario, which `chatdouble scenario run` plays:\n\n{story}\n"
            ))
        })
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(reason, input)) => panic!("{reason}\nrealm and steps: {input:?}"),
        Err(TestError::Abort(reason)) => panic!("given up: {reason}"),
    }
}

#[test]
fn refused_requests_and_reads_change_nothing_and_every_step_keeps_the_invariants() {
    hold("steps", (25, 40), |play, steps| steps.iter().try_for_each(|step| play.step(*step)));
}

#[test]
fn registering_and_folding_the_events_equals_registering_later() {
    hold("folding", (12, 40), folding_equals_registering);
}

/// At every level: the reducer understands older shapes too. Queues live ten minutes below 481, so that jumps are
/// shorter there.
#[test]
fn folding_equals_registering_later_at_older_levels_too() {
    hold("older", (25, 40), |play, steps| {
        *play = play.aged((steps[0] % chatdouble::api::NEWEST_FEATURE_LEVEL as u64) as i64);
        folding_equals_registering(play, steps)
    });
}

fn folding_equals_registering(play: &mut Play, steps: &[u64]) -> Result<(), String> {
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
}

#[test]
fn a_limited_guest_who_folds_the_events_knows_what_registering_later_says() {
    hold("limited", (12, 40), |play, steps| {
        play.limit_guests();
        let mut watchers = [true, false].map(|is_eager| Watcher::new(play, "gus", true, is_eager));
        for step in steps {
            play.step(*step)?;
            watchers[0].poll(play)?;
        }
        watchers.iter_mut().try_for_each(|watcher| watcher.compare(play))
    });
}

#[test]
fn no_reply_or_event_has_anything_younger_than_the_world() {
    hold("younger", (25, 30), |play, steps| {
        let level = (steps[0] % chatdouble::api::NEWEST_FEATURE_LEVEL as u64) as i64;
        *play = play.aged(level);
        let young = younger::names(level);
        let fault = |path: String| format!("at level {level} there is {path}");
        let check = |reply: &Value| younger::find(reply, &young).map_or(Ok(()), |path| Err(fault(path)));
        let queues = younger::register(play);
        for step in steps {
            let before = play.replies.len();
            play.step(*step)?;
            let replies = serde_json::Deserializer::from_slice(&play.replies[before..]).into_iter::<Value>();
            replies.flatten().try_for_each(|reply| check(&reply))?;
        }
        for (handle, state) in queues {
            check(&state)?;
            let query = Map::from_iter([
                ("queue_id".to_owned(), state["queue_id"].clone()),
                ("last_event_id".to_owned(), json!(-1)),
                ("dont_block".to_owned(), json!(true)),
            ]);
            let events = play.call_as(handle, "GET", "/events", &query).body;
            check(&events)?;
            let strange = events["events"].as_array().into_iter().flatten();
            if let Some(event) = strange.clone().find(|event| younger::is_young_event(event, level)) {
                return Err(fault(event.to_string()));
            }
        }
        Ok(())
    });
}

#[test]
fn a_world_that_is_rewound_forked_reset_or_put_back_goes_on_with_the_same_bytes() {
    hold("again", (6, 30), |play, steps| {
        let (before, after) = steps.split_at(steps.len() / 2);
        before.iter().try_for_each(|step| play.step(*step))?;
        play.control("POST", "/snapshots", &json!({"name": "here"}));
        let document = play.control("GET", "/state", &Value::Null)["state"].take();
        let first = play.go_on(after)?;
        let same = |how: &str, other: (String, String)| {
            if other == first {
                Ok(())
            } else {
                Err(format!("{how} goes on otherwise:\n{}", difference(&first, &other)))
            }
        };

        play.control("POST", "/snapshots/here/restore", &Value::Null);
        same("a world that was rewound", play.go_on(after)?)?;
        same("a fork of a snapshot", play.elsewhere("here", |play| play.go_on(after))?)?;
        let read = json!({"fixture": document});
        same("a world that was read from a state", play.in_new_world(&read, |play| play.go_on(after))?)?;
        play.control("PUT", "/state", &document);
        if play.control("GET", "/state", &Value::Null)["state"] != document {
            return Err("a state that was put is another when it is asked for".to_owned());
        }
        same("a world whose state was put back", play.go_on(after)?)?;
        play.reset();
        before.iter().try_for_each(|step| play.step(*step))?;
        same("a world that was reset", play.go_on(after)?)
    });
}

/// The first place where two outcomes differ.
fn difference(one: &(String, String), other: &(String, String)) -> String {
    let (what, one, other) = if one.0 == other.0 { ("state", &one.1, &other.1) } else { ("replies", &one.0, &other.0) };
    let at = one.bytes().zip(other.bytes()).take_while(|(left, right)| left == right).count();
    let around = |text: &str| {
        String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(200)..(at + 200).min(text.len())]).into_owned()
    };
    format!("{what}\n  {}\n  {}", around(one), around(other))
}

#[test]
fn the_same_seed_and_steps_give_the_same_bytes() {
    hold("bytes", (3, 30), |play, steps| {
        let mut again = play.twin();
        for step in steps {
            play.step(*step)?;
            again.step(*step)?;
        }
        if play.replies == again.replies { Ok(()) } else { Err("the same steps gave other bytes".to_owned()) }
    });
}

#[tokio::test]
async fn what_a_failure_prints_can_be_played() {
    let story = std::thread::spawn(|| {
        let mut play = Play::new(0);
        Watcher::new(&mut play, "mel", true, false);
        for step in 0..120 {
            play.step(step).unwrap_or_else(|fault| panic!("{fault}\n{}", play.scenario("steps")));
        }
        play.scenario("steps")
    });
    let story = story.join().expect("it ends");
    let document = Document::parse("steps.md", &story).unwrap_or_else(|mistakes| panic!("{}\n{story}", mistakes[0]));
    let server = crate::support::TestServer::start().await;
    let stage = Stage::open(&server.url(), None, Accounts::new()).await.expect("it has control");

    let outcome = scenario::play(&stage, &document, &document.scenarios[0], Mode::Check).await;
    if let Outcome::Differs(differences) = &outcome {
        panic!("{}", differences[0].describe(&document));
    }
    assert!(matches!(outcome, Outcome::Passed) && story.matches("```request").count() > 90);
}
