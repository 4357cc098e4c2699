//! Push notifications: the devices and tokens that receive them, and handing pushes to the relay.

mod message;

use crate::realm::Realm;
use crate::realm::model::id::UserId;
use crate::realm::model::personal::UserState;
use crate::realm::model::push::{MAX_PUSHES, Push, PushContent, PushKey, PushService, PushTarget};
use crate::realm::tx::Tx;
use std::sync::Arc;

impl Realm {
    /// The service that delivers to a device or token, and the device's key. The default service and no key if the user
    /// no longer has it.
    fn service_and_key(&self, user: UserId, target: &PushTarget) -> (PushService, Option<PushKey>) {
        let state = self.user_state(user);
        match target {
            PushTarget::Device(id) => state.devices.get(id).map_or_else(Default::default, |device| {
                let key = device.push_key_id.zip(device.push_key.clone());
                let key = key.map(|(key_id, key)| PushKey { id: key_id, account_id: device.account_id(*id), key });
                (device.push_service, key)
            }),
            PushTarget::Token(token) => {
                let push_token = state.push_tokens.iter().find(|push_token| push_token.token == *token);
                (push_token.map_or_else(Default::default, |push_token| push_token.kind.service()), None)
            }
        }
    }

    /// The user's active devices and tokens.
    pub fn push_targets(&self, user: UserId) -> Vec<PushTarget> {
        let state = self.user_state(user);
        let devices = state.devices.iter().filter(|(_, device)| device.is_active());
        let devices = devices.map(|(id, _)| PushTarget::Device(*id));
        devices.chain(state.push_tokens.iter().map(|token| PushTarget::Token(token.token.clone()))).collect()
    }
}

impl Tx {
    /// Changes a user's devices or tokens, and updates the index of users that pushes reach.
    pub fn change_push_targets<T>(&mut self, user: UserId, change: impl FnOnce(&mut UserState) -> T) -> T {
        let result = change(self.user_state_mut(user));
        let is_reachable = !self.push_targets(user).is_empty();
        let reachable_users = &mut self.realm_mut().users_with_push;
        if is_reachable {
            reachable_users.insert(user);
        } else {
            reachable_users.remove(&user);
        }
        result
    }

    /// Hands a push to the relay, which drops the oldest one if it has [`MAX_PUSHES`].
    pub fn push(&mut self, user: UserId, to: PushTarget, content: PushContent) {
        let at = self.now;
        let (service, key) = self.service_and_key(user, &to);
        let relay = &mut self.realm_mut().relay;
        relay.push_count += 1;
        let push = Push { id: relay.push_count, at, user, to, service, key, content };
        let pushes = &mut relay.pushes;
        if pushes.len() == MAX_PUSHES {
            pushes.pop_front();
        }
        pushes.push_back(Arc::new(push));
    }
}
