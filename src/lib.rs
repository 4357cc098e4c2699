//! An in-memory test double of a team-chat server.

pub mod api;
pub mod dialect;
pub mod error;
pub mod fixture;
pub mod http;
pub mod realm;
pub mod record;
pub mod server;
pub mod time;
pub mod world;
