//! Events about changed user settings, of the current types and of the older types, and about the consent to exports.

pub mod events;
pub mod legacy;
