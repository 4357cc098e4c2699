//! Changes of channels that several operations make: creating, archiving, notices and events.

pub mod archive;
pub mod creation;
pub mod default_groups;
pub mod notices;
pub mod rights;
pub mod update;
