//! Accounts: what they may be, adding and changing them, ending them and bringing them back.

pub mod activity;
pub mod address;
pub mod bot;
pub mod change;
pub mod device;
pub mod holders;
pub mod key;
pub mod name;
pub mod person;
pub mod profile;
pub mod rights;
