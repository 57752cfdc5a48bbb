"""Dispatch.  Which kernels a call runs, and in which order."""
