//! Scene files: as written, validated, built into a world.
