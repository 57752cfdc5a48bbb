"""Functions that the reference's kernels and derivative formulas share."""
