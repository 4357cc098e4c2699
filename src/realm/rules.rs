//! The rules of the realm: permissions, visibility, sending of messages, due items, and the resulting events.
//!
//! Rules that only one family of operations needs are with its operations in `api`.

pub mod access;
pub mod account_emails;
pub mod account_names;
pub mod account_permissions;
pub mod alert_words;
pub mod bot_owner;
pub mod deletion;
pub mod editing;
pub mod exporting;
pub mod flag;
pub mod full_members;
pub mod groups;
pub mod invitations;
pub mod mention_recipients;
pub mod message_link;
pub mod muting;
pub mod notice;
pub mod passwords;
pub mod permission_holders;
pub mod personal_items;
pub mod posting;
pub mod presence;
pub mod previews;
pub mod pushing;
pub mod queues;
pub mod quotation;
pub mod reindexing;
pub mod render;
pub mod requested_emoji;
pub mod rewinding;
pub mod run_agenda;
pub mod schedule;
pub mod send;
pub mod setting_values;
pub mod topic_visibility;
pub mod user_messages;
pub mod visibility;
pub mod webhook;
pub mod widget;
