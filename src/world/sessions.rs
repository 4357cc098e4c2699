//! Sessions of browsers: who is logged in by a cookie. They are no data of the realm, so that forks, snapshots and state
//! documents have none.

use super::World;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::seeded_rng::SeededRng;
use crate::realm::user::User;
use crate::time::{Span, Timestamp};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// So many are open in a world; another one ends the oldest.
pub const SESSIONS_MAX: usize = 10_000;
/// How long a session lasts, by the world's clock.
pub const SESSION_SPAN: Span = Span::days(14);

/// The sessions that are open in a world.
#[derive(Debug)]
pub struct Sessions {
    seed: u64,
    /// Which of the server's worlds it is: another one of the same name gives other tokens.
    ordinal: AtomicU64,
    drawn: AtomicU64,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    by_id: HashMap<String, Session>,
    /// In the order in which they were opened.
    ids: BTreeMap<u64, String>,
    opened: u64,
}

#[derive(Debug)]
struct Session {
    number: u64,
    user: UserId,
    /// The account's password when the session began: another one ends it.
    password: Option<String>,
    ends_at: Timestamp,
}

impl Open {
    fn remove(&mut self, id: &str) {
        if let Some(session) = self.by_id.remove(id) {
            self.ids.remove(&session.number);
        }
    }

    fn retain(&mut self, is_kept: impl Fn(&Session) -> bool) {
        self.by_id.retain(|_, session| is_kept(session));
        let Open { by_id, ids, .. } = self;
        ids.retain(|_, id| by_id.contains_key(id));
    }
}

impl Sessions {
    /// None yet, in a world of this name and seed.
    pub(super) fn new(name: &str, seed: u64) -> Self {
        let digest = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(name).finalize();
        let seed = digest.iter().take(8).fold(0, |seed, byte| (seed << 8) | u64::from(*byte));
        Self { seed, ordinal: AtomicU64::new(0), drawn: AtomicU64::new(0), open: Mutex::default() }
    }

    /// Notes which of the server's worlds it is, before the first session is opened.
    pub(super) fn number(&self, ordinal: u64) {
        self.ordinal.store(ordinal, Ordering::Relaxed);
    }

    /// 32 letters and digits that were not given before.
    pub fn token(&self) -> String {
        let seed = self.seed.wrapping_add(self.ordinal.load(Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        SeededRng { seed, position: self.drawn.fetch_add(1, Ordering::Relaxed) * 32 }.api_key()
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.open.lock().by_id.len()
    }

    /// Ends one.
    pub fn end(&self, id: &str) {
        self.open.lock().remove(id);
    }

    /// Ends all.
    pub fn end_all(&self) {
        *self.open.lock() = Open::default();
    }
}

impl World {
    /// Its sessions.
    #[doc(hidden)]
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Opens a session; gives its id, which is secret.
    #[doc(hidden)]
    pub fn open_session(&self, user: &User) -> String {
        let id = self.sessions.token();
        let ends_at = self.now().plus(SESSION_SPAN);
        let mut open = self.sessions.open.lock();
        open.opened += 1;
        let number = open.opened;
        open.by_id.insert(id.clone(), Session { number, user: user.id, password: user.password.clone(), ends_at });
        open.ids.insert(number, id.clone());
        while open.ids.len() > SESSIONS_MAX
            && let Some((_, oldest)) = open.ids.pop_first()
        {
            open.by_id.remove(&oldest);
        }
        id
    }

    /// Whose session has an id, if it is open. Whether the account may still be used is not asked.
    pub(crate) fn user_of_session(&self, realm: &Realm, id: &str) -> Option<Arc<User>> {
        let open = self.sessions.open.lock();
        let session = open.by_id.get(id).filter(|session| session.ends_at > self.now())?;
        realm.user(session.user).filter(|user| user.password == session.password).cloned()
    }

    /// Lets a session go on in which its user chose another password, which ends their others.
    pub(crate) fn keep_session(&self, id: &str) {
        let realm = self.published();
        if let Some(session) = self.sessions.open.lock().by_id.get_mut(id)
            && let Some(user) = realm.user(session.user)
        {
            session.password.clone_from(&user.password);
        }
    }

    /// Ends the sessions of accounts that were deactivated: they don't come back with the account.
    pub(crate) fn end_sessions_of_deactivated(&self) {
        let realm = self.published();
        let is_open = |user: UserId| realm.user(user).is_some_and(|user| realm.check_is_open_to(user).is_ok());
        self.sessions.open.lock().retain(|session| is_open(session.user));
    }
}
