//! Parameter types that several families of operations share.

pub mod channel;
pub mod event_types;
pub mod group_setting;
pub mod narrow;
pub mod principals;
pub mod profile_value;
pub mod recipients;
pub mod text;
pub mod user_settings;
