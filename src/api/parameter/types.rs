//! Types of parameters that several families of operations take, each with its form and its refusals.

pub mod channel;
pub mod group_setting;
pub mod narrow;
pub mod principals;
pub mod recipients;
pub mod text;
pub mod user_settings;
