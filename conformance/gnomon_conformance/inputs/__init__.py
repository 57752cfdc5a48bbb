"""The arguments of operator calls as plain data, and calls beyond the samples."""
