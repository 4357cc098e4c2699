//! Networks between clients and a world: how late, how slowly and how surely requests and replies pass.

use crate::realm::seeded_rng::SeededRng;
use std::time::Duration;

/// A kind of network by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    pub name: &'static str,
    /// What each reply waits for.
    pub latency_ms: u64,
    /// What each reply waits for in addition, at most.
    pub jitter_ms: u64,
    /// Bytes of bodies that pass in a second, in either direction; None: as many as there are.
    pub bytes_per_second: Option<u64>,
    /// The share of requests whose connection breaks.
    pub loss: f64,
    /// What it is like, for the documents.
    pub about: &'static str,
}

const fn profile(
    name: &'static str,
    latency_ms: u64,
    jitter_ms: u64,
    bytes_per_second: u64,
    loss: f64,
    about: &'static str,
) -> Profile {
    Profile { name, latency_ms, jitter_ms, bytes_per_second: Some(bytes_per_second), loss, about }
}

/// The name of the profile in which nothing passes.
const OFFLINE: &str = "offline";

/// The profiles, the worst first.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: OFFLINE,
        latency_ms: 0,
        jitter_ms: 0,
        bytes_per_second: None,
        loss: 1.0,
        about: "every connection breaks before its request is carried out, and no reply arrives",
    },
    profile("gprs", 500, 50, 6_250, 0.0, "50 kbit/s"),
    profile("edge", 300, 30, 30_000, 0.0, "240 kbit/s"),
    profile("3g", 150, 15, 200_000, 0.0, "1.6 Mbit/s"),
    profile("4g", 50, 5, 1_500_000, 0.0, "12 Mbit/s"),
    profile("wifi", 10, 1, 5_000_000, 0.0, "40 Mbit/s"),
    profile("lossy", 100, 10, 200_000, 0.1, "1.6 Mbit/s, of ten connections one breaks"),
];

/// The network of a user, or of all who have none of their own.
#[derive(Clone, Debug)]
pub struct Network {
    /// Address of the user; None: all others.
    pub user: Option<String>,
    /// The numbers, and the name of the profile that they are from.
    pub profile: Profile,
    chance: SeededRng,
}

/// When the connection of a request breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Before the request is carried out.
    Before,
    /// After it was carried out: the reply is lost.
    After,
}

/// How a reply passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// How long it waits.
    pub latency: Duration,
    /// Bytes of its body that pass in a second; None: as many as there are.
    pub bytes_per_second: Option<u64>,
    /// Whether it does not arrive.
    pub is_lost: bool,
}

/// A world's networks.
#[derive(Clone, Debug, Default)]
pub struct Networks {
    seed: u64,
    networks: Vec<Network>,
}

impl Networks {
    /// None; chance follows from the seed.
    pub fn new(seed: u64) -> Self {
        Self { seed: seed ^ 0x006e_6574_776f_726b, networks: Vec::new() }
    }

    /// Whether all requests pass as they are.
    pub fn is_empty(&self) -> bool {
        self.networks.is_empty()
    }

    /// Puts a user, or all others, on a network, from the beginning of its chance on.
    pub fn set(&mut self, user: Option<String>, profile: Profile) {
        self.networks.retain(|network| network.user != user);
        self.networks.push(Network { user, profile, chance: SeededRng::from_seed(self.seed) });
    }

    /// Ends the network of a user alone, if it has one.
    pub fn remove(&mut self, user: &str) {
        self.networks.retain(|network| network.user.as_deref() != Some(user));
    }

    /// Ends all networks.
    pub fn clear(&mut self) {
        self.networks.clear();
    }

    /// The networks, in the order in which they were set.
    pub fn all(&self) -> &[Network] {
        &self.networks
    }

    /// Bytes of bodies that a user sends in a second; None: as many as there are.
    pub fn bytes_per_second(&mut self, user: Option<&str>) -> Option<u64> {
        self.of(user)?.profile.bytes_per_second
    }

