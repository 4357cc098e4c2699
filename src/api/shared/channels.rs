//! Channels: making them, archiving them, telling of them.

pub mod archive;
pub mod creation;
pub mod default_groups;
pub mod notices;
pub mod parameters;
pub mod rights;
pub mod update;
