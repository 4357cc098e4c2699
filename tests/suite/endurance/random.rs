//! Requests by chance in several worlds at once, as `properties` draws them, with hard ones among them.

use super::{Tally, ask, end, hard, memory, minutes, span, start};
use crate::properties::draw::Draw;
use crate::support::{User, soak_seed};
use chatdouble::Credentials;
use chatdouble::realm::Realm;
use serde_json::{Value, json};
use std::time::Instant;
use tokio::task::JoinSet;

/// The levels of the worlds, each with a client of its own.
const LEVELS: &[i64] =
    &[chatdouble::api::NEWEST_FEATURE_LEVEL, chatdouble::api::NEWEST_FEATURE_LEVEL, 377, 247, 130, 0];
/// Requests between two looks at the world, whose ids the next requests take.
const REQUESTS_A_LOOK: u64 = 150;
/// Looks after which a world is made again: no team sends a million requests to one world.
const LOOKS_A_WORLD: u64 = 40;
/// Resident memory at the end, in MiB.
const MEMORY_MAX: usize = 400;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_by_chance_neither_fail_nor_take_long_nor_fill_the_memory() {
    let (program, url) = start();
    let seed = soak_seed().unwrap_or(1);
    let until = Instant::now() + span();
    let mut clients = JoinSet::new();
    for (number, level) in LEVELS.iter().enumerate() {
        clients.spawn(play(url.clone(), format!("endurance-{number}"), *level, seed + number as u64, until));
    }
    let mut all = Tally::default();
    if minutes().is_some() {
        println!("CHATDOUBLE_SOAK={seed}");
    }
    while let Some(tally) = clients.join_next().await {
        all.add(tally.expect("a client plays to the end"));
    }
    let megabytes = memory(&program);
    println!(
        "{} requests, {} refused, {megabytes} MiB, the slowest {:?}: {}",
        all.requests, all.refused, all.slowest, all.slowest_request
    );
    assert!(megabytes < MEMORY_MAX, "{megabytes} MiB");
    end(program);
}

/// Plays in worlds of its own, one after the other.
async fn play(url: String, world: String, level: i64, seed: u64, until: Instant) -> Tally {
    let mut tally = Tally::default();
    let (mut chance, mut looks) = (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), 0_u64);
    let control = User::new(url.clone(), None);
    let base = User::new(format!("{url}/w/{world}"), None);
    while Instant::now() < until {
        if looks.is_multiple_of(LOOKS_A_WORLD) {
            let make = json!({"name": world, "feature_level": level, "seed": seed});
            steer(&mut tally, &control, "DELETE", &format!("/control/worlds/{world}"), &json!({})).await;
            steer(&mut tally, &control, "POST", "/control/worlds", &make).await;
        }
        looks += 1;
        let row = format!("/control/worlds/{world}");
        let realm = look(&mut tally, &control, &row).await;
        for _ in 0..REQUESTS_A_LOOK {
            chance = chance.wrapping_add(0x2545_F491_4F6C_DD1D);
            let mut draw = Draw::new(&realm, chance);
            match draw.below(400) {
                0..8 => hard::step(&mut tally, &base, &realm, &mut draw).await,
                8 => rewind(&mut tally, &control, &row).await,
                9 => {
                    let seconds = [1, 61, 601, 90_000][draw.below(4) as usize];
                    let body = json!({"advance_seconds": seconds});
                    steer(&mut tally, &control, "POST", &format!("{row}/clock"), &body).await;
                }
                _ => {
                    let request = draw.request();
                    let caller = base.as_other(credentials(&realm, &request.caller.email));
                    ask(&mut tally, &caller, request.method, &request.path, &request.params.into()).await;
                }
            }
            if Instant::now() > until {
                break;
            }
        }
    }
    steer(&mut tally, &control, "DELETE", &format!("/control/worlds/{world}"), &json!({})).await;
    tally
}

/// The world as it is, which also shows that it can be written and read, and breaks no invariant.
async fn look(tally: &mut Tally, control: &User, row: &str) -> Realm {
    let reply = steer(tally, control, "GET", &format!("{row}/state"), &json!({})).await;
    let broken = steer(tally, control, "GET", &format!("{row}/invariants"), &json!({})).await;
    assert_eq!(broken["violations"], json!([]), "{row}");
    let text = reply["state"].to_string();
    let now = crate::support::ParseTimestamp::parse_timestamp(crate::support::START);
    chatdouble::fixture::read(&text, now, 0).unwrap_or_else(|faults| panic!("{row} can't be read: {faults:?}"))
}

/// A snapshot, a fork of it, and back to it.
async fn rewind(tally: &mut Tally, control: &User, row: &str) {
    let name = row.rsplit('/').next().expect("rows have a name");
    steer(tally, control, "POST", &format!("{row}/snapshots"), &json!({"name": "here"})).await;
    let fork = json!({"name": format!("{name}-fork"), "fork_of": name, "snapshot": "here"});
    steer(tally, control, "POST", "/control/worlds", &fork).await;
    steer(tally, control, "DELETE", &format!("{row}-fork"), &json!({})).await;
    steer(tally, control, "POST", &format!("{row}/snapshots/here/restore"), &json!({})).await;
}

async fn steer(tally: &mut Tally, control: &User, method: &str, path: &str, body: &Value) -> Value {
    let began = Instant::now();
    let bytes = if method == "GET" { Vec::new() } else { body.to_string().into_bytes() };
    let reply = control.send(method, path, &Value::Null, bytes, Some("application/json")).await;
    tally.count(&format!("{method} {path} {body}"), reply.status, began.elapsed());
    reply.body
}

/// What a user of this address authenticates with.
pub fn credentials(realm: &Realm, email: &str) -> Credentials {
    let user = realm.user_by_email(email).expect("it was drawn from the realm");
    Credentials { id: user.id, email: user.email.clone(), api_key: user.api_key.clone() }
}
