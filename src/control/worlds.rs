//! Worlds: listed, made, forked, ended.

use super::filters::Filters;
use super::times::Seconds;
use super::{Control, InitialClock, body, refused};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::fixture::{self, Source};
use crate::http::authority::Authority;
use crate::http::origin_of;
use crate::http::request::ApiRequest;
use crate::realm::Realm;
use crate::realm::seeded_rng::SeededRng;
use crate::realm::tx::Tx;
use crate::time::{Clock, Span, Timestamp};
use crate::world::aside::in_place;
use crate::world::{Life, RealTime, World, WorldSettings, Worlds};
use http::{HeaderMap, header};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a new world is to be.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WorldOptions")]
pub struct WorldSpec {
    /// 1 to 63 of a-z, 0-9 and '-', not '-' at either end. One is made when it is left out.
    name: Option<String>,
    /// A built-in fixture's name, a fixture document or a state.
    #[schemars(with = "Option<Value>")]
    fixture: Option<Box<RawValue>>,
    /// The living world that is copied.
    fork_of: Option<String>,
    /// The origin's snapshot that is copied.
    snapshot: Option<String>,
    /// The level that it emulates, from 0.
    feature_level: Option<i64>,
    /// neutral, zulip or a dialect document.
    dialect: Option<Value>,
    /// How its clock begins.
    clock: Option<InitialClock>,
    /// What all chance follows from.
    seed: Option<u64>,
    /// Whether it gets a port of its own.
    #[serde(default)]
    listen: bool,
    /// Any text, such as a test's name.
    label: Option<String>,
    /// How long it may go without a request, in real time, before it is ended.
    idle_ttl_seconds: Option<Seconds>,
    /// Whether a world of that name is deleted.
    #[serde(default)]
    replace: bool,
}

/// What a new world begins as.
struct NewWorld {
    realm: Realm,
    clock: Clock,
    settings: WorldSettings,
    real_time: Arc<dyn RealTime>,
}

/// The worlds that the filters admit.
pub fn list(control: &Control, incoming: &ApiRequest, filters: &Filters) -> Value {
    let prefix = filters.text("prefix").unwrap_or_default();
    let worlds = control.edge.worlds.all();
    let worlds = worlds.iter().filter(|world| world.name().starts_with(prefix));
    json!({"worlds": worlds.map(|world| row(incoming, world)).collect::<Vec<_>>()})
}

/// A world's row. Reading it is no use of the world.
pub fn row(incoming: &ApiRequest, world: &World) -> Value {
    let (realm, life) = (world.snapshot(), world.life());
    json!({
        "name": world.name(),
        "url": url(incoming, world),
        "label": life.label,
        "users": realm.users.len(),
        "channels": realm.channels.len(),
        "messages": realm.messages.len(),
        "queues": realm.queues.len(),
        "now": world.now().fractional_seconds(),
        "created_at": life.created_at.fractional_seconds(),
        "last_request_at": life.last_request_at().map(Timestamp::fractional_seconds),
        "idle_ttl_seconds": life.idle_ttl.map(|ttl| ttl.micros() as f64 / 1e6),
    })
}

/// Makes a world: from a fixture, or as a fork of a living one.
///
/// # Errors
///
/// `ControlRefused`, `WorldExists`.
pub async fn create(control: &Control, incoming: &ApiRequest) -> Result<Value, Error> {
    let wanted: WorldSpec = body(incoming)?;
    if let Some(name) = &wanted.name {
        check_name(control, name, wanted.replace)?;
    }
    let idle_ttl = idle_ttl(control, &wanted)?;
    let founded = match &wanted.fork_of {
        Some(origin) => {
            let origin = origin_named(control, &wanted, origin)?;
            let _turn = origin.turn().await;
            in_place(|| fork(&wanted, &origin))?
        }
        None => in_place(|| found(control, &wanted))?,
    };
    let NewWorld { realm, clock, settings, real_time } = founded;
    // No name is made for what is refused.
    let name = wanted.name.clone().unwrap_or_else(|| control.edge.worlds.free_name());
    let life = Life::new(wanted.label, idle_ttl, real_time.now());
    let world = Arc::new(World::new(name, realm, clock, settings, real_time).with_life(life));
    // Before anything is replaced: there may be no port to be had.
    if wanted.listen {
        let port = (control.listen)(world.clone()).await.map_err(|error| refused(format!("$.listen: {error}")))?;
        // It is set here alone.
        let _ = world.life().port.set(port);
    }
    if wanted.replace {
        in_place(|| control.edge.worlds.replace(world.clone()));
    } else if !control.edge.worlds.add(world.clone()) {
        world.end();
        return Err(Error::WorldExists { name: world.name().into() });
    }
    Ok(json!({ "name": world.name(), "url": url(incoming, &world) }))
}

