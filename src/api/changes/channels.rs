//! Changes of channels that several operations make, with their checks, notices and events.

pub mod archive;
pub mod creation;
pub mod default_groups;
pub mod notices;
pub mod update;
