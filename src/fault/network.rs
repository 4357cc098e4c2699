//! Simulated networks between clients and a world: latency, bandwidth and loss of connections.

use crate::realm::seeded_rng::SeededRng;
use std::time::Duration;

/// The properties of a network, named or set by a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Empty for a network without a named profile.
    pub name: &'static str,
    /// The delay of each reply.
    pub latency_ms: u64,
    /// The largest random addition to the delay.
    pub jitter_ms: u64,
    /// Bandwidth for bodies, in each direction; None means unlimited.
    pub bytes_per_second: Option<u64>,
    /// The share of requests whose connection breaks, from 0 to 1.
    pub loss_rate: f64,
    /// A phrase for the generated documentation.
    pub description: &'static str,
}

const fn profile(
    name: &'static str,
    latency_ms: u64,
    jitter_ms: u64,
    bytes_per_second: u64,
    loss_rate: f64,
    description: &'static str,
) -> Profile {
    Profile { name, latency_ms, jitter_ms, bytes_per_second: Some(bytes_per_second), loss_rate, description }
}

/// The profile in which no request arrives, whatever `loss_rate` says.
const OFFLINE: &str = "offline";

/// The named profiles: the offline one, then from the slowest to the fastest, then the lossy one.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: OFFLINE,
        latency_ms: 0,
        jitter_ms: 0,
        bytes_per_second: None,
        loss_rate: 1.0,
        description: "every connection breaks before its request is carried out, and no reply arrives",
    },
    profile("gprs", 500, 50, 6_250, 0.0, "50 kbit/s"),
    profile("edge", 300, 30, 30_000, 0.0, "240 kbit/s"),
    profile("3g", 150, 15, 200_000, 0.0, "1.6 Mbit/s"),
    profile("4g", 50, 5, 1_500_000, 0.0, "12 Mbit/s"),
    profile("wifi", 10, 1, 5_000_000, 0.0, "40 Mbit/s"),
    profile("lossy", 100, 10, 200_000, 0.1, "1.6 Mbit/s, of ten connections one breaks"),
];

/// The network of one user, or of all users without one of their own.
#[derive(Clone, Debug)]
pub struct Network {
    /// Email address of the user; None means all users without a network of their own.
    pub user: Option<String>,
    pub profile: Profile,
    /// The position, from 1, among the networks set since the world's start or the last reset of its networks.
    number: u64,
    rng: SeededRng,
}

/// When the connection of a request breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The request is not carried out.
    Before,
    /// The request is carried out, but its reply is lost.
    After,
}

/// How the network delivers one reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyTransfer {
    pub latency: Duration,
    /// Bandwidth for the body; None means unlimited.
    pub bytes_per_second: Option<u64>,
    /// Whether the reply is lost, because the user is offline.
    pub is_lost: bool,
}

/// The networks of a world's users, in the order in which they were set.
#[derive(Clone, Debug, Default)]
pub struct Networks {
    seed: u64,
    networks: Vec<Network>,
    set_count: u64,
}

