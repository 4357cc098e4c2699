//! An in-memory test double of a team-chat server.
//!
//! A [`Server`] holds worlds, each a whole organization with its clock. Start one, call its HTTP API as any client
//! would, move its clock:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//!
//! let server = chatdouble::Server::start().await?;
//! let mel = server.user("mel");
//! println!("{} may log in at {} as {}", mel.email, server.url(), mel.api_key);
//!
//! server.clock().advance(Duration::from_secs(3600)).await;
//! server.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! Tests take a world each, from a server that they share: [`testing`].
//!
//! # Layout
//!
//! Each layer names those to its right alone:
//! `cli` → `server` → `control` → `http` → `level` → `api` → `record` → `world` → `realm` → `error`,
//! `time`. To the right of `control` are `fixture` and `openapi` too, to that of `world` `fault`,
//! `journal` and `dialect`.
//!
//! - `realm`: the data of one organization and the rules over it; no HTTP, no async, no wall clock.
//! - `world`: a realm published whole, with a clock and the polls that hang on it. The only locks.
//! - `record`: the API's shared objects and events, as somebody sees them.
//! - `api`: the operations: a type each next to its kin, a row each in one table.
//! - `level`: what worlds at older feature levels do otherwise: a table of changes, applied to requests and replies.
//! - `http`: the way of one request: world, route, credentials, parameters, reply; dialects and addresses.
//! - `control`: steering worlds from outside.
//! - `fault`: replies that fail on demand. `journal`: what was asked and answered. `dialect`: names on the wire.
//! - `report`: what clients did that real servers would suffer from.
//! - `server`: sockets, and the library's [`Server`].
//! - [`reducer`]: a client's state: a register reply with events folded into it. Names nothing of the server.
//! - `scenario`: stories over HTTP, played against this server or another. Names nothing of the server.
//! - `fixture`: realms as documents. `openapi`: the table of operations as a document.
//! - [`testing`]: a world for each test of a Rust program, with helpers.
//! - `tls`: the certificate that a server shows, and what a client trusts.
//! - `organization`: what an account sees of another server's organization, as a fixture.
//! - `upstream`: real servers, asked as a client.
//! - `json_diagnostic`: what is wrong with JSON that doesn't fit, in words.

#![cfg_attr(
    not(feature = "internals"),
    expect(dead_code, unused_imports, reason = "some of it is for the crate's own tests, which see all modules")
)]

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod console;
mod counted;
mod json_diagnostic;
#[cfg(feature = "cli")]
mod organization;
pub mod reducer;
#[cfg(feature = "scenario")]
pub mod scenario;
pub mod testing;

// The rest is for the crate itself, and with the feature `internals` for its tests.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod api;
#[cfg(not(feature = "internals"))]
mod api;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod control;
#[cfg(not(feature = "internals"))]
mod control;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod dialect;
#[cfg(not(feature = "internals"))]
mod dialect;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod error;
#[cfg(not(feature = "internals"))]
mod error;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod fault;
#[cfg(not(feature = "internals"))]
mod fault;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod feature;
#[cfg(not(feature = "internals"))]
mod feature;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod fixture;
#[cfg(not(feature = "internals"))]
mod fixture;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod http;
#[cfg(not(feature = "internals"))]
mod http;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod journal;
#[cfg(not(feature = "internals"))]
mod journal;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod level;
#[cfg(not(feature = "internals"))]
mod level;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod openapi;
#[cfg(not(feature = "internals"))]
mod openapi;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod realm;
#[cfg(not(feature = "internals"))]
mod realm;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod record;
#[cfg(not(feature = "internals"))]
mod record;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod report;
#[cfg(not(feature = "internals"))]
mod report;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod server;
#[cfg(not(feature = "internals"))]
mod server;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod time;
#[cfg(not(feature = "internals"))]
mod time;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod tls;
#[cfg(not(feature = "internals"))]
mod tls;
#[cfg(feature = "cli")]
mod upstream;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod wire;
#[cfg(not(feature = "internals"))]
mod wire;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod world;
#[cfg(not(feature = "internals"))]
mod world;

pub use control::InitialClock;
pub use dialect::Dialect;
pub use fixture::Source as Fixture;
pub use server::{Credentials, Options, Server, StartError};
pub use time::Timestamp;
#[cfg(feature = "tls")]
pub use tls::Tls;
pub use world::World;
