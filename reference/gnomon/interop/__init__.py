"""Data exchange with other libraries, without copying if possible."""
