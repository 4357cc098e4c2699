//! Sending test notifications to the caller's devices. Submodules register devices for encrypted notifications, here
//! and at the push relay.

mod legacy;
mod register;
mod relay;
mod store;

pub use register::RegisterPush;
pub use relay::RegisterDeviceAtRelay;

use super::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::fault::PushRelayFailure;
use crate::feature::Feature;
use crate::realm::device::Device;
use crate::realm::id::{DeviceId, UserId};
use crate::realm::push::{PushContent, PushTarget, PushToken};
use crate::realm::tx::Tx;
use serde_json::json;

operation! {
    /// Sends a test notification to the caller's devices that are registered for encrypted notifications.
    pub TestEncryptedPush = POST "/mobile_push/e2ee/test_notification", for Human, since 420;
    params {
        /// ID of one of the caller's devices; when absent, all that are registered.
        device_id formerly "push_account_id" 420..468: Option<DeviceId>,
    }
    errors [NoActivePushDevice, InternalRelayFailure, RelayUnreachable, RelayAdminActionRequired];
}

impl Write for TestEncryptedPush {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        let is_selected = |id: DeviceId, device: &Device| match params.device_id {
            // Below 468, clients name a device by the number that they chose for it.
            Some(selected) if !context.has(Feature::ServerAssignsDeviceIds) => selected.0 == device.account_id(id),
            selected => selected.is_none_or(|selected| selected == id),
        };
        let devices =
            tx.user_state(user).devices.iter().filter(|(id, device)| is_selected(**id, device) && device.is_active());
        let devices: Vec<DeviceId> = devices.map(|(id, _)| *id).collect();
        if devices.is_empty() {
            return Err(Error::NoActivePushDevice);
        }
        check_relay(context)?;

        for device in devices {
            send_test_push(tx, context, user, PushTarget::Device(device));
        }
        Ok(Success {})
    }
}

operation! {
    /// Sends a test notification to the caller's legacy tokens; deprecated.
    pub TestPush = POST "/mobile_push/test_notification", for Human, since 217, deprecated 420 => "POST /mobile_push/e2ee/test_notification";
    params {
        /// Token of one of the caller's devices; when absent, all of them, if there are any.
        token: Option<String>,
    }
    errors [PushTokenUnknown, InternalRelayFailure, RelayUnreachable, RelayAdminActionRequired];
}

impl Write for TestPush {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        let push_tokens = tx.user_state(user).push_tokens.iter();
        let is_selected =
            |token: &&PushToken| params.token.as_ref().is_none_or(|selected| token.matches(token.kind, selected));
        let tokens: Vec<String> = push_tokens.filter(is_selected).map(|token| token.token.clone()).collect();
        if tokens.is_empty() {
            return if params.token.is_some() { Err(Error::PushTokenUnknown) } else { Ok(Success {}) };
        }
        check_relay(context)?;

        for token in tokens {
            send_test_push(tx, context, user, PushTarget::Token(token));
        }
        Ok(Success {})
    }
}

/// Checks that no fault makes the relay fail.
///
/// # Errors
///
/// `InternalRelayFailure`, `RelayUnreachable`, `RelayAdminActionRequired`.
fn check_relay(context: &OperationContext<'_>) -> Result<(), Error> {
    match context.push_relay_failure {
        None => Ok(()),
        Some(PushRelayFailure::ServerError) => Err(Error::InternalRelayFailure),
        Some(PushRelayFailure::Unreachable) => Err(Error::RelayUnreachable),
        Some(PushRelayFailure::AdminActionRequired) => Err(Error::RelayAdminActionRequired),
    }
}

fn send_test_push(tx: &mut Tx, context: &OperationContext<'_>, user: UserId, target: PushTarget) {
    let payload = json!({
        "type": "test",
        "realm_url": context.origin.base_url(),
        "realm_name": tx.organization.name,
        "user_id": user,
        "time": tx.now.seconds(),
    });
    tx.push(user, target, PushContent::Test(payload));
}
