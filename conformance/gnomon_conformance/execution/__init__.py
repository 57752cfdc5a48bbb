"""Makes one call of an operator in one framework, and observes it."""
