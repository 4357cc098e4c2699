//! Removing a push device of a user, and the error for an unknown device.

use crate::error::Error;
use crate::realm::event::Audience;
use crate::realm::id::{DeviceId, UserId};
use crate::realm::tx::Tx;
use crate::record::events::DeviceRemove;

/// Event: `device` remove to the user.
pub fn remove_device(tx: &mut Tx, user: UserId, device: DeviceId) {
    tx.change_push_targets(user, |state| state.devices.remove(&device));
    tx.emit(Audience::of_user(user), DeviceRemove { device_id: device });
}

/// The error for a device that is unknown or belongs to another user.
pub fn unknown_device_error() -> Error {
    Error::InvalidValue { parameter: "device_id".into() }
}
