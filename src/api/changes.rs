//! Changes that several families of operations make, with their checks and events.
//!
//! Rules that need neither the context of a request nor a record are in `realm/rules/`, parameter types in
//! `api/parameter/types/`.

pub mod channels;
pub mod flags;
pub mod groups;
pub mod organization;
mod peers;
pub mod pictures;
pub mod queues;
pub mod settings;
pub mod subscriptions;
pub mod users;
