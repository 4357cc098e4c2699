//! Browser sessions: logins by cookie. They are not part of the realm, so that forks, snapshots and state documents do
//! not have them.

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

/// Maximum number of sessions in a world. When another one is opened, the oldest ends.
pub const MAX_SESSIONS: usize = 10_000;
/// Lifetime of a session, by the world's clock.
pub const SESSION_LIFETIME: Span = Span::from_days(14);

/// The open sessions of a world, and the generator of their tokens.
#[derive(Debug)]
pub struct Sessions {
    token_seed: u64,
    /// The number of the world in the server, so that a later world with the same name has other tokens.
    ordinal: AtomicU64,
    /// The number of generated tokens.
    token_count: AtomicU64,
    open_sessions: Mutex<OpenSessions>,
}

#[derive(Debug, Default)]
struct OpenSessions {
    sessions_by_id: HashMap<String, Session>,
    /// IDs by number, in the order in which the sessions were opened.
    ids_by_number: BTreeMap<u64, String>,
    last_number: u64,
}

#[derive(Debug)]
struct Session {
    number: u64,
    user: UserId,
    /// The account's password when the session began, or when the user last changed it in this session. Any other
    /// change of the password ends the session.
    password: Option<String>,
    ends_at: Timestamp,
}

impl OpenSessions {
    fn remove(&mut self, id: &str) {
        if let Some(session) = self.sessions_by_id.remove(id) {
            self.ids_by_number.remove(&session.number);
        }
    }

    fn retain(&mut self, predicate: impl Fn(&Session) -> bool) {
        self.sessions_by_id.retain(|_, session| predicate(session));
        let OpenSessions { sessions_by_id, ids_by_number, .. } = self;
        ids_by_number.retain(|_, id| sessions_by_id.contains_key(id));
    }
}

impl Sessions {
    /// The tokens depend on the world's name, its seed and its ordinal.
    pub(super) fn new(name: &str, seed: u64) -> Self {
        let digest = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(name).finalize();
        let token_seed = digest.iter().take(8).fold(0, |accumulated, byte| (accumulated << 8) | u64::from(*byte));
        Self { token_seed, ordinal: AtomicU64::new(0), token_count: AtomicU64::new(0), open_sessions: Mutex::default() }
    }

    /// Sets the number of the world in the server, on which the tokens depend. Must be called before the first session
    /// is opened.
    pub(super) fn set_ordinal(&self, ordinal: u64) {
        self.ordinal.store(ordinal, Ordering::Relaxed);
    }

    /// A new token of 32 letters and digits.
    pub fn generate_token(&self) -> String {
        // The odd multiplier spreads the ordinals over all seeds.
        let seed =
            self.token_seed.wrapping_add(self.ordinal.load(Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        SeededRng { seed, position: self.token_count.fetch_add(1, Ordering::Relaxed) * 32 }.api_key()
    }

    pub fn count(&self) -> usize {
        self.open_sessions.lock().sessions_by_id.len()
    }

    pub fn end(&self, id: &str) {
        self.open_sessions.lock().remove(id);
    }

    pub fn end_all(&self) {
        *self.open_sessions.lock() = OpenSessions::default();
    }
}

impl World {
    #[doc(hidden)]
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Opens a session, and returns its ID, which is secret.
    #[doc(hidden)]
    pub fn open_session(&self, user: &User) -> String {
        let id = self.sessions.generate_token();
        let ends_at = self.now().plus(SESSION_LIFETIME);
        let mut open_sessions = self.sessions.open_sessions.lock();
        open_sessions.last_number += 1;
        let number = open_sessions.last_number;
        open_sessions
            .sessions_by_id
            .insert(id.clone(), Session { number, user: user.id, password: user.password.clone(), ends_at });
        open_sessions.ids_by_number.insert(number, id.clone());
        while open_sessions.ids_by_number.len() > MAX_SESSIONS
            && let Some((_, oldest)) = open_sessions.ids_by_number.pop_first()
        {
            open_sessions.sessions_by_id.remove(&oldest);
        }
        id
    }

    /// The user of an open session. None if there is no such session, it has expired, or the password was changed
    /// elsewhere. Does not check whether the account or the organization is deactivated.
    pub(crate) fn user_of_session(&self, realm: &Realm, id: &str) -> Option<Arc<User>> {
        let open_sessions = self.sessions.open_sessions.lock();
        let session = open_sessions.sessions_by_id.get(id).filter(|session| session.ends_at > self.now())?;
        realm.user(session.user).filter(|user| user.password == session.password).cloned()
    }

    /// Keeps a session open after its user changed the password in it. The user's other sessions end.
    pub(crate) fn keep_session(&self, id: &str) {
        let realm = self.published_realm();
        if let Some(session) = self.sessions.open_sessions.lock().sessions_by_id.get_mut(id)
            && let Some(user) = realm.user(session.user)
        {
            session.password.clone_from(&user.password);
        }
    }

    /// Ends the sessions of deactivated accounts, and all sessions of a deactivated organization, so that reactivation
    /// does not reopen them.
    pub(crate) fn end_inactive_sessions(&self) {
        let realm = self.published_realm();
        let is_active = |user: UserId| realm.user(user).is_some_and(|user| realm.check_is_active(user).is_ok());
        self.sessions.open_sessions.lock().retain(|session| is_active(session.user));
    }
}
