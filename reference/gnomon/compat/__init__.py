"""Other libraries' names for gnomon."""
