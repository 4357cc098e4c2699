//! A server to which this program is a client: a real one, or another double.
//!
//! An [`Upstream`] sends requests as one account, within its rate and with the pauses that the server asks for. It repeats
//! reads that fail for a temporary reason. All other failures are a [`Fault`], which is a message of one line.

mod account;
mod address;
mod client;
mod fault;
mod pace;
mod reply;
mod transport;

#[cfg(test)]
mod tests;

pub use account::{Account, read_zuliprc};
pub use address::BaseUrl;
pub use client::{Ask, Options, Upstream, whole_reply};
pub use fault::Fault;
pub use pace::Pace;
pub use reply::Reply;
pub use transport::builder;
