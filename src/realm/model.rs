//! The data of an organization as plain values, which depend neither on the event log nor on transactions.
//!
//! Functions of a single value and simple look-ups in the realm are here too. Permission checks and the consequences of
//! changes are in `rules`.

pub mod agenda;
pub mod attachment;
pub mod cached;
pub mod channel;
pub mod channel_boolean_setting;
pub mod client;
pub mod content_hash;
pub mod counters;
pub mod deserialize_unique;
pub mod device;
pub mod email;
pub mod emoji;
pub mod export;
pub mod graph;
pub mod group;
pub mod id;
pub mod invite;
pub mod linkifier;
pub mod membership;
pub mod message;
pub mod message_ids;
pub mod organization;
pub mod output_format;
pub mod permission;
pub mod personal;
pub mod picture;
pub mod playground;
pub mod preview_delays;
pub mod profile_field;
pub mod push;
pub mod read_set;
pub mod render_context;
pub mod resumable_upload;
pub mod scheduled;
pub mod seeded_rng;
pub mod sent_message;
pub mod setting;
pub mod state_serialization;
pub mod subscription_colors;
pub mod system_group;
pub mod text;
pub mod time_zone;
pub mod topic;
pub mod url;
pub mod user;
pub mod webhook_call;
