//! An in-memory test double of a team-chat server.
//!
//! A [`Server`] holds worlds; each world is an organization with its own clock. Start a server, call its HTTP API as
//! any client would, and move its clock:
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
//! In Rust tests, [`testing`] gives each test its own world on a shared server.
//!
//! # Layout
//!
//! Each layer depends only on layers to its right: `cli` → `server` → `control` → `http` → `level` → `api` → `record` →
//! `world` → `realm` → `error`, `time`, `wire`. `control` also depends on `fixture` and `openapi`; `http`, `api` and
//! `world` also depend on `fault`; `http` and `world` also depend on `journal` and `dialect`; `server` also depends on
//! `console`. docs/contributing/architecture.md has the remaining dependencies.
//!
//! - `realm`: the data and rules of one organization, without HTTP, async code or wall clock.
//! - `world`: a realm with a clock and parked polls, and the lock of its writer.
//! - `record`: the shared objects and events of the API, as a user sees them.
//! - `api`: the operations: one type each, and one row each in a common table.
//! - `level`: the differences at older feature levels, as tables of changes to requests, replies and events.
//! - `http`: the handling of a request: world, route, credentials, parameters, reply.
//! - `control`: the calls with which tests steer worlds.
//! - `feature`: the rules that depend on the feature level and are checked where they apply.
//! - `wire`: the kinds of events, and the lists of the register reply that events keep up to date.
//! - `console`: the web page that shows and steers worlds.
//! - `fault`: failures, networks and rate limits that tests set up.
//! - `journal`: the latest requests and replies. `dialect`: names on the wire.
//! - `report`: what clients did that a real server would suffer from.
//! - `server`: sockets, and the library's [`Server`].
//! - [`reducer`]: a client's state, computed from a register reply and events. Independent of the server.
//! - `scenario`: Markdown files with requests and expected replies, played against any server. Independent of the
//!   server.
//! - `fixture`: organizations as JSON documents. `openapi`: the operations as an OpenAPI document.
//! - [`testing`]: a world for each test of a Rust program, with helpers.
//! - `tls`: the certificate of a server, and the certificates that a client trusts.
//! - `organization_import`: reads what an account sees of another server's organization, as a fixture.
//! - `upstream`: the client for other servers.
//! - `cli`: the command-line program. `error`: the table of all error replies. `time`: points in time, spans, clocks.
//! - `json_diagnostic`: error messages for JSON that does not fit its type. `count_format`: counts with their nouns.

#![cfg_attr(
    not(feature = "internals"),
    expect(dead_code, unused_imports, reason = "some of it is for the crate's own tests, which see all modules")
)]

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod console;
mod count_format;
mod json_diagnostic;
#[cfg(feature = "cli")]
mod organization_import;
pub mod reducer;
#[cfg(feature = "scenario")]
pub mod scenario;
pub mod testing;
#[cfg(feature = "cli")]
mod upstream;

// The remaining modules are private, except for the crate's own tests, which use the feature `internals`.
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
pub use fixture::Fixture;
pub use server::{Credentials, Options, Server, StartError};
pub use time::Timestamp;
#[cfg(feature = "tls")]
pub use tls::Tls;
pub use world::World;
