//! The devices of a user that notifications can reach.

use crate::error::Error;
use crate::realm::event::Audience;
use crate::realm::id::{DeviceId, UserId};
use crate::realm::tx::Tx;
use crate::record::events::DeviceRemove;

/// Forgets a device.
///
/// Event: `device` remove.
pub fn remove_device(tx: &mut Tx, user: UserId, device: DeviceId) {
    tx.change_push_targets(user, |own| own.devices.remove(&device));
    tx.emit(Audience::user(user), DeviceRemove { device_id: device });
}

/// What is said of a device that is unknown or another's.
pub fn unknown_device() -> Error {
    Error::InvalidValue { parameter: "device_id".into() }
}
