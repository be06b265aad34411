//! Pictures, movies, plots and surfaces from snapshots, on the CPU.
