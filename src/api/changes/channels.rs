//! Changes of channels that several operations make, with the right to make them, notices and events.

pub mod archive;
pub mod creation;
pub mod default_groups;
pub mod notices;
pub mod update;
