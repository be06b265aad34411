//! A safe, bounded expression language for scene values.
