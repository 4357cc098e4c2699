//! The event log of a realm, and the event queues that read it.

pub mod event;
pub mod queue;
