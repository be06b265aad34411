//! Exporters of snapshots: VTP, PLY, Houdini geo/bgeo, CSV, NPZ.
