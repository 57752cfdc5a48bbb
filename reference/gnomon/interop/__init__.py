"""Exchange with other libraries, without copying where memory allows."""
