//! Run folders: committed frames, checkpoints, manifest, lock.
