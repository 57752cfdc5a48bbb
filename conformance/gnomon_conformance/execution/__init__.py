"""One call of an operator in one framework, and all that can be observed of it."""