    /// Draws whether the connection of a user's request breaks.
    pub fn lose(&mut self, user: Option<&str>) -> Option<Loss> {
        let network = self.of(user)?;
        if network.profile.name == OFFLINE {
            return Some(Loss::Before);
        }
        let loss = network.profile.loss;
        if loss <= 0.0 || network.share() >= loss {
            return None;
        }
        Some(if network.share() < 0.5 { Loss::Before } else { Loss::After })
    }

    /// Draws how a reply to a user passes; None when nothing changes about it.
    pub fn passage(&mut self, user: Option<&str>) -> Option<Passage> {
        let network = self.of(user)?;
        let Profile { name, latency_ms, jitter_ms, bytes_per_second, .. } = network.profile;
        let jitter = if jitter_ms == 0 { 0.0 } else { network.share() * jitter_ms as f64 };
        let latency = Duration::from_millis(latency_ms) + Duration::from_micros((jitter * 1e3) as u64);
        Some(Passage { latency, bytes_per_second, is_lost: name == OFFLINE })
    }

    fn of(&mut self, user: Option<&str>) -> Option<&mut Network> {
        let is_own = |network: &Network| {
            network.user.as_deref().zip(user).is_some_and(|(own, user)| own.eq_ignore_ascii_case(user))
        };
        let own = self.networks.iter().position(is_own);
        let at = own.or_else(|| self.networks.iter().position(|network| network.user.is_none()))?;
        self.networks.get_mut(at)
    }
}

impl Network {
    /// The next number of its chance, from 0 to less than 1.
    fn share(&mut self) -> f64 {
        let [word] = self.chance.words();
        f64::from(word) / (f64::from(u32::MAX) + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Profile {
        *PROFILES.iter().find(|profile| profile.name == name).expect("there is such a profile")
    }

    fn networks(seed: u64, user: Option<&str>, profile: Profile) -> Networks {
        let mut networks = Networks::new(seed);
        networks.set(user.map(str::to_owned), profile);
        networks
    }

    #[test]
    fn loss_is_the_share_that_was_asked_for_half_of_it_before() {
        let mut networks = networks(7, None, Profile { loss: 0.2, ..named("wifi") });
        let drawn: Vec<Option<Loss>> = (0..10_000).map(|_| networks.lose(None)).collect();

        let count = |loss| drawn.iter().filter(|drawn| **drawn == Some(loss)).count();
        assert!((900..1100).contains(&count(Loss::Before)), "{}", count(Loss::Before));
        assert!((900..1100).contains(&count(Loss::After)), "{}", count(Loss::After));
    }

    #[test]
    fn jitter_comes_on_top_of_the_latency_and_follows_from_the_seed() {
        let profile = Profile { latency_ms: 100, jitter_ms: 40, ..named("wifi") };
        let drawn = |seed| {
            let mut networks = networks(seed, None, profile);
            (0..200).filter_map(|_| networks.passage(None)).map(|passage| passage.latency).collect::<Vec<_>>()
        };

        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        let (least, most) = (drawn(1).into_iter().min(), drawn(1).into_iter().max());
        assert!(least >= Some(Duration::from_millis(100)) && least < Some(Duration::from_millis(105)), "{least:?}");
        assert!(most <= Some(Duration::from_millis(140)) && most > Some(Duration::from_millis(135)), "{most:?}");
    }

    #[test]
    fn a_user_has_the_own_network_and_others_that_of_all() {
        let mut networks = networks(0, Some("mel@chat.test"), named(OFFLINE));
        assert_eq!(networks.lose(Some("Mel@chat.test")), Some(Loss::Before));
        assert_eq!((networks.lose(Some("max@chat.test")), networks.passage(None)), (None, None));

        networks.set(None, named("gprs"));
        assert_eq!(networks.bytes_per_second(Some("max@chat.test")), Some(6_250));
        networks.remove("mel@chat.test");
        assert_eq!(networks.lose(Some("mel@chat.test")), None);
    }
}
