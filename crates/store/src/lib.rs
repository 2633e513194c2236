//! Files: snapshots, checkpoints, VTK, HDF5, LAMMPS, extended XYZ.
