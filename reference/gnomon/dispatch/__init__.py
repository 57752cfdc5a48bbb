"""Floor 2: dispatch.  Which kernel a call of an operator goes to, and in which order."""
