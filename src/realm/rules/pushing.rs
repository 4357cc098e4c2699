//! Pushing: what is handed to the relay, and by which ways it reaches users.

mod message;

use crate::realm::Realm;
use crate::realm::model::id::UserId;
use crate::realm::model::personal::UserState;
use crate::realm::model::push::{MAX_PUSHES, Push, PushContent, PushKey, PushService, PushTarget};
use crate::realm::tx::Tx;
use std::sync::Arc;

impl Realm {
    /// Who delivers to a device or token of a user, and the device's key.
    fn way_to(&self, user: UserId, target: &PushTarget) -> (PushService, Option<PushKey>) {
        let own = self.user_state(user);
        match target {
            PushTarget::Device(id) => own.devices.get(id).map_or_else(Default::default, |device| {
                let key = device.push_key_id.zip(device.push_key.clone());
                let key = key.map(|(key_id, key)| PushKey { id: key_id, account: device.account(*id), key });
                (device.push_token_kind, key)
            }),
            PushTarget::Token(token) => {
                let known = own.push_tokens.iter().find(|known| known.token == *token);
                (known.map_or_else(Default::default, |known| known.kind.service()), None)
            }
        }
    }

    /// The devices and tokens that notifications reach a user by.
    pub fn push_targets(&self, user: UserId) -> Vec<PushTarget> {
        let own = self.user_state(user);
        let devices = own.devices.iter().filter(|(_, device)| device.is_active());
        let devices = devices.map(|(id, _)| PushTarget::Device(*id));
        devices.chain(own.push_tokens.iter().map(|token| PushTarget::Token(token.token.clone()))).collect()
    }
}

impl Tx {
    /// Changes a user's devices or tokens, and keeps the index of those that notifications reach.
    pub fn change_push_targets<T>(&mut self, user: UserId, change: impl FnOnce(&mut UserState) -> T) -> T {
        let result = change(self.user_state_mut(user));
        let is_reached = !self.push_targets(user).is_empty();
        let reached = &mut self.realm_mut().reached_by_push;
        if is_reached {
            reached.insert(user);
        } else {
            reached.remove(&user);
        }
        result
    }

    /// Hands something to the relay.
    pub fn push(&mut self, user: UserId, to: PushTarget, content: PushContent) {
        let at = self.now;
        let (service, key) = self.way_to(user, &to);
        let relay = &mut self.realm_mut().relay;
        relay.handed += 1;
        let push = Push { id: relay.handed, at, user, to, service, key, content };
        let pushes = &mut relay.pushes;
        if pushes.len() == MAX_PUSHES {
            pushes.pop_front();
        }
        pushes.push_back(Arc::new(push));
    }
}
