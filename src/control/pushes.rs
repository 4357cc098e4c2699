//! What the push relay was handed.

use super::filters::Filters;
use super::{refused, users, waiting};
use crate::error::Error;
use crate::realm::id::{DeviceId, UserId};
use crate::realm::push::{Push, PushTarget};
use crate::record::push::{Sender, push_record};
use crate::world::{World, WorldSettings};
use imbl::Vector;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The expected pushes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AwaitedPushes")]
pub struct Awaited {
    /// The user: an address or its handle.
    user: Option<String>,
    /// The device.
    device_id: Option<i64>,
    /// Only those after the one with this id.
    since: Option<u64>,
    /// The minimum number; 1 by default.
    at_least: Option<usize>,
    /// How long to wait, in real time.
    timeout_ms: u64,
}

/// Which pushes are meant.
#[derive(Clone, Copy, Default)]
struct Which {
    user: Option<UserId>,
    device: Option<i64>,
    since: Option<u64>,
}

impl Which {
    fn admits(self, push: &Push) -> bool {
        let is_for_device = |device| matches!(push.to, PushTarget::Device(DeviceId(id)) if id == device);
        self.user.is_none_or(|user| push.user == user)
            && self.since.is_none_or(|since| push.id > since)
            && self.device.is_none_or(is_for_device)
    }

    fn of(world: &World, base_url: &str, which: Self) -> Vec<Value> {
        let realm = world.snapshot();
        let pushes = realm.relay.pushes.iter().filter(|push| which.admits(push));
        let settings = world.settings();
        let sender = sender(&settings, base_url);
        pushes.map(|push| push_record(&realm, push, sender)).collect()
    }
}

/// Where a world's pushes come from.
pub fn sender<'a>(settings: &'a WorldSettings, base_url: &'a str) -> Sender<'a> {
    Sender { base_url, level: settings.feature_level, product: settings.dialect.product() }
}

impl Which {
    /// Checks who and what is named; `at` is what the names follow: `$.` in a body.
    fn checked(
        world: &World,
        user: Option<&str>,
        device: Option<i64>,
        since: Option<u64>,
        at: &str,
    ) -> Result<Self, Error> {
        let realm = world.snapshot();
        let user = user.map(|name| users::named(&realm, name, &format!("{at}user"))).transpose()?;
        if let Some(device) = device {
            let device_at = format!("{at}device_id");
            if !(1..=realm.counters.device).contains(&device) {
                return Err(refused(format!("{device_at}: no device of this world has had the id {device}")));
            }
            let owner =
                realm.users.values().find(|user| realm.user_state(user.id).devices.contains_key(&DeviceId(device)));
            if let Some((user, owner)) = user.as_ref().zip(owner).filter(|(user, owner)| user.id != owner.id) {
                return Err(refused(format!(
                    "{device_at}: {device} is a device of {}, not of {}",
                    owner.email, user.email
                )));
            }
        }
        Ok(Self { user: user.map(|user| user.id), device, since })
    }
}

/// Those that the filters admit, newest last. Addresses begin with the world's as the one who asks can reach it.
///
/// # Errors
///
/// `ControlRefused` for an unknown user or device.
pub fn list(world: &World, filters: &Filters, base_url: &str) -> Result<Value, Error> {
    let device = filters.number("device_id").map(|id| i64::try_from(id).unwrap_or(i64::MAX));
    let which = Which::checked(world, filters.text("user"), device, filters.number("since"), "")?;
    Ok(json!({"pushes": Which::of(world, base_url, which)}))
}

/// Waits until there are so many.
///
/// # Errors
///
/// `ControlRefused`, `VerificationTimedOut`; `UnknownControlWorld` when the world is deleted meanwhile.
pub async fn wait(world: &World, awaited: Awaited, base_url: &str) -> Result<Value, Error> {
    let which = Which::checked(world, awaited.user.as_deref(), awaited.device_id, awaited.since, "$.")?;
    let at_least = awaited.at_least.unwrap_or(1);
    let check = || {
        let found = Which::of(world, base_url, which);
        (found.len() >= at_least).then_some(found)
    };
    match waiting::until(world, awaited.timeout_ms, || world.changed(), check).await? {
        Some(pushes) => Ok(json!({"count": pushes.len(), "pushes": pushes})),
        None => {
            let found = Which::of(world, base_url, which).len();
            let noun = if at_least == 1 { "push" } else { "pushes" };
            Err(Error::VerificationTimedOut {
                reason: format!("Expected at least {at_least} such {noun}, found {found}").into(),
                count: found.into(),
                nearest: Which::of(world, base_url, Which::default()).into(),
            })
        }
    }
}

/// Forgets all; ids go on rising.
///
/// # Errors
///
/// None.
pub fn clear(world: &World) -> Result<Value, Error> {
    world.commit(|tx| {
        tx.realm_mut().relay.pushes = Vector::new();
        Ok(json!({}))
    })
}
