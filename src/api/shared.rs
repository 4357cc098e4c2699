//! What several families of operations need: types of parameters, checks, and changes with their events.
//!
//! Each file is named after the family that it mostly serves, or after what it is about.

pub mod addresses;
pub mod bot_owner;
pub mod channels;
pub mod clients;
pub mod emoji;
pub mod flags;
pub mod group_settings;
pub mod groups;
pub mod narrows;
pub mod organization;
mod peers;
pub mod pictures;
pub mod principals;
pub mod queues;
pub mod recipients;
pub mod settings;
pub mod subscriptions;
pub mod text;
pub mod users;
