//! Registering and removing devices for push notifications. The submodule `tokens` has the legacy push tokens of
//! devices without encryption.
//!
//! A choice where the API is silent: A-53 in docs/assumptions.md.

mod tokens;

pub use tokens::{AddAndroidToken, AddPlatformToken, AppId, RemoveAndroidToken, RemovePlatformToken};

use super::{OperationContext, Success, Write, operation};
use crate::api::changes::users::device::{remove_device, unknown_device_error};
use crate::error::Error;
use crate::realm::device::Device;
use crate::realm::event::Audience;
use crate::realm::id::DeviceId;
use crate::realm::tx::Tx;
use crate::record::events::DeviceAdd;
use schemars::JsonSchema;
use serde::Serialize;

operation! {
    /// Registers a device of the caller, without a push key or token yet.
    pub RegisterDevice = POST "/register_client_device", for User, since 468;
    reply DeviceIdReply;
    events [DeviceAdd];
}

/// Which device was registered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeviceIdReply {
    /// ID of the device among those of all users, for `POST /mobile_push/register`.
    pub device_id: DeviceId,
}

impl Write for RegisterDevice {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, _params: Self::Params) -> Result<DeviceIdReply, Error> {
        let user = context.caller().id;

        tx.realm_mut().counters.device += 1;
        let device_id = DeviceId(tx.counters.device);
        tx.user_state_mut(user).devices.insert(device_id, Device::default());
        tx.emit(Audience::of_user(user), DeviceAdd { device_id });
        Ok(DeviceIdReply { device_id })
    }
}

operation! {
    /// Removes a device of the caller, as clients do at logout.
    pub RemoveDevice = POST "/remove_client_device", for User, since 470;
    params {
        /// ID of one of the caller's devices.
        device_id: DeviceId,
    }
    errors [InvalidValue];
    events [DeviceRemove];
}

impl Write for RemoveDevice {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        let device_id = params.device_id;
        if !tx.user_state(user).devices.contains_key(&device_id) {
            return Err(unknown_device_error());
        }

        remove_device(tx, user, device_id);
        Ok(Success {})
    }
}
