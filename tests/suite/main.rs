//! Tests as a user would make them: over HTTP against a running server.

mod support;

mod credentials;
mod edge;
mod events;
mod flags;
mod messages;
mod narrows;
mod presence;
mod reactions;
mod register;
mod statuses;
mod typing;
mod uploads;
mod users;