impl Networks {
    /// Returns an empty set of networks, whose random draws follow from the seed.
    pub fn new(seed: u64) -> Self {
        // The constant is `network` in ASCII. It makes the draws differ from those of the world.
        Self { seed: seed ^ 0x006e_6574_776f_726b, ..Self::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.networks.is_empty()
    }

    /// Puts a user, or all users without a network of their own, on a new network. Its random draws start over.
    pub fn set(&mut self, user: Option<String>, profile: Profile) {
        self.networks.retain(|network| network.user != user);
        self.set_count += 1;
        self.networks.push(Network { user, profile, number: self.set_count, rng: SeededRng::from_seed(self.seed) });
    }

    /// Removes the network of a user; the one for all users stays.
    pub fn remove(&mut self, user: &str) {
        self.networks.retain(|network| network.user.as_deref() != Some(user));
    }

    /// Removes all networks, also the one for all users.
    pub fn clear(&mut self) {
        self.networks.clear();
    }

    /// The networks, in the order in which they were set.
    pub fn all(&self) -> &[Network] {
        &self.networks
    }

    /// The bandwidth of a user; None means unlimited.
    pub fn bytes_per_second(&mut self, user: Option<&str>) -> Option<u64> {
        self.network_of(user)?.profile.bytes_per_second
    }

    /// Whether the user's network has the profile `offline`, with which no request arrives.
    pub fn is_offline(&self, user: &str) -> bool {
        self.index_of(Some(user)).is_some_and(|index| self.networks[index].profile.name == OFFLINE)
    }

    /// Draws whether the connection of a user's request breaks; None means that it does not.
    pub fn draw_loss(&mut self, user: Option<&str>) -> Option<Loss> {
        let network = self.network_of(user)?;
        if network.profile.name == OFFLINE {
            return Some(Loss::Before);
        }
        let loss_rate = network.profile.loss_rate;
        if loss_rate <= 0.0 || network.rng.next_fraction() >= loss_rate {
            return None;
        }
        Some(if network.rng.next_fraction() < 0.5 { Loss::Before } else { Loss::After })
    }

    /// The number of a user's network, by which one can tell later whether the user still has the same; None without a
    /// network.
    pub fn number(&mut self, user: Option<&str>) -> Option<u64> {
        self.network_of(user).map(|network| network.number)
    }

    /// Draws whether a reply is lost to a user whose request began on the network `first_network_number`. The user may
    /// be offline by now, or on another network. On the same network, a request draws only once, by
    /// [`Networks::draw_loss`].
    pub fn draw_reply_loss(&mut self, user: Option<&str>, first_network_number: Option<u64>) -> bool {
        let Some(network) = self.network_of(user) else { return false };
        if network.profile.name == OFFLINE {
            return true;
        }
        let loss_rate = network.profile.loss_rate;
        Some(network.number) != first_network_number && loss_rate > 0.0 && network.rng.next_fraction() < loss_rate
    }

    /// Draws how a reply is delivered to a user; None when the user has no network.
    pub fn draw_reply_transfer(&mut self, user: Option<&str>) -> Option<ReplyTransfer> {
        let network = self.network_of(user)?;
        let Profile { name, latency_ms, jitter_ms, bytes_per_second, .. } = network.profile;
        let jitter = if jitter_ms == 0 { 0.0 } else { network.rng.next_fraction() * jitter_ms as f64 };
        let latency = Duration::from_millis(latency_ms) + Duration::from_micros((jitter * 1e3) as u64);
        Some(ReplyTransfer { latency, bytes_per_second, is_lost: name == OFFLINE })
    }

    fn network_of(&mut self, user: Option<&str>) -> Option<&mut Network> {
        let index = self.index_of(user)?;
        self.networks.get_mut(index)
    }

    fn index_of(&self, user: Option<&str>) -> Option<usize> {
        let is_of_user = |network: &Network| {
            network.user.as_deref().zip(user).is_some_and(|(email, user)| email.eq_ignore_ascii_case(user))
        };
        let user_index = self.networks.iter().position(is_of_user);
        user_index.or_else(|| self.networks.iter().position(|network| network.user.is_none()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile_named(name: &str) -> Profile {
        *PROFILES.iter().find(|profile| profile.name == name).expect("there is such a profile")
    }

    fn networks(seed: u64, user: Option<&str>, profile: Profile) -> Networks {
        let mut networks = Networks::new(seed);
        networks.set(user.map(str::to_owned), profile);
        networks
    }

    #[test]
    fn half_of_the_losses_come_before_the_request_is_carried_out() {
        let mut networks = networks(7, None, Profile { loss_rate: 0.2, ..profile_named("wifi") });
        let losses: Vec<Option<Loss>> = (0..10_000).map(|_| networks.draw_loss(None)).collect();

        let count = |expected| losses.iter().filter(|loss| **loss == Some(expected)).count();
        assert!((900..1100).contains(&count(Loss::Before)), "{}", count(Loss::Before));
        assert!((900..1100).contains(&count(Loss::After)), "{}", count(Loss::After));
    }

    #[test]
    fn jitter_is_added_to_the_latency_and_follows_from_the_seed() {
        let profile = Profile { latency_ms: 100, jitter_ms: 40, ..profile_named("wifi") };
        let latencies = |seed| {
            let mut networks = networks(seed, None, profile);
            (0..200)
                .filter_map(|_| networks.draw_reply_transfer(None))
                .map(|transfer| transfer.latency)
                .collect::<Vec<_>>()
        };

        assert_eq!(latencies(1), latencies(1));
        assert_ne!(latencies(1), latencies(2));
        let (shortest, longest) = (latencies(1).into_iter().min(), latencies(1).into_iter().max());
        assert!(
            shortest >= Some(Duration::from_millis(100)) && shortest < Some(Duration::from_millis(105)),
            "{shortest:?}"
        );
        assert!(
            longest <= Some(Duration::from_millis(140)) && longest > Some(Duration::from_millis(135)),
            "{longest:?}"
        );
    }

    #[test]
    fn a_reply_is_lost_to_users_who_went_offline_or_changed_their_network() {
        let mut networks = networks(0, None, Profile { loss_rate: 1.0, ..profile_named("wifi") });
        let number = networks.number(None);
        assert!(!networks.draw_reply_loss(None, number), "the request drew from it already");
        assert!(networks.draw_reply_loss(None, None));

        networks.set(None, profile_named("wifi"));
        assert!(!networks.draw_reply_loss(None, number), "it loses nothing");
        networks.set(None, profile_named(OFFLINE));
        let number = networks.number(None);
        assert!(networks.draw_reply_loss(None, number));
        networks.clear();
        assert!(!networks.draw_reply_loss(None, number));
    }

    #[test]
    fn a_network_of_a_user_takes_precedence_over_that_of_all_users() {
        let mut networks = networks(0, Some("mel@chat.test"), profile_named(OFFLINE));
        assert_eq!(networks.draw_loss(Some("Mel@chat.test")), Some(Loss::Before));
        assert_eq!((networks.draw_loss(Some("max@chat.test")), networks.draw_reply_transfer(None)), (None, None));

        networks.set(None, profile_named("gprs"));
        assert_eq!(networks.bytes_per_second(Some("max@chat.test")), Some(6_250));
        networks.remove("mel@chat.test");
        assert_eq!(networks.draw_loss(Some("mel@chat.test")), None);
    }
}
