//! Tests as a user would make them: over HTTP against a running server.

mod support;

mod channels;
mod edge;
mod events;
mod group_reading;
mod messages;
mod narrows;
mod register;
mod subscriptions;
mod topics;
mod worlds;
