//! Tests as a user would make them: over HTTP against a running server.

mod support;

mod channel_changes;
mod channels;
mod cli;
mod credentials;
mod determinism;
mod edge;
mod events;
mod every_operation;
mod flags;
mod generated;
mod group_changes;
mod group_reading;
mod message_rules;
mod messages;
mod narrows;
mod presence;
mod reactions;
mod register;
mod statuses;
mod subscriptions;
mod tidy;
mod topics;
mod typing;
mod uploads;
mod users;
mod worlds;
