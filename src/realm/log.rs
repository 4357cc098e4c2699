//! The event log: what happened, its audience, and the queues that read it.

pub mod event;
pub mod queue;