fn check_name(control: &Control, name: &str, replaces: bool) -> Result<(), Error> {
    if !Worlds::is_name(name) {
        return Err(refused("$.name: takes 1 to 63 of a-z, 0-9 and '-', not '-' at either end"));
    }
    let is_default = name == Worlds::DEFAULT;
    if control.edge.worlds.get(name).is_some() && (is_default || !replaces) {
        return Err(Error::WorldExists { name: name.into() });
    }
    if is_default { Err(refused("$.name: default is there from the start or never")) } else { Ok(()) }
}

fn idle_ttl(control: &Control, wanted: &WorldSpec) -> Result<Option<Span>, Error> {
    match wanted.idle_ttl_seconds {
        None => Ok(control.defaults.world_ttl),
        Some(Seconds(ttl)) if ttl >= Span::seconds(1) => Ok(Some(ttl)),
        Some(_) => Err(refused("$.idle_ttl_seconds: takes seconds from 1 on")),
    }
}

/// Ends a world.
///
/// # Errors
///
/// `ControlRefused` for the default one, `UnknownWorld`.
pub async fn delete(control: &Control, name: &str) -> Result<Value, Error> {
    if name == Worlds::DEFAULT {
        return Err(refused("The world 'default' can't be deleted; reset it instead"));
    }
    let world = control.edge.worlds.get(name).ok_or(Error::UnknownWorld)?;
    let _turn = world.turn().await;
    in_place(|| control.edge.worlds.remove(name)).map(|_| json!({})).ok_or(Error::UnknownWorld)
}

/// Ends all worlds whose names begin so, but for the default one.
///
/// # Errors
///
/// `ControlRefused` without a beginning.
pub async fn delete_all(control: &Control, filters: &Filters) -> Result<Value, Error> {
    let prefix = filters.text("prefix").filter(|prefix| !prefix.is_empty());
    let prefix = prefix.ok_or_else(|| refused("prefix: takes the beginning of the names of the worlds to end"))?;
    let mut deleted = Vec::new();
    for world in control.edge.worlds.all() {
        let name = world.name();
        if name != Worlds::DEFAULT && name.starts_with(prefix) && delete(control, name).await.is_ok() {
            deleted.push(name.to_owned());
        }
    }
    Ok(json!({ "deleted": deleted }))
}

/// Which level a world goes on at.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Upgrade {
    /// From the world's level on.
    to: i64,
}

/// Replaces the server of a world by one of the same or a newer level: the realm stays, queues end.
///
/// # Errors
///
/// `ControlRefused` for a level below the world's: no server goes back.
pub fn upgrade(world: &World, upgrade: &Upgrade) -> Result<Value, Error> {
    let from = world.settings().feature_level;
    if upgrade.to < from {
        return Err(refused(format!("$.to: takes a whole number from {from} on, the level of this world")));
    }
    world.change_level(upgrade.to);
    Ok(json!({"feature_level": upgrade.to}))
}

/// The address of a world: its own port's, or below the address that the one who asks used.
fn url(incoming: &ApiRequest, world: &World) -> String {
    match world.life().port.get() {
        Some(port) => format!("{}://{}:{port}", incoming.scheme(), own_name(incoming)),
        None => base_url(incoming.scheme(), incoming.headers(), world.name()),
    }
}

/// The address of a world as the one who asks can reach it; `scheme` is that of the connection.
pub(super) fn base_url(scheme: &'static str, headers: &HeaderMap, name: &str) -> String {
    let root = origin_of(scheme, headers).base_url();
    if name == Worlds::DEFAULT { root } else { format!("{root}/w/{name}") }
}

fn origin_named(control: &Control, wanted: &WorldSpec, name: &str) -> Result<Arc<World>, Error> {
    if wanted.fixture.is_some() {
        return Err(refused("$.fixture: can't stand beside fork_of"));
    }
    control.edge.worlds.get(name).ok_or_else(|| refused(format!("$.fork_of: there is no world '{name}'")))
}

