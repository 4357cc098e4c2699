//! Making channels, changing and archiving them, and the messages and events that say so.

pub mod archive;
pub mod creation;
pub mod default_groups;
pub mod notices;
pub mod rights;
pub mod update;
