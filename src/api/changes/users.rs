//! Creating, changing, deactivating and reactivating accounts.

pub mod account;
pub mod activation;
pub mod api_key;
pub mod bot;
pub mod creation;
pub mod device;
pub mod direct_permissions;
pub mod profile_values;
