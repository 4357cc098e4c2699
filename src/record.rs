//! The JSON objects of the API, such as messages, channels and users, built from the realm, and the URLs of pictures in
//! them. An object that differs between viewers is built for one of them. `push` has the objects in which control shows
//! push notifications.

pub mod attachment;
pub mod avatar;
pub mod bot;
pub mod channel;
pub mod channel_folder;
pub mod device;
pub mod domain;
pub mod emoji;
pub mod event;
pub mod events;
pub mod export;
pub mod group;
pub mod linkifier;
pub mod message;
pub mod onboarding_step;
pub mod own_lists;
pub mod picture;
pub mod playground;
pub mod presence;
pub mod profile_field;
pub mod push;
pub mod scheduled;
pub mod status;
pub mod subscription;
pub mod user;
