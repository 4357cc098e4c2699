//! Tests as a user would make them: over HTTP against a running server.

mod support;

mod edge;
mod events;
mod messages;
mod narrows;
mod register;
mod worlds;
