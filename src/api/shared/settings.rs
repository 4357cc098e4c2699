//! Settings of users: reading them from requests, their values, telling of them.

pub mod events;
pub mod legacy;
mod order;
pub mod parameters;
pub mod values;
mod zones;
