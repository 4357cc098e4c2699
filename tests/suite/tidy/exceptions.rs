//! What the rules of this folder do not hold for yet. The lists may only shrink.

/// Arrows that lie on circles of files within a layer.
pub(super) const ON_CIRCLES: &[(&str, &str)] = &[
    ("realm/markdown/inline", "realm/markdown/math"),
    ("realm/markdown/inline", "realm/markdown/time"),
    ("realm/markdown/math", "realm/markdown/inline"),
    ("realm/markdown/time", "realm/markdown/inline"),
];
