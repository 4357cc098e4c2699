//! Changes of accounts: creating, editing, deactivating and reactivating them, a first login, their API keys, push
//! devices and profile values, and the events about bots and about permissions that list a user.

pub mod account;
pub mod activation;
pub mod api_key;
pub mod bot;
pub mod creation;
pub mod device;
pub mod direct_permissions;
pub mod first_login;
pub mod profile_values;
