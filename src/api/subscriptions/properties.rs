//! A user's own settings of a subscription.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::parameter::{Parameter, json_object};
use crate::api::{Call, Success, Write, operation};
use crate::error::{Error, ErrorKind};
use crate::feature::Feature;
use crate::realm::channel::Subscription;
use crate::realm::event::Audience;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::palette::is_color;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::events::SubscriptionUpdate;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use std::sync::Arc;

operation! {
    /// Changes settings of the caller's subscriptions.
    pub ChangeProperties = POST "/users/me/subscriptions/properties", for User;
    params {
        /// Changes, made in this order.
        subscription_data: Vec<PropertyChange>,
    }
    errors in ERRORS;
    events [SubscriptionUpdate];
}

json_object! {
    open
    /// One change.
    pub struct PropertyChange {
        /// The channel.
        stream_id: ChannelId,
        /// `color`, `is_muted`, `in_home_view`, `pin_to_top`, `desktop_notifications`, `audible_notifications`,
        /// `push_notifications`, `email_notifications` or `wildcard_mentions_notify`.
        property: String,
        /// A colour for `color`, else true or false.
        value: Value,
    }
}

const ERRORS: &[ErrorKind] = &[
    ErrorKind::BadValue,
    ErrorKind::UnknownSubscriptionProperty,
    ErrorKind::PropertyNotBoolean,
    ErrorKind::InvalidValueBecause,
    ErrorKind::InvalidChannelId,
    ErrorKind::NotSubscribed,
];

impl Write for ChangeProperties {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let changes = params.subscription_data;
        if !call.has(Feature::SubscriptionValuesFirst) {
            check_in_turn(tx, call.caller(), &changes)?;
        } else if let Some(at) = without_value(&changes) {
            // Of the two types the first is named where neither fits.
            return Err(Error::bad_value(format!("subscription_data[{at}][\"value\"][\"bool\"]"), "is not a boolean"));
        }
        let changes =
            changes.into_iter().enumerate().map(checked).collect::<Result<Vec<(ChannelId, Change)>, Error>>()?;
        for (channel, _) in &changes {
            check_subscribed(tx, call.caller(), *channel)?;
        }

        for (channel, change) in changes {
            change.apply(tx, call.caller().id, channel);
        }
        Ok(Success {})
    }
}

operation! {
    /// Changes a setting of one of the caller's subscriptions.
    pub ChangeProperty = PATCH "/users/me/subscriptions/{stream_id}", for User;
    params {
        /// The channel.
        @path stream_id: ChannelId,
        /// As in POST /users/me/subscriptions/properties.
        property: String,
        /// Likewise.
        value: PlainOrJson,
    }
    errors in ERRORS;
    events [SubscriptionUpdate];
}

/// JSON text; text that is none is taken as it is, since some clients send a colour without quotes.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainOrJson(pub Value);

impl Parameter for PlainOrJson {
    const IS_JSON: bool = false;

    fn from_text(text: &str, _name: &str) -> Result<Self, Error> {
        Ok(Self(serde_json::from_str(text).unwrap_or_else(|_| text.into())))
    }
    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": ["boolean", "string"]})
    }
}

impl Write for ChangeProperty {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let PlainOrJson(value) = params.value;
        let change = PropertyChange { stream_id: params.stream_id, property: params.property, value };
        if !call.has(Feature::SubscriptionValuesFirst) {
            check_in_turn(tx, call.caller(), std::slice::from_ref(&change))?;
        }
        let (channel, change) = checked((0, change))?;
        check_subscribed(tx, call.caller(), channel)?;

        change.apply(tx, call.caller().id, channel);
        Ok(Success {})
    }
}

/// The place of the first change whose value is neither a text nor true or false.
fn without_value(changes: &[PropertyChange]) -> Option<usize> {
    changes.iter().position(|change| !change.value.is_boolean() && !change.value.is_string())
}

