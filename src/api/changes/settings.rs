//! Events about changed user settings, of the current types and of the older types.

pub mod events;
pub mod legacy;
