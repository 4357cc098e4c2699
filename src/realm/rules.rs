//! The rules: who may do what, who sees what, what sending means, what falls due, and which events follow.
//!
//! Here is what time or several families of operations do; what one family does is with its operations.

pub mod access;
pub mod account_addresses;
pub mod account_names;
pub mod account_rights;
pub mod alerting;
pub mod belongings;
pub mod bot_owner;
pub mod deletion;
pub mod editing;
pub mod exporting;
pub mod flag;
pub mod full_members;
pub mod groups;
pub mod invitation;
pub mod mentions_outside;
pub mod muting;
pub mod notice;
pub mod permission_holders;
pub mod posting;
pub mod presence;
pub mod previews;
pub mod pushing;
pub mod reindexing;
pub mod render;
pub mod rows;
pub mod schedule;
pub mod send;
pub mod setting_values;
pub mod timer;
pub mod topic_visibility;
pub mod visibility;
pub mod wanted_emoji;
pub mod webhook;
pub mod widget;
