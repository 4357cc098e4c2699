//! The option `--webhooks`: which addresses outgoing webhooks may call.

use crate::realm::webhook::Reach;

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Webhooks {
    Loopback,
    Anywhere,
}

impl Webhooks {
    pub fn reach(self) -> Reach {
        match self {
            Webhooks::Loopback => Reach::Loopback,
            Webhooks::Anywhere => Reach::Anywhere,
        }
    }
}
