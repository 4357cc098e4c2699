//! Sets a realm to an earlier time.

use crate::realm::Realm;
use crate::realm::model::group::SystemGroup;
use crate::realm::tx::Tx;
use crate::time::Timestamp;

impl Realm {
    /// Sets a realm without queues to an earlier time. Nothing is undone, but full members and the agenda are
    /// recomputed.
    pub fn rewind_to(mut self, time: Timestamp) -> Self {
        self.now = time;
        self.agenda = Default::default();
        let mut tx = Tx::new(self);
        let full_members = tx.users.values().filter(|user| tx.is_full_member(user)).map(|user| user.id).collect();
        let group = tx.system_group(SystemGroup::FullMembers);
        tx.group_mut(group).members = full_members;
        tx.into_realm().with_agenda()
    }
}
