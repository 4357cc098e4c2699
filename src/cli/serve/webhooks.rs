//! Where outgoing webhooks may be posted to, as the command line says it.

use crate::realm::webhook::Reach;

/// Where outgoing webhooks are posted to.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Webhooks {
    Loopback,
    Anywhere,
}

impl Webhooks {
    /// What the server is started with.
    pub fn reach(self) -> Reach {
        match self {
            Webhooks::Loopback => Reach::Loopback,
            Webhooks::Anywhere => Reach::Anywhere,
        }
    }
}
