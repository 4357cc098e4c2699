//! The client for another server of the API: a real server, or another double.
//!
//! An [`Upstream`] sends requests as one account, within a rate limit. It retries reads after temporary failures, and
//! returns failures that remain as a [`RequestError`].

mod account;
mod base_url;
mod client;
mod client_builder;
mod error;
mod pace;
mod reply;

#[cfg(test)]
mod tests;

pub use account::{Account, parse_zuliprc};
pub use base_url::{BaseUrl, BaseUrlError};
pub use client::{Options, Request, Upstream, send_and_read};
pub use client_builder::client_builder;
pub use error::RequestError;
pub use pace::RequestPace;
pub use reply::Reply;
