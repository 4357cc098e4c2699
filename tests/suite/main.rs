//! Tests as a user would make them: over HTTP against a running server.

mod support;

mod channel_changes;
mod channels;
mod credentials;
mod edge;
mod events;
mod flags;
mod group_changes;
mod group_reading;
mod messages;
mod narrows;
mod presence;
mod reactions;
mod register;
mod statuses;
mod subscriptions;
mod topics;
mod typing;
mod uploads;
mod users;
mod worlds;
