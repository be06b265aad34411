//! Elastic laws, plastic flow, moduli and presets.
