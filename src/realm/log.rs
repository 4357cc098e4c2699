//! The event log: what happened, for whom it is, and the queues that read it.

pub mod event;
pub mod queue;
