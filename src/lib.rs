//! An in-memory test double of a team-chat server.

pub mod realm;
