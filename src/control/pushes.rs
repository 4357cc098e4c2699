//! The calls that list, await and clear the pushes of a world.

use super::query::Query;
use super::{refusal, users, waiting};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::{DeviceId, UserId};
use crate::realm::push::{Push, PushTarget};
use crate::record::push::{ServerProperties, push_record};
use crate::world::{World, WorldSettings};
use imbl::Vector;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The largest number of users with pushes that an error lists.
const MAX_SHOWN_USERS: usize = 5;

/// Which pushes to wait for, how many, and how long.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AwaitedPushes")]
pub struct AwaitedPushes {
    /// The user whose devices receive them, by email address or handle; all users by default.
    user: Option<String>,
    /// ID of the device that receives them; all devices by default.
    device_id: Option<i64>,
    /// Only pushes with a larger ID than this count.
    since: Option<u64>,
    /// The minimum number of such pushes; 1 by default.
    at_least: Option<usize>,
    /// How long to wait at most, in milliseconds of real time.
    timeout_ms: u64,
}

#[derive(Clone, Copy, Default)]
struct PushFilter {
    user: Option<UserId>,
    device: Option<i64>,
    since: Option<u64>,
}

impl PushFilter {
    fn matches(self, push: &Push) -> bool {
        let is_for_device = |device| matches!(push.to, PushTarget::Device(DeviceId(id)) if id == device);
        self.user.is_none_or(|user| push.user == user)
            && self.since.is_none_or(|since| push.id > since)
            && self.device.is_none_or(is_for_device)
    }

    /// The records of the matching pushes.
    fn find(self, world: &World, base_url: &str) -> Vec<Value> {
        let realm = world.snapshot();
        let pushes = realm.relay.pushes.iter().filter(|push| self.matches(push));
        let settings = world.settings();
        let properties = server_properties(&settings, base_url);
        pushes.map(|push| push_record(&realm, push, properties)).collect()
    }

    /// Makes a filter. Checks that the user exists, and that the device is or was one of this world and is not that of
    /// another user. `prefix` precedes their names in errors, such as `$.` in a body.
    ///
    /// # Errors
    ///
    /// `ControlRefused` for an unknown user or device, a handle that several users have, or the device of another user.
    fn new(
        world: &World,
        user: Option<&str>,
        device: Option<i64>,
        since: Option<u64>,
        prefix: &str,
    ) -> Result<Self, Error> {
        let realm = world.snapshot();
        let user = user.map(|name| users::find_user(&realm, name, &format!("{prefix}user"))).transpose()?;
        if let Some(device) = device {
            let path = format!("{prefix}device_id");
            if !(1..=realm.counters.device).contains(&device) {
                return Err(refusal(format!("{path}: no device of this world has had the id {device}")));
            }
            let owner =
                realm.users.values().find(|user| realm.user_state(user.id).devices.contains_key(&DeviceId(device)));
            if let Some((user, owner)) = user.as_ref().zip(owner).filter(|(user, owner)| user.id != owner.id) {
                return Err(refusal(format!("{path}: {device} is a device of {}, not of {}", owner.email, user.email)));
            }
        }
        Ok(Self { user: user.map(|user| user.id), device, since })
    }
}

/// The properties of a world's server that the payloads of pushes contain.
pub fn server_properties<'a>(settings: &'a WorldSettings, base_url: &'a str) -> ServerProperties<'a> {
    ServerProperties { base_url, feature_level: settings.feature_level, product: settings.dialect.product() }
}

/// Lists the pushes that match the query, newest last. URLs in them begin with `base_url`.
///
/// # Errors
///
/// `ControlRefused` for an unknown user or device, a handle that several users have, or the device of another user.
pub fn list(world: &World, query: &Query, base_url: &str) -> Result<Value, Error> {
    let device = query.number("device_id").map(|id| i64::try_from(id).unwrap_or(i64::MAX));
    let filter = PushFilter::new(world, query.text("user"), device, query.number("since"), "")?;
    Ok(json!({"pushes": filter.find(world, base_url)}))
}

/// Waits until the expected number of pushes was handed to the push relay.
///
/// # Errors
///
/// `ControlRefused` for an unknown user or device, a handle that several users have, or the device of another user;
/// `VerificationTimedOut`; `UnknownControlWorld` when the world is deleted while waiting.
pub async fn wait(world: &World, awaited: AwaitedPushes, base_url: &str) -> Result<Value, Error> {
    let filter = PushFilter::new(world, awaited.user.as_deref(), awaited.device_id, awaited.since, "$.")?;
    let at_least = awaited.at_least.unwrap_or(1);
    let check = || {
        let pushes = filter.find(world, base_url);
        (pushes.len() >= at_least).then_some(pushes)
    };
    match waiting::wait_until(world, awaited.timeout_ms, || world.changed(), check).await? {
        Some(pushes) => Ok(json!({"count": pushes.len(), "pushes": pushes})),
        None => {
            let count = filter.find(world, base_url).len();
            let noun = if at_least == 1 { "push" } else { "pushes" };
            let cause_clause =
                if count == 0 { no_push_message(&world.snapshot(), filter.user, &awaited) } else { String::new() };
            Err(Error::VerificationTimedOut {
                reason: format!("Expected at least {at_least} such {noun}, found {count}{cause_clause}").into(),
                count: count.into(),
                nearest: PushFilter::default().find(world, base_url).into(),
            })
        }
    }
}

/// An addition to the message if there is no push at all, or none to the user: often the user has no device for it or
/// is online, or the pushes went to other users. Empty otherwise.
fn no_push_message(realm: &Realm, user: Option<UserId>, awaited: &AwaitedPushes) -> String {
    let pushes = &realm.relay.pushes;
    let Some((user, name)) = user.zip(awaited.user.as_ref()) else {
        return if pushes.is_empty() { "; there were no pushes".to_owned() } else { String::new() };
    };
    if pushes.iter().any(|push| push.user == user) {
        return String::new();
    }
    let recipients: BTreeSet<_> =
        pushes.iter().filter_map(|push| realm.user(push.user)).map(|recipient| recipient.email.as_str()).collect();
    let others = recipients.into_iter().take(MAX_SHOWN_USERS).collect::<Vec<_>>().join(", ");
    let others_note = if others.is_empty() { String::new() } else { format!(", but there were pushes to {others}") };
    if realm.push_targets(user).is_empty() {
        format!("; {name} has no device that receives pushes{others_note}")
    } else if realm.holds_back_pushes(user) {
        format!("; {name} is online, and has enable_online_push_notifications off{others_note}")
    } else {
        format!("; there was no push to {name}{others_note}")
    }
}

/// Removes all pushes. The IDs of later pushes continue.
///
/// # Errors
///
/// Never fails. It returns a `Result` like the other calls.
pub fn clear(world: &World) -> Result<Value, Error> {
    world.commit(|tx| {
        tx.realm_mut().relay.pushes = Vector::new();
        Ok(json!({}))
    })
}
