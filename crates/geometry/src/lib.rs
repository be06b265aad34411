//! Shapes as signed distances, meshes, samplers, neighbour search and kernels.
