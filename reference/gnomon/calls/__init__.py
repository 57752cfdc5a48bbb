"""From an operator's record to the launch of its kernel."""
