//! Tests as a user would make them: over HTTP against a running server.

mod support;

mod channel_changes;
mod channels;
mod credentials;
mod custom_emoji;
mod default_channels;
mod drafts;
mod edge;
mod events;
mod flags;
mod folders;
mod group_reading;
mod linkifiers;
mod messages;
mod narrows;
mod navigation_views;
mod presence;
mod reactions;
mod register;
mod reminders;
mod scheduled_messages;
mod snippets;
mod statuses;
mod subscriptions;
mod topics;
mod typing;
mod uploads;
mod users;
mod worlds;
