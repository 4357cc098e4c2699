//! Events of settings of users, today's and former ones.

pub mod events;
pub mod legacy;
