//! Changing the properties of the caller's subscriptions.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::parameter::{Parameter, json_object};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::{Error, ErrorKind};
use crate::feature::Feature;
use crate::realm::channel::Subscription;
use crate::realm::event::Audience;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::subscription_colors::is_color;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::events::SubscriptionUpdate;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use std::sync::Arc;

operation! {
    /// Changes properties of the caller's subscriptions.
    pub ChangeProperties = POST "/users/me/subscriptions/properties", for User;
    params {
        /// Changes, made in this order; if one is refused, none is made.
        subscription_data: Vec<PropertyChange>,
    }
    errors in ERRORS;
    events [SubscriptionUpdate];
}

json_object! {
    open
    /// A change of one property of a subscription.
    pub struct PropertyChange {
        /// ID of a channel that the caller is subscribed to.
        stream_id: ChannelId,
        /// `color`, `is_muted`, `in_home_view`, `pin_to_top`, `desktop_notifications`, `audible_notifications`,
        /// `push_notifications`, `email_notifications` or `wildcard_mentions_notify`.
        property: String,
        /// A text such as `#76ce90` for `color`, otherwise true or false.
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
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let changes = params.subscription_data;
        if !context.has(Feature::SubscriptionValuesCheckedFirst) {
            check_in_legacy_order(tx, context.caller(), &changes)?;
        } else if let Some(index) = invalid_value_position(&changes) {
            // The error for a value that is neither a boolean nor a string says only that a boolean was expected.
            return Err(Error::bad_value(
                format!("subscription_data[{index}][\"value\"][\"bool\"]"),
                "is not a boolean",
            ));
        }
        let changes = changes
            .into_iter()
            .enumerate()
            .map(|(index, change)| parse_change(index, change))
            .collect::<Result<Vec<(ChannelId, CheckedPropertyChange)>, Error>>()?;
        for (channel, _) in &changes {
            check_subscribed(tx, context.caller(), *channel)?;
        }

        for (channel, change) in changes {
            change.apply(tx, context.caller().id, channel);
        }
        Ok(Success {})
    }
}

operation! {
    /// Changes a property of one of the caller's subscriptions.
    pub ChangeProperty = PATCH "/users/me/subscriptions/{stream_id}", for User;
    params {
        /// ID of a channel that the caller is subscribed to.
        @path stream_id: ChannelId,
        /// Name of the property, one of those of POST /users/me/subscriptions/properties.
        property: String,
        /// A text such as `#76ce90` for `color`, otherwise true or false.
        value: TextOrJson,
    }
    errors in ERRORS;
    events [SubscriptionUpdate];
}

/// JSON, or plain text, because some clients send a color without quotes.
#[derive(Clone, Debug, PartialEq)]
pub struct TextOrJson(pub Value);

impl Parameter for TextOrJson {
    const IS_JSON: bool = false;

    fn from_text(text: &str, _name: &str) -> Result<Self, Error> {
        Ok(Self(serde_json::from_str(text).unwrap_or_else(|_| text.into())))
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": ["boolean", "string"]})
    }
}

impl Write for ChangeProperty {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let TextOrJson(value) = params.value;
        let change = PropertyChange { stream_id: params.stream_id, property: params.property, value };
        if !context.has(Feature::SubscriptionValuesCheckedFirst) {
            check_in_legacy_order(tx, context.caller(), std::slice::from_ref(&change))?;
        }
        let (channel, change) = parse_change(0, change)?;
        check_subscribed(tx, context.caller(), channel)?;

        change.apply(tx, context.caller().id, channel);
        Ok(Success {})
    }
}

/// The index of the first change whose value is neither a string nor a boolean.
fn invalid_value_position(changes: &[PropertyChange]) -> Option<usize> {
    changes.iter().position(|change| !change.value.is_boolean() && !change.value.is_string())
}

/// Runs the checks in the order of levels without [`Feature::SubscriptionValuesCheckedFirst`]: the types of all values,
/// then for each change the name of the property, the channel, and the value.
fn check_in_legacy_order(tx: &Tx, caller: &User, changes: &[PropertyChange]) -> Result<(), Error> {
    if let Some(index) = invalid_value_position(changes) {
        return Err(Error::bad_value(format!("subscription_data[{index}][\"value\"]"), "is not an allowed_type"));
    }
    for (index, change) in changes.iter().enumerate() {
        let result = parse_change(index, change.clone());
        if !matches!(result, Err(Error::UnknownSubscriptionProperty { .. })) {
            check_subscribed(tx, caller, change.stream_id)?;
        }
        result?;
    }
    Ok(())
}

