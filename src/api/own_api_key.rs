//! Replacing the caller's API key.

use super::{OperationContext, Write, operation};
use crate::api::changes::users::api_key::{ApiKeyOnlyReply, regenerate_api_key};
use crate::api::changes::users::device::remove_device;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::id::DeviceId;
use crate::realm::tx::Tx;

operation! {
    /// Gives the caller a new API key; the old one no longer works, devices and push tokens are removed, event queues
    /// stay.
    pub RegenerateOwnApiKey = POST "/users/me/api_key/regenerate", for User;
    reply ApiKeyOnlyReply;
    events [DeviceRemove];
}

impl Write for RegenerateOwnApiKey {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, _params: Self::Params) -> Result<ApiKeyOnlyReply, Error> {
        let user = context.caller().id;

        let reply = regenerate_api_key(tx, user);
        tx.change_push_targets(user, |state| state.push_tokens.clear());
        if context.has(Feature::NewApiKeysRemoveDevices) {
            let devices: Vec<DeviceId> = tx.user_state(user).devices.keys().copied().collect();
            for device in devices {
                remove_device(tx, user, device);
            }
        }
        Ok(reply)
    }
}