fn fork(wanted: &WorldSpec, origin: &World) -> Result<NewWorld, Error> {
    let moment = match &wanted.snapshot {
        Some(name) => {
            let missing = || refused(format!("$.snapshot: '{}' has no snapshot '{name}'", origin.name()));
            origin.snapshot_named(name).ok_or_else(missing)?
        }
        None => origin.moment(),
    };
    let mut realm = crate::world::without_queues(&moment.realm);
    realm.relay = crate::realm::push::Relay::default();
    if let Some(seed) = wanted.seed {
        realm.chance = SeededRng::from_seed(seed);
    }
    let clock = match wanted.clock {
        Some(choice) => choice.clock(origin.real_time().now()),
        None => moment.clock,
    };
    let realm = stood_at(realm, clock.now(origin.real_time().now()));
    let settings = WorldSettings {
        feature_level: level(wanted)?.unwrap_or(origin.settings().feature_level),
        dialect: dialect(wanted)?.unwrap_or_else(|| origin.settings().dialect.clone()),
    };
    Ok(NewWorld { realm, clock, settings, real_time: origin.real_time().clone() })
}

/// A realm without queues at another time; what falls due until a later one happens, each thing at its own time.
fn stood_at(realm: Realm, at: Timestamp) -> Realm {
    if at < realm.now {
        return realm.put_back_to(at);
    }
    let mut tx = Tx::new(realm);
    tx.run_due(at);
    let mut realm = tx.into_realm();
    let end = realm.log.end();
    realm.log.trim(end);
    realm
}

fn found(control: &Control, wanted: &WorldSpec) -> Result<NewWorld, Error> {
    if wanted.snapshot.is_some() {
        return Err(refused("$.snapshot: needs fork_of"));
    }
    let defaults = &control.defaults;
    let given = wanted.fixture.as_deref().map(RawValue::get);
    let source = match given {
        None => defaults.fixture.clone(),
        Some(document) if document.starts_with('{') => document.into(),
        Some(name) => {
            let name: String = serde_json::from_str(name)
                .map_err(|_| refused("$.fixture: takes a built-in fixture's name or a document"))?;
            Source::builtin(&name).ok_or_else(|| {
                refused(format!("$.fixture: no fixture is built in as '{name}', only {}", Source::BUILT_IN))
            })?
        }
    };
    let state = given.filter(|document| fixture::state::is_state(document));
    let settings = WorldSettings {
        feature_level: level(wanted)?.unwrap_or(defaults.feature_level),
        dialect: dialect(wanted)?.unwrap_or_else(|| defaults.dialect.clone()),
    };
    let real_time = control.real_time.clone();
    if let Some(document) = state {
        let (mut realm, own_clock) =
            fixture::state::read(document, real_time.now()).map_err(|faults| refused_fixture(&faults))?;
        let clock = wanted.clock.map_or(own_clock, |choice| choice.clock(real_time.now()));
        let now = clock.now(real_time.now());
        if now < realm.now {
            realm = realm.put_back_to(now);
        }
        if let Some(seed) = wanted.seed {
            realm.chance = SeededRng::from_seed(seed);
        }
        return Ok(NewWorld { realm, clock, settings, real_time });
    }
    let clock = wanted.clock.unwrap_or(defaults.clock).clock(real_time.now());
    let now = clock.now(real_time.now());
    let seed = wanted.seed.unwrap_or(defaults.seed);
    let realm = source.realm(now, seed).map_err(|faults| refused_fixture(&faults))?;
    Ok(NewWorld { realm, clock, settings, real_time })
}

/// A fixture's faults as one sentence.
fn refused_fixture(faults: &[fixture::Diagnostic]) -> Error {
    let reasons =
        faults.iter().map(|fault| format!("$.fixture{}: {}", fault.path.trim_start_matches('$'), fault.reason));
    refused(reasons.collect::<Vec<_>>().join("; "))
}

fn level(wanted: &WorldSpec) -> Result<Option<i64>, Error> {
    match wanted.feature_level {
        Some(level) if level < 0 => Err(refused("$.feature_level: takes a whole number from 0 on")),
        level => Ok(level),
    }
}

fn dialect(wanted: &WorldSpec) -> Result<Option<Arc<Dialect>>, Error> {
    let dialect = match &wanted.dialect {
        None => return Ok(None),
        Some(Value::String(name)) if name == "neutral" => Dialect::neutral(),
        Some(Value::String(name)) if name == "zulip" => Dialect::zulip(),
        Some(document @ Value::Object(_)) => {
            super::dialect::read(&document.to_string()).map_err(|fault| refused(format!("$.dialect: {fault}")))?
        }
        Some(_) => return Err(refused("$.dialect: takes neutral, zulip or a dialect's document")),
    };
    Ok(Some(Arc::new(dialect)))
}

/// The name by which a request called the server, as far as it is one.
fn own_name(incoming: &ApiRequest) -> String {
    let called = incoming.header(header::HOST).and_then(Authority::parse);
    called.map_or_else(|| "127.0.0.1".to_owned(), |host| host.name().to_owned())
}