/// Checks changes as was done before values came first: whether they are texts or switches, then one by one, the
/// channel before the value.
fn check_in_turn(tx: &Tx, caller: &User, changes: &[PropertyChange]) -> Result<(), Error> {
    if let Some(at) = without_value(changes) {
        return Err(Error::bad_value(format!("subscription_data[{at}][\"value\"]"), "is not an allowed_type"));
    }
    for (at, change) in changes.iter().enumerate() {
        let value = checked((at, change.clone()));
        if !matches!(value, Err(Error::UnknownSubscriptionProperty { .. })) {
            check_subscribed(tx, caller, change.stream_id)?;
        }
        value?;
    }
    Ok(())
}

/// A change that makes sense.
enum Change {
    Color(String),
    Muted(bool),
    Switch(&'static Switch, bool),
}

/// A property that is true or false, and where it is kept.
struct Switch {
    name: &'static str,
    set: fn(&mut Subscription, bool),
}

static SWITCHES: [Switch; 6] = [
    Switch { name: "pin_to_top", set: |subscription, value| subscription.pin_to_top = value },
    Switch {
        name: "desktop_notifications",
        set: |subscription, value| subscription.desktop_notifications = Some(value),
    },
    Switch {
        name: "audible_notifications",
        set: |subscription, value| subscription.audible_notifications = Some(value),
    },
    Switch { name: "push_notifications", set: |subscription, value| subscription.push_notifications = Some(value) },
    Switch { name: "email_notifications", set: |subscription, value| subscription.email_notifications = Some(value) },
    Switch {
        name: "wildcard_mentions_notify",
        set: |subscription, value| subscription.wildcard_mentions_notify = Some(value),
    },
];

/// Checks an entry of the list by itself.
fn checked((index, change): (usize, PropertyChange)) -> Result<(ChannelId, Change), Error> {
    let PropertyChange { stream_id, property, value } = change;
    let boolean = || value.as_bool().ok_or_else(|| Error::PropertyNotBoolean { property: property.as_str().into() });
    let change = match property.as_str() {
        "color" => {
            let refused = |reason: &str| Error::InvalidValueBecause {
                parameter: format!("subscription_data[{index}]").into(),
                reason: reason.into(),
            };
            let color = value.as_str().ok_or_else(|| refused("color is not a string"))?;
            if !is_color(color) {
                return Err(refused("color is not a valid hex color code"));
            }
            Change::Color(color.to_owned())
        }
        "is_muted" => Change::Muted(boolean()?),
        "in_home_view" => Change::Muted(!boolean()?),
        name => {
            let switch = SWITCHES.iter().find(|switch| switch.name == name);
            let switch = switch.ok_or_else(|| Error::UnknownSubscriptionProperty { property: name.into() })?;
            Change::Switch(switch, boolean()?)
        }
    };
    Ok((stream_id, change))
}

fn check_subscribed(tx: &Tx, caller: &User, channel: ChannelId) -> Result<(), Error> {
    tx.open_channel(caller, channel)?;
    let is_subscribed = tx.user_state(caller.id).subscription(channel).is_some();
    if is_subscribed { Ok(()) } else { Err(Error::NotSubscribed { channel_id: channel.0.into() }) }
}

impl Change {
    fn apply(self, tx: &mut Tx, user: UserId, channel: ChannelId) {
        if let Some(subscription) = tx.user_state_mut(user).subscriptions.get_mut(&channel) {
            let subscription = Arc::make_mut(subscription);
            match &self {
                Change::Color(color) => subscription.color.clone_from(color),
                Change::Muted(is_muted) => subscription.is_muted = *is_muted,
                Change::Switch(switch, value) => (switch.set)(subscription, *value),
            }
        }
        match self {
            Change::Color(color) => emit(tx, user, channel, "color", color.into()),
            Change::Muted(is_muted) => {
                emit(tx, user, channel, "in_home_view", (!is_muted).into());
                emit(tx, user, channel, "is_muted", is_muted.into());
            }
            Change::Switch(switch, value) => emit(tx, user, channel, switch.name, value.into()),
        }
    }
}

fn emit(tx: &mut Tx, user: UserId, channel: ChannelId, property: &'static str, value: Value) {
    tx.emit(Audience::user(user), SubscriptionUpdate { property, value, stream_id: channel });
}
