//! Adding and changing accounts, ending them and bringing them back.

pub mod activity;
pub mod bot;
pub mod change;
pub mod device;
pub mod holders;
pub mod key;
pub mod person;
pub mod profile;
