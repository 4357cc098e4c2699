//! The option `--webhooks`: which addresses outgoing webhooks may call.

use crate::realm::webhook::Reach;

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum WebhookReach {
    Loopback,
    Anywhere,
}

impl WebhookReach {
    pub fn reach(self) -> Reach {
        match self {
            WebhookReach::Loopback => Reach::Loopback,
            WebhookReach::Anywhere => Reach::Anywhere,
        }
    }
}
