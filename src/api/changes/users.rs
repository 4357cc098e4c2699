//! Creating, changing, deactivating and reactivating accounts.

pub mod account;
pub mod activation;
pub mod bot;
pub mod device;
pub mod direct_permissions;
pub mod key;
pub mod person;
pub mod profile_values;