/// A [`PropertyChange`] whose property is known and whose value has the property's type.
enum CheckedPropertyChange {
    Color(String),
    Muted(bool),
    BooleanProperty(&'static BooleanProperty, bool),
}

/// A boolean property that is stored, and sent in events, under its own name.
struct BooleanProperty {
    name: &'static str,
    set: fn(&mut Subscription, bool),
}

static BOOLEAN_PROPERTIES: [BooleanProperty; 6] = [
    BooleanProperty { name: "pin_to_top", set: |subscription, value| subscription.pin_to_top = value },
    BooleanProperty {
        name: "desktop_notifications",
        set: |subscription, value| subscription.desktop_notifications = Some(value),
    },
    BooleanProperty {
        name: "audible_notifications",
        set: |subscription, value| subscription.audible_notifications = Some(value),
    },
    BooleanProperty {
        name: "push_notifications",
        set: |subscription, value| subscription.push_notifications = Some(value),
    },
    BooleanProperty {
        name: "email_notifications",
        set: |subscription, value| subscription.email_notifications = Some(value),
    },
    BooleanProperty {
        name: "wildcard_mentions_notify",
        set: |subscription, value| subscription.wildcard_mentions_notify = Some(value),
    },
];

/// Parses the change at an index of the list. Does not check the channel.
fn parse_change(index: usize, change: PropertyChange) -> Result<(ChannelId, CheckedPropertyChange), Error> {
    let PropertyChange { stream_id, property, value } = change;
    let boolean = || value.as_bool().ok_or_else(|| Error::PropertyNotBoolean { property: property.as_str().into() });
    let change = match property.as_str() {
        "color" => {
            let invalid_color = |reason: &str| Error::InvalidValueBecause {
                parameter: format!("subscription_data[{index}]").into(),
                reason: reason.into(),
            };
            let color = value.as_str().ok_or_else(|| invalid_color("color is not a string"))?;
            if !is_color(color) {
                return Err(invalid_color("color is not a valid hex color code"));
            }
            CheckedPropertyChange::Color(color.to_owned())
        }
        "is_muted" => CheckedPropertyChange::Muted(boolean()?),
        "in_home_view" => CheckedPropertyChange::Muted(!boolean()?),
        name => {
            let property = BOOLEAN_PROPERTIES.iter().find(|property| property.name == name);
            let property = property.ok_or_else(|| Error::UnknownSubscriptionProperty { property: name.into() })?;
            CheckedPropertyChange::BooleanProperty(property, boolean()?)
        }
    };
    Ok((stream_id, change))
}

fn check_subscribed(tx: &Tx, caller: &User, channel: ChannelId) -> Result<(), Error> {
    tx.readable_active_channel(caller, channel)?;
    let is_subscribed = tx.user_state(caller.id).subscription(channel).is_some();
    if is_subscribed { Ok(()) } else { Err(Error::NotSubscribed { channel_id: channel.0.into() }) }
}

impl CheckedPropertyChange {
    fn apply(self, tx: &mut Tx, user: UserId, channel: ChannelId) {
        if let Some(subscription) = tx.user_state_mut(user).subscriptions.get_mut(&channel) {
            let subscription = Arc::make_mut(subscription);
            match &self {
                CheckedPropertyChange::Color(color) => subscription.color.clone_from(color),
                CheckedPropertyChange::Muted(is_muted) => subscription.is_muted = *is_muted,
                CheckedPropertyChange::BooleanProperty(property, value) => (property.set)(subscription, *value),
            }
        }
        match self {
            CheckedPropertyChange::Color(color) => emit_property(tx, user, channel, "color", color.into()),
            CheckedPropertyChange::Muted(is_muted) => {
                emit_property(tx, user, channel, "in_home_view", (!is_muted).into());
                emit_property(tx, user, channel, "is_muted", is_muted.into());
            }
            CheckedPropertyChange::BooleanProperty(property, value) => {
                emit_property(tx, user, channel, property.name, value.into())
            }
        }
    }
}

fn emit_property(tx: &mut Tx, user: UserId, channel: ChannelId, property: &'static str, value: Value) {
    tx.emit(Audience::of_user(user), SubscriptionUpdate { property, value, stream_id: channel });
}
