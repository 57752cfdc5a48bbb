"""Floor 3: what a call passes through, from an operator's record to a launched kernel."""
