//! A server that this program asks as a client: a real one, or another double.
//!
//! An [`Upstream`] asks as one account, no faster than it may, and waits as long as the server says. Reads are repeated
//! when they fail for a reason that may pass. Whatever else goes wrong is a [`Fault`], which says so in one line.

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
pub use client::{Ask, Options, Upstream};
pub use fault::Fault;
pub use pace::Pace;
pub use reply::Reply;
pub use transport::builder;
